import java.io.Serializable;
import java.util.Objects;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** A record of the stream: its input, its key, its time (null for none) and its value. */
final class Rec implements Serializable {
    final String input;
    final Object key;
    final Long ts;
    final Object value;

    Rec(String input, Object key, Long ts, Object value) {
        this.input = input;
        this.key = key;
        this.ts = ts;
        this.value = value;
    }

    @Override
    public String toString() {
        return input + ":" + key + "@" + ts + "=" + value;
    }

    /** Keeps objects as they are, as the heap does; nothing here is written to bytes. */
    static final class Plain extends TypeSerializerSingleton<Object> {
        @Override
        public boolean isImmutableType() {
            return true;
        }

        @Override
        public Object createInstance() {
            return null;
        }

        @Override
        public Object copy(Object from) {
            return from;
        }

        @Override
        public Object copy(Object from, Object reuse) {
            return from;
        }

        @Override
        public int getLength() {
            return -1;
        }

        @Override
        public void serialize(Object record, DataOutputView target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Object deserialize(DataInputView source) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Object deserialize(Object reuse, DataInputView source) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void copy(DataInputView source, DataOutputView target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public TypeSerializerSnapshot<Object> snapshotConfiguration() {
            return new SimpleTypeSerializerSnapshot<Object>(Plain::new) {};
        }
    }
}
