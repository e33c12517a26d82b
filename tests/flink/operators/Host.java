import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.memory.ManagedMemoryUseCase;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.operators.StreamOperatorStateContext;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializer;
import org.apache.flink.streaming.runtime.tasks.OneInputStreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.util.CloseableIterable;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.UserCodeClassLoader;

/**
 * Hosts an operator without a cluster: on Flink's heap state and timer service, and on a clock that only the stream moves.
 * What has other parameters in another version of Flink is called by the types of its parameters.
 */
final class Host {
    private Host() {}

    /** A handler of one method of an interface. */
    interface Handler {
        Object call(Object[] arguments) throws Throwable;
    }

    /** An interface of which the methods in {@code handlers} do something, and all others return nothing. */
    static <T> T stub(Class<T> type, Map<String, Handler> handlers) {
        return type.cast(Proxy.newProxyInstance(Host.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            Handler handler = handlers.get(method.getName());
            if (handler != null) {
                return handler.call(arguments);
            }
            switch (method.getName()) {
                case "equals": return self == arguments[0];
                case "hashCode": return System.identityHashCode(self);
                case "toString": return type.getSimpleName();
                default: return nothing(method);
            }
        }));
    }

    private static Object nothing(Method method) throws Exception {
        Class<?> type = method.getReturnType();
        if (method.getName().equals("getJobInfo")) return stub(type, Map.of());
        if (type == boolean.class) return false;
        if (type == int.class) return 0;
        if (type == long.class) return 0L;
        if (type == double.class) return 0.0;
        if (type == Optional.class) return Optional.empty();
        if (type == Map.class) return new HashMap<>();
        return null;
    }

    /** The class of the first of {@code names} (without {@code org.apache.flink.}) that this version has. */
    static Class<?> type(String... names) {
        for (String name : names) {
            try {
                return Class.forName("org.apache.flink." + name);
            } catch (ClassNotFoundException missing) {
                // the name of another version
            }
        }
        throw new IllegalStateException("this version has none of " + Arrays.toString(names));
    }

    /** An object of {@code type}, by its constructor of the most parameters that {@code values} can fill in order. */
    static Object make(Class<?> type, Object... values) throws Exception {
        Constructor<?>[] all = type.getDeclaredConstructors();
        Arrays.sort(all, (one, other) -> other.getParameterCount() - one.getParameterCount());
        for (Constructor<?> each : all) {
            Object[] filled = fill(each, values);
            if (filled != null && used(filled, values)) {
                each.setAccessible(true);
                return invoke(() -> each.newInstance(filled));
            }
        }
        throw new IllegalStateException("no constructor of " + type + " takes " + Arrays.toString(values));
    }

    /** Calls the method {@code name} of {@code target}, or a static one of a class, as {@code make} does. */
    static Object call(Object target, String name, Object... values) throws Exception {
        Class<?> start = target instanceof Class ? (Class<?>) target : target.getClass();
        for (Class<?> type = start; type != null; type = type.getSuperclass()) {
            Method[] all = type.getDeclaredMethods();
            Arrays.sort(all, (one, other) -> other.getParameterCount() - one.getParameterCount());
            for (Method each : all) {
                Object[] filled = each.getName().equals(name) && !each.isBridge() ? fill(each, values) : null;
                if (filled != null && used(filled, values)) {
                    each.setAccessible(true);
                    return invoke(() -> each.invoke(target, filled));
                }
            }
        }
        throw new IllegalStateException("no method " + name + " of " + start + " takes " + Arrays.toString(values));
    }

    private interface Action {
        Object run() throws Exception;
    }

    private static Object invoke(Action action) throws Exception {
        try {
            return action.run();
        } catch (InvocationTargetException wrapped) {
            if (wrapped.getCause() instanceof Exception) {
                throw (Exception) wrapped.getCause();
            }
            throw wrapped;
        }
    }

    private static boolean used(Object[] filled, Object[] values) {
        for (Object value : values) {
            if (value != null && !(value instanceof Spare) && Arrays.stream(filled).noneMatch(each -> each == value)) {
                return false;
            }
        }
        return true;
    }

    /** A value that is given where a parameter takes it, and left out where none does. */
    static final class Spare {
        final Object value;

        Spare(Object value) {
            this.value = value;
        }
    }

    static Spare spare(Object value) {
        return new Spare(value);
    }

    /** Each parameter gets the first value of its type that is not used yet; an interface without one a stub. */
    private static Object[] fill(Executable target, Object[] values) {
        Class<?>[] types = target.getParameterTypes();
        Object[] filled = new Object[types.length];
        boolean[] taken = new boolean[values.length];
        for (int i = 0; i < types.length; i++) {
            int found = -1;
            for (int j = 0; j < values.length && found < 0; j++) {
                Object value = values[j] instanceof Spare ? ((Spare) values[j]).value : values[j];
                if (value != null && !taken[j] && boxed(types[i]).isInstance(value)) {
                    found = j;
                    filled[i] = value;
                }
            }
            if (found >= 0) {
                taken[found] = true;
            } else if (types[i].isPrimitive()) {
                return null;
            }
        }
        return filled;
    }

    private static Class<?> boxed(Class<?> type) {
        if (type == long.class) return Long.class;
        if (type == int.class) return Integer.class;
        if (type == boolean.class) return Boolean.class;
        if (type == double.class) return Double.class;
        return type;
    }

    /** Field {@code name} of {@code target}, whichever class of its has it. */
    static Object field(Object target, String name) throws Exception {
        for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field.get(target);
                }
            }
        }
        return null;
    }

    /** An operator that is open: {@code key}, where it has one, is that of a record, with the serializer of keys. */
    static void open(AbstractStreamOperator<?> operator, Clock clock, Output<?> output, TypeSerializer<?> keys,
            long interval, Kept kept, KeySelector<?, ?>... key) throws Exception {
        StreamConfig config = new StreamConfig(new Configuration());
        config.setOperatorID(new OperatorID());
        config.setOperatorName("operator");
        config.setManagedMemoryFractionOperatorOfUseCase(ManagedMemoryUseCase.OPERATOR, 1.0);
        if (keys != null) {
            config.setStateKeySerializer(keys);
            for (int i = 0; i < key.length; i++) {
                config.setStatePartitioner(i, key[i]);
            }
        }
        try {
            call(config, "serializeAllConfigs");
        } catch (IllegalStateException older) {
            // written at once
        }
        ExecutionConfig execution = new ExecutionConfig();
        execution.setAutoWatermarkInterval(interval);
        Environment environment = environment(execution, config);
        StreamTask<?, ?> task = task(environment, config);
        Object service = clock.service();
        setProcessingTimeService(operator, service);
        call(operator, "setup", task, config, output);
        setProcessingTimeService(operator, service);
        operator.initializeState(stub(StreamTaskStateInitializer.class, Map.of("streamOperatorStateContext",
                arguments -> context(operator, environment, keys, service, kept))));
        operator.open();
    }

    /** The state of an operator, and its timers. */
    static final class Kept {
        private Object backend;
        private Object timers;
        private final Map<String, Object> lists = new HashMap<>();
        private boolean restored;

        /** What an operator begins with that is restored from this; no other may work on it any more. */
        Kept restored() throws Exception {
            Kept next = new Kept();
            next.backend = backend;
            Object queues = field(backend, "priorityQueuesManager");
            ((Map<?, ?>) field(queues == null ? backend : queues, "registeredPQStates")).clear();
            next.lists.putAll(lists);
            next.restored = true;
            return next;
        }
    }

    /** A checkpoint: {@code operator} empties its buffers and stores what it keeps itself. */
    static void checkpoint(AbstractStreamOperator<?> operator) throws Exception {
        operator.prepareSnapshotPreBarrier(1);
        call(operator, "snapshotState", stub(StateSnapshotContext.class, Map.of()));
    }

    /** Registers the timers of {@code before} with an operator that goes on with its state. */
    static void registerTimers(AbstractStreamOperator<?> operator, Kept before, Kept now) throws Exception {
        Map<?, ?> services = (Map<?, ?>) field(now.timers, "timerServices");
        for (Map.Entry<?, ?> each : ((Map<?, ?>) field(before.timers, "timerServices")).entrySet()) {
            for (String kind : List.of("Event", "Processing")) {
                Object queue = field(each.getValue(), kind.toLowerCase() + "TimeTimersQueue");
                try (CloseableIterator<?> all = (CloseableIterator<?>) call(queue, "iterator")) {
                    while (all.hasNext()) {
                        InternalTimer<?, ?> timer = (InternalTimer<?, ?>) all.next();
                        operator.setCurrentKey(timer.getKey());
                        call(services.get(each.getKey()), "register" + kind + "TimeTimer", timer.getNamespace(), timer.getTimestamp());
                    }
                }
            }
        }
    }

    private static void setProcessingTimeService(Object operator, Object service) throws Exception {
        try {
            call(operator, "setProcessingTimeService", service);
        } catch (IllegalStateException other) {
            // given by the parameters of the constructor
        }
    }

    private static StreamTask<?, ?> task(Environment environment, StreamConfig config) throws Exception {
        Field unsafe = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        unsafe.setAccessible(true);
        StreamTask<?, ?> task = (StreamTask<?, ?>) ((sun.misc.Unsafe) unsafe.get(null)).allocateInstance(OneInputStreamTask.class);
        for (Class<?> type = task.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                Object value = field.getType() == CloseableRegistry.class ? new CloseableRegistry()
                        : field.getType() == Environment.class ? environment
                        : field.getType() == StreamConfig.class ? config
                        : field.getName().equals("operatorChain") ? chain((sun.misc.Unsafe) unsafe.get(null), field.getType()) : null;
                if (value != null && !Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    field.set(task, value);
                }
            }
        }
        return task;
    }

    /** What keeps the status of a task before 1.14; null after. */
    private static Object chain(sun.misc.Unsafe unsafe, Class<?> type) throws Exception {
        if (Modifier.isAbstract(type.getModifiers())) {
            return null;
        }
        Object chain = unsafe.allocateInstance(type);
        set(chain, "streamOutputs", Array.newInstance(type("streaming.runtime.io.RecordWriterOutput"), 0));
        Field active = type("streaming.runtime.streamstatus.StreamStatus").getField("ACTIVE");
        set(chain, "streamStatus", active.get(null));
        return chain;
    }

    private static void set(Object target, String name, Object value) throws Exception {
        Field field = target.getClass().getDeclaredField(name);
        field.setAccessible(true);
        field.set(target, value);
    }

    private static Environment environment(ExecutionConfig execution, StreamConfig config) throws Exception {
        Map<String, Handler> handlers = new HashMap<>();
        ClassLoader loader = Host.class.getClassLoader();
        JobID job = new JobID();
        Object metrics = UnregisteredMetricGroups.createUnregisteredTaskMetricGroup();
        Object accumulators = make(type("runtime.accumulators.AccumulatorRegistry"), job);
        Class<?> info = type("api.common.TaskInfoImpl", "api.common.TaskInfo");
        Object task = make(info, "operator", 128, 0, 1, 0, spare("allocation"));
        Object manager = stub(type("runtime.taskmanager.TaskManagerRuntimeInfo"), Map.of("getConfiguration", none -> new Configuration()));
        Object classes = stub(UserCodeClassLoader.class, Map.of("asClassLoader", none -> loader));
        handlers.put("getMetricGroup", none -> metrics);
        handlers.put("getAccumulatorRegistry", none -> accumulators);
        handlers.put("getTaskInfo", none -> task);
        handlers.put("getTaskManagerInfo", none -> manager);
        handlers.put("getUserCodeClassLoader", none -> classes);
        handlers.put("getExecutionConfig", none -> execution);
        handlers.put("getJobID", none -> job);
        handlers.put("getTaskConfiguration", none -> new Configuration());
        handlers.put("getJobConfiguration", none -> new Configuration());
        handlers.put("getTaskStateManager", none -> stub(type("runtime.state.TaskStateManager"), Map.of()));
        Object memory = call(type("runtime.memory.MemoryManager"), "create", 64L << 20, 32 << 10);
        handlers.put("getMemoryManager", none -> memory);
        return stub(Environment.class, handlers);
    }

    private static long now(Object service) {
        try {
            return (Long) call(service, "getCurrentProcessingTime");
        } catch (Exception problem) {
            throw new IllegalStateException(problem);
        }
    }

    private static StreamOperatorStateContext context(AbstractStreamOperator<?> operator, Environment environment,
            TypeSerializer<?> keys, Object service, Kept kept) throws Exception {
        Map<String, Handler> handlers = new HashMap<>();
        CloseableRegistry registry = new CloseableRegistry();
        Object operators = stub(OperatorStateBackend.class, Map.of("getUnionListState", arguments -> list(kept, arguments), "getListState", arguments -> list(kept, arguments)));
        handlers.put("operatorStateBackend", none -> operators);
        handlers.put("getRestoredCheckpointId", none -> kept.restored ? OptionalLong.of(1) : OptionalLong.empty());
        handlers.put("isRestored", none -> kept.restored); // before 1.14
        handlers.put("rawOperatorStateInputs", none -> CloseableIterable.empty());
        handlers.put("rawKeyedStateInputs", none -> CloseableIterable.empty());
        if (keys != null) {
            KeyGroupRange groups = KeyGroupRange.of(0, 127);
            TtlTimeProvider time = () -> now(service);
            Object[] values = {environment, new JobID(), "operator", keys, 128, groups, time,
                    UnregisteredMetricGroups.createUnregisteredTaskMetricGroup(), Collections.emptyList(), registry};
            if (kept.backend == null) {
                kept.backend = backend(values);
            }
            Object cancellation = null;
            try {
                cancellation = call(type("streaming.runtime.tasks.StreamTaskCancellationContext"), "alwaysRunning");
            } catch (IllegalStateException older) {
                // there is none
            }
            Object timers = call(InternalTimeServiceManagerImpl.class, "create", Collections.emptyList(), spare(kept.backend), spare(groups), Host.class.getClassLoader(),
                    operator, service, spare(cancellation),
                    spare(UnregisteredMetricGroups.createUnregisteredTaskMetricGroup().getIOMetricGroup()));
            kept.timers = timers;
            handlers.put("keySerializer", none -> keys);
            handlers.put("keyedStateBackend", none -> kept.backend);
            handlers.put("internalTimerServiceManager", none -> timers);
        }
        return stub(StreamOperatorStateContext.class, handlers);
    }

    private static Object backend(Object[] values) throws Exception {
        HashMapStateBackend heap = new HashMapStateBackend();
        try {
            return call(heap, "createKeyedStateBackend", values);
        } catch (IllegalStateException newer) {
            return call(heap, "createKeyedStateBackend", make(type("runtime.state.KeyedStateBackendParametersImpl"), values));
        }
    }

    private static Object list(Kept kept, Object[] descriptor) {
        return kept.lists.computeIfAbsent(((StateDescriptor<?, ?>) descriptor[0]).getName(), none -> list());
    }

    private static Object list() {
        List<Object> kept = new ArrayList<>();
        return stub(org.apache.flink.api.common.state.ListState.class, Map.of("get", none -> kept,
                "add", arguments -> kept.add(arguments[0]), "clear", none -> {
                    kept.clear();
                    return null;
                }, "update", arguments -> {
                    kept.clear();
                    kept.addAll((List<?>) arguments[0]);
                    return null;
                }));
    }
}
