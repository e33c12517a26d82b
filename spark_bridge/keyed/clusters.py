"""Session windows by clusters: records of a key that no gap parts, sorted by key, cluster and arrival.

Most clusters are one firing on time (*plain*, see ``execution.sessions``), whatever the order of their records: they
are added up in blocks. Of the others each record is taken in order of arrival, as Flink's ``WindowOperator`` does it
with merging windows and the event-time trigger. That takes the watermark only of records that are behind it, or less
than 2 ms above: any other is too young to touch a window that has fired, so whether one has by then does not show.

A row says what made it: a timer, which waited for the last instant of the window, or the record itself.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import add
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tidemark.simulator.engine.values.time import MAX, MIN

Longs = NDArray[np.int64]

HELD: Final = 20_000
"""A cluster of more records is not held until its end: its records are taken one by one, as if it were not plain."""

WAITED, AT_ONCE, LATE = 0, 1, 2
"""Kinds of row: a timer fired a window; a record did; no window took a record."""

_ONE_BY_ONE = {"min": min, "max": max}
_IN_BLOCKS = {"min": np.minimum, "max": np.maximum}


class Records(NamedTuple):
    """Columns of records. ``start``: the first timestamp of the cluster; ``before``: the watermark, ``MIN`` where it
    does not matter; ``spoils``: 1 if the record keeps its cluster from being plain."""

    key: Longs
    start: Longs
    item: Longs
    ts: Longs
    whole: Longs
    before: Longs
    spoils: Longs

    def where(self, wanted: Any) -> "Records":
        """Some of the records: a slice, places or a mask."""
        return Records(*(column[wanted] for column in self))


class Rows(NamedTuple):
    """Columns of rows. ``value``: the sum, the smallest or the largest value of ``number`` records.

    A late record has its timestamp as ``start``. ``before``, ``item``: those of the record that made the row.
    """

    kind: Longs
    key: Longs
    start: Longs
    end: Longs
    pane: Longs
    value: Longs
    number: Longs
    before: Longs
    item: Longs

    def chunk(self, after: Sequence[int]) -> Longs:
        """The first of the chunks, each with the watermark ``after`` it, in which a row fires; their number for none.

        Rows that wait for nothing are spread over negative numbers.
        """
        chunk = np.searchsorted(np.array(after, np.int64), self.end - 1)
        found: Longs = np.where(self.kind == WAITED, chunk, -1 - self.item % len(after))
        return found


@dataclass(slots=True)
class Span:
    """A window in flight. ``panes``: how often it has fired; ``waits``: its timer is set."""

    start: int
    end: int
    value: int
    number: int
    panes: int = 0
    waits: bool = False


@dataclass(slots=True)
class Clusters:
    """``gap`` and ``lateness`` in ms; ``compute`` is the name of a function to which the order does not matter."""

    gap: int
    lateness: int
    compute: str
    _open: Records | None = None
    _windows: "InFlight" = field(init=False)

    def __post_init__(self) -> None:
        self._windows = InFlight(self.gap, self.lateness, self.compute)

    def rows(self, batches: Iterable[Records]) -> Iterator[Rows]:
        """All rows of the records in ``batches``."""
        for batch in batches:
            if len(batch.key):
                yield from self._add(batch)
        if self._open is not None:
            yield from self._ended(self._open)
        self._windows.end()
        yield self._windows.taken()

    def _add(self, batch: Records) -> Iterator[Rows]:
        """The rows of all clusters but the last one, which may go on."""
        if self._open is not None:
            batch = Records(*map(np.concatenate, zip(self._open, batch, strict=True)))
        last = len(batch.key) - 1
        same = (batch.key == batch.key[last]) & (batch.start == batch.start[last])
        begins = last + 1 - int(np.argmin(same[::-1])) if not same.all() else 0
        self._open = batch.where(slice(begins, None))
        if begins:
            yield from self._ended(batch.where(slice(begins)))
        if len(self._open.key) > HELD:
            self._windows.add(self._open)
            self._open = None

    def _ended(self, records: Records) -> Iterator[Rows]:
        """The rows of whole clusters; of the first one, some records may have been taken already."""
        if going_on := self._windows.goes_on(records):
            self._windows.add(records.where(slice(going_on)))
            records = records.where(slice(going_on, None))
        if len(records.key):
            changes = (records.key[1:] != records.key[:-1]) | (records.start[1:] != records.start[:-1])
            starts = np.concatenate(([0], np.flatnonzero(changes) + 1))
            sizes = np.diff(starts, append=len(records.key))
            spoiled = np.add.reduceat(records.spoils, starts) > 0
            yield self._plain(records.where(np.repeat(~spoiled, sizes)), sizes[~spoiled])
            yield self._alone(records.where(starts[spoiled & (sizes == 1)]))
            self._windows.add(records.where(np.repeat(spoiled & (sizes > 1), sizes)))
        yield self._windows.taken()

    def _plain(self, records: Records, sizes: Longs) -> Rows:
        """Clusters of these ``sizes``, each of which waits for its end as a whole."""
        if not len(sizes):
            return NOTHING
        starts = np.cumsum(sizes) - sizes
        end = np.maximum.reduceat(records.ts, starts) + self.gap
        value = _IN_BLOCKS.get(self.compute, np.add).reduceat(records.whole, starts)
        none = np.zeros(len(sizes), np.int64)
        return Rows(none, records.key[starts], records.start[starts], end, none, value, sizes, none, none)

    def _alone(self, records: Records) -> Rows:
        """Records that came, each alone in its cluster, when the watermark had reached the end of their window."""
        none = np.zeros(len(records.key), np.int64)
        end = records.ts + self.gap
        is_late = _cleanup(end, self.lateness) <= records.before
        kind = np.where(is_late, LATE, AT_ONCE)
        return Rows(kind, records.key, records.ts, end, none, records.whole, none + 1, records.before, records.item)


class InFlight:
    """The windows of one cluster after another, record by record."""

    def __init__(self, gap: int, lateness: int, compute: str) -> None:
        self._gap, self._lateness = gap, lateness
        self._join = _ONE_BY_ONE.get(compute, add)
        self._cluster: tuple[int, int] | None = None
        self._spans: list[Span] = []
        self._rows: list[tuple[int, ...]] = []

    def goes_on(self, records: Records) -> int:
        """How many of the first ``records`` belong to the cluster of the last one that was added."""
        if self._cluster is None or (records.key[0], records.start[0]) != self._cluster:
            return 0
        same = (records.key == self._cluster[0]) & (records.start == self._cluster[1])
        return len(same) if same.all() else int(np.argmin(same))

    def add(self, records: Records) -> None:
        """Take records of one or several clusters, in order of arrival within each."""
        for key, start, item, ts, whole, before, _ in zip(*(column.tolist() for column in records), strict=True):
            if (key, start) != self._cluster:
                self.end()
                self._cluster = key, start
            if before > MIN and self._spans:
                self._advance(before)
            self._take(key, item, ts, whole, before)

    def end(self) -> None:
        """The cluster is complete: what waits fires as soon as the watermark allows it, if ever."""
        if self._spans:
            self._advance(MAX)
            self._spans.clear()

    def taken(self) -> Rows:
        """The rows since the last call."""
        rows, self._rows = self._rows, []
        return Rows(*np.array(rows, np.int64).reshape(-1, len(Rows._fields)).T)

    def _take(self, key: int, item: int, ts: int, whole: int, before: int) -> None:
        end = ts + self._gap
        touching = [span for span in self._spans if span.start <= end and ts <= span.end]
        if not touching:
            if _cleanup(end, self._lateness) <= before:
                self._rows.append((LATE, key, ts, end, 0, whole, 1, before, item))
                return
            span = Span(ts, end, whole, 1)
            self._spans.append(span)
        elif len(touching) == 1 and touching[0].start <= ts and end <= touching[0].end:
            span = touching[0]
            span.value = self._join(span.value, whole)
            span.number += 1
        else:  # another window, which has not fired yet, takes the place of these
            span = Span(ts, end, whole, 1)
            for each in touching:
                span.start, span.end = min(span.start, each.start), max(span.end, each.end)
                span.value, span.number = self._join(span.value, each.value), span.number + each.number
                self._spans.remove(each)
            self._spans.append(span)
        if span.end - 1 > before:
            span.waits = True
            return
        self._rows.append((AT_ONCE, key, span.start, span.end, span.panes, span.value, span.number, before, item))
        span.panes += 1

    def _advance(self, watermark: int) -> None:
        """Fire what is due, and remove what is over."""
        assert self._cluster is not None
        is_over = False
        for span in self._spans:
            if span.end - 1 > watermark:
                continue
            if span.waits:
                span.waits = False
                own = (WAITED, self._cluster[0], span.start, span.end, span.panes, span.value, span.number, 0, 0)
                self._rows.append(own)
                span.panes += 1
            is_over = is_over or span.end - 1 + self._lateness <= watermark
        if is_over:
            self._spans = [span for span in self._spans if span.end - 1 + self._lateness > watermark]


def _cleanup(end: Any, lateness: int) -> Any:
    """When windows with these ends are over (ms)."""
    return end - 1 + lateness


NOTHING: Final = Rows(*(np.zeros(0, np.int64) for _ in Rows._fields))
