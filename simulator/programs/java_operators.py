"""Windows and joins of the DataStream API in Java: assigner, trigger, evictor, function, result rows."""

from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.programs.facts import NotExpressible
from tidemark.simulator.programs.java_records import Event
from tidemark.simulator.programs.java_text import OBJECT, duration, literal
from tidemark.simulator.scenario import model  # fmt: skip
from tidemark.simulator.words import words


def assigner(given: Any) -> str:
    """``TumblingEventTimeWindows.of(Duration.ofSeconds(5))``."""
    match given:
        case model.Tumbling(size=size, offset=offset):
            lengths = [size, *([offset] if offset else [])]
            return f"TumblingEventTimeWindows.of({', '.join(map(duration, lengths))})"
        case model.Sliding(size=size, slide=slide, offset=offset):
            lengths = [size, slide, *([offset] if offset else [])]
            return f"SlidingEventTimeWindows.of({', '.join(map(duration, lengths))})"
        case model.Session(gap=gap):
            return f"EventTimeSessionWindows.withGap({duration(gap)})"
        case model.DynamicSession():
            return "EventTimeSessionWindows.withDynamicGap((Event event) -> event.gap)"
        case model.Global():
            return "GlobalWindows.create()"
        case _:
            raise NotExpressible("java_sql", operator=given.type)


def trigger(given: Any) -> str:
    """``CountTrigger.of(3)``."""
    match given:
        case model.EventTimeTrigger():
            return "EventTimeTrigger.create()"
        case model.CountTrigger(max=most):
            return f"CountTrigger.of({most}L)" if most >= 2**31 else f"CountTrigger.of({most})"
        case model.ContinuousEventTimeTrigger(interval=interval):
            return f"ContinuousEventTimeTrigger.of({duration(interval)})"
        case model.DeltaTrigger(threshold=threshold):
            return f"DeltaTrigger.of({_double(threshold)}, {_DELTA}, serializer)"
        case model.PurgingTrigger(inner=model.NeverTrigger()):
            raise NotExpressible("java_never")
        case model.PurgingTrigger(inner=inner):
            return f"PurgingTrigger.of({trigger(inner)})"
        case _:
            raise NotExpressible("processing_time")


_DELTA: Final = "(DeltaFunction<Event>) (before, now) -> now.value - before.value"


def _double(number: int | float) -> str:
    return literal(float(number))


def windowed(operator: Any) -> list[str]:
    """The call of ``window`` and those behind it: trigger, evictor and lateness, as far as they are not the default."""
    calls = [f".window({assigner(operator.assigner)}){_said(f'window.{operator.assigner.type}', operator.assigner)}"]
    default = model.NeverTrigger if isinstance(operator.assigner, model.Global) else model.EventTimeTrigger
    if not isinstance(operator.trigger, default):
        inner = operator.trigger.inner if isinstance(operator.trigger, model.PurgingTrigger) else operator.trigger
        calls.append(f".trigger({trigger(operator.trigger)}){_said(f'trigger.{inner.type}', inner)}")
    if operator.evictor is not None:
        calls.append(
            f".evictor({_evictor(operator.evictor)}){_said(f'evictor.{operator.evictor.type}', operator.evictor)}"
        )
    if operator.allowed_lateness:
        calls.append(f".allowedLateness({duration(operator.allowed_lateness)}){_said('lateness')}")
    return calls


def _said(name: str, part: Any = None) -> str:
    """What is said beside a number of the scenario. Of an assigner with an offset, that too."""
    texts = _SAID.get(name, "")
    if texts and isinstance(part, model.Tumbling | model.Sliding) and part.offset:
        texts += ", offset"
    return f" // {texts}" if texts else ""


_SAID: Final = {
    "window.tumbling": "size",
    "window.sliding": "size, slide",
    "window.session": "a session ends after this long without a record",
    "window.dynamic-session": "the gap stands in each record",
    "trigger.count": "fires whenever this many records have come",
    "trigger.continuous-event-time": "fires at every multiple of this, and at the end of the window",
    "trigger.delta": "fires when a value is more than this above that of the last firing",
    "evictor.count": "how many records are kept, the last ones",
    "evictor.time": "records this much older than the newest one go",
    "evictor.delta": "records whose value is this much or more below the last one go",
    "lateness": "how long the window still takes records after its end",
}


def needs_serializer(given: Any) -> bool:
    """Whether ``given``, a trigger, keeps a record in its state."""
    return isinstance(given, model.DeltaTrigger) or (
        isinstance(given, model.PurgingTrigger) and needs_serializer(given.inner)
    )


def _evictor(given: Any) -> str:
    match given:
        case model.CountEvictor(max=most, after=after):
            return f"CountEvictor.of({most}{'L' if most >= 2**31 else ''}{_after(after)})"
        case model.TimeEvictor(window=window, after=after):
            return f"TimeEvictor.of({duration(window)}{_after(after)})"
        case model.DeltaEvictor(threshold=threshold, after=after):
            return f"DeltaEvictor.of({_double(threshold)}, {_DELTA}{_after(after)})"
        case _:
            raise NotImplementedError(type(given).__name__)


def _after(after: bool) -> str:
    return ", true" if after else ""


@dataclass(frozen=True)
class Computed:
    """``call``: the method that ends the chain. ``classes``: what it names."""

    call: str
    classes: tuple[str, ...]


def window_type(given: Any) -> str:
    """The class of the windows that the assigner ``given`` makes."""
    return "GlobalWindow" if isinstance(given, model.Global) else "TimeWindow"


def computed(function: model.Function, event: Event, window: str) -> Computed:
    """How ``function`` is called and written. ``window``: the class of its windows."""
    compute = function.compute or ""
    number = event.value if event.value == "Double" else "Long"
    helper = [OBJECT] * function.sees_window
    if function.keeps == "reduce":
        pane = _pane(event, window, "Event", event.value, _REDUCED, function)
        return Computed(f".reduce({_REDUCE[compute]}, new Pane())", (pane, *helper))
    if function.keeps == "aggregate":
        result = {"count": "Long", "avg": "Double"}.get(compute, number)
        name, text = _AGGREGATES[compute]
        body = "{result} value = results.iterator().next();"
        pane = _pane(event, window, result, result, body, function)
        return Computed(f".aggregate(new {name}(), new Pane())", (_typed(text, number), pane, *helper))
    body = _typed(_OVER_LIST[compute], number).replace("EACH_VALUE", event.value_of("each"))
    return Computed(".process(new Pane())", (_pane(event, window, "Event", number, body, function),))


def _typed(text: str, number: str) -> str:
    zero = "0.0" if number == "Double" else "0L"
    return text.replace("NUMBER", number).replace("PLAIN", number.lower()).replace("ZERO", zero)


def _pane(event: Event, window: str, element: str, result: str, body: str, function: model.Function) -> str:
    bounds = (
        '"start", window.getStart(), "end", window.getEnd()' if window == "TimeWindow" else '"start", null, "end", null'
    )
    end = "window.getEnd()" if window == "TimeWindow" else "null"
    value, count, clear, throws = "value", "", "", ""
    if function.sees_window:
        value = f'object("value", value, "window_end", {end})'
    if function.firings is not None:
        value = f'object("value", value, "window_end", {end}, "firing", firings.value())'
        count, throws = _COUNT, " throws Exception"
        clear = _CLEAR if function.firings == "cleared" else ""
    inner = "\n".join(f"            {line}" for line in body.replace("{result}", result).splitlines())
    said = words("programs.java.pane", language="en")
    return f"""\
    /** {said} */
    static class Pane extends ProcessWindowFunction<{element}, String, {event.key}, {window}> {{
        @Override
        public void process({event.key} key, Context context, Iterable<{element}> results,
                Collector<String> out){throws} {{
            {window} window = context.window();
{inner}{count}
            out.collect(row("pane", "key", key, {bounds},
                    "value", {value}, "timestamp", window.maxTimestamp()));
        }}{clear}
    }}"""


_STATE: Final = 'context.windowState().getState(new ValueStateDescriptor<>("firings", Long.class))'

_COUNT: Final = f"""
            ValueState<Long> firings = {_STATE};
            firings.update(firings.value() == null ? 1L : firings.value() + 1);"""

_CLEAR: Final = f"""

        @Override
        public void clear(Context context) {{
            {_STATE}.clear();
        }}"""


_REDUCED: Final = """\
Event reduced = results.iterator().next();
{result} value = reduced == null ? null : reduced.value; // null: an evictor has left nothing"""

_REDUCE: Final = {
    "sum": "(one, other) -> new Event(other.key, other.ts, one.value + other.value)",
    "min": "(one, other) -> other.value < one.value ? other : one",
    "max": "(one, other) -> other.value > one.value ? other : one",
}

_SIMPLE: Final = """\
    static class NAME implements AggregateFunction<Event, NUMBER, NUMBER> {
        @Override
        public NUMBER createAccumulator() {
            return START;
        }

        @Override
        public NUMBER add(Event event, NUMBER soFar) {
            return ADD;
        }

        @Override
        public NUMBER getResult(NUMBER soFar) {
            return soFar;
        }

        @Override
        public NUMBER merge(NUMBER soFar, NUMBER other) {
            return MERGE;
        }
    }"""


def _simple(name: str, start: str, add: str, merge: str, number: str = "NUMBER") -> tuple[str, str]:
    text = _SIMPLE.replace("NAME", name).replace("START", start).replace("ADD", add).replace("MERGE", merge)
    return name, text.replace("NUMBER", number)


def _extreme(name: str, better: str) -> tuple[str, str]:
    add = f"soFar == null || event.value {better} soFar ? event.value : soFar"
    merge = f"soFar == null || (other != null && other {better} soFar) ? other : soFar"
    return _simple(name, "null", add, merge)


_AVERAGE: Final = """\
    /** Keeps the sum and the number of values. */
    static class Average implements AggregateFunction<Event, Tuple2<NUMBER, Long>, Double> {
        @Override
        public Tuple2<NUMBER, Long> createAccumulator() {
            return Tuple2.of(ZERO, 0L);
        }

        @Override
        public Tuple2<NUMBER, Long> add(Event event, Tuple2<NUMBER, Long> soFar) {
            return Tuple2.of(soFar.f0 + event.value, soFar.f1 + 1);
        }

        @Override
        public Double getResult(Tuple2<NUMBER, Long> soFar) {
            return soFar.f1 == 0 ? null : Double.valueOf((double) soFar.f0 / soFar.f1);
        }

        @Override
        public Tuple2<NUMBER, Long> merge(Tuple2<NUMBER, Long> soFar, Tuple2<NUMBER, Long> other) {
            return Tuple2.of(soFar.f0 + other.f0, soFar.f1 + other.f1);
        }
    }"""

_AGGREGATES: Final = {
    "sum": _simple("Sum", "ZERO", "soFar + event.value", "soFar + other"),
    "count": _simple("Count", "0L", "soFar + 1", "soFar + other", "Long"),
    "min": _extreme("Min", "<"),
    "max": _extreme("Max", ">"),
    "avg": ("Average", _AVERAGE),
}

_EXTREME_OF_LIST: Final = """\
NUMBER value = null;
for (Event each : results) {
    if (value == null || each.value BETTER value) {
        value = each.value;
    }
}"""

_OVER_LIST: Final = {
    "sum": "PLAIN value = 0;\nfor (Event each : results) {\n    value += each.value;\n}",
    "count": "long value = 0;\nfor (Event each : results) {\n    value++;\n}",
    "min": _EXTREME_OF_LIST.replace("BETTER", "<"),
    "max": _EXTREME_OF_LIST.replace("BETTER", ">"),
    "avg": """\
PLAIN sum = 0;
long count = 0;
for (Event each : results) {
    sum += each.value;
    count++;
}
Double value = count == 0 ? null : Double.valueOf((double) sum / count);""",
    "collect": """\
List<Object> value = new ArrayList<>();
for (Event each : results) {
    value.add(EACH_VALUE);
}""",
}


# Joins of the DataStream API in Java.
#
# ``join`` and ``coGroup`` of two streams tell their function neither the key nor the window; the time of their
# result is the last millisecond of the window, from which a process function finds its bounds where windows have
# one size. Other joins are written as Flink runs them: the union of both streams in one window.

KEY: Final = "event -> event.key"


def as_union(join: model.WindowJoin) -> bool:
    """Whether the join has to be written as the window of a union."""
    by_itself = isinstance(join.assigner, model.Tumbling | model.Sliding | model.Global)
    return not by_itself or join.evictor is not None or needs_serializer(join.trigger)


def window_join(join: model.WindowJoin, event: Event) -> tuple[list[str], list[str]]:
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


def _given(join: model.WindowJoin) -> str:
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


def _result(join: model.WindowJoin, element: str, members: str) -> str:
    """The function that gives a result its window."""
    if isinstance(join.assigner, model.Global):
        size, bounds = "", '"start", null, "end", null'
    else:
        assert isinstance(join.assigner, model.Tumbling | model.Sliding)
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


def _union_pane(join: model.WindowJoin, event: Event) -> str:
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


def interval_join(join: model.IntervalJoin, event: Event) -> tuple[list[str], list[str]]:
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
