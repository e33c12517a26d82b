"""What Flink computes without windows and no operator of a scenario does: aggregations that keep updating, joins that
keep all rows, and rows sorted by event time. A chain computes their rows itself.

Sources: ``GroupAggFunction``, ``StreamingJoinOperator`` of rows that are only inserted, ``RowTimeSortOperator``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tidemark.simulator.engine.functions import AggregateFunction

Struct = Mapping[str, Any]


def updates(
    rows: Iterable[Struct], key: Callable[[Struct], tuple[Any, ...]], function: AggregateFunction
) -> Iterator[list[tuple[str, tuple[Any, ...], Struct]]]:
    """Of each of ``rows`` what changes: nothing, the first result of its key, or the old one and the new one. Each
    change is what happens (``+I``, ``-U``, ``+U``), the key and the result."""
    held: dict[tuple[Any, ...], Any] = {}
    results: dict[tuple[Any, ...], Struct] = {}
    for row in rows:
        of = key(row)
        held[of] = function.add(held.get(of, function.empty), row)
        before, after = results.get(of), function.result(held[of])
        results[of] = after
        if before is None:
            yield [("+I", of, after)]
        else:
            yield [] if before == after else [("-U", of, before), ("+U", of, after)]


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
