"""Compares the two sides, micro-batch by micro-batch, each as a multiset of rows.

What the contract calls equal is equal: 3 and 3.0, and a double and another number within a relative 1e-9.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from math import isclose
from typing import Any, Final

from tidemark.spark_bridge.canonical import key_text, value_of
from tidemark.spark_bridge.report import Difference, pair_up
from tidemark.spark_bridge.streaming.rows import Row

FETCHED: Final = 100
"""The most differences that are reported; all are counted."""
TOLERANCE: Final = 1e-9

_UNTOLD: Final = frozenset({"message"})
"""The members that are free text."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """``counts``: the rows of each side by kind (late records as Spark counts them). ``differences``: the first."""

    counts: dict[str, dict[str, int]]
    differing: int
    differences: tuple[Difference, ...]


def compare(simulator: Iterable[list[Row]], spark: Iterable[list[Row]]) -> Outcome:
    """Compare the batches of both sides; a batch that only one side has differs in all its rows."""
    counts: dict[str, Counter[str]] = {"simulator": Counter(), "spark": Counter()}
    found: list[Difference] = []
    differing = 0
    for ours, theirs in zip_longest(simulator, spark, fillvalue=()):
        for side, rows in (("simulator", ours), ("spark", theirs)):
            for row in rows:
                counts[side][row["row"]] += row.get("counted", 1)
        differences = _of_batch(ours, theirs)
        differing += len(differences)
        found += differences[: FETCHED - len(found)]
    return Outcome({side: dict(kinds) for side, kinds in counts.items()}, differing, tuple(found))


def _of_batch(ours: Iterable[Row], theirs: Iterable[Row]) -> list[Difference]:
    left, right = (Counter(map(_canonical, rows)) for rows in (ours, theirs))
    if left == right:
        return []
    return pair_up(*_without_near(_surplus(ours, left - right), _surplus(theirs, right - left)))


def _surplus(rows: Iterable[Row], surplus: Counter[tuple[Any, ...]]) -> list[Row]:
    """The rows that the other side has less often, or not at all."""
    left = surplus.copy()
    found = []
    for row in rows:
        if left[_canonical(row)] > 0:
            left[_canonical(row)] -= 1
            found.append(row)
    return found


def _without_near(ours: list[Row], theirs: list[Row]) -> tuple[list[Row], list[Row]]:
    """Without the pairs that differ only in doubles that are nearly equal."""
    left, right = [], list(theirs)
    for row in ours:
        near = next((other for other in right if _is_near(row, other)), None)
        if near is None:
            left.append(row)
        else:
            right.remove(near)
    return left, right


def _is_near(row: Row, other: Row) -> bool:
    one, two = row.get("value"), other.get("value")
    if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (one, two)):
        return False
    if isinstance(one, int) and isinstance(two, int):
        return False
    alike = _canonical(row | {"value": 0}) == _canonical(other | {"value": 0})
    return alike and isclose(float(one), float(two), rel_tol=TOLERANCE)  # type: ignore[arg-type]


def _canonical(row: Row) -> tuple[Any, ...]:
    """The row as a tuple that is equal where the contract calls rows equal, tolerance aside."""
    return tuple((name, _member(name, value)) for name, value in sorted(row.items()) if name not in _UNTOLD)


def _member(name: str, value: Any) -> Any:
    if name == "key":
        return key_text(value)
    if isinstance(value, Mapping):
        return value["ts"], _text(value["value"])
    return _text(value) if name == "value" else value


def _text(value: Any) -> str:
    text, number = value_of(value)
    return repr(number) if text is None else text
