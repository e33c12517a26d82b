"""Trace events of micro-batches, Spark's own way: batches, their late filter, state, results and watermarks."""

from dataclasses import dataclass
from typing import Any

from simulator.trace.event import Rule, TraceEvent
from simulator.values.key import Key
from simulator.values.window import TimeWindow


@dataclass(frozen=True, slots=True)
class BatchStarted(TraceEvent):
    """A micro-batch begins; it reads the ``records`` (a number) that have arrived since the last one.

    ``reason``: ``records``, ``empty`` (it was ended without any) or ``watermark`` (none arrived, but the watermark
    moved). It evicts by the step's ``watermark`` and filters by ``late_watermark``, both ms.
    """

    batch: int
    reason: str
    records: int
    late_watermark: int


@dataclass(frozen=True, slots=True)
class RecordFiltered(TraceEvent):
    """The late filter took a record out of a window, in a join (``window`` null) out of the batch.

    Gives a ``dropped`` row.
    """

    input: str
    key: Key
    ts: int
    value: Any
    window: TimeWindow | None
    rule: Rule


@dataclass(frozen=True, slots=True)
class PartialUpdated(TraceEvent):
    """``value`` was added to what this batch has for the window: ``after``. State does not know of it yet."""

    key: Key
    window: TimeWindow
    value: Any
    after: Any


@dataclass(frozen=True, slots=True)
class SessionsMerged(TraceEvent):
    """Sessions that overlap or touch became ``result``: ``merged`` of the state, ``parts`` of this batch's records."""

    key: Key
    result: TimeWindow
    merged: tuple[TimeWindow, ...]
    parts: tuple[TimeWindow, ...]


@dataclass(frozen=True, slots=True)
class PaneEmitted(TraceEvent):
    """A batch gave the result of a window. Gives a ``pane`` row.

    ``mode``: the output mode, ``append`` (the window is closed), ``update`` (it changed) or ``complete`` (it is there).
    """

    key: Key
    window: TimeWindow
    value: Any
    mode: str
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class StateEvicted(TraceEvent):
    """The batch's watermark reached the end of the window: its entry ``state`` was removed."""

    state: str
    key: Key
    window: TimeWindow
    rule: Rule


@dataclass(frozen=True, slots=True)
class JoinRowStored(TraceEvent):
    """A stream join keeps a record of ``side``. The first watermark that evicts it is ``kept_until`` (ms), or none.

    That may be the watermark of this very batch; then it is kept for the others of the batch.
    """

    side: str
    key: Key
    ts: int
    value: Any
    kept_until: int | None


@dataclass(frozen=True, slots=True)
class JoinRowEvicted(TraceEvent):
    """A stream join forgot a record of ``side``: no partner that is not late can come any more."""

    side: str
    key: Key
    ts: int
    value: Any
    rule: Rule


@dataclass(frozen=True, slots=True)
class BatchEnded(TraceEvent):
    """The batch is done. Gives a ``batch`` row.

    ``rows_in``: records read; ``rows_out``: ``pane`` or ``joined`` rows given; ``state_rows``: entries left in state.
    """

    batch: int
    late_watermark: int
    rows_in: int
    rows_out: int
    state_rows: int


@dataclass(frozen=True, slots=True)
class InputWatermarkMoved(TraceEvent):
    """After a batch the watermark of an input rose to its largest timestamp less the delay."""

    input: str
    before: int
    ts: int
    rule: Rule


@dataclass(frozen=True, slots=True)
class WatermarkMoved(TraceEvent):
    """The watermark of the next batch is ``ts``. ``input`` names the one that decided by ``policy`` (min, max)."""

    before: int
    ts: int
    input: str
    policy: str
    rule: Rule


@dataclass(frozen=True, slots=True)
class WatermarkKept(TraceEvent):
    """The next batch has the watermark of this one, ``ts``; ``input`` names the one that decided by ``policy``."""

    ts: int
    input: str
    policy: str
    rule: Rule
