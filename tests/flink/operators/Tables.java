import java.time.Duration;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.runtime.dataview.StateDataViewStore;
import org.apache.flink.table.runtime.generated.GeneratedNamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.generated.RecordEqualiser;
import org.apache.flink.table.runtime.generated.WatermarkGenerator;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;

/** The operators of the table runtime on windows. A row is (key, rowtime, value), key and value as JSON. */
@SuppressWarnings({"unchecked", "rawtypes"})
final class Tables {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final LogicalType TEXT = new VarCharType(VarCharType.MAX_LENGTH);
    static final LogicalType[] INPUT = {TEXT, new TimestampType(3), TEXT};
    private static final LogicalType[] ACCUMULATOR = {TEXT, new BigIntType()};
    private static final LogicalType[] RESULT = {TEXT};
    private static final LogicalType[] BOUNDS = {new BigIntType(), new BigIntType()};
    static final RowDataSerializer ROWS = new RowDataSerializer(INPUT);
    static final RowDataSerializer KEYS = new RowDataSerializer(TEXT);
    static final KeySelector<RowData, Object> KEY = row -> KEYS.toBinaryRow(GenericRowData.of(row.getString(0))).copy();
    private static final int ROWTIME = 1;

    private Tables() {}

    static AbstractStreamOperator<?> operator(Map<String, Object> spec) throws Exception {
        switch ((String) spec.get("type")) {
            case "window": return "sql".equals(spec.get("api")) ? groupWindow(spec) : tableFunction(spec);
            default: return TableRows.operator(spec);
        }
    }

    static TypeSerializer<?> keySerializer() {
        return KEYS;
    }

    static StringData text(Object value) {
        try {
            return value == null ? null : StringData.fromString(JSON.writeValueAsString(value));
        } catch (java.io.IOException problem) {
            throw new IllegalStateException(problem);
        }
    }

    static Object value(StringData text) {
        try {
            Object found = text == null ? null : JSON.readValue(text.toString(), Object.class);
            return found instanceof Integer ? Long.valueOf((Integer) found) : found;
        } catch (java.io.IOException problem) {
            throw new IllegalStateException(problem);
        }
    }

    static RowData row(Rec record) {
        TimestampData time = record.ts == null ? null : TimestampData.fromEpochMillis(record.ts);
        return ROWS.toBinaryRow(GenericRowData.of(text(record.key), time, text(record.value))).copy();
    }

    /** The members of a row that an operator emitted. */
    static Map<String, Object> members(Map<String, Object> spec, RowData emitted) {
        if (!spec.get("type").equals("window")) {
            return TableRows.members(spec, emitted);
        }
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("row", "pane");
        row.put("key", value(emitted.getString(0)));
        row.put("start", emitted.getLong(2));
        row.put("end", emitted.getLong(3));
        row.put("value", emitted.isNullAt(1) ? null : value(emitted.getString(1)));
        row.put("timestamp", emitted.getLong(3) - 1);
        if (Boolean.TRUE.equals(spec.get("updates"))) {
            row.put("change", emitted.getRowKind().shortString());
        }
        return row;
    }

    private static Duration length(Map<String, Object> spec, String name) {
        return Duration.ofMillis(Windows.number(spec, name));
    }

    private static AbstractStreamOperator<?> groupWindow(Map<String, Object> spec) throws Exception {
        Map<String, Object> function = (Map<String, Object>) spec.get("function");
        boolean event = "event".equals(spec.get("time"));
        Object aggregator = new Aggregator((String) function.get("compute"), window -> new long[] {((TimeWindow) window).getStart(), ((TimeWindow) window).getEnd()});
        RecordEqualiser same = (one, other) -> text(value(one.getString(0))).equals(text(value(other.getString(0))));
        Object equaliser = (RecordEqualiser) (one, other) -> one.isNullAt(0) ? other.isNullAt(0) : !other.isNullAt(0) && same.equals(one, other);
        Class<?> type = Host.type("table.runtime.operators.window.groupwindow.operator.AggregateWindowOperator", "table.runtime.operators.window.AggregateWindowOperator");
        Map<String, Object> trigger = (Map<String, Object>) spec.get("trigger");
        return (AbstractStreamOperator<?>) Host.make(type, aggregator, equaliser, assigner((Map<String, Object>) spec.get("assigner"), event),
                trigger(trigger, event), new TimeWindow.Serializer(), INPUT.clone(), ACCUMULATOR.clone(), RESULT.clone(), BOUNDS.clone(),
                event ? ROWTIME : -1, spec.get("updates"), Windows.number(spec, "allowed_lateness"), zone(spec), Host.spare(Integer.valueOf(-1)));
    }

    static ZoneId zone(Map<String, Object> spec) {
        return ZoneId.of(spec.get("session_zone") == null ? "UTC" : (String) spec.get("session_zone"));
    }

    private static Object assigner(Map<String, Object> spec, boolean event) throws Exception {
        String[] at = {"table.runtime.operators.window.groupwindow.assigners.", "table.runtime.operators.window.assigners."};
        Object made;
        switch ((String) spec.get("type")) {
            case "tumbling": made = Host.call(either(at, "TumblingWindowAssigner"), "of", length(spec, "size")); break;
            case "sliding": made = Host.call(either(at, "SlidingWindowAssigner"), "of", length(spec, "size"), length(spec, "slide")); break;
            case "cumulative": made = Host.call(either(at, "CumulativeWindowAssigner"), "of", length(spec, "max_size"), length(spec, "step")); break;
            default: made = Host.call(either(at, "SessionWindowAssigner"), "withGap", length(spec, "gap"));
        }
        if (Windows.number(spec, "offset") != 0) {
            made = Host.call(made, "withOffset", length(spec, "offset"));
        }
        return Host.call(made, event ? "withEventTime" : "withProcessingTime");
    }

    private static Class<?> either(String[] packages, String name) {
        return Host.type(packages[0] + name, packages[1] + name);
    }

    private static Object trigger(Map<String, Object> spec, boolean event) throws Exception {
        String[] at = {"table.runtime.operators.window.groupwindow.triggers.", "table.runtime.operators.window.triggers."};
        switch ((String) spec.get("type")) {
            case "every-element": return Host.call(either(at, "ElementTriggers"), "every");
            case "count": return Host.call(either(at, "ElementTriggers"), "count", Windows.number(spec, "max"));
            case "processing-time-every": return Host.call(either(at, "ProcessingTimeTriggers"), "every", length(spec, "interval"));
            default:
                Object made = Host.call(either(at, event ? "EventTimeTriggers" : "ProcessingTimeTriggers"), "afterEndOfWindow");
                if (spec.get("early") != null) {
                    made = Host.call(made, "withEarlyFirings", trigger((Map<String, Object>) spec.get("early"), event));
                }
                if (spec.get("late") != null) {
                    made = Host.call(made, "withLateFirings", trigger((Map<String, Object>) spec.get("late"), event));
                }
                return made;
        }
    }

    private static AbstractStreamOperator<?> tableFunction(Map<String, Object> spec) throws Exception {
        Map<String, Object> function = (Map<String, Object>) spec.get("function");
        Map<String, Object> shape = (Map<String, Object>) spec.get("assigner");
        boolean event = "event".equals(spec.get("time"));
        Object assigner = slices(shape, event, zone(spec));
        Aggregator aggregator = new Aggregator((String) function.get("compute"), window -> bounds(assigner, window));
        GeneratedNamespaceAggsHandleFunction generated = new GeneratedNamespaceAggsHandleFunction("A", "", new Object[0]) {
            @Override
            public Object newInstance(ClassLoader loader) {
                return aggregator.copy();
            }

            @Override
            public Object newInstance(ClassLoader loader, Object... arguments) {
                return aggregator.copy();
            }
        };
        Class<?> type = Host.type("table.runtime.operators.aggregate.window.WindowAggOperatorBuilder", "table.runtime.operators.aggregate.window.SlicingWindowAggOperatorBuilder");
        Object builder = Host.call(type, "builder");
        Host.call(builder, "inputSerializer", new RowDataSerializer(INPUT));
        Host.call(builder, "shiftTimeZone", zone(spec));
        Host.call(builder, "keySerializer", KEYS);
        Host.call(builder, "assigner", assigner);
        Host.call(builder, "aggregate", generated, new RowDataSerializer(ACCUMULATOR));
        if (shape.get("type").equals("sliding")) {
            Host.call(builder, "countStarIndex", 1);
        }
        try {
            Host.call(builder, "generatedKeyEqualiser", keyEqualiser());
        } catch (IllegalStateException older) {
            // compared otherwise
        }
        return (AbstractStreamOperator<?>) Host.call(builder, "build");
    }

    static GeneratedRecordEqualiser keyEqualiser() {
        RecordEqualiser same = (one, other) -> one.getString(0).equals(other.getString(0));
        return new GeneratedRecordEqualiser("E", "", new Object[0]) {
            @Override
            public RecordEqualiser newInstance(ClassLoader loader) {
                return same;
            }
        };
    }

    static Object slices(Map<String, Object> shape, boolean event, ZoneId zone) throws Exception {
        String[] at = {"table.runtime.operators.window.tvf.slicing.", "table.runtime.operators.window.slicing."};
        int time = event ? ROWTIME : -1;
        Object made;
        switch ((String) shape.get("type")) {
            case "tumbling": made = Host.call(either(at, "SliceAssigners"), "tumbling", time, zone, length(shape, "size")); break;
            case "sliding": made = Host.call(either(at, "SliceAssigners"), "hopping", time, zone, length(shape, "size"), length(shape, "slide")); break;
            case "cumulative": made = Host.call(either(at, "SliceAssigners"), "cumulative", time, zone, length(shape, "max_size"), length(shape, "step")); break;
            default: return Host.call(Host.type("table.runtime.operators.window.tvf.unslicing.UnsliceAssigners"), "session", time, zone, length(shape, "gap"));
        }
        return Windows.number(shape, "offset") == 0 ? made : Host.call(made, "withOffset", length(shape, "offset"));
    }

    private static long[] bounds(Object assigner, Object window) {
        if (window instanceof TimeWindow) {
            return new long[] {((TimeWindow) window).getStart(), ((TimeWindow) window).getEnd()};
        }
        try {
            return new long[] {(Long) Host.call(assigner, "getWindowStart", window), (Long) window};
        } catch (Exception problem) {
            throw new IllegalStateException(problem);
        }
    }

    /** The bounds of a window. */
    interface Bounds extends java.io.Serializable {
        long[] of(Object window);
    }

    /** What the planner generates for an aggregate. Its result is (value, start, end). */
    static final class Aggregator implements NamespaceAggsHandleFunction {
        private final String compute;
        private final Computes.Aggregate aggregate;
        private final Bounds bounds;
        private Computes.Accumulator accumulator;

        Aggregator(String compute, Bounds bounds) {
            this.compute = compute;
            this.aggregate = new Computes.Aggregate(compute);
            this.bounds = bounds;
        }

        Aggregator copy() {
            return new Aggregator(compute, bounds);
        }

        @Override
        public void open(StateDataViewStore store) {}

        @Override
        public void setAccumulators(Object namespace, RowData row) {
            accumulator = read(row);
        }

        private static Computes.Accumulator read(RowData row) {
            Computes.Accumulator read = new Computes.Accumulator();
            read.value = row.isNullAt(0) ? null : value(row.getString(0));
            read.count = row.getLong(1);
            return read;
        }

        private static RowData written(Computes.Accumulator accumulator) {
            return GenericRowData.of(text(accumulator.value), accumulator.count);
        }

        @Override
        public void accumulate(RowData row) {
            accumulator = aggregate.addValue(row.isNullAt(2) ? null : value(row.getString(2)), accumulator);
        }

        @Override
        public void retract(RowData row) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void merge(Object namespace, RowData other) {
            accumulator = aggregate.merge(accumulator, read(other));
        }

        @Override
        public RowData createAccumulators() {
            return written(aggregate.createAccumulator());
        }

        @Override
        public RowData getAccumulators() {
            return written(accumulator);
        }

        @Override
        public RowData getValue(Object window) {
            long[] found = bounds.of(window);
            return GenericRowData.of(text(aggregate.getResult(accumulator)), found[0], found[1]);
        }

        @Override
        public void cleanup(Object namespace) {}

        @Override
        public void close() {}
    }

    /** {@code WATERMARK FOR ts AS CASE WHEN marks THEN ts - bound END}, of a row of ts, the record and marks. */
    static WatermarkGenerator watermarks(long bound) {
        return new WatermarkGenerator() {
            @Override
            public Long currentWatermark(RowData row) {
                return row.getBoolean(2) ? Long.valueOf(row.getLong(0) - bound) : null;
            }

            public long extractTimestamp(RowData row) { // since 2.3
                return row.getLong(0);
            }
        };
    }
}
