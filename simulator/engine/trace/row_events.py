"""Trace events of joins, of the event sort, and of the SQL operators that keep rows."""

from abc import abstractmethod
from typing import Any, Final

from tidemark.simulator.engine.trace.event import Rule, TraceEvent, Verdict, trace_event
from tidemark.simulator.engine.values.key import Element, Key
from tidemark.simulator.engine.values.rows import (
    Change,
    FlinkRow,
    PairedRecord,
    deduplicated_row,
    emitted_row,
    group_row,
    joined_row,
    over_row,
    paired_record,
)
from tidemark.simulator.engine.values.window import Window


class RowEvent(TraceEvent):
    """An event that emits a row of Flink's."""

    __slots__ = ()

    key: Key

    @abstractmethod
    def row(self, watermark: int | None, at: int, item: int) -> FlinkRow:
        """The row, but for its key its values as the engine has them; emitted with this watermark, clock and item."""


def _paired(element: Element) -> PairedRecord:
    """One record of a pair."""
    return paired_record(element.timestamp, element.value)


@trace_event
class RowStored(TraceEvent):
    """A row waits in state until the watermark reaches its timestamp."""

    key: Key
    ts: int
    value: Any
    rule: Rule | None

    line = "stored"
    conditions = ("if.accepted", "if.earlier")
    queued = 1

    @property
    def verdict(self) -> Verdict | None:
        """It waits."""
        return Verdict("queued", self.rule)


@trace_event
class RowDisplaced(TraceEvent):
    """A deduplication gave up the row that waited: ``by`` (ms) is the time of the earlier one that now waits."""

    key: Key
    ts: int
    value: Any
    by: int
    rule: Rule

    line = "displaced"
    conditions = ("if.earlier",)
    queued = -1


@trace_event
class RowIgnored(TraceEvent):
    """A deduplication had a better row already: neither a row nor a count comes of this one.

    Without a ``rule`` the key's first row was given before.
    """

    key: Key
    ts: int
    value: Any
    rule: Rule | None

    line = "ignored"
    conditions = ("if.given", "if.earlier", "if.newer")

    @property
    def verdict(self) -> Verdict | None:
        """It counts for nothing."""
        return Verdict("ignored", self.rule)


@trace_event
class DeduplicateEmitted(RowEvent):
    """A deduplication gave a row: an ``emitted`` row. ``change``: ``+I``, ``-U`` (taken back) or ``+U``."""

    key: Key
    ts: int
    value: Any
    change: Change
    rule: Rule | None

    conditions = ("if.newer",)

    @property
    def line(self) -> str:
        """By what it does to the row before."""
        return {"+I": "given", "-U": "taken_back", "+U": "replaced"}[self.change]

    @property
    def verdict(self) -> Verdict | None:
        """A record that is given at once; one that waited had its verdict then."""
        return None if self.change == "-U" or self._waited else Verdict("given")

    @property
    def queued(self) -> int | None:
        """A first row waited."""
        return -1 if self._waited else None

    @property
    def _waited(self) -> bool:
        """Whether the row waited for the watermark."""
        return self.change == "+I" and self.rule is not None

    def row(self, watermark: int | None, at: int, item: int) -> FlinkRow:
        """An ``emitted`` row."""
        return deduplicated_row(self.key, self.ts, self.value, self.change, watermark, at, item)


@trace_event
class VersionStored(TraceEvent):
    """The right side of a temporal join has a version from ``ts`` on; it replaces one of the same ``ts``.

    ``op``: ``upsert``, or ``delete``, which ends the version before it.
    """

    key: Key
    ts: int
    value: Any
    op: str

    line = "version"

    @property
    def verdict(self) -> Verdict | None:
        """It is a version."""
        return Verdict("version")


@trace_event
class VersionsRemoved(TraceEvent):
    """A temporal join forgot the versions from ``starts`` (ms) on: the one from ``kept`` (ms) is the newest valid."""

    key: Key
    starts: tuple[int, ...]
    kept: int
    rule: Rule

    line = "versions_removed"


@trace_event
class LeftRowJoined(RowEvent):
    """A left row met the version of its time, None where there is none. Emits a ``joined`` row."""

    key: Key
    left: Element
    right: Element | None
    rule: Rule | None

    line = "left_joined"
    conditions = ("if.version",)
    queued = -1

    def row(self, watermark: int | None, at: int, item: int) -> FlinkRow:
        """A ``joined`` row, without a right side where there was no version."""
        assert self.left.timestamp is not None
        right = None if self.right is None else _paired(self.right)
        return joined_row(self.key, _paired(self.left), right, self.left.timestamp, None, watermark, at, item)


@trace_event
class LeftRowUnmatched(TraceEvent):
    """An inner temporal join found no version for a left row: no row comes of it."""

    key: Key
    left: Element

    line = "left_unmatched"
    conditions = ("if.version",)
    queued = -1


@trace_event
class FrameMoved(TraceEvent):
    """The frame of an OVER aggregation went on to ``timestamp`` (ms).

    ``left``: the rows that are no longer in it, ``rows``: how many are, ``after``: the accumulator. ``low`` (ms,
    inclusive): where a frame by range begins, None for one by rows.
    """

    key: Key
    timestamp: int
    entered: tuple[Element, ...]
    left: tuple[Element, ...]
    low: int | None
    rows: int
    after: Any

    line = "frame"

    @property
    def queued(self) -> int:
        """Those that enter the frame no longer wait."""
        return -len(self.entered)


@trace_event
class OverEmitted(RowEvent):
    """A row got the aggregate over its frame: an ``emitted`` row. ``own``: the row's own value."""

    key: Key
    ts: int
    value: Any
    own: Any
    rule: Rule

    line = "over"

    def row(self, watermark: int | None, at: int, item: int) -> FlinkRow:
        """An ``emitted`` row."""
        return over_row(self.key, self.ts, self.value, self.own, watermark, at, item)


@trace_event
class FrameCleared(TraceEvent):
    """An OVER aggregation by range cleared everything of a key, ``waiting`` rows and its last firing included."""

    key: Key
    waiting: int
    rows: int
    rule: Rule

    line = "frame_cleared"
    conditions = ("if.cleanup",)

    @property
    def queued(self) -> int:
        """Rows that wait go with it."""
        return -self.waiting


@trace_event
class QueuePushed(TraceEvent):
    """A record entered the priority queue of its key."""

    key: Key
    ts: int
    value: Any
    rule: Rule

    line = "queued"
    conditions = ("if.above",)
    queued = 1

    @property
    def verdict(self) -> Verdict | None:
        """It waits."""
        return Verdict("queued", self.rule)


@trace_event
class QueuePopped(RowEvent):
    """The head of the queue left it. Emits an ``emitted`` row."""

    key: Key
    ts: int
    value: Any
    rule: Rule

    line = "popped"
    conditions = ("if.reached",)
    queued = -1

    def row(self, watermark: int | None, at: int, item: int) -> FlinkRow:
        """An ``emitted`` row."""
        return emitted_row(self.key, self.ts, self.value, watermark, at, item)


@trace_event
class BufferAdded(TraceEvent):
    """An interval join keeps a record of ``side`` until the watermark reaches ``kept_until`` (ms)."""

    side: str
    key: Key
    ts: int
    value: Any
    kept_until: int

    line = "buffered"


@trace_event
class BufferRemoved(TraceEvent):
    """An interval join removed the records of ``side`` that have timestamp ``ts``."""

    side: str
    key: Key
    ts: int
    elements: tuple[Element, ...]

    line = "forgotten"


@trace_event
class JoinMatched(RowEvent):
    """Two records form a pair. Emits a ``joined`` row; an interval join has no window."""

    key: Key
    left: Element
    right: Element
    timestamp: int
    window: Window | None
    rule: Rule | None

    line = "matched"
    conditions = ("if.within",)

    def row(self, watermark: int | None, at: int, item: int) -> FlinkRow:
        """A ``joined`` row."""
        pair = _paired(self.left), _paired(self.right)
        return joined_row(self.key, *pair, self.timestamp, self.window, watermark, at, item)


@trace_event
class GroupFired(RowEvent):
    """A coGroup emitted the values of both sides: a ``group`` row."""

    key: Key
    window: Window
    left: tuple[Any, ...]
    right: tuple[Any, ...]
    timestamp: int

    line = "grouped"

    def row(self, watermark: int | None, at: int, item: int) -> FlinkRow:
        """A ``group`` row."""
        left, right = list(self.left), list(self.right)
        return group_row(self.key, left, right, self.window, watermark, at, item)


ROW_EVENTS: Final = (QueuePopped, JoinMatched, GroupFired, LeftRowJoined, OverEmitted, DeduplicateEmitted)
"""Those that emit a row."""

VERDICT_EVENTS: Final = (RowStored, RowIgnored, VersionStored, DeduplicateEmitted, QueuePushed)
"""Those that may say something to their record as a whole."""
