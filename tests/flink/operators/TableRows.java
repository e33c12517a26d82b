import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.dataview.StateDataViewStore;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.runtime.generated.GeneratedJoinCondition;
import org.apache.flink.table.runtime.generated.JoinCondition;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;

/** The operators of the table runtime on rows: OVER, deduplication, temporal join. */
@SuppressWarnings({"unchecked", "rawtypes"})
final class TableRows {
    private static final LogicalType[] TEXT = {new VarCharType(VarCharType.MAX_LENGTH)};
    private static final int ROWTIME = 1;

    private TableRows() {}

    static AbstractStreamOperator<?> operator(Map<String, Object> spec) throws Exception {
        String at = "table.runtime.operators.";
        InternalTypeInfo rows = InternalTypeInfo.ofFields(Tables.INPUT);
        switch ((String) spec.get("type")) {
            case "over": return new KeyedProcessOperator((KeyedProcessFunction) over(spec, at + "over."));
            case "deduplicate": {
                Class<?> type = Host.type(at + "deduplicate.RowTimeDeduplicateFunction");
                if (spec.get("keep").equals("first")) {
                    Class<?> first = Host.type(at + "deduplicate.RowTimeDeduplicateKeepFirstRowFunction", at + "deduplicate.RowTimeDeduplicateFunction");
                    if (first != type) {
                        return new KeyedProcessOperator((KeyedProcessFunction) Host.make(first, rows, 0L, ROWTIME));
                    }
                }
                return new KeyedProcessOperator((KeyedProcessFunction) Host.make(type, rows, Windows.number(spec, "state_ttl"), ROWTIME, true, true, spec.get("keep").equals("last")));
            }
            case "temporal-join": {
                GeneratedJoinCondition always = new GeneratedJoinCondition("J", "", new Object[0]) {
                    @Override
                    public JoinCondition newInstance(ClassLoader loader) {
                        return new Always();
                    }
                };
                return (AbstractStreamOperator<?>) Host.make(Host.type(at + "join.temporal.TemporalRowTimeJoinOperator"),
                        rows, InternalTypeInfo.ofFields(Tables.INPUT), always, ROWTIME, ROWTIME, 0L, 0L, "left".equals(spec.get("kind")));
            }
            default: throw new UnsupportedOperationException((String) spec.get("type"));
        }
    }

    private static final class Always extends org.apache.flink.api.common.functions.AbstractRichFunction implements JoinCondition {
        @Override
        public boolean apply(RowData left, RowData right) {
            return true;
        }
    }

    private static Object over(Map<String, Object> spec, String at) throws Exception {
        Map<String, Object> frame = (Map<String, Object>) spec.get("frame");
        String compute = (String) ((Map<String, Object>) spec.get("function")).get("compute");
        GeneratedAggsHandleFunction generated = new GeneratedAggsHandleFunction("O", "", new Object[0]) {
            @Override
            public AggsHandleFunction newInstance(ClassLoader loader) {
                return new Frame(compute);
            }
        };
        Object inRows = frame.get("rows");
        Object length = inRows == null ? frame.get("range") : inRows;
        LogicalType[] accumulators = TEXT.clone();
        if (length instanceof String) {
            try {
                Class<?> second = Host.type(at + "RowTimeUnboundedPrecedingOverFunctionV2");
                return Host.make(second, inRows != null, 0L, 0L, generated, accumulators, Tables.INPUT.clone(), ROWTIME);
            } catch (IllegalStateException older) {
                Class<?> first = Host.type(at + (inRows == null ? "RowTimeRangeUnboundedPrecedingFunction" : "RowTimeRowsUnboundedPrecedingFunction"));
                return Host.make(first, 0L, 0L, generated, accumulators, Tables.INPUT.clone(), ROWTIME);
            }
        }
        long preceding = ((Number) length).longValue();
        if (inRows == null) {
            return Host.make(Host.type(at + "RowTimeRangeBoundedPrecedingFunction"), generated, accumulators, Tables.INPUT.clone(), preceding, ROWTIME);
        }
        return Host.make(Host.type(at + "RowTimeRowsBoundedPrecedingFunction"), 0L, 0L, generated, accumulators, Tables.INPUT.clone(), preceding + 1, ROWTIME);
    }

    static Map<String, Object> members(Map<String, Object> spec, RowData emitted) {
        Map<String, Object> row = new LinkedHashMap<>();
        if (spec.get("type").equals("temporal-join")) {
            row.put("row", "joined");
            row.put("key", Tables.value(emitted.getString(0)));
            row.put("left", side(emitted, 0));
            row.put("right", emitted.isNullAt(4) ? null : side(emitted, 3));
            row.put("timestamp", emitted.getTimestamp(ROWTIME, 3).getMillisecond());
            row.put("start", null);
            row.put("end", null);
            return row;
        }
        row.put("row", "emitted");
        row.put("key", Tables.value(emitted.getString(0)));
        row.put("ts", emitted.getTimestamp(ROWTIME, 3).getMillisecond());
        Object own = emitted.isNullAt(2) ? null : Tables.value(emitted.getString(2));
        if (spec.get("type").equals("over")) {
            row.put("value", emitted.isNullAt(3) ? null : Tables.value(emitted.getString(3)));
            row.put("own", own);
        } else {
            row.put("value", own);
            row.put("change", emitted.getRowKind().shortString());
        }
        return row;
    }

    private static Map<String, Object> side(RowData row, int at) {
        Map<String, Object> side = new LinkedHashMap<>();
        side.put("ts", row.getTimestamp(at + 1, 3).getMillisecond());
        side.put("value", row.isNullAt(at + 2) ? null : Tables.value(row.getString(at + 2)));
        return side;
    }

    static RowData deleted(RowData row) {
        row.setRowKind(RowKind.DELETE);
        return row;
    }

    /** What the planner generates for an aggregate over a frame. The accumulator is [value, count, values] as JSON. */
    private static final class Frame implements AggsHandleFunction {
        private final String compute;
        private Object value;
        private long count;
        private List<Object> values;

        Frame(String compute) {
            this.compute = compute;
        }

        @Override
        public void open(StateDataViewStore store) {}

        public void setWindowSize(int size) {}

        @Override
        public void accumulate(RowData row) {
            Object own = row.isNullAt(2) ? null : Tables.value(row.getString(2));
            values.add(own);
            count++;
            if (!isExtreme()) {
                value = compute.equals("count") ? null : Computes.add(value, own);
            }
        }

        @Override
        public void retract(RowData row) {
            Object own = row.isNullAt(2) ? null : Tables.value(row.getString(2));
            values.remove(own);
            count--;
            if (!isExtreme() && !compute.equals("count")) {
                value = value instanceof Long && own instanceof Long ? (Object) Math.subtractExact((Long) value, (Long) own)
                        : (Object) (((Number) value).doubleValue() - ((Number) own).doubleValue());
            }
        }

        private boolean isExtreme() {
            return compute.equals("min") || compute.equals("max");
        }

        @Override
        public RowData getValue() {
            Object found = value;
            if (compute.equals("count")) {
                found = count;
            } else if (compute.equals("avg")) {
                found = count == 0 ? null : (Object) (((Number) value).doubleValue() / count);
            } else if (isExtreme()) {
                found = null;
                for (Object each : values) {
                    found = found == null ? each : compute.equals("min") ? Computes.smaller(found, each) : Computes.larger(found, each);
                }
            }
            return GenericRowData.of(Tables.text(found));
        }

        @Override
        public void merge(RowData other) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setAccumulators(RowData row) {
            List<Object> read = (List<Object>) Tables.value(row.getString(0));
            value = plain(read.get(0));
            count = ((Number) read.get(1)).longValue();
            values = new ArrayList<>();
            ((List<Object>) read.get(2)).forEach(each -> values.add(plain(each)));
        }

        private static Object plain(Object number) {
            return number instanceof Integer ? Long.valueOf((Integer) number) : number;
        }

        @Override
        public void resetAccumulators() {
            setAccumulators(createAccumulators());
        }

        @Override
        public RowData getAccumulators() {
            List<Object> written = new ArrayList<>();
            written.add(value);
            written.add(count);
            written.add(values);
            return GenericRowData.of(Tables.text(written));
        }

        @Override
        public RowData createAccumulators() {
            List<Object> empty = new ArrayList<>();
            empty.add(0L);
            empty.add(0L);
            empty.add(new ArrayList<>());
            return GenericRowData.of(Tables.text(empty));
        }

        @Override
        public void cleanup() {}

        @Override
        public void close() {}
    }
}
