"""Trace events of window table functions: slices that become a window, ranks, the watermark that a restore keeps."""

from typing import Any

from tidemark.simulator.trace.event import Rule, TraceEvent, trace_event
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.window import Window


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
