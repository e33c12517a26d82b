"""Writes a scenario as YAML, one line for each member and stream item, which reads back as the same scenario.

Times are in ms. Comments, layout and units of the original file are not in a scenario, so they are not here.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

from tidemark.simulator.engine.values.items import (
    FILTERED,
    UPSERT,
    Advance,
    BatchEnd,
    Checkpoint,
    End,
    Item,
    Record,
    Restore,
    Status,
    Watermark,
)
from tidemark.simulator.engine.values.versions import NEWEST
from tidemark.simulator.scenario.model import (
    Data,
    Generated,
    InputSpec,
    NoWatermarks,
    Scenario,
)
from tidemark.simulator.scenario.reading.nodes import CONTROL

Document = dict[str, Any]

HEAD: Final = (
    "language", "title", "summary", "look_for", "takeaway", "teaches", "zone", "origin", "level", "lesson", "minutes",
)  # fmt: skip
"""The members that describe a scenario, in the order in which they are written."""


def as_yaml(scenario: Scenario) -> str:
    """The text of a scenario file."""
    lines = ["scenario: 1"]
    for name, value in _document(scenario).items():
        if isinstance(value, list) and value and name in ("stream", "walkthrough", "goals"):
            lines += [f"{name}:", *(f"  - {_flow(each)}" for each in value)]
        else:
            lines.append(f"{name}: {_flow(value)}")
    return "\n".join([*lines, ""])


def _flow(value: Any) -> str:
    """``value`` as JSON, which is also YAML; what a file may not hold, such as U+007F, is escaped."""
    return CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def _document(scenario: Scenario) -> Document:
    document: Document = {"name": scenario.name.replace(".", "-")}  # an operator of several is `file.operator`
    if scenario.engine != "flink":
        document["engine"] = scenario.engine
    if scenario.flink != NEWEST:
        document["flink"] = scenario.flink
    blank = Scenario("", scenario.operator, ())
    for name in HEAD:
        value = getattr(scenario, name)
        if value != getattr(blank, name):
            document[name] = list(value) if isinstance(value, tuple) else dict(value) if _is_text(value) else value
    document["inputs"] = {each.name: _input(each) for each in scenario.inputs}
    document["operator"] = _operator(scenario)
    document["stream"] = _stream(scenario)
    for name in ("goals", "walkthrough"):
        if getattr(scenario, name):
            document[name] = [_members(each) for each in getattr(scenario, name)]
    return document


def _is_text(value: Any) -> bool:
    return isinstance(value, Mapping)


def _input(each: InputSpec) -> Document:
    written: Document = {} if each.channels == 1 else {"channels": each.channels}
    if each.delay is not None:
        return written | {"watermark": {"delay": each.delay}}
    spec = each.watermark
    if spec != NoWatermarks():
        members: Document = {"generator": spec.type}
        if spec.has_bound:
            members["bound"] = spec.bound
        extras = {name: getattr(spec, name, None) for name in ("emit", "idle_timeout", "when")}
        members |= {name: extra for name, extra in extras.items() if extra}
        written["watermark"] = members
    written |= {name: dict(pairs) for name, pairs in (("columns", each.columns), ("select", each.select)) if pairs}
    if each.where is not None:
        written["where"] = each.where
    return written | ({"key": list(each.key)} if each.key else {})


def _operator(scenario: Scenario) -> Document:
    operator = scenario.operator
    written: Document = {"type": operator.type} | _members(operator)
    if operator.function is not None and operator.function.columns:
        written["function"] = {"call": operator.function.call, "compute": dict(operator.function.columns)}
    written |= {name: getattr(operator, name) for name in operator.always_written}
    if operator.is_table_function:
        written.pop("trigger", None)  # it is always the end of the window, and cannot be written
    return written


def _members(thing: Any) -> Document:
    """The members of a dataclass that do not have their default values."""
    written: Document = {"type": thing.type} if isinstance(getattr(type(thing), "type", None), str) else {}
    for field in fields(thing):
        value = getattr(thing, field.name)
        if not field.compare or value is None or value == () or (value == field.default and field.name != "type"):
            continue
        written[field.name] = _member(value)
    return written


def _member(value: Any) -> Any:
    if is_dataclass(value):
        return _members(value)
    if isinstance(value, Mapping):
        return dict(value)
    return [_member(each) for each in value] if isinstance(value, tuple) else value


def _stream(scenario: Scenario) -> Any:
    stream = scenario.stream
    if isinstance(stream, Generated):
        return {"generate": _generated(stream)}
    if isinstance(stream, Data):
        return {"data": {"path": stream.path} | _members(stream.columns) | ({"end": True} if stream.end else {})}
    return members_of_items(scenario, stream)


def members_of_items(scenario: Scenario, stream: Iterable[Item]) -> list[Document]:
    """The members of each item as a file has them, times in ms."""
    inputs = {each.name: each for each in scenario.inputs}
    return [_item(each, len(inputs) > 1, inputs) for each in stream]


def _generated(stream: Generated) -> Document:
    written: Document = {name: getattr(stream, name) for name in ("events", "seed", "keys", "every")}
    if stream.disorder:
        written["disorder"] = {"max": stream.disorder}
    if stream.late_millionths or stream.late_by:
        written["late"] = {"fraction": stream.late_millionths / 1_000_000, "by": stream.late_by}
    if stream.border_millionths:
        written["borders"] = stream.border_millionths / 1_000_000
    written["values"] = list(stream.values)
    if stream.end:
        written["end"] = True
    if stream.batch_every is not None:
        written["batch_every"] = stream.batch_every
    return written


def _item(item: Item, joins: bool, inputs: Mapping[str, InputSpec]) -> Document:
    at: Document = {} if item.at is None else {"at": item.at}
    match item:
        case Record():
            spec = inputs.get(item.input)
            is_null = item.ts is None and spec is not None and spec.watermark.in_table_runtime
            ts: Document = {"ts": item.ts} if item.ts is not None or is_null else {}
            key: Document = {} if spec is not None and spec.key else {"key": item.key}
            value: Document = {} if item.value is None else {"value": _value(item.value, spec)}
            op: Document = {} if item.op in (UPSERT, FILTERED) else {"op": item.op}
            return ts | key | value | op | _where(item, joins) | at
        case Watermark():
            return {"watermark": item.ts} | _where(item, joins) | at
        case Status():
            return {"status": item.status} | _where(item, joins) | at
        case Advance():
            return {"advance": item.by} | at
        case Checkpoint():
            return {"checkpoint": item.name} | at
        case Restore():
            return {"restore": item.name} | at
        case End():
            return {"end": True} | at
        case BatchEnd():
            return {"batch": "end"}


def _value(value: Any, spec: InputSpec | None) -> Any:
    """``value`` without the columns that its input computes."""
    computed = dict(spec.select) if spec is not None else {}
    return {name: each for name, each in value.items() if name not in computed} if computed else value


def _where(item: Record | Watermark | Status, joins: bool) -> Document:
    where: Document = {"in": item.input} if joins else {}
    return where | ({"channel": item.channel} if item.channel else {})
