"""When the rows of an interval join leave its state in Flink's SQL operator, which then gives those without a partner.

Theory of operation. The scenario's interval join is that of the DataStream API: the same pairs, at the same moments, as
long as no row is late. SQL's operator keeps rows in another way. Each side has one cleanup timer for a key, set for its
earliest row (``table.exec.interval-join.min-cleanup-interval`` is 0); a row of the other side that searches a cache
removes what has expired as well. Outer joins pad a row when it leaves.

Source: ``TimeIntervalJoin`` and ``RowTimeIntervalJoin`` (Flink 2.3.0).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from tidemark.simulator.engine.values.time import MAX

Key = tuple[Any, ...] | str | int | bool

OTHER: Final = {"left": "right", "right": "left"}


@dataclass
class _Cache:
    """One side. ``size``: how far (ms) behind a row's time its partners may be. ``expired``: rows at or before this
    time (ms) are none any more; of all keys, as in Flink. ``rows``: (ms, number) of each key; ``timers``: when (ms)
    each key is cleaned up."""

    size: int
    expired: int = 0
    rows: dict[Key, list[tuple[int, int]]] = field(default_factory=dict)
    timers: dict[Key, int] = field(default_factory=dict)


class IntervalState:
    """The state of a join with left + ``lower`` <= right <= left + ``upper`` (ms). ``pairs``: how many there were."""

    def __init__(self, lower: int, upper: int) -> None:
        self._caches = {"left": _Cache(upper), "right": _Cache(-lower)}
        self._time = 0
        self.pairs = 0

    def record(self, side: str, key: Key, ts: int, number: int, *, joins: bool) -> Iterator[tuple[str, int]]:
        """A row comes, which ``joins`` unless its key has a NULL. Gives the side and the number of each that leaves."""
        own, other = self._caches[side], self._caches[OTHER[side]]
        if other.expired < ts + own.size:
            other.expired = self._expiry(other)
            rows = other.rows.get(key, [])
            self.pairs += joins * sum(ts - other.size <= each <= ts + own.size for each, _ in rows)
            yield from self._remove(OTHER[side], key)
        if self._time < ts + own.size:
            own.rows.setdefault(key, []).append((ts, number))
            if key not in own.timers:
                own.timers[key] = ts + own.size + 1
        else:
            yield side, number

    def watermark(self, watermark: int) -> Iterator[tuple[str, int]]:
        """The watermark (ms) of both sides rises. Gives the side and the number of each row that leaves."""
        self._time = max(watermark, 0)
        while True:
            due = [(at, side, key) for side, each in self._caches.items() for key, at in each.timers.items()]
            due = [each for each in due if each[0] <= watermark]
            if not due:
                return
            _, side, key = min(due, key=lambda each: each[0])
            cache = self._caches[side]
            cache.expired = self._expiry(cache)
            yield from self._remove(side, key)
            earliest = min((ts for ts, _ in cache.rows.get(key, [])), default=0)
            if earliest > 0:
                cache.timers[key] = earliest + cache.size + 1
            else:
                del cache.timers[key]
                cache.rows.pop(key, None)

    def _expiry(self, cache: _Cache) -> int:
        return self._time - cache.size - 1 if self._time < MAX else MAX

    def _remove(self, side: str, key: Key) -> Iterator[tuple[str, int]]:
        cache = self._caches[side]
        rows = cache.rows.get(key, [])
        kept = [each for each in rows if each[0] > cache.expired]
        if len(kept) < len(rows):
            cache.rows[key] = kept
            yield from ((side, number) for ts, number in rows if ts <= cache.expired)
