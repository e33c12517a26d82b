"""The records of a scenario as Java: the class of a record, the lists of them, and the watermarks that they bring."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.engine.values.duration import format_duration
from tidemark.simulator.engine.values.items import Item, Record, Status, Watermark
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.programs.facts import Facts, NotExpressible
from tidemark.simulator.programs.java_text import LONGEST_TEXT, list_method, literal, long
from tidemark.simulator.scenario import model
from tidemark.simulator.words import words

_TYPES: Final = {"text": "String", "integer": "Long", "boolean": "Boolean", "double": "Double", "none": "Long"}


@dataclass(frozen=True)
class Event:
    """The class ``Event`` of a program. ``key``, ``value``: their Java types.

    ``as_json``: the value is a JSON text: values are mappings or of several types, and nothing is computed of them.
    ``gap_field``: what a dynamic session reads. ``marks``, ``statuses``: whether watermarks, and idle and active, stand
    in the stream. ``sided``: whether it names its side of a join.
    """

    key: str
    value: str
    as_json: bool
    gap_field: str | None
    marks: bool
    statuses: bool
    sided: bool

    @property
    def has_marks(self) -> bool:
        """Whether something else than records stands in the stream."""
        return self.marks or self.statuses

    def value_of(self, event: str) -> str:
        """The value of the event called ``event`` in Java, as ``json`` prints it."""
        return f"new Json({event}.value)" if self.as_json else f"{event}.value"


def event_of(facts: Facts, *, sided: bool) -> Event:
    """What an event of this scenario holds. Raises ``NotExpressible`` for texts beyond Java's limits."""
    for record in facts.records():
        if any(len(each) > LONGEST_TEXT for each in _texts(record)):
            raise NotExpressible("java_text", limit=LONGEST_TEXT)
    kinds = {_kind(record.value) for record in facts.records()} - {"none"}
    if kinds == {"integer", "double"}:
        kinds = {"double"}
    as_json = len(kinds) > 1 or "mapping" in kinds
    value = "String" if as_json else _TYPES[next(iter(kinds), "none")]
    assigner = facts.scenario.operator.assigner
    gap_field = assigner.gap_field if isinstance(assigner, model.DynamicSession) else None
    marks = any(isinstance(each, Watermark) for each in facts.items)
    statuses = any(isinstance(each, Status) for each in facts.items)
    return Event(_TYPES[facts.key], value, as_json, gap_field, marks, statuses, sided)


def _texts(record: Record) -> Iterator[str]:
    if isinstance(record.key, str):
        yield record.key
    if isinstance(record.value, str):
        yield record.value
    elif not isinstance(record.value, int | float | None):
        yield json.dumps(record.value)


def _kind(value: Any) -> str:
    kinds = {bool: "boolean", int: "integer", float: "double", str: "text", type(None): "none"}
    return kinds.get(type(value), "mapping")


def event_class(event: Event) -> str:
    """The text of the class."""
    fields = [("String", "side")] if event.sided else []
    fields += [(event.key, "key"), ("long", "ts"), (event.value, "value")]
    if event.gap_field is not None:
        fields.append(("long", "gap"))
    said = {"ts": "event time in ms", "gap": "how long the record's session waits for another one, in ms"}
    if event.as_json:
        said["value"] = "as JSON: nothing is computed of it"
    lines = ["    /** A record. */", "    public static class Event {"]
    lines += [f"        public {kind} {name};{f' // {said[name]}' if name in said else ''}" for kind, name in fields]
    if event.marks:
        lines.append("        public Long watermark; // only in a mark, which is no record but brings this watermark")
    if event.statuses:
        lines.append("        public Boolean idle; // only in a mark, which makes its channel idle, or active again")
    arguments = ", ".join(f"{kind} {name}" for kind, name in fields)
    lines += ["", "        public Event() {}", "", f"        public Event({arguments}) {{"]
    lines += [f"            this.{name} = {name};" for _, name in fields]
    lines.append("        }")
    if event.marks:
        lines.append(_MARK.format(name="watermark", kind="long"))
    if event.statuses:
        lines.append(_MARK.format(name="idle", kind="boolean"))
    if event.has_marks:
        marks = " && ".join([f"{name} == null" for name in _marks(event)])
        lines += ["", "        boolean isRecord() {", f"            return {marks};", "        }"]
    return "\n".join([*lines, "    }"])


def _marks(event: Event) -> list[str]:
    return [name for name, there in (("watermark", event.marks), ("idle", event.statuses)) if there]


_MARK: Final = """
        static Event {name}({kind} {name}) {{
            Event mark = new Event();
            mark.{name} = {name};
            return mark;
        }}"""


def events_method(event: Event, name: str, items: list[Item]) -> str:
    """A method that gives the events of one channel, in order of arrival; one without any gives one to be dropped."""
    return list_method("Event", name, [_call(event, each) for each in items] or ["new Event()"])


def _call(event: Event, item: Item) -> str:
    if isinstance(item, Watermark):
        return f"Event.watermark({_time(item.ts)})"
    if isinstance(item, Status):
        return f"Event.idle({literal(item.status == 'idle')})"
    assert isinstance(item, Record)
    assert item.ts is not None
    value: Any = item.value
    if event.as_json:
        value = json.dumps(value)
    elif event.value == "Double" and value is not None:
        value = float(value)
    arguments = [literal(item.key), _time(item.ts), literal(value)]
    if event.sided:
        arguments.insert(0, literal(item.input))
    if event.gap_field is not None:
        arguments.append(long(item.value[event.gap_field]))
    return f"new Event({', '.join(arguments)})"


def _time(ms: int) -> str:
    return {MAX: "Long.MAX_VALUE", MIN: "Long.MIN_VALUE"}.get(ms) or long(ms)


def generator_class(event: Event, name: str, given: model.InputSpec) -> str:
    """The watermark generator of an input, called ``name``: it looks at each record, and at each mark."""
    fields, update, offer, said = _rule(given)
    lines = [f"    /** {said[:1].upper()}{said[1:]}. */"]
    lines += [
        f"    static class {name} implements WatermarkGenerator<Event> {{",
        *(f"        {each}" for each in fields),
    ]
    if event.statuses:
        lines.append("        private boolean idle;")
    own = bool(update) or not isinstance(given.watermark, model.NoWatermarks)
    if event.statuses and own:
        least = "0" if isinstance(given.watermark, model.SqlWatermark) else "Long.MIN_VALUE"
        lines.append(
            f"        private long last = {least}; // an idle channel loses watermarks, and none is sent again"
        )
    lines += [""] if len(lines) > 2 else []
    lines += ["        @Override", "        public void onEvent(Event event, long ts, WatermarkOutput output) {"]
    lines += [f"            {each}" for each in _body(event, own, update, offer)]
    lines += ["        }", "", *_NO_CLOCK, "    }"]
    return "\n".join(lines)


_NO_CLOCK: Final = (
    "        @Override",
    "        public void onPeriodicEmit(WatermarkOutput output) {",
    "            // nothing: the watermark follows the records, not the clock",
    "        }",
)


def _rule(given: model.InputSpec) -> tuple[list[str], str, str, str]:
    """The fields of the generator, how a record changes them, the watermark to send, and what is said of it."""

    def bound(ms: int) -> str:
        return f"private static final long BOUND = {long(ms)}; // {format_duration(ms)}"

    match given.watermark:
        case model.BoundedOutOfOrderness(bound=ms):
            said = words("programs.watermark.bounded", language="en", bound=format_duration(ms))
            fields = [bound(ms), "private long largest = Long.MIN_VALUE + BOUND + 1;"]
            return fields, "largest = Math.max(largest, ts);", "largest - BOUND - 1", said
        case model.MonotonousTimestamps():
            said = words("programs.watermark.monotonous", language="en")
            fields = ["private long largest = Long.MIN_VALUE + 1;"]
            return fields, "largest = Math.max(largest, ts);", "largest - 1", said
        case model.Punctuated(bound=ms):
            said = words("programs.watermark.punctuated", language="en", bound=format_duration(ms))
            return [bound(ms)], "", "ts - BOUND", said
        case model.SqlWatermark(bound=ms):
            said = words("programs.watermark.sql", language="en", bound=format_duration(ms))
            fields = [bound(ms), "private long largest; // from 0 on, as in SQL: no watermark before 1970"]
            return fields, "largest = Math.max(largest, ts - BOUND);", "largest", said
        case model.NoWatermarks():
            return [], "", "", words("programs.java.own_watermarks", language="en")


def _body(event: Event, own: bool, update: str, offer: str) -> list[str]:
    """The lines of ``onEvent``."""
    cases: list[tuple[str, list[str]]] = []
    if event.marks:
        sending = ["output.emitWatermark(new Watermark(event.watermark));"]
        cases.append(("event.watermark != null", _unless_idle(event, sending)))
    if event.statuses:
        lines = [
            "idle = event.idle;",
            "if (idle) {",
            "    output.markIdle();",
            "} else {",
            "    output.markActive();",
            "}",
        ]
        cases.append(("event.idle != null", lines))
    record = [update] if update else []
    if own and event.statuses:
        sending = _unless_idle(event, ["output.emitWatermark(new Watermark(last));"])
        record += [f"if ({offer} > last) {{", f"    last = {offer};", *(f"    {each}" for each in sending), "}"]
    elif own:
        sent = [f"output.emitWatermark(new Watermark({offer}));"]
        record += ["if (largest > 0) {", f"    {sent[0]}", "}"] if offer == "largest" else sent
    if not cases:
        return record
    lines = []
    for number, (condition, inside) in enumerate(cases):
        lines.append(f"{'} else ' if number else ''}if ({condition}) {{")
        lines += [f"    {each}" for each in inside]
    if record:
        lines += ["} else {", *(f"    {each}" for each in record)]
    return [*lines, "}"]


def _unless_idle(event: Event, lines: list[str]) -> list[str]:
    if not event.statuses:
        return lines
    return ["if (!idle) {", *(f"    {each}" for each in lines), "}"]
