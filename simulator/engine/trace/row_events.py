"""Trace events of joins, of the event sort, and of the SQL operators that keep rows."""

from typing import Any

from tidemark.simulator.engine.trace.event import Rule, TraceEvent, trace_event
from tidemark.simulator.engine.values.key import Element, Key
from tidemark.simulator.engine.values.rows import Change
from tidemark.simulator.engine.values.window import Window


@trace_event
class RowStored(TraceEvent):
    """A row waits in state until the watermark reaches its timestamp."""

    key: Key
    ts: int
    value: Any
    rule: Rule | None


@trace_event
class RowDisplaced(TraceEvent):
    """A deduplication gave up the row that waited: ``by`` (ms) is the time of the earlier one that now waits."""

    key: Key
    ts: int
    value: Any
    by: int
    rule: Rule


@trace_event
class RowIgnored(TraceEvent):
    """A deduplication had a better row already: neither a row nor a count comes of this one.

    Without a ``rule`` the key's first row was given before.
    """

    key: Key
    ts: int
    value: Any
    rule: Rule | None


@trace_event
class DeduplicateEmitted(TraceEvent):
    """A deduplication gave a row: an ``emitted`` row. ``change``: ``+I``, ``-U`` (taken back) or ``+U``."""

    key: Key
    ts: int
    value: Any
    change: Change
    rule: Rule | None


@trace_event
class VersionStored(TraceEvent):
    """The right side of a temporal join has a version from ``ts`` on; it replaces one of the same ``ts``.

    ``op``: ``upsert``, or ``delete``, which ends the version before it.
    """

    key: Key
    ts: int
    value: Any
    op: str


@trace_event
class VersionsRemoved(TraceEvent):
    """A temporal join forgot the versions from ``starts`` (ms) on: the one from ``kept`` (ms) is the newest valid."""

    key: Key
    starts: tuple[int, ...]
    kept: int
    rule: Rule


@trace_event
class LeftRowJoined(TraceEvent):
    """A left row met the version of its time, None where there is none. Emits a ``joined`` row."""

    key: Key
    left: Element
    right: Element | None
    rule: Rule | None


@trace_event
class LeftRowUnmatched(TraceEvent):
    """An inner temporal join found no version for a left row: no row comes of it."""

    key: Key
    left: Element


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


@trace_event
class OverEmitted(TraceEvent):
    """A row got the aggregate over its frame: an ``emitted`` row. ``own``: the row's own value."""

    key: Key
    ts: int
    value: Any
    own: Any
    rule: Rule


@trace_event
class FrameCleared(TraceEvent):
    """An OVER aggregation by range cleared everything of a key, ``waiting`` rows and its last firing included."""

    key: Key
    waiting: int
    rows: int
    rule: Rule


@trace_event
class QueuePushed(TraceEvent):
    """A record entered the priority queue of its key."""

    key: Key
    ts: int
    value: Any
    rule: Rule


@trace_event
class QueuePopped(TraceEvent):
    """The head of the queue left it. Emits an ``emitted`` row."""

    key: Key
    ts: int
    value: Any
    rule: Rule


@trace_event
class BufferAdded(TraceEvent):
    """An interval join keeps a record of ``side`` until the watermark reaches ``kept_until`` (ms)."""

    side: str
    key: Key
    ts: int
    value: Any
    kept_until: int


@trace_event
class BufferRemoved(TraceEvent):
    """An interval join removed the records of ``side`` that have timestamp ``ts``."""

    side: str
    key: Key
    ts: int
    elements: tuple[Element, ...]


@trace_event
class JoinMatched(TraceEvent):
    """Two records form a pair. Emits a ``joined`` row; an interval join has no window."""

    key: Key
    left: Element
    right: Element
    timestamp: int
    window: Window | None
    rule: Rule | None


@trace_event
class GroupFired(TraceEvent):
    """A coGroup emitted the values of both sides: a ``group`` row."""

    key: Key
    window: Window
    left: tuple[Any, ...]
    right: tuple[Any, ...]
    timestamp: int
