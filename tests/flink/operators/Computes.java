import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.ReduceFunction;

/** What a window computes: {@code sum}, {@code count}, {@code min}, {@code max}, {@code avg}, {@code collect}. */
final class Computes {
    private Computes() {}

    static Object add(Object left, Object right) {
        if (left instanceof Long && right instanceof Long) {
            return Math.addExact((Long) left, (Long) right);
        }
        return ((Number) left).doubleValue() + ((Number) right).doubleValue();
    }

    static int compare(Object left, Object right) {
        if (left instanceof Long && right instanceof Long) {
            return Long.compare((Long) left, (Long) right);
        }
        return new java.math.BigDecimal(left.toString()).compareTo(new java.math.BigDecimal(right.toString()));
    }

    static Object smaller(Object left, Object right) {
        return compare(right, left) < 0 ? right : left;
    }

    static Object larger(Object left, Object right) {
        return compare(right, left) > 0 ? right : left;
    }

    static final class Accumulator implements Serializable {
        Object value;
        long count;

        Accumulator copy() {
            Accumulator copy = new Accumulator();
            copy.value = value;
            copy.count = count;
            return copy;
        }
    }

    /** An aggregate of values. */
    static final class Aggregate implements AggregateFunction<Rec, Accumulator, Object> {
        private final String compute;

        Aggregate(String compute) {
            this.compute = compute;
        }

        @Override
        public Accumulator createAccumulator() {
            Accumulator empty = new Accumulator();
            empty.value = compute.equals("min") || compute.equals("max") ? null : 0L;
            return empty;
        }

        @Override
        public Accumulator add(Rec record, Accumulator before) {
            return addValue(record.value, before);
        }

        Accumulator addValue(Object value, Accumulator before) {
            Accumulator after = before.copy();
            after.count++;
            switch (compute) {
                case "min": after.value = before.value == null ? value : smaller(before.value, value); break;
                case "max": after.value = before.value == null ? value : larger(before.value, value); break;
                case "count": break;
                default: after.value = Computes.add(before.value, value);
            }
            return after;
        }

        @Override
        public Object getResult(Accumulator found) {
            switch (compute) {
                case "count": return found.count;
                case "avg": return found.count == 0 ? null : ((Number) found.value).doubleValue() / found.count;
                default: return found.value;
            }
        }

        @Override
        public Accumulator merge(Accumulator one, Accumulator other) {
            Accumulator both = new Accumulator();
            both.count = one.count + other.count;
            if (one.value == null || other.value == null) {
                both.value = one.value == null ? other.value : one.value;
            } else {
                both.value = compute.equals("min") ? smaller(one.value, other.value)
                        : compute.equals("max") ? larger(one.value, other.value) : Computes.add(one.value, other.value);
            }
            return both;
        }
    }

    /** A reduction: the record of the reduced value. */
    static ReduceFunction<Rec> reduce(String compute) {
        return (left, right) -> {
            Object value = compute.equals("sum") ? add(left.value, right.value)
                    : compute.equals("min") ? smaller(left.value, right.value) : larger(left.value, right.value);
            return new Rec(left.input, left.key, left.ts, value);
        };
    }

    /** Over records, of which there may be none. */
    static Object over(String call, String compute, Iterable<Rec> records) {
        if (compute.equals("collect")) {
            List<Object> values = new ArrayList<>();
            records.forEach(each -> values.add(each.value));
            return values;
        }
        if (call.equals("reduce")) {
            Object reduced = null;
            boolean first = true;
            for (Rec each : records) {
                reduced = first ? each.value : compute.equals("sum") ? add(reduced, each.value)
                        : compute.equals("min") ? smaller(reduced, each.value) : larger(reduced, each.value);
                first = false;
            }
            return reduced;
        }
        Aggregate aggregate = new Aggregate(compute);
        Accumulator accumulator = aggregate.createAccumulator();
        for (Rec each : records) {
            accumulator = aggregate.add(each, accumulator);
        }
        return aggregate.getResult(accumulator);
    }
}
