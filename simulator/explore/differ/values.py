"""The keys and values of the records that are tried: plain numbers, or rows with the columns of both scenarios."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

from tidemark.simulator.engine.values.items import Item, PlainKey, Record, Status, Watermark
from tidemark.simulator.scenario.calc import Calc, RowFails, computed
from tidemark.simulator.scenario.model import DynamicSession, InputSpec, Scenario

Payload = tuple[PlainKey, Any]
"""Key and value of a record; with columns the value is a row, and the key is what stands in the stream."""

ON_A_CHANNEL: Final = (Record, Watermark, Status)
"""The items that an input brings."""

NUMBERS: Final = (2, 5, 1, 3)
"""The values of records without columns: small, and no two sums of neighbours are equal."""

ROWS: Final = 12
"""The most rows with columns that are tried."""

_LITERAL: Final = re.compile(r"(?<![\w.'])-?\d+(?![\w.'])")


def payloads_of(left: Scenario, right: Scenario, number: int) -> tuple[Payload, ...]:
    """What records of the input with this number bring."""
    if left.inputs[number].columns:
        rows = list(_rows(left, right, number))[:ROWS]
        return tuple(rows)
    keys: tuple[PlainKey, ...] = ("a", "b")
    for each in (left, right):
        if isinstance(assigner := each.operator.assigner, DynamicSession):
            gaps = [item.value for item in _records(each, number)][:3] or [{assigner.gap_field: 1000}]
            return tuple((key, gap) for gap in gaps for key in keys)
    thresholds = {
        int(part.threshold) + beside
        for each in (left, right)
        for part in parts_of(each.operator)
        if isinstance(getattr(part, "threshold", None), int | float)
        for beside in (0, 1, 2, 3)
    }
    return tuple((key, value) for value in (*NUMBERS, *sorted(thresholds - {*NUMBERS})) for key in keys)


def parts_of(thing: Any) -> Iterator[Any]:
    """``thing`` and what it is made of."""
    yield thing
    if is_dataclass(thing):
        for each in fields(thing):
            yield from parts_of(getattr(thing, each.name))


def _records(scenario: Scenario, number: int) -> list[Record]:
    """The records of the input with this number, if they are written in the scenario, as they are there."""
    spec = scenario.inputs[number]
    written = scenario.stream if isinstance(scenario.stream, tuple) else ()
    return [as_written(each, spec) for each in written if isinstance(each, Record) and each.input == spec.name]


def changed(item: Item, **members: Any) -> Item:
    """The item with other members."""
    dated: Any = item
    new: Item = item._replace(**members) if isinstance(item, Record) else replace(dated, **members)
    return new


def as_written(record: Record, spec: InputSpec) -> Record:
    """The record without the columns that its input computes."""
    if not isinstance(record.value, dict) or not spec.columns:
        return record
    names = {name for name, _ in spec.columns}
    return Record(record.key, record.ts, {name: of for name, of in record.value.items() if name in names},
                  record.input, record.channel, record.at)  # fmt: skip


def _rows(left: Scenario, right: Scenario, number: int) -> Iterator[Payload]:
    """Rows that either scenario has, and one of them with other numbers: those in its expressions, and beside them."""
    seen: list[Any] = []
    known = [*_records(left, number), *_records(right, number)]
    first = known[0] if known else Record("a", 0, dict.fromkeys(name for name, _ in left.inputs[number].columns))
    varied = list(_varied(left, right, number, first))
    for each in (*known[:3], *varied, *known[3:]):
        if each.value not in seen:
            seen.append(each.value)
            yield each.key, each.value


def _varied(left: Scenario, right: Scenario, number: int, first: Record) -> Iterator[Record]:
    specs = [(each.inputs[number], each.operator) for each in (left, right)]
    said = [repr((each.where, each.select, getattr(each.watermark, "when", None), of)) for each, of in specs]
    columns = left.inputs[number].calc("UTC").columns
    numbers = {int(found) for text in said for found in _LITERAL.findall(text)} if said else set()
    for name, column in columns.items():
        if not any(name in text for text in said):
            continue
        for value in (*(each + beside for each in sorted(numbers)[:3] for beside in (0, 1, -1)), 7, None):
            try:
                fits = value if value is None else column.fits(value, str(value))
            except ValueError:
                continue
            yield first._replace(value={**(first.value or {}), name: fits})


def calcs_of(scenario: Scenario) -> dict[str, Calc]:
    """What stands in front of the operator, by input."""
    zone = scenario.operator.session_zone or "UTC"
    return {each.name: each.calc(zone) for each in scenario.inputs if each.columns}


def as_taken(item: Item, calcs: Mapping[str, Calc]) -> Item:
    """A record as it comes to the operator behind its input's calc. Raises ``ValueError`` if the job fails at it."""
    if not isinstance(item, Record) or item.input not in calcs:
        return item
    try:
        return computed(calcs[item.input], item)
    except RowFails as failure:
        raise ValueError(str(failure)) from None
