"""A class ``Main`` that runs the scenario with the DataStream API of Flink.

Each channel is a stream of its own, with a generator that sends a watermark after each record. Watermarks and statuses
of the scenario itself travel as marks among the records. The source sends a last watermark at its end; where the
scenario does not end, a small operator holds that back.
"""

from typing import Any, Final

from tidemark.simulator.engine.values.items import Item, Watermark
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.engine.values.versions import is_before
from tidemark.simulator.programs.facts import Facts, NotExpressible, check_kind, facts_of
from tidemark.simulator.programs.java_operators import (
    KEY,
    as_union,
    computed,
    interval_join,
    needs_serializer,
    side_method,
    window_join,
    window_type,
    windowed,
)
from tidemark.simulator.programs.java_records import event_class, event_of, events_method, generator_class
from tidemark.simulator.programs.java_sql import java_sql
from tidemark.simulator.programs.java_text import duration, head, imports, json_methods, string
from tidemark.simulator.scenario import model
from tidemark.simulator.words import words

API_SINCE: Final = "1.19"
"""The first version that has all that these programs call, such as windows of a ``Duration``."""


def flink_java(scenario: model.Scenario) -> str:
    """The program: of the table runtime's operators, and of rows with columns, one of the Table API (``java_sql``).

    Raises ``NotExpressible`` with the reason if there is none that does what ``scenario`` does.
    """
    if is_before(scenario.flink, API_SINCE):
        raise NotExpressible("api", since=API_SINCE, version=scenario.flink)
    if scenario.operator.in_sql or any(each.columns for each in scenario.inputs):
        return java_sql(scenario)
    return _program(scenario, whole=True).text()


def datastream_lines(scenario: model.Scenario) -> list[str]:
    """What decides in the DataStream API: the watermarks, and the calls of the operator. Raises as ``flink_java``."""
    program = _program(scenario, whole=False)
    strategies = [
        line
        for each in scenario.inputs
        for line in (f"{each.name}.assignTimestampsAndWatermarks(", f"  WatermarkStrategy.{_strategy(each)})")
    ]
    first, *calls = (line.partition(" // ")[0] for line in program.chain)
    return [*strategies, first, *(f"  {call}" for call in calls)]


def _strategy(given: model.InputSpec) -> str:
    """A strategy of Flink's own, if there is one of this rule."""
    match given.watermark:
        case model.BoundedOutOfOrderness(bound=bound):
            text = f"forBoundedOutOfOrderness({duration(bound)})"
        case model.MonotonousTimestamps():
            text = "forMonotonousTimestamps()"
        case model.NoWatermarks():
            text = "noWatermarks()"
        case _:
            text = "forGenerator(…)"
    return text + (f".withIdleness({duration(idle)})" if (idle := given.watermark.idle_timeout) else "")


def _program(scenario: model.Scenario, *, whole: bool) -> "_Program":
    check_kind(scenario, whole=whole)
    operator = scenario.operator
    if (zone := operator.session_zone) is not None:
        raise NotExpressible("java_zone", zone=zone)
    if operator.in_sql:
        raise NotExpressible("java_sql", operator=operator.type)
    return _Program(facts_of(scenario, whole=whole))


class _Program:
    """The parts of the program, and which of them the scenario needs."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.scenario = facts.scenario
        operator = facts.scenario.operator
        self.event = event_of(facts, sided=isinstance(operator, model.WindowJoin) and as_union(operator))
        self.held = False
        self.chain, self.classes = self._operator(operator)

    def text(self) -> str:
        """The whole file."""
        main = self._main()
        parts = [main]
        if self._late:
            parts.insert(0, self._tags())
        parts += self._generators()
        parts += [events_method(self.event, method, list(items)) for method, items in self._channels()]
        parts.append(event_class(self.event))
        if self.held:
            parts.append(_HOLD_BACK.replace("SAID", words("programs.java.held", language="en")))
        parts += self.classes
        parts.append(_ROW)
        if self._late:
            parts.append(_LATE_ROW.replace("VALUE", self.event.value_of("event")))
        parts += json_methods(parts)
        body = "\n\n".join(parts)
        return f"{self._head()}\n{imports(body)}\n\npublic class Main {{\n{body}\n}}\n"

    def _head(self) -> str:
        several = [words("programs.java.several_channels", language="en")] * (len(self._channels()) > 1)
        return head(self.scenario, words("programs.java.about", language="en"), *several)

    # --- the inputs -------------------------------------------------------------------------------------------------

    def _channels(self) -> list[tuple[str, tuple[Item, ...]]]:
        """The channels, each with the name of its method and its items."""
        return [
            (self._method(given, channel), tuple(self._items(given, channel)))
            for given in self.scenario.inputs
            for channel in range(given.channels)
        ]

    def _items(self, given: model.InputSpec, channel: int) -> list[Item]:
        of_input = (each for each in self.facts.items if getattr(each, "input", None) == given.name)
        return [each for each in of_input if getattr(each, "channel", 0) == channel]

    def _variable(self, given: model.InputSpec) -> str:
        """The variable of an input in Java: an input may have any name."""
        return given.name if self.scenario.operator.is_join else "events"

    def _method(self, given: model.InputSpec, channel: int) -> str:
        name = self._variable(given)
        name = name if name == "events" else f"{name}Events"
        return f"{name}{channel}" if given.channels > 1 else name

    def _generator(self, given: model.InputSpec) -> str:
        """The class of its watermarks; inputs whose watermarks follow the same rule share it."""
        alike = len({each.watermark for each in self.scenario.inputs}) == 1
        return "EachRecord" if alike else f"{given.name.capitalize()}Watermarks"

    def _without_generator(self, given: model.InputSpec) -> bool:
        return isinstance(given.watermark, model.NoWatermarks) and not self.event.has_marks

    def _generators(self) -> list[str]:
        given = {self._generator(each): each for each in self.scenario.inputs if not self._without_generator(each)}
        return [generator_class(self.event, name, each) for name, each in given.items()]

    def _source(self, given: model.InputSpec, channel: int) -> list[str]:
        items = self._items(given, channel)
        strategy = "noWatermarks()" if self._without_generator(given) else (
            f"forGenerator(context -> new {self._generator(given)}())")  # fmt: skip
        name = self._variable(given) + (str(channel) if given.channels > 1 else "")
        lines = [
            f"        DataStream<Event> {name} = env",
            f"                .fromData({self._method(given, channel)}(), TypeInformation.of(Event.class))",
            *([] if items else ["                .filter(event -> false) // no records: a source has one at least"]),
            *self._holding(items),
            f"                .assignTimestampsAndWatermarks(WatermarkStrategy.<Event>{strategy}",
            "                        .withTimestampAssigner((event, before) -> event.ts))",
        ]
        if self.event.has_marks:
            lines.append("                .filter(Event::isRecord)")
        lines[-1] += ";"
        return lines

    def _holding(self, items: list[Item]) -> list[str]:
        """Holds the source's last watermark back, before it makes an idle channel active (``WatermarkEmitter``)."""
        if self.facts.ends or any(isinstance(each, Watermark) and each.ts == MAX for each in items):
            return []
        self.held = True
        return ['                .transform("hold the end back", TypeInformation.of(Event.class), new HoldEndBack())']

    def _inputs(self) -> list[str]:
        lines = []
        for given in self.scenario.inputs:
            for channel in range(given.channels):
                lines += self._source(given, channel)
            if given.channels > 1:
                name = self._variable(given)
                others = ", ".join(f"{name}{channel}" for channel in range(1, given.channels))
                lines.append(f"        DataStream<Event> {name} = {name}0.union({others});")
        return lines

    # --- the operator -----------------------------------------------------------------------------------------------

    def _operator(self, operator: Any) -> tuple[list[str], list[str]]:
        """The lines of the chain of calls, and the classes that it names."""
        match operator:
            case model.Window():
                return self._window(operator)
            case model.WindowJoin():
                chain, classes = window_join(operator, self.event)
            case model.IntervalJoin():
                chain, classes = interval_join(operator, self.event)
            case _:
                return [f"events.keyBy({KEY})", ".process(new EventSort())"], [self._sort()]
        if "side(" in "".join(classes):
            classes.append(side_method(self.event))
        return chain, classes

    def _window(self, window: model.Window) -> tuple[list[str], list[str]]:
        kind = window_type(window.assigner)
        result = computed(window.function, self.event, kind)
        chain = [f"events.keyBy({KEY})", *windowed(window)]
        if self._late:
            chain.append(".sideOutputLateData(LATE)")
        return [*chain, result.call], list(result.classes)

    def _sort(self) -> str:
        said = words("programs.java.sort", language="en")
        value = self.event.value_of("each")
        return _SORT.replace("SAID", said).replace("KEY_TYPE", self.event.key).replace("VALUE", value)

    @property
    def _late(self) -> bool:
        return self.scenario.operator.late_output == "side"

    def _tag_names(self) -> list[tuple[str, str]]:
        """The tags of late records, and the inputs that they come from."""
        if self.scenario.operator.is_join:
            return [("LATE_LEFT", "left"), ("LATE_RIGHT", "right")]
        return [("LATE", self.scenario.inputs[0].name)]

    def _tags(self) -> str:
        names = [(tag, tag.lower().replace("_", "-")) for tag, _ in self._tag_names()]
        return "\n".join(
            f'    static final OutputTag<Event> {tag} = new OutputTag<Event>("{name}") {{}};' for tag, name in names
        )

    def _main(self) -> str:
        lines = [_MAIN, *self._inputs(), ""]
        trigger = self.scenario.operator.trigger
        if needs_serializer(trigger):
            lines.append("        TypeSerializer<Event> serializer =")
            lines.append("                TypeInformation.of(Event.class)")
            lines.append("                        .createSerializer(env.getConfig().getSerializerConfig());")
        first, *others = self.chain
        lines.append(f"        SingleOutputStreamOperator<String> results = {first}")
        lines += [f"                {each}" for each in others]
        lines[-1] += ";"
        lines.append("        results.print();")
        for tag, name in self._tag_names() if self._late else ():
            lines.append(f"        results.getSideOutput({tag}).map(event -> lateRow({string(name)}, event)).print();")
        lines += ["", f"        env.execute({string(self.scenario.name)});", "    }"]
        return "\n".join(lines)


_MAIN: Final = """\
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(1); // one task for each step, so that records keep their order
"""

_HOLD_BACK: Final = """\
    /** SAID */
    static class HoldEndBack extends AbstractStreamOperator<Event> implements OneInputStreamOperator<Event, Event> {
        @Override
        public void processElement(StreamRecord<Event> record) {
            output.collect(record);
        }

        @Override
        public void processWatermark(org.apache.flink.streaming.api.watermark.Watermark watermark) throws Exception {
            if (watermark.getTimestamp() != Long.MAX_VALUE) {
                super.processWatermark(watermark);
            }
        }
    }"""

_SORT: Final = """\
    /** SAID */
    static class EventSort extends KeyedProcessFunction<KEY_TYPE, Event, String> {
        private transient MapState<Long, List<Event>> waiting; // by event time, in order of arrival

        @Override
        public void open(OpenContext context) {
            waiting = getRuntimeContext().getMapState(new MapStateDescriptor<>(
                    "waiting", Types.LONG, Types.LIST(TypeInformation.of(Event.class))));
        }

        @Override
        public void processElement(Event event, Context context, Collector<String> out) throws Exception {
            if (event.ts <= context.timerService().currentWatermark()) {
                return; // too late: what came after it may be out already
            }
            List<Event> sameTime = waiting.get(event.ts);
            sameTime = sameTime == null ? new ArrayList<>() : sameTime;
            sameTime.add(event);
            waiting.put(event.ts, sameTime);
            context.timerService().registerEventTimeTimer(event.ts);
        }

        @Override
        public void onTimer(long ts, OnTimerContext context, Collector<String> out) throws Exception {
            for (Event each : waiting.get(ts)) {
                out.collect(row("emitted", "key", each.key, "ts", each.ts, "value", VALUE));
            }
            waiting.remove(ts);
        }
    }"""

_ROW: Final = """\
    /** A result as a line of JSON: its kind, then names and values in turn. */
    static String row(String kind, Object... members) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("row", kind);
        for (int i = 0; i < members.length; i += 2) {
            row.put((String) members[i], members[i + 1]);
        }
        return json(row);
    }"""

_LATE_ROW: Final = """\
    static String lateRow(String input, Event event) {
        return row("late", "input", input, "key", event.key, "ts", event.ts, "value", VALUE);
    }"""
