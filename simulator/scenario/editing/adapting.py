"""Inputs and stream after another choice of operator, engine or channels: both have to fit what is chosen now.

A join has a left and a right input, and each record names its side; Spark has no channels, no arrival times and a
delay instead of a generator. What can be carried over is carried over, and each change that is made has a name.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from tidemark.simulator.scenario.editing.beats import renumber
from tidemark.simulator.scenario.editing.edits import put, remove, replace, set_anew, set_list, set_value
from tidemark.simulator.scenario.editing.members import GENERATE, engine_of, generator_of, inputs_in
from tidemark.simulator.scenario.editing.places import Path
from tidemark.simulator.scenario.editing.text import ScenarioText
from tidemark.simulator.scenario.editing.written import Plain, Value
from tidemark.simulator.scenario.format.document import DEFAULT_INPUT
from tidemark.simulator.scenario.format.operators import JOINS, VERSIONED
from tidemark.simulator.scenario.format.stream import SIDES

STREAM: Final[Path] = ("stream",)
INPUTS: Final[Path] = ("inputs",)
OPERATOR: Final[Path] = ("operator",)

OF_SPARK: Final = ("ts", "key", "value", "in", "batch")
"""The members of items that Spark's rules know."""

A_GAP: Final = Plain("5000")
"""The gap (ms) that records get for sessions with a gap of their own."""

MOST_REMOVED: Final = 40
"""Up to so many items are removed one by one, with what is written around them left alone."""

Members = Mapping[str, Value]


def adapted(before: ScenarioText, text: ScenarioText) -> tuple[ScenarioText, tuple[str, ...]]:
    """``text`` with inputs and stream that fit its operator, and the names of what was changed for that.

    ``before`` is the text before the choice. The names: ``sides``, ``one_input``, ``delay``, ``generator``,
    ``items``, ``channels``, ``gaps``, ``arrivals``, ``versions``.
    """
    said: list[str] = []
    text = _with_inputs(before, text, said)
    compute = text.scalar((*OPERATOR, "function", "compute"))
    if _assigner(text) == "dynamic-session" and compute is not None and compute not in COUNTED:
        text = put(text, (*OPERATOR, "function"), {"call": Plain("process"), "compute": Plain("collect")})
    return _with_items(text, said), tuple(dict.fromkeys(said))


COUNTED: Final = ("count", "collect")
"""What can be computed of records that are no numbers."""


# --- inputs --------------------------------------------------------------------------------------------------------


def _with_inputs(before: ScenarioText, text: ScenarioText, said: list[str]) -> ScenarioText:
    old, new = inputs_in(before), inputs_in(text)
    engines = engine_of(before), engine_of(text)
    if old == new and engines[0] == engines[1]:
        return text
    specs = [_members(before, (*INPUTS, name)) for name in old]
    if old == new:
        new_specs = dict(zip(new, specs, strict=True))
    elif len(new) > len(old):
        new_specs = dict.fromkeys(new, specs[0])
        said.append("sides")
    else:
        new_specs = {DEFAULT_INPUT: specs[0]}
        said.append("one_input")
    if engines[0] != engines[1]:
        carry = _delayed if engines[1] == "spark" else _generated
        new_specs = {name: carry(spec) for name, spec in new_specs.items()}
        said.append("delay" if engines[1] == "spark" else "generator")
    for name in old if text.has(INPUTS) and set(old) == set(new) else ():
        text = set_value(text, (*INPUTS, name), dict(new_specs[name])) if text.has((*INPUTS, name)) else text
    return text if set(old) == set(new) and text.has(INPUTS) else set_anew(text, "inputs", dict(new_specs))


def _delayed(spec: Members) -> dict[str, Value]:
    watermark = spec.get("watermark")
    bound = watermark.get("bound") if isinstance(watermark, dict) else None
    return {"watermark": {"delay": Plain("2s") if bound is None else bound}}


def _generated(spec: Members) -> dict[str, Value]:
    watermark = spec.get("watermark")
    delay = watermark.get("delay") if isinstance(watermark, dict) else None
    if delay is None:
        return {}
    return {"watermark": {"generator": Plain("bounded-out-of-orderness"), "bound": delay}}


# --- the stream ----------------------------------------------------------------------------------------------------


def _with_items(text: ScenarioText, said: list[str]) -> ScenarioText:
    if not text.length(STREAM):
        return _with_generator(text)
    old = [each.members for each in text.items(STREAM)]
    new = list(_items(text, old, said))
    changed = {(*STREAM, n): dict(each) for n, each in enumerate(new) if each is not None and each != old[n]}
    gone = [n for n, each in enumerate(new) if each is None]
    if len(gone) > MOST_REMOVED:
        text = set_list(text, "stream", [dict(each) for each in new if each is not None])
    else:
        text = replace(text, changed) if changed else text
        for number in reversed(gone):
            text = remove(text, (*STREAM, number))
    if not gone:
        return text
    said.append("items")
    last = max(len(old) - len(gone) - 1, 0)
    return renumber(text, lambda item: min(item - sum(each < item for each in gone), last))


def _with_generator(text: ScenarioText) -> ScenarioText:
    """Spark's generator ends batches, Flink's the input."""
    path = (*STREAM, GENERATE)
    for key in _members(text, path).keys() - generator_of(engine_of(text)).kinds.keys():
        text = remove(text, (*path, key))
    return text


def _items(text: ScenarioText, old: list[Members], said: list[str]) -> Iterator[Members | None]:
    """Each item as it has to be, ``None`` for one that has no place any more."""
    joins = text.scalar((*OPERATOR, "type")) in JOINS
    versions = text.scalar((*OPERATOR, "type")) == VERSIONED
    spark = engine_of(text) == "spark"
    timed = spark or text.scalar((*OPERATOR, "time")) != "processing"
    channels = {name: _whole(text.scalar((*INPUTS, name, "channels"))) for name in inputs_in(text)}
    gap = text.scalar((*OPERATOR, "assigner", "gap_field")) if _assigner(text) == "dynamic-session" else None
    records = 0
    for item in old:
        record = "key" in item
        if (spark and not record and "batch" not in item) or (not spark and "batch" in item):
            yield None
            continue
        new = dict(item)
        if spark and new.keys() - set(OF_SPARK):
            new = {name: value for name, value in new.items() if name in OF_SPARK}
            said.append("arrivals")
        if timed and record and "ts" not in new and "at" in new:
            new = {"ts": new["at"], **new}
        if record or "watermark" in item or "status" in item:
            new = _of_side(new, joins, SIDES[records % 2 if record else 0])
            if "op" in new and not (versions and new.get("in") == SIDES[1]):
                del new["op"]
                said.append("versions")
            of_input = channels.get(str(new.get("in", "")), next(iter(channels.values())))
            if isinstance(new.get("channel"), Plain) and _whole(str(new["channel"])) >= of_input:
                new["channel"] = of_input - 1
                said.append("channels")
        if gap is not None and record:
            new["value"] = _with_gap(new.get("value"), gap)
            said += ["gaps"] * (new["value"] != item.get("value"))
        records += record
        yield new


def _of_side(item: dict[str, Value], joins: bool, side: str) -> dict[str, Value]:
    if not joins:
        return {name: value for name, value in item.items() if name != "in"}
    return item if "in" in item else item | {"in": Plain(side)}


def _with_gap(value: Value, field: str) -> dict[str, Value]:
    if isinstance(value, dict):
        return value if field in value else {**value, field: A_GAP}
    return {field: A_GAP} if value is None else {"value": value, field: A_GAP}


def _assigner(text: ScenarioText) -> str | None:
    return text.scalar((*OPERATOR, "assigner", "type"))


def _members(text: ScenarioText, path: Path) -> Members:
    value = text.value(path) if text.has(path) else None
    return value if isinstance(value, dict) else {}


def _whole(written: str | None) -> int:
    return int(written) if written is not None and written.isdecimal() and len(written) < 10 else 1
