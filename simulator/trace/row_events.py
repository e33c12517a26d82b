"""Trace events of the SQL operators that keep rows: the temporal join, OVER and deduplication."""

from typing import Any

from tidemark.simulator.trace.event import Rule, TraceEvent, trace_event
from tidemark.simulator.values.element import Element
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.rows import Change


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
