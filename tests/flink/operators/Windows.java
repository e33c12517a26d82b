import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.functions.windowing.ReduceApplyProcessWindowFunction;
import org.apache.flink.streaming.api.functions.windowing.delta.DeltaFunction;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.co.IntervalJoinOperator;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.apache.flink.streaming.api.windowing.assigners.SessionWindowTimeGapExtractor;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.assigners.WindowStagger;
import org.apache.flink.streaming.api.windowing.evictors.CountEvictor;
import org.apache.flink.streaming.api.windowing.evictors.DeltaEvictor;
import org.apache.flink.streaming.api.windowing.evictors.Evictor;
import org.apache.flink.streaming.api.windowing.evictors.TimeEvictor;
import org.apache.flink.streaming.api.windowing.triggers.ContinuousEventTimeTrigger;
import org.apache.flink.streaming.api.windowing.triggers.ContinuousProcessingTimeTrigger;
import org.apache.flink.streaming.api.windowing.triggers.CountTrigger;
import org.apache.flink.streaming.api.windowing.triggers.DeltaTrigger;
import org.apache.flink.streaming.api.windowing.triggers.EventTimeTrigger;
import org.apache.flink.streaming.api.windowing.triggers.ProcessingTimeTrigger;
import org.apache.flink.streaming.api.windowing.triggers.PurgingTrigger;
import org.apache.flink.streaming.api.windowing.triggers.Trigger;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.api.windowing.windows.Window;
import org.apache.flink.streaming.runtime.operators.windowing.EvictingWindowOperator;
import org.apache.flink.streaming.runtime.operators.windowing.WindowOperator;
import org.apache.flink.streaming.runtime.operators.windowing.functions.InternalAggregateProcessWindowFunction;
import org.apache.flink.streaming.runtime.operators.windowing.functions.InternalIterableProcessWindowFunction;
import org.apache.flink.streaming.runtime.operators.windowing.functions.InternalSingleValueProcessWindowFunction;
import org.apache.flink.streaming.runtime.operators.windowing.functions.InternalWindowFunction;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** The operators of the DataStream API, by what a scenario says. */
@SuppressWarnings({"unchecked", "rawtypes"})
final class Windows {
    static final TypeSerializer PLAIN = new Rec.Plain();
    static final KeySelector<Rec, Object> KEY = record -> record.key;
    static final OutputTag<Rec> LATE = new OutputTag<Rec>("late", TypeInformation.of(Rec.class)) {};
    static final OutputTag<Rec> LATE_RIGHT = new OutputTag<Rec>("late-right", TypeInformation.of(Rec.class)) {};

    private Windows() {}

    static AbstractStreamOperator<?> operator(Map<String, Object> spec) throws Exception {
        switch ((String) spec.get("type")) {
            case "interval-join": return intervalJoin(spec);
            case "process": return new KeyedProcessOperator<>(new Sort());
            default: return window(spec);
        }
    }

    private static AbstractStreamOperator<?> intervalJoin(Map<String, Object> spec) throws Exception {
        boolean side = "side".equals(spec.get("late_output"));
        Object lower = number(spec, "lower");
        Object upper = number(spec, "upper");
        boolean lowerIn = !Boolean.TRUE.equals(spec.get("lower_exclusive"));
        boolean upperIn = !Boolean.TRUE.equals(spec.get("upper_exclusive"));
        Object pairs = new Pairs();
        return (AbstractStreamOperator<?>) Host.make(IntervalJoinOperator.class, lower, upper, lowerIn, upperIn,
                Host.spare(side ? LATE : null), Host.spare(side ? LATE_RIGHT : null), PLAIN, new Rec.Plain(), pairs);
    }

    private static final class Pairs extends ProcessJoinFunction<Rec, Rec, Object> {
        @Override
        public void processElement(Rec left, Rec right, Context context, Collector<Object> out) {
            out.collect(new Rec[] {left, right});
        }
    }

    private static AbstractStreamOperator<?> window(Map<String, Object> spec) throws Exception {
        String type = (String) spec.get("type");
        Map<String, Object> function = (Map<String, Object>) spec.get("function");
        String written = type.equals("window") ? (String) function.get("call") : "process";
        boolean behind = written.endsWith("-process"); // a process function behind the other one
        String call = written.replace("-process", "");
        String compute = type.equals("window") ? (String) function.get("compute") : type;
        WindowAssigner assigner = assigner((Map<String, Object>) spec.get("assigner"), "event".equals(spec.get("time")));
        Trigger trigger = trigger((Map<String, Object>) spec.get("trigger"));
        Object lateness = number(spec, "allowed_lateness");
        OutputTag<Rec> tag = "side".equals(spec.get("late_output")) ? LATE : null;
        Map<String, Object> evictor = (Map<String, Object>) spec.get("evictor");
        TypeSerializer windows = assigner.getWindowSerializer(new org.apache.flink.api.common.ExecutionConfig());
        if (evictor != null) {
            Object found = new org.apache.flink.streaming.runtime.streamrecord.StreamElementSerializer<>(PLAIN);
            StateDescriptor state = new ListStateDescriptor<>("window-contents", (TypeSerializer) found);
            InternalWindowFunction applied = !behind ? new InternalIterableProcessWindowFunction<>(new Apply(call, compute, spec))
                    : call.equals("reduce")
                    ? new InternalIterableProcessWindowFunction<>(new ReduceApplyProcessWindowFunction(Computes.reduce(compute), new Single(true, function)))
                    : new InternalAggregateProcessWindowFunction<>(new Computes.Aggregate(compute), new Single(true, function));
            return new EvictingWindowOperator(assigner, windows, KEY, PLAIN, state, applied, trigger, evictor(evictor), (Long) lateness, tag);
        }
        StateDescriptor state;
        InternalWindowFunction apply;
        if (call.equals("reduce")) {
            state = new ReducingStateDescriptor<Rec>("window-contents", Computes.reduce(compute), (TypeSerializer) PLAIN);
            apply = new InternalSingleValueProcessWindowFunction<>(new Single(behind, function));
        } else if (call.equals("aggregate")) {
            state = new AggregatingStateDescriptor<>("window-contents", new Computes.Aggregate(compute), (TypeSerializer) PLAIN);
            apply = new InternalSingleValueProcessWindowFunction<>(new Single(behind, function));
        } else {
            state = new ListStateDescriptor<>("window-contents", PLAIN);
            apply = new InternalIterableProcessWindowFunction<>(new Apply(call, compute, spec));
        }
        return new WindowOperator(assigner, windows, KEY, PLAIN, state, apply, trigger, (Long) lateness, tag);
    }

    /** What a window emits. */
    static final class Fired {
        final Object key;
        final Window window;
        final Object value;

        Fired(Object key, Window window, Object value) {
            this.key = key;
            this.window = window;
            this.value = value;
        }
    }

    /** Both sides of a window. */
    static final class Sides {
        final List<Object> left = new ArrayList<>();
        final List<Object> right = new ArrayList<>();
    }

    /** Gets the one result of {@code aggregate} or {@code reduce}; adds the end of its window, if that is asked for. */
    private static final class Single extends ProcessWindowFunction {
        private final boolean addsEnd;
        private final Object firings; // cleared, kept, or null: not counted

        Single(boolean addsEnd, Map<String, Object> function) {
            this.addsEnd = addsEnd;
            this.firings = function.get("firings");
        }

        private static ValueState<Long> firings(ProcessWindowFunction.Context context) {
            return context.windowState().getState(new ValueStateDescriptor<>("firings", Long.class));
        }

        @Override
        public void clear(Context context) {
            if ("cleared".equals(firings)) {
                firings(context).clear();
            }
        }

        @Override
        public void process(Object key, Context context, Iterable elements, Collector out) throws Exception {
            Object element = elements.iterator().next();
            Object value = element instanceof Rec ? ((Rec) element).value : element;
            if (addsEnd) {
                Map<String, Object> both = new LinkedHashMap<>();
                both.put("value", value);
                both.put("window_end", context.window() instanceof TimeWindow ? ((TimeWindow) context.window()).getEnd() : null);
                if (firings != null) {
                    ValueState<Long> count = firings(context);
                    count.update(count.value() == null ? 1L : count.value() + 1);
                    both.put("firing", count.value());
                }
                value = both;
            }
            out.collect(new Fired(key, context.window(), value));
        }
    }

    private static final class Apply extends ProcessWindowFunction {
        private final String call;
        private final String compute;
        private final String join;

        Apply(String call, String compute, Map<String, Object> spec) {
            this.call = call;
            this.compute = compute;
            this.join = (String) spec.get("join");
        }

        @Override
        public void process(Object key, Context context, Iterable elements, Collector out) {
            if (!compute.equals("window-join") && !compute.equals("co-group")) {
                out.collect(new Fired(key, context.window(), Computes.over(call, compute, (Iterable<Rec>) elements)));
                return;
            }
            List<Rec> left = new ArrayList<>();
            List<Rec> right = new ArrayList<>();
            for (Rec each : (Iterable<Rec>) elements) {
                (each.input.equals("left") ? left : right).add(each);
            }
            if (compute.equals("window-join")) {
                left.forEach(one -> right.forEach(other -> out.collect(new Fired(key, context.window(), new Rec[] {one, other}))));
                return;
            }
            boolean needsLeft = join.equals("inner") || join.equals("left");
            boolean needsRight = join.equals("inner") || join.equals("right");
            if ((!needsLeft || !left.isEmpty()) && (!needsRight || !right.isEmpty())) {
                Sides sides = new Sides();
                left.forEach(each -> sides.left.add(each.value));
                right.forEach(each -> sides.right.add(each.value));
                out.collect(new Fired(key, context.window(), sides));
            }
        }
    }

    static Long number(Map<String, Object> spec, String name) {
        Object value = spec.get(name);
        return value == null ? 0L : ((Number) value).longValue();
    }

    private static WindowAssigner assigner(Map<String, Object> spec, boolean event) throws Exception {
        String at = "streaming.api.windowing.assigners.";
        switch ((String) spec.get("type")) {
            case "tumbling": return (WindowAssigner) Host.make(Host.type(at + (event ? "TumblingEventTimeWindows" : "TumblingProcessingTimeWindows")),
                    number(spec, "size"), number(spec, "offset"), WindowStagger.ALIGNED);
            case "sliding": return (WindowAssigner) Host.make(Host.type(at + (event ? "SlidingEventTimeWindows" : "SlidingProcessingTimeWindows")),
                    number(spec, "size"), number(spec, "slide"), number(spec, "offset"));
            case "session": return (WindowAssigner) Host.make(Host.type(at + (event ? "EventTimeSessionWindows" : "ProcessingTimeSessionWindows")), number(spec, "gap"));
            case "dynamic-session": {
                String field = (String) spec.get("gap_field");
                SessionWindowTimeGapExtractor gaps = record -> ((Number) ((Map) ((Rec) record).value).get(field)).longValue();
                return (WindowAssigner) Host.make(Host.type(at + (event ? "DynamicEventTimeSessionWindows" : "DynamicProcessingTimeSessionWindows")), gaps);
            }
            default: return GlobalWindows.create();
        }
    }

    private static Trigger trigger(Map<String, Object> spec) throws Exception {
        switch ((String) spec.get("type")) {
            case "event-time": return EventTimeTrigger.create();
            case "processing-time": return ProcessingTimeTrigger.create();
            case "count": return CountTrigger.of(number(spec, "max"));
            case "continuous-event-time": return (Trigger) Host.make(ContinuousEventTimeTrigger.class, number(spec, "interval"));
            case "continuous-processing-time": return (Trigger) Host.make(ContinuousProcessingTimeTrigger.class, number(spec, "interval"));
            case "delta": return DeltaTrigger.of(((Number) spec.get("threshold")).doubleValue(), delta(), (TypeSerializer) PLAIN);
            case "purging": return PurgingTrigger.of(trigger((Map<String, Object>) spec.get("inner")));
            case "processing-timeout": return (Trigger) Host.make(Host.type("streaming.api.windowing.triggers.ProcessingTimeoutTrigger"),
                    trigger((Map<String, Object>) spec.get("inner")), number(spec, "timeout"), spec.get("reset_on_record"), spec.get("clear_on_timeout"));
            default: return new GlobalWindows.NeverTrigger();
        }
    }

    private static DeltaFunction<Rec> delta() {
        return (before, after) -> ((Number) after.value).doubleValue() - ((Number) before.value).doubleValue();
    }

    private static Evictor evictor(Map<String, Object> spec) {
        boolean after = Boolean.TRUE.equals(spec.get("after"));
        switch ((String) spec.get("type")) {
            case "count": return CountEvictor.of(number(spec, "max"), after);
            case "time": return new TimeEvictor<>(number(spec, "window"), after);
            default: return DeltaEvictor.of(((Number) spec.get("threshold")).doubleValue(), delta(), after);
        }
    }

    /** The function of the car example. */
    private static final class Sort extends KeyedProcessFunction<Object, Rec, Object> {
        private ValueState<List<Rec>> waiting() {
            return getRuntimeContext().getState(new ValueStateDescriptor<List<Rec>>("waiting", (TypeSerializer) PLAIN));
        }

        @Override
        public void processElement(Rec record, Context context, Collector<Object> out) throws Exception {
            if (context.timestamp() <= context.timerService().currentWatermark()) {
                out.collect(new Lost(record));
                return;
            }
            List<Rec> all = waiting().value() == null ? new ArrayList<>() : waiting().value();
            all.add(record);
            all.sort((one, other) -> Long.compare(one.ts, other.ts));
            waiting().update(all);
            context.timerService().registerEventTimeTimer(context.timestamp());
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<Object> out) throws Exception {
            List<Rec> all = waiting().value() == null ? new ArrayList<>() : waiting().value();
            while (!all.isEmpty() && all.get(0).ts <= context.timerService().currentWatermark()) {
                out.collect(all.remove(0));
            }
            waiting().update(all);
        }
    }

    /** A record that the sort does not take. */
    static final class Lost {
        final Rec record;

        Lost(Rec record) {
            this.record = record;
        }
    }
}
