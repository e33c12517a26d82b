"""Trace events of Spark's micro-batches: batches, their late filter, state, results and watermarks."""

from typing import Any

from tidemark.simulator.engine.trace.event import Rule, TraceEvent, trace_event
from tidemark.simulator.engine.values.key import Key
from tidemark.simulator.engine.values.window import TimeWindow


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


@trace_event
class PartialUpdated(TraceEvent):
    """``value`` was added to the batch's partial aggregate for the window, now ``after``; it is not in state yet."""

    key: Key
    window: TimeWindow
    value: Any
    after: Any


@trace_event
class SessionsMerged(TraceEvent):
    """Sessions that overlap or touch became ``result``: ``merged`` come from state, ``parts`` from this batch."""

    key: Key
    result: TimeWindow
    merged: tuple[TimeWindow, ...]
    parts: tuple[TimeWindow, ...]


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


@trace_event
class StateEvicted(TraceEvent):
    """The batch's watermark has reached the end of the window: its entry in ``state`` was removed."""

    state: str
    key: Key
    window: TimeWindow
    rule: Rule


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


@trace_event
class JoinRowEvicted(TraceEvent):
    """A stream join removed a record of ``side``: every partner that may still come would be late."""

    side: str
    key: Key
    ts: int
    value: Any
    rule: Rule


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


@trace_event
class InputWatermarkMoved(TraceEvent):
    """After a batch the watermark of an input rose to the input's largest timestamp minus the delay."""

    input: str
    before: int
    ts: int
    rule: Rule


@trace_event
class WatermarkMoved(TraceEvent):
    """The watermark of the next batch is ``ts``, that of ``input``, chosen by ``policy`` (``min`` or ``max``)."""

    before: int
    ts: int
    input: str
    policy: str
    rule: Rule


@trace_event
class WatermarkKept(TraceEvent):
    """The next batch keeps the watermark ``ts`` of this one; ``policy`` had chosen the watermark of ``input``."""

    ts: int
    input: str
    policy: str
    rule: Rule
