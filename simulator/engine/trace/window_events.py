"""Trace events of windows and slices: assigned, late, merged, fired, evicted, cleaned up, ranked."""

from typing import Any

from tidemark.simulator.engine.trace.event import Rule, TraceEvent, trace_event
from tidemark.simulator.engine.values.key import Element, Key
from tidemark.simulator.engine.values.rows import Change, Timing
from tidemark.simulator.engine.values.window import Window


@trace_event
class WindowsAssigned(TraceEvent):
    """The assigner returned the windows of the record, in its own order; there may be none."""

    key: Key
    windows: tuple[Window, ...]


@trace_event
class WindowSkippedLate(TraceEvent):
    """A window does not take the record: its cleanup time has passed."""

    key: Key
    window: Window
    rule: Rule


@trace_event
class LateSideOutput(TraceEvent):
    """The record went to the side output for late data. Emits a ``late`` row."""

    input: str
    key: Key
    ts: int
    value: Any
    rule: Rule


@trace_event
class LateDropped(TraceEvent):
    """The record was dropped and counted. Emits a ``dropped`` row."""

    input: str
    key: Key
    ts: int
    value: Any
    rule: Rule


@trace_event
class ElementSilentlySkipped(TraceEvent):
    """No window took the record, yet it is not itself late: it vanishes without a row."""

    key: Key
    ts: int
    value: Any
    rule: Rule


@trace_event
class WindowTracked(TraceEvent):
    """The merging set of ``key`` now keeps the contents of ``window`` under ``state_window``."""

    key: Key
    window: Window
    state_window: Window


@trace_event
class WindowsMerged(TraceEvent):
    """``merged`` became ``result``. Its contents are under ``state_window``, and ``merged_state_windows`` join them."""

    key: Key
    result: Window
    merged: tuple[Window, ...]
    state_window: Window
    merged_state_windows: tuple[Window, ...]


@trace_event
class WindowRetired(TraceEvent):
    """The merging set of ``key`` forgot ``window``."""

    key: Key
    window: Window


@trace_event
class PaneFired(TraceEvent):
    """A window emitted a result: a ``pane`` row with the same members. Only updates have a ``change``."""

    key: Key
    window: Window
    timing: Timing
    pane: int
    value: Any
    timestamp: int
    change: Change | None = None


@trace_event
class ElementsEvicted(TraceEvent):
    """The evictor removed records from the window. ``when``: ``before`` or ``after`` the function has seen them.

    ``evicted`` are these records, in order of arrival; ``remaining`` is the number of those left.
    """

    key: Key
    window: Window
    when: str
    evictor: str
    evicted: tuple[Element, ...]
    remaining: int


@trace_event
class WindowCleaned(TraceEvent):
    """The window's cleanup time has come: contents, trigger state and, for a session, its entry are gone."""

    key: Key
    window: Window
    rule: Rule


@trace_event
class TriggerEvaluated(TraceEvent):
    """A trigger answered. ``method``: ``on_element``, ``on_event_time``, ``on_processing_time``.

    ``result``: ``CONTINUE``, ``FIRE``, ``PURGE`` or ``FIRE_AND_PURGE``.
    """

    key: Key
    window: Window
    trigger: str
    method: str
    result: str
    rule: Rule | None = None

    @property
    def fires(self) -> bool:
        """Whether the window's contents are emitted."""
        return self.result in ("FIRE", "FIRE_AND_PURGE")


@trace_event
class TriggerStateChanged(TraceEvent):
    """A trigger's own keyed state changed; there is no ``after`` if it was cleared."""

    state: str
    key: Key
    window: Window
    before: Any
    after: Any


@trace_event
class SlicesMerged(TraceEvent):
    """The window is over: its result is that of ``slices``, those of its slices that hold rows, the newest first.

    Without any, the window emits nothing, and no timer is set for the next one.
    """

    key: Key
    window: Window
    slices: tuple[Window, ...]
    rule: Rule


@trace_event
class RowBuffered(TraceEvent):
    """In a session time zone: the record waits in a buffer to be added to the slice ``namespace``."""

    key: Key
    namespace: Window
    value: Any


@trace_event
class BufferFlushed(TraceEvent):
    """The buffered records, ``rows`` of them, are added to their slices: the watermark is past the next flush."""

    rows: int
    rule: Rule


@trace_event
class FlushWaits(TraceEvent):
    """A buffered slice, ``namespace``, has ended, but the buffer waits for a watermark of ``next_flush`` (ms)."""

    namespace: Window
    next_flush: int
    rule: Rule


@trace_event
class SliceStranded(TraceEvent):
    """The slice ``namespace`` came into state too late: the watermark before was past its end: no timer."""

    key: Key
    namespace: Window
    rule: Rule


@trace_event
class RowRanked(TraceEvent):
    """A row is among the first of its window, ``rank`` from 1. Emits a ``ranked`` row."""

    key: Key
    window: Window
    rank: int
    ts: int
    value: Any


@trace_event
class LateForWindow(TraceEvent):
    """The record was dropped from one of its windows and counted. Emits a ``dropped`` row with this window."""

    input: str
    key: Key
    ts: int
    value: Any
    window: Window
    rule: Rule


@trace_event
class WatermarkRestored(TraceEvent):
    """The watermark was in the checkpoint: the operator goes on from ``ts``, its inputs start anew."""

    ts: int


@trace_event
class WatermarkBehindRestored(TraceEvent):
    """The inputs' watermark ``ts`` is not above the restored one, ``kept``, which is forwarded again."""

    ts: int
    kept: int
    input: str
    channel: int
    rule: Rule
