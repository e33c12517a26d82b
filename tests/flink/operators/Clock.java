import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/** The processing-time clock, which only the stream moves; of what is due in one millisecond the first scheduled runs first. */
final class Clock {
    private static final int MOST_AT_ONCE = 20_000;

    long now;
    /** Whether a timer for T runs at T (sources) instead of after that millisecond (operators). */
    boolean punctual;
    private long number;
    private int registered;
    private final PriorityQueue<Call> calls = new PriorityQueue<>();

    private final List<Action> actions = new ArrayList<>();

    /** Something that may fail. */
    interface Action {
        void run() throws Exception;
    }

    /** Has {@code action} run after each timer. */
    void after(Action action) {
        actions.add(action);
    }

    private static final class Call implements Comparable<Call> {
        long due;
        long number;
        long timestamp;
        Object callback;
        boolean cancelled;

        @Override
        public int compareTo(Call other) {
            return due != other.due ? Long.compare(due, other.due) : Long.compare(number, other.number);
        }
    }

    Clock(long start) {
        now = start;
    }

    /** The {@code ProcessingTimeService} of one operator. */
    Object service() throws Exception {
        boolean own = punctual;
        Map<String, Host.Handler> handlers = new HashMap<>();
        handlers.put("getCurrentProcessingTime", none -> now);
        handlers.put("registerTimer", arguments -> register((Long) arguments[0], arguments[1], own));
        Object clock = new Millis();
        handlers.put("getClock", none -> clock);
        return Host.stub(Host.type("streaming.runtime.tasks.ProcessingTimeService"), handlers);
    }

    private Object register(long timestamp, Object callback, boolean own) throws Exception {
        if (++registered > MOST_AT_ONCE) {
            throw new IllegalStateException("a timer is set for ever");
        }
        Call call = new Call();
        call.timestamp = timestamp;
        call.callback = callback;
        call.due = own ? timestamp : now + delay(timestamp);
        call.number = number++;
        calls.add(call);
        Map<String, Host.Handler> handlers = new HashMap<>();
        handlers.put("cancel", none -> call.cancelled = true);
        return Host.stub(java.util.concurrent.ScheduledFuture.class, handlers);
    }

    private long delay(long timestamp) throws Exception {
        if (timestamp > now + (1L << 60)) {
            return timestamp - now;  // never
        }
        return (Long) Host.call(Host.type("streaming.runtime.tasks.ProcessingTimeServiceUtil", "streaming.runtime.tasks.SystemProcessingTimeService"),
                "getProcessingTimeDelay", timestamp, now);
    }

    /** Takes everything off; the time stays. */
    void clear() {
        calls.clear();
        actions.clear();
    }

    void advance(long to) throws Exception {
        runUntil(to);
        now = Math.max(now, to);
    }

    void runDue() throws Exception {
        runUntil(now);
    }

    private void runUntil(long to) throws Exception {
        while (!calls.isEmpty() && calls.peek().due <= to) {
            Call call = calls.poll();
            registered = 0;
            if (!call.cancelled) {
                now = Math.max(now, call.due);
                Host.call(call.callback, "onProcessingTime", call.timestamp);
                for (Action each : actions) {
                    each.run();
                }
            }
        }
    }

    /** Flink's clock for idleness. */
    final class Millis extends org.apache.flink.util.clock.Clock {
        @Override
        public long absoluteTimeMillis() {
            return now;
        }

        @Override
        public long relativeTimeMillis() {
            return now;
        }

        @Override
        public long relativeTimeNanos() {
            return now * 1_000_000;
        }
    }
}
