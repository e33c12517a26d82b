"""Joins of the DataStream API in Java.

``join`` and ``coGroup`` of two streams tell their function neither the key nor the window; the time of their result is
the last millisecond of the window, from which a process function finds its bounds where windows have one size. Other
joins are written as Flink runs them: the union of both streams in one window.
"""

from typing import Any, Final

from tidemark.simulator.programs.java_records import Event
from tidemark.simulator.programs.java_text import duration
from tidemark.simulator.programs.java_windows import needs_serializer, window_type, windowed
from tidemark.simulator.scenario.model import Global, IntervalJoin, Sliding, Tumbling, WindowJoin
from tidemark.simulator.words import words

KEY: Final = "event -> event.key"


def as_union(join: WindowJoin) -> bool:
    """Whether the join has to be written as the window of a union."""
    by_itself = isinstance(join.assigner, Tumbling | Sliding | Global)
    return not by_itself or join.evictor is not None or needs_serializer(join.trigger)


def window_join(join: WindowJoin, event: Event) -> tuple[list[str], list[str]]:
    """The lines of the chain, and the classes that it names."""
    if as_union(join):
        chain = ["left.union(right)", f".keyBy({KEY})", *windowed(join)]
        return [*chain, ".process(new Pane())"], [_union_pane(join, event)]
    calls = [f".where({KEY})", f".equalTo({KEY})", *windowed(join)]
    if join.type == "window-join":
        chain = ["left.join(right)", *calls, ".apply(new Pair())", ".process(new Result())"]
        return chain, [
            _PAIR,
            _result(join, "Tuple2<Event, Event>", _JOINED.format(**_sides(event, "pair.f0", "pair.f1"))),
        ]
    chain = ["left.coGroup(right)", *calls, ".apply(new Grouping())", ".process(new Result())"]
    lists = {"left": "values(group.left)", "right": "values(group.right)", "key": "group.key"}
    group = _GROUP.replace("KEY_TYPE", event.key).replace("COLLECT", _given(join))
    return chain, [group, _values(event), _result(join, "Group", _GROUPED.format(**lists))]


def _given(join: WindowJoin) -> str:
    """The lines that give a group, if the kind of join lets it through."""
    condition = _condition(join.join, "group.left", "group.right")
    if condition == "true":
        return "            out.collect(group);"
    return f"            if ({condition}) {{\n                out.collect(group);\n            }}"


def _condition(kind: str, left: str, right: str) -> str:
    """When a group is given."""
    there = [
        f"!{name}.isEmpty()"
        for name, kinds in ((left, ("inner", "left")), (right, ("inner", "right")))
        if kind in kinds
    ]
    return " && ".join(there) or "true"


def _sides(event: Event, left: str, right: str) -> dict[str, str]:
    return {"key": f"{left}.key", "left": f"side({left})", "right": f"side({right})"}


_JOINED: Final = 'row("joined", "key", {key}, "left", {left}, "right", {right}'
_GROUPED: Final = 'row("group", "key", {key}, "left", {left}, "right", {right}'


def _result(join: WindowJoin, element: str, members: str) -> str:
    """The function that gives a result its window."""
    if isinstance(join.assigner, Global):
        size, bounds = "", '"start", null, "end", null'
    else:
        assert isinstance(join.assigner, Tumbling | Sliding)
        size = f"        private static final long SIZE = {duration(join.assigner.size)}.toMillis();\n\n"
        bounds = '"start", context.timestamp() + 1 - SIZE, "end", context.timestamp() + 1'
    said = words("programs.java.result", language="en")
    name = "group" if element == "Group" else "pair"
    return f"""\
    /** {said} */
    static class Result extends ProcessFunction<{element}, String> {{
{size}        @Override
        public void processElement({element} {name}, Context context, Collector<String> out) {{
            out.collect({members},
                    {bounds}, "timestamp", context.timestamp()));
        }}
    }}"""


def _union_pane(join: WindowJoin, event: Event) -> str:
    window = window_type(join.assigner)
    bounds = '"start", null, "end", null'
    if window == "TimeWindow":
        bounds = '"start", context.window().getStart(), "end", context.window().getEnd()'
    end = f'{bounds}, "timestamp", context.window().maxTimestamp()'
    if join.type == "window-join":
        joined = _JOINED.format(key="key", left="side(one)", right="side(other)")
        body = _PAIRS.replace("JOINED", joined).replace("END", end)
    else:
        lists = {name: f"values({name})" for name in ("left", "right")}
        grouped = _GROUPED.format(key="key", **lists)
        collect = f"            out.collect({grouped},\n                    {end}));"
        condition = _condition(join.join, "left", "right")
        if condition != "true":
            collect = f"            if ({condition}) {{\n" + "\n".join(
                f"    {line}" for line in collect.splitlines()) + "\n            }"  # fmt: skip
        body = collect
    said = words("programs.java.union", language="en")
    pane = _UNION.replace("SAID", said).replace("KEY_TYPE", event.key).replace("WINDOW", window).replace("BODY", body)
    return pane if join.type == "window-join" else f"{pane}\n\n{_values(event)}"


def side_method(event: Event) -> str:
    """What is printed of one side of a pair."""
    return _SIDE.replace("VALUE", event.value_of("event"))


def _values(event: Event) -> str:
    return _VALUES.replace("VALUE", event.value_of("each"))


def interval_join(join: IntervalJoin, event: Event) -> tuple[list[str], list[str]]:
    """The lines of the chain, and the classes that it names."""
    chain = [f"left.keyBy({KEY})", f".intervalJoin(right.keyBy({KEY}))",
             f".between({duration(join.lower)}, {duration(join.upper)}) // right time - left time"]  # fmt: skip
    chain += [".lowerBoundExclusive()"] * join.lower_exclusive + [".upperBoundExclusive()"] * join.upper_exclusive
    if join.late_output == "side":
        chain += [".sideOutputLeftLateData(LATE_LEFT)", ".sideOutputRightLateData(LATE_RIGHT)"]
    said = words("programs.java.interval", language="en")
    return [*chain, ".process(new Pair())"], [_INTERVAL.replace("SAID", said)]


_PAIR: Final = """\
    static class Pair implements JoinFunction<Event, Event, Tuple2<Event, Event>> {
        @Override
        public Tuple2<Event, Event> join(Event left, Event right) {
            return Tuple2.of(left, right);
        }
    }"""

_GROUP: Final = """\
    public static class Group {
        public KEY_TYPE key;
        public List<Event> left = new ArrayList<>();
        public List<Event> right = new ArrayList<>();
    }

    static class Grouping implements CoGroupFunction<Event, Event, Group> {
        @Override
        public void coGroup(Iterable<Event> left, Iterable<Event> right, Collector<Group> out) {
            Group group = new Group();
            left.forEach(group.left::add);
            right.forEach(group.right::add);
            group.key = (group.left.isEmpty() ? group.right : group.left).get(0).key;
COLLECT
        }
    }"""

_UNION: Final = """\
    /** SAID */
    static class Pane extends ProcessWindowFunction<Event, String, KEY_TYPE, WINDOW> {
        @Override
        public void process(KEY_TYPE key, Context context, Iterable<Event> events, Collector<String> out) {
            List<Event> left = new ArrayList<>();
            List<Event> right = new ArrayList<>();
            for (Event each : events) {
                (each.side.equals("left") ? left : right).add(each);
            }
BODY
        }
    }"""

_PAIRS: Final = """\
            for (Event one : left) {
                for (Event other : right) {
                    out.collect(JOINED,
                            END));
                }
            }"""

_SIDE: Final = """\
    static Map<String, Object> side(Event event) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("ts", event.ts);
        members.put("value", VALUE);
        return members;
    }"""

_VALUES: Final = """\
    static List<Object> values(List<Event> events) {
        List<Object> values = new ArrayList<>();
        for (Event each : events) {
            values.add(VALUE);
        }
        return values;
    }"""

_INTERVAL: Final = """\
    /** SAID */
    static class Pair extends ProcessJoinFunction<Event, Event, String> {
        @Override
        public void processElement(Event left, Event right, Context context, Collector<String> out) {
            out.collect(row("joined", "key", left.key, "left", side(left), "right", side(right),
                    "start", null, "end", null, "timestamp", context.getTimestamp()));
        }
    }"""


def is_join(operator: Any) -> bool:
    """Whether ``operator`` has two inputs."""
    return isinstance(operator, WindowJoin | IntervalJoin)
