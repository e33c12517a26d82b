"""What Flink computes without windows and no operator of a scenario does: aggregations that keep updating, joins that
keep all rows, Top-N, and rows sorted by event time. A chain computes their rows itself.

Sources: ``GroupAggFunction``, ``StreamingJoinOperator`` of rows that are only inserted, ``FastTop1Function``,
``AppendOnlyTopNFunction``, ``RowTimeSortOperator``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tidemark.simulator.engine.functions import AggregateFunction, FrameFunction

Struct = Mapping[str, Any]


Changes = list[tuple[str, tuple[Any, ...], Struct]]
"""What happens (``+I``, ``-U``, ``+U``, ``-D``), to the result of which key, and the result."""


def updates(
    rows: Iterable[Struct], key: Callable[[Struct], tuple[Any, ...]], function: AggregateFunction
) -> Iterator[Changes]:
    """Of each of ``rows`` what changes: nothing, the first result of its key, or the old one and the new one."""
    held: dict[tuple[Any, ...], Any] = {}
    results: dict[tuple[Any, ...], Struct] = {}
    for row in rows:
        of = key(row)
        held[of] = function.add(held.get(of, function.empty), row)
        before, results[of] = results.get(of), function.result(held[of])
        yield _change(of, before, results[of])


def revocable_updates(
    changes: Iterable[tuple[str, Struct]], key: Callable[[Struct], tuple[Any, ...]], function: FrameFunction
) -> Iterator[Changes]:
    """As ``updates``, of rows that are taken back as well (``-U``, ``-D``); a key whose last row goes is deleted."""
    held: dict[tuple[Any, ...], tuple[Any, list[Struct]]] = {}
    for op, row in changes:
        of = key(row)
        accumulator, rows = held.pop(of, (function.create(), []))
        before = function.result(accumulator) if rows else None
        if op in ("+I", "+U"):
            rows.append(row)
            accumulator = function.add(accumulator, row)
        elif row in rows:
            rows.remove(row)
            accumulator = function.retract(accumulator, row, rows)
        if rows:
            held[of] = accumulator, rows
            yield _change(of, before, function.result(accumulator))
        else:
            yield [] if before is None else [("-D", of, before)]


def _change(key: tuple[Any, ...], before: Struct | None, after: Struct) -> Changes:
    if before is None:
        return [("+I", key, after)]
    return [] if before == after else [("-U", key, before), ("+U", key, after)]


class Pairs:
    """All rows of two sides, ``left`` and ``right``; each joins those of the other side that have come before it."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[tuple[Any, ...], list[Struct]]] = {"left": {}, "right": {}}

    def partners(self, side: str, key: tuple[Any, ...], row: Struct) -> list[Struct]:
        """The rows of the other side with ``key``, in which NULL equals nothing; ``row`` is one of ``side`` now."""
        if None in key:
            return []
        self._rows[side].setdefault(key, []).append(row)
        return self._rows["right" if side == "left" else "left"].get(key, [])


Ranked = tuple[str, Struct, int]
"""What happens to a row (``+I``, ``-U``, ``+U``, ``-D``), the row, and its number from 1."""


class TopN:
    """The rows numbered ``first`` to ``last`` of each key; of equal rows the first to come is the first.

    ``descending``: of each part of what puts rows in order, whether the largest comes first. ``numbered``: whether the
    numbers are asked for; if not, a row that goes is deleted, and the others stay as they are.
    """

    def __init__(self, descending: Sequence[bool], first: int, last: int, *, numbered: bool) -> None:
        self._descending, self._first, self._last, self._numbered = descending, first, last, numbered
        self._held: dict[tuple[Any, ...], list[tuple[list[Any], list[Struct]]]] = {}

    def add(self, key: tuple[Any, ...], of: list[Any], row: Struct) -> list[Ranked]:
        """What ``row`` changes among those of ``key``; ``of``: what puts it in order."""
        equal = self._held.setdefault(key, [])
        if self._first == self._last == 1:
            if equal and not self._precedes(of, equal[0][0]):
                return []
            # The planner takes it for insert-only unless ORDER BY is one column DESC, so no row is taken back
            # (``FlinkChangelogModeInferenceProgram``).
            old = [("-U", equal[0][1][0], 1)] if equal and self._descending == [True] else []
            op = "+U" if equal else "+I"
            equal[:] = [(of, [row])]
            return [*old, (op, row, 1)]
        if self._is_full(equal, 0) and not self._precedes(of, equal[-1][0]):
            return []
        place = next((number for number, (each, _) in enumerate(equal) if not self._precedes(each, of)), len(equal))
        if place == len(equal) or equal[place][0] != of:
            equal.insert(place, (of, []))
        equal[place][1].append(row)
        return self._moved(equal, place, row) if self._numbered or self._first > 1 else self._replaced(equal, row)

    def _moved(self, equal: list[tuple[list[Any], list[Struct]]], place: int, row: Struct) -> list[Ranked]:
        """Each row behind ``row`` gets the number of the next one."""
        found: list[Ranked] = []
        rank = sum(len(rows) for _, rows in equal[: place + 1])
        end = place + 1
        while end < len(equal) and rank <= self._last:
            for each in equal[end][1][: self._last - rank + 1]:
                found += [("-U", each, rank), ("+U", row, rank)]
                row, rank = each, rank + 1
            end += 1
        if rank <= self._last:
            found.append(("+I", row, rank))
        del equal[end:]
        return [each for each in found if each[2] >= self._first]

    def _replaced(self, equal: list[tuple[list[Any], list[Struct]]], row: Struct) -> list[Ranked]:
        if not self._is_full(equal, 1):
            return [("+I", row, 0)]
        gone = equal[-1][1].pop()
        if not equal[-1][1]:
            equal.pop()
        return [] if gone is row else [("-D", gone, 0), ("+I", row, 0)]

    def _is_full(self, equal: list[tuple[list[Any], list[Struct]]], more: int) -> bool:
        return sum(len(rows) for _, rows in equal) >= self._last + more

    def _precedes(self, one: list[Any], other: list[Any]) -> bool:
        for descending, a, b in zip(self._descending, one, other, strict=True):
            if a != b:
                return bool(a > b) if descending else bool(a < b)
        return False


class Sorted:
    """Rows by their time, given out when the watermark has passed it.

    ``keys``: what else puts rows of one time in order, each with whether the largest comes first.
    """

    def __init__(self, keys: Sequence[tuple[Callable[[Struct], Any], bool]]) -> None:
        self._keys = keys
        self._rows: list[tuple[int, Struct]] = []
        self._last: int | None = None

    def add(self, ts: int, row: Struct) -> bool:
        """Take a row in; False if one of its time or a later one has been given out, so that it is dropped."""
        if self._last is not None and ts <= self._last:
            return False
        self._rows.append((ts, row))
        return True

    def watermark(self, watermark: int) -> list[tuple[int, Struct]]:
        """The rows up to ``watermark``, in order."""
        due = [each for each in self._rows if each[0] <= watermark]
        self._rows = [each for each in self._rows if each[0] > watermark]
        for of, descending in reversed(self._keys):
            due.sort(key=lambda each, of=of: of(each[1]), reverse=descending)  # type: ignore[misc]
        due.sort(key=lambda each: each[0])
        if due:
            self._last = due[-1][0]
        return due
