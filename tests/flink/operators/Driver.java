import java.io.File;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.BoundedOutOfOrdernessWatermarks;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.eventtime.WatermarksWithIdleness;
import org.apache.flink.metrics.Counter;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.runtime.operators.TimestampsAndWatermarksOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.OutputTag;

/** Runs jobs, one operator of Flink each, item by item: {@code Driver JOBS FOLDER} writes FOLDER/NAME.jsonl. */
@SuppressWarnings({"unchecked", "rawtypes"})
public final class Driver {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Class<?> STATUS = Host.type("streaming.runtime.watermarkstatus.WatermarkStatus", "streaming.runtime.streamstatus.StreamStatus");
    private static final Object IDLE = status("IDLE");
    private static final Object ACTIVE = status("ACTIVE");

    private static final int MOST_ROWS = 20_000;

    private final Map<String, Object> job;
    private final Map<String, Object> spec;
    private final Clock clock;
    private final List<Map<String, Object>> rows = new ArrayList<>();
    private final Map<String, List<Source>> sources = new LinkedHashMap<>();
    private final Map<String, Integer> checkpoints = new HashMap<>();
    private final boolean two;
    private Host.Kept kept = new Host.Kept();
    private AbstractStreamOperator<?> operator;
    private Long watermark;
    private long item;
    private Rec current;
    private boolean deletes;
    private boolean filtered;
    private boolean marks; // whether the watermark of the record is not NULL

    private Driver(Map<String, Object> job) {
        this.job = job;
        this.spec = (Map<String, Object>) job.get("operator");
        this.clock = new Clock(((Number) job.get("start")).longValue());
        this.two = List.of("interval-join", "temporal-join").contains(spec.get("type"));
    }

    public static void main(String[] arguments) throws Exception {
        for (Object each : JSON.readValue(new File(arguments[0]), List.class)) {
            Map<String, Object> job = (Map<String, Object>) each;
            Driver driver = new Driver(job);
            Path out = Path.of(arguments[1], job.get("name") + ".jsonl");
            try (PrintStream stream = new PrintStream(Files.newOutputStream(out), false, "UTF-8")) {
                driver.run();
                for (Map<String, Object> row : driver.rows) {
                    stream.println(JSON.writeValueAsString(row));
                }
            } catch (Throwable problem) {
                Files.delete(out);
                try (PrintStream trouble = new PrintStream(Files.newOutputStream(Path.of(arguments[1], job.get("name") + ".error")), false, "UTF-8")) {
                    problem.printStackTrace(trouble);
                }
            }
        }
    }

    private static Object status(String name) {
        try {
            java.lang.reflect.Field field = STATUS.getDeclaredField(name);
            field.setAccessible(true);
            return field.get(null);
        } catch (ReflectiveOperationException problem) {
            throw new IllegalStateException(problem);
        }
    }

    private boolean inTables() {
        return !"datastream".equals(spec.getOrDefault("api", "datastream"))
                || List.of("temporal-join", "over", "deduplicate", "window-top-n").contains(spec.get("type"));
    }

    private void run() throws Exception {
        open();
        try {
            run(items().size());
        } catch (Exception problem) {
            Throwable cause = problem;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            if (!(cause.getStackTrace().length > 0)) {
                throw problem;
            }
            if (Boolean.getBoolean("stacks")) {
                problem.printStackTrace();
            }
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("row", "error");
            row.put("type", cause.getClass().getSimpleName());
            row.put("message", String.valueOf(cause.getMessage()));
            row.put("item", item);
            rows.add(row);
        }
    }

    /** Runs the first {@code count} items. */
    private void run(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            item = i;
            work(items().get(i));
            clock.runDue();
        }
    }

    /** Begins with what {@code kept} has. */
    private void open() throws Exception {
        Map<String, Host.Handler> handlers = new HashMap<>();
        handlers.put("emitWatermark", arguments -> {
            watermark = ((Watermark) arguments[0]).getTimestamp();
            row("watermark", "ts", watermark);
            return null;
        });
        handlers.put("collect", arguments -> {
            if (arguments.length == 1) {
                emit(((StreamRecord) arguments[0]).getValue());
            } else {
                lost("late", (Rec) ((StreamRecord) arguments[1]).getValue());
            }
            return null;
        });
        Output<?> output = Host.stub(Output.class, handlers);
        if (inTables()) {
            operator = Tables.operator(spec);
            Host.open(operator, clock, output, Tables.keySerializer(), 0, kept, Tables.KEY, Tables.KEY);
        } else {
            operator = Windows.operator(spec);
            Host.open(operator, clock, output, Windows.PLAIN, 0, kept, Windows.KEY, Windows.KEY);
        }
        openSources();
    }

    private void work(Map<String, Object> each) throws Exception {
        if (each.get("at") != null) {
            clock.advance(((Number) each.get("at")).longValue());
        }
        String input = (String) each.get("input");
        Source source = input == null ? null : sources.get(input).get(((Number) each.getOrDefault("channel", 0)).intValue());
        switch ((String) each.get("kind")) {
            case "record":
                Long ts = each.get("ts") == null ? null : ((Number) each.get("ts")).longValue();
                current = new Rec(input, plain(each.get("key")), ts, plain(each.get("value")));
                deletes = "delete".equals(each.get("op"));
                filtered = "filtered".equals(each.get("op"));
                marks = !Boolean.FALSE.equals(each.get("marks"));
                source.record(current);
                break;
            case "watermark":
                source.valve.watermark(((Number) each.get("ts")).longValue(), source.number);
                break;
            case "status":
                source.valve.status(each.get("status").equals("idle") ? IDLE : ACTIVE, source.number);
                break;
            case "advance":
                clock.advance(clock.now + ((Number) each.get("by")).longValue());
                break;
            case "end":
                for (List<Source> all : sources.values()) {
                    for (Source one : all) {
                        one.end();
                    }
                }
                break;
            case "checkpoint":
                Host.checkpoint(operator);
                checkpoints.put((String) each.get("name"), (int) item + 1);
                break;
            case "restore":
                restore(checkpoints.get(each.get("name")));
                break;
            default:
                throw new IllegalArgumentException("no item " + each);
        }
    }

    /** Goes on with what the first {@code count} items leave, which run once more: state is not copied. */
    private void restore(int count) throws Exception {
        int restore = (int) item;
        Driver past = new Driver(job);
        past.open();
        past.run(count);
        kept = past.kept.restored();
        rows.subList(past.rows.size(), rows.size()).clear();
        clock.clear();
        sources.clear();
        open();
        watermark = stored() == Long.MIN_VALUE ? null : stored();
        Host.registerTimers(operator, past.kept, kept);
        clock.runDue();
        for (int i = count; i < restore; i++) {
            item = i;
            Map<String, Object> each = new HashMap<>(items().get(i));
            if (List.of("record", "watermark", "status", "end").contains(each.get("kind"))) {
                each.remove("at");
                work(each);
                clock.runDue();
            }
        }
    }

    /** The watermark that the operator itself keeps, and goes on with where one is not above it. */
    private long stored() throws Exception {
        Object own = Host.field(operator, "currentWatermark");
        return own == null ? Long.MIN_VALUE : (Long) own;
    }

    private List<Map<String, Object>> items() {
        return (List<Map<String, Object>>) job.get("items");
    }

    private static Object plain(Object value) {
        return value instanceof Integer ? Long.valueOf((Integer) value) : value instanceof java.math.BigInteger ? ((java.math.BigInteger) value).longValue() : value;
    }

    // Rows.

    private Map<String, Object> row(String kind, Object... members) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("row", kind);
        for (int i = 0; i < members.length; i += 2) {
            row.put((String) members[i], members[i + 1]);
        }
        if (!kind.equals("watermark")) {
            row.put("watermark", watermark);
        }
        row.put("at", clock.now);
        row.put("item", item);
        rows.add(row);
        return row;
    }

    private static Map<String, Object> partner(Rec record) {
        Map<String, Object> partner = new LinkedHashMap<>();
        partner.put("ts", record.ts);
        partner.put("value", record.value);
        return partner;
    }

    private void lost(String kind, Rec record) {
        row(kind, "input", record.input, "key", record.key, "ts", record.ts, "value", record.value);
    }

    private void emit(Object value) throws Exception {
        if (rows.size() > MOST_ROWS) {
            throw new IllegalStateException("a timer fires for ever");
        }
        if (value instanceof Windows.Fired) {
            Windows.Fired fired = (Windows.Fired) value;
            boolean global = !(fired.window instanceof TimeWindow);
            Object start = global ? null : ((TimeWindow) fired.window).getStart();
            Object end = global ? null : ((TimeWindow) fired.window).getEnd();
            Object stamp = fired.window.maxTimestamp();
            if (fired.value instanceof Rec[]) {
                Rec[] pair = (Rec[]) fired.value;
                row("joined", "key", fired.key, "left", partner(pair[0]), "right", partner(pair[1]), "timestamp", stamp, "start", start, "end", end);
            } else if (fired.value instanceof Windows.Sides) {
                Windows.Sides sides = (Windows.Sides) fired.value;
                row("group", "key", fired.key, "left", sides.left, "right", sides.right, "start", start, "end", end, "timestamp", stamp);
            } else {
                row("pane", "key", fired.key, "start", start, "end", end, "value", fired.value, "timestamp", stamp);
            }
        } else if (value instanceof Rec[]) {
            Rec[] pair = (Rec[]) value;
            row("joined", "key", pair[0].key, "left", partner(pair[0]), "right", partner(pair[1]), "timestamp", Math.max(pair[0].ts, pair[1].ts), "start", null, "end", null);
        } else if (value instanceof Windows.Lost) {
            lost("dropped", ((Windows.Lost) value).record);
        } else if (value instanceof Rec) {
            row("emitted", "key", ((Rec) value).key, "ts", ((Rec) value).ts, "value", ((Rec) value).value);
        } else {
            if (spec.get("type").equals("temporal-join")) {
                watermark = ((InternalTimerService<?>) Host.field(operator, "timerService")).currentWatermark();
            }
            Map<String, Object> members = Tables.members(spec, (RowData) value);
            String kind = (String) members.remove("row");
            List<Object> flat = new ArrayList<>();
            members.forEach((name, member) -> {
                flat.add(name);
                flat.add(member);
            });
            row(kind, flat.toArray());
        }
    }

    private long dropped() throws Exception {
        Object found = Host.field(operator, "numLateRecordsDropped");
        if (found == null) {
            Object processor = Host.field(operator, "userFunction");
            found = processor == null ? null : Host.field(processor, "numLateRecordsDropped");
        }
        return found == null ? 0 : ((Counter) found).getCount();
    }

    /** A record goes to the operator. Whether it was dropped, a counter says; an interval join has none. */
    private void process(Rec record, StreamRecord element) throws Exception {
        if (filtered) {
            return;
        }
        long before = dropped();
        int count = rows.size();
        StreamRecord given = inTables() ? new StreamRecord(deletes ? TableRows.deleted(Tables.row(record)) : Tables.row(record)) : element;
        boolean left = !two || record.input.equals("left");
        Host.call(operator, left ? "setKeyContextElement1" : "setKeyContextElement2", given);
        Host.call(operator, !two ? "processElement" : left ? "processElement1" : "processElement2", given);
        boolean isLate = spec.get("type").equals("interval-join") && watermark != null && record.ts < watermark;
        if (dropped() > before || (isLate && rows.size() == count)) {
            lost("dropped", record);
        }
    }

    // Sources and valves.

    private void openSources() throws Exception {
        List<Map<String, Object>> inputs = (List<Map<String, Object>>) job.get("inputs");
        int all = 0;
        for (Map<String, Object> input : inputs) {
            all += ((Number) input.get("channels")).intValue();
        }
        Valve shared = two ? null : new Valve(all, 0);
        int number = 0;
        for (int i = 0; i < inputs.size(); i++) {
            int channels = ((Number) inputs.get(i).get("channels")).intValue();
            Valve valve = two ? new Valve(channels, i + 1) : shared;
            List<Source> own = new ArrayList<>();
            for (int channel = 0; channel < channels; channel++) {
                own.add(new Source(valve, two ? channel : number++, (Map<String, Object>) inputs.get(i).get("watermark")));
            }
            sources.put((String) inputs.get(i).get("name"), own);
        }
        clock.punctual = true;
        for (List<Source> own : sources.values()) {
            for (Source each : own) {
                each.open();
            }
        }
        clock.punctual = false;
    }

    /** Flink's valve over the channels of an input, {@code input} 1 or 2, or of all, 0. */
    private final class Valve {
        private final Object valve;
        private final Object output;

        Valve(int channels, int input) throws Exception {
            valve = Host.make(Host.type("streaming.runtime.watermarkstatus.StatusWatermarkValve", "streaming.runtime.streamstatus.StatusWatermarkValve"), channels);
            Map<String, Host.Handler> handlers = new HashMap<>();
            String suffix = input == 0 ? "" : String.valueOf(input);
            handlers.put("emitWatermark", arguments -> {
                if (!two) {
                    watermark = Math.max(((Watermark) arguments[0]).getTimestamp(), stored());
                }
                return Host.call(operator, "processWatermark" + suffix, arguments[0]);
            });
            handlers.put("emitWatermarkStatus", arguments -> Host.call(operator, "processWatermarkStatus" + suffix, arguments[0]));
            output = Host.stub(Host.type("streaming.runtime.io.PushingAsyncDataInput$DataOutput"), handlers);
        }

        void watermark(long ts, int channel) throws Exception {
            Host.call(valve, "inputWatermark", new Watermark(ts), channel, output);
        }

        void status(Object status, int channel) throws Exception {
            Host.call(valve, STATUS.getSimpleName().equals("StreamStatus") ? "inputStreamStatus" : "inputWatermarkStatus", status, channel, output);
        }
    }

    /** The watermark operator of a channel, where its input has a generator. */
    private final class Source {
        final Valve valve;
        final int number;
        private final Map<String, Object> watermarks;
        private AbstractStreamOperator assigner;
        private boolean sql;
        private Object passed = ACTIVE;

        Source(Valve valve, int number, Map<String, Object> watermarks) {
            this.valve = valve;
            this.number = number;
            this.watermarks = watermarks;
        }

        void open() throws Exception {
            String type = (String) watermarks.get("type");
            if (type.equals("none")) {
                return;
            }
            long bound = Windows.number(watermarks, "bound");
            long emit = Windows.number(watermarks, "emit");
            long idle = Windows.number(watermarks, "idle_timeout");
            sql = type.equals("sql");
            if (sql) {
                assigner = (AbstractStreamOperator) Host.make(
                        Host.type("table.runtime.operators.wmassigners.WatermarkAssignerOperator"), 0, Tables.watermarks(bound), idle, Host.spare(clock.service()));
            } else {
                WatermarkStrategy<Rec> strategy = context -> generator(type, bound, emit, idle);
                strategy = strategy.withTimestampAssigner((record, before) -> record.ts == null ? Long.MIN_VALUE : record.ts);
                assigner = (AbstractStreamOperator) Host.make(TimestampsAndWatermarksOperator.class, strategy, true);
            }
            long interval = sql ? emit : emit > 0 ? emit : idle > 0 ? 200 : 0;
            Map<String, Host.Handler> handlers = new HashMap<>();
            handlers.put("collect", arguments -> {
                passStatus();
                process(current, sql ? of(current, current) : (StreamRecord) arguments[0]);
                return null;
            });
            handlers.put("emitWatermark", arguments -> {
                passStatus();
                valve.watermark(((Watermark) arguments[0]).getTimestamp(), number);
                return null;
            });
            handlers.put("emitWatermarkStatus", arguments -> {
                valve.status(arguments[0], number);
                return null;
            });
            Host.open(assigner, clock, Host.stub(Output.class, handlers), null, interval, new Host.Kept());
            clock.after(this::passStatus);
        }

        /** Before 1.14 the status is not sent but set on the task. */
        private void passStatus() throws Exception {
            Object task = Host.field(Host.field(assigner, "container"), "operatorChain");
            if (task != null && Host.call(task, "getStreamStatus") != passed) {
                passed = Host.call(task, "getStreamStatus");
                valve.status(passed, number);
            }
        }

        void record(Rec record) throws Exception {
            if (assigner == null) {
                process(record, of(record, record));
            } else {
                Object value = sql ? GenericRowData.of(record.ts, record, marks) : record;
                Host.call(assigner, "processElement", of(record, value));
                passStatus();
            }
        }

        private StreamRecord of(Rec record, Object value) {
            return record.ts == null ? new StreamRecord(value) : new StreamRecord(value, record.ts);
        }

        void end() throws Exception {
            valve.status(ACTIVE, number);
            if (assigner == null) {
                valve.watermark(Long.MAX_VALUE, number);
            } else {
                assigner.processWatermark(Watermark.MAX_WATERMARK);
            }
        }
    }

    private WatermarkGenerator<Rec> generator(String type, long bound, long emit, long idle) {
        WatermarkGenerator<Rec> inner = type.equals("punctuated") ? new Punctuated(bound) : new BoundedOutOfOrdernessWatermarks<>(Duration.ofMillis(bound));
        WatermarkGenerator<Rec> polled = emit > 0 || type.equals("punctuated") ? inner : new EachRecord(inner);
        try {
            return idle == 0 ? polled : (WatermarkGenerator<Rec>) Host.make(WatermarksWithIdleness.class, polled, Duration.ofMillis(idle), clock.new Millis());
        } catch (Exception problem) {
            throw new IllegalStateException(problem);
        }
    }

    private static final class Punctuated implements WatermarkGenerator<Rec> {
        private final long bound;

        Punctuated(long bound) {
            this.bound = bound;
        }

        @Override
        public void onEvent(Rec event, long timestamp, WatermarkOutput output) {
            output.emitWatermark(new org.apache.flink.api.common.eventtime.Watermark(timestamp - bound));
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {}
    }

    private static final class EachRecord implements WatermarkGenerator<Rec> {
        private final WatermarkGenerator<Rec> inner;

        EachRecord(WatermarkGenerator<Rec> inner) {
            this.inner = inner;
        }

        @Override
        public void onEvent(Rec event, long timestamp, WatermarkOutput output) {
            inner.onEvent(event, timestamp, output);
            inner.onPeriodicEmit(output);
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            inner.onPeriodicEmit(output);
        }
    }
}
