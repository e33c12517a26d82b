"""Trace events of joins, of operators that keep rows, and of Spark's micro-batches."""

from abc import abstractmethod
from typing import Any, Final

from tidemark.simulator.engine.trace.event import Rule, TraceEvent, Verdict, trace_event
from tidemark.simulator.engine.values.items import Element, Key
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
from tidemark.simulator.engine.values.window import TimeWindow, Window


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

    Without a ``rule`` the key's first row was emitted before.
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
    """A deduplication emitted a row: an ``emitted`` row. ``change``: ``+I``, ``-U`` (taken back) or ``+U``."""

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
    """A left row met the version of its time, or null. Emits a ``joined`` row."""

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
    """An inner temporal join found no version for a left row: no row is emitted."""

    key: Key
    left: Element

    line = "left_unmatched"
    conditions = ("if.version",)
    queued = -1


@trace_event
class FrameMoved(TraceEvent):
    """The frame of an OVER aggregation moved on to ``timestamp`` (ms).

    ``left``: the rows that are no longer in it, ``rows``: how many are, ``after``: the accumulator. ``low`` (ms,
    inclusive): where a frame by range begins, null for one by rows.
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


@trace_event
class BatchStarted(TraceEvent):
    """A micro-batch begins; ``records`` is the number of records that it reads.

    ``reason``: ``records``, ``empty`` (the batch was ended without any) or ``watermark`` (none arrived, but the
    watermark moved). The batch evicts by the step's ``watermark`` and filters by ``late_watermark``, both ms.
    """

    batch: int
    reason: str
    records: int
    late_watermark: int

    line = "batch"


@trace_event
class RecordFiltered(TraceEvent):
    """The late filter took a record out of a window or, in a join, which has none, out of the batch.

    Emits a ``dropped`` row.
    """

    input: str
    key: Key
    ts: int
    value: Any
    window: TimeWindow | None
    rule: Rule

    line = "filtered"


@trace_event
class PartialUpdated(TraceEvent):
    """``value`` was added to the batch's partial aggregate for the window, now ``after``; it is not in state yet."""

    key: Key
    window: TimeWindow
    value: Any
    after: Any

    line = "partial"


@trace_event
class SessionsMerged(TraceEvent):
    """Sessions that overlap or touch became ``result``: ``merged`` come from state, ``parts`` from this batch."""

    key: Key
    result: TimeWindow
    merged: tuple[TimeWindow, ...]
    parts: tuple[TimeWindow, ...]

    line = "sessions"


@trace_event
class PaneEmitted(TraceEvent):
    """A batch emitted the result of a window: a ``pane`` row.

    ``mode`` is the output mode: ``append`` (the window is closed), ``update`` (it has changed) or ``complete`` (every
    window).
    """

    key: Key
    window: TimeWindow
    value: Any
    mode: str
    rule: Rule | None = None

    line = "emitted"


@trace_event
class StateEvicted(TraceEvent):
    """The batch's watermark has reached the end of the window: its entry in ``state`` was removed."""

    state: str
    key: Key
    window: TimeWindow
    rule: Rule

    line = "evicted"


@trace_event
class JoinRowStored(TraceEvent):
    """A stream join keeps a record of ``side``. The first watermark that evicts it, if any, is ``kept_until`` (ms).

    That may be the watermark of this very batch; then the record is kept until the batch ends.
    """

    side: str
    key: Key
    ts: int
    value: Any
    kept_until: int | None

    line = "stored"


@trace_event
class JoinRowEvicted(TraceEvent):
    """A stream join removed a record of ``side``: every partner that may still come would be late."""

    side: str
    key: Key
    ts: int
    value: Any
    rule: Rule

    line = "forgotten"


@trace_event
class BatchEnded(TraceEvent):
    """The batch is done. Emits a ``batch`` row.

    ``rows_in``: records read; ``rows_out``: ``pane`` or ``joined`` rows emitted; ``state_rows``: entries left in state.
    """

    batch: int
    late_watermark: int
    rows_in: int
    rows_out: int
    state_rows: int

    line = "committed"


@trace_event
class InputWatermarkMoved(TraceEvent):
    """After a batch the watermark of an input rose to the input's largest timestamp minus the delay."""

    input: str
    before: int
    ts: int
    rule: Rule

    line = "input_moved"


@trace_event
class WatermarkMoved(TraceEvent):
    """The watermark of the next batch is ``ts``, that of ``input``, chosen by ``policy`` (``min`` or ``max``)."""

    before: int
    ts: int
    input: str
    policy: str
    rule: Rule

    line = "wm_moved"


@trace_event
class WatermarkKept(TraceEvent):
    """The next batch keeps the watermark ``ts`` of this one; ``policy`` had chosen the watermark of ``input``."""

    ts: int
    input: str
    policy: str
    rule: Rule

    line = "wm_kept"
