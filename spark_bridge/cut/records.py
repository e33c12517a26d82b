"""The records of a cut as items of a scenario: what the format can hold, and what may be known of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario.model import Function
from tidemark.spark_bridge.cut.choosing import Chosen
from tidemark.spark_bridge.cut.rules import Rules

EXACT: Final = 2**53
"""Whole numbers below this are added without loss, in whatever order."""


@dataclass(frozen=True, slots=True)
class Written:
    """The items of a cut, what the window computes from their values, and where its clock starts (ms)."""

    items: tuple[Record, ...]
    function: Function
    origin: int
    shift: int
    """How much earlier (ms) all times are than in the stream; 0 unless anonymous."""
    anonymous: bool


def written(chosen: Chosen, rules: Rules, *, anonymous: bool) -> Written:
    """The records as items. ``anonymous``: keys become ``key-1``, values small whole numbers, the same ones the same;
    all times are earlier by as many whole windows as bring the first of them near 0."""
    records = chosen.records
    start = _floor(min((each.at for each in records if each.at is not None), default=records[0].ts), rules.size)
    fits = all(MIN < each.ts - start <= MAX for each in records)
    shift = start if anonymous and fits else 0
    values = [_value(each.value) for each in records]
    if anonymous:
        values = _numbers(values)
    names = _names([each.key for each in records]) if anonymous else {}
    items = tuple(
        Record(
            names.get(each.key, each.key),
            each.ts - shift,
            value,
            channel=chosen.channels.index(each.channel),
            at=None if each.at is None else each.at - shift,
        )
        for each, value in zip(records, values, strict=True)
    )
    return Written(items, _function(values), start - shift, shift, anonymous)


def _floor(time: int, size: int) -> int:
    return max(time - time % size, MIN)


def _value(value: Any) -> Any:
    """``value`` as a scenario can hold it: a number within bounds, a text, or None."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, bool) or (isinstance(value, int) and not MIN <= value <= MAX):
        return str(value)
    return value if isinstance(value, int | float | str) else str(value)


def _numbers(values: Sequence[Any]) -> list[Any]:
    """A whole number from 1 for each value, in the order in which they come first; no value stays none."""
    known: dict[tuple[type, Any], int] = {}
    return [None if each is None else known.setdefault((type(each), each), len(known) + 1) for each in values]


def _names(keys: Sequence[str]) -> dict[str, str]:
    return {key: f"key-{number}" for number, key in enumerate(dict.fromkeys(keys), start=1)}


def _function(values: Sequence[Any]) -> Function:
    """A sum where every value can be added, else the number of records."""
    can_add = all(isinstance(each, float) or (type(each) is int and abs(each) < EXACT) for each in values)
    return Function("aggregate", "sum" if can_add else "count")
