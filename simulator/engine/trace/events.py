"""The trace events: a closed union of immutable dataclasses, one for each kind of micro-step.

Every event names its ``place`` (the operator's method, in Flink's terms) and, where something was decided, the
``rule`` with its numbers. All times are ms. ``namespace`` is a window, or ``None`` for Flink's VoidNamespace. In JSON
a ``window`` or ``namespace`` becomes ``start`` and ``end``, as in the rows; that of an interval join also has ``side``.
Together the events carry every change of state, timers, watermarks, statuses, clock and output, so that everything
visible at a step can be rebuilt from the events before it (see ``simulator/timeline``).

docs/users/TRACE.md is generated from the docstrings of the events.
"""

from typing import Any, ClassVar, Final

from tidemark.simulator.engine.trace.event import Rule as Rule
from tidemark.simulator.engine.trace.event import TraceEvent as TraceEvent
from tidemark.simulator.engine.trace.event import Verdict, trace_event
from tidemark.simulator.engine.trace.row_events import *  # noqa: F403 - part of the union
from tidemark.simulator.engine.values.items import Element, Key
from tidemark.simulator.engine.values.rows import Change, Timing
from tidemark.simulator.engine.values.window import Namespace, Window


@trace_event
class RecordArrived(TraceEvent):
    """A record reached the operator. It has no ``ts`` in processing time, or where SQL's time is NULL: that fails."""

    input: str
    channel: int
    key: Key
    ts: int | None
    value: Any

    line = "arrived"


@trace_event
class RowFiltered(TraceEvent):
    """The filter of its input dropped the record: it does not reach the operator, and yet counts for the watermark.

    ``condition`` is the filter's SQL, ``values`` has the columns that it looks at, and ``outcome`` is ``FALSE`` or
    ``NULL``.
    """

    input: str
    key: Key
    ts: int | None
    value: Any
    condition: str
    values: dict[str, Any]
    outcome: str

    line = "filtered"

    @property
    def verdict(self) -> Verdict | None:
        """It counts for nothing."""
        return Verdict("filtered")


@trace_event
class ClockAdvanced(TraceEvent):
    """The processing-time clock moved from ``before`` to ``after``."""

    before: int
    after: int

    line = "clock"


@trace_event
class MaxTimestampRaised(TraceEvent):
    """A generator saw a new largest timestamp; at the first record of the channel there is no ``before``."""

    input: str
    channel: int
    before: int | None
    after: int


@trace_event
class WatermarkNull(TraceEvent):
    """SQL's watermark is NULL for a record, and moves nothing. Its condition is shown as that of ``RowFiltered``."""

    input: str
    channel: int
    condition: str
    values: dict[str, Any]
    outcome: str

    line = "watermark_null"


@trace_event
class WatermarkEmitted(TraceEvent):
    """A watermark left for the operator. ``source``: ``generator``, ``stream`` (written in it) or ``end``."""

    input: str
    channel: int
    ts: int
    source: str
    rule: Rule | None = None


@trace_event
class ChannelAdvanced(TraceEvent):
    """The valve took a channel's watermark. ``aligned``: whether the channel now counts for the minimum."""

    input: str
    channel: int
    ts: int
    aligned: bool

    line = "advanced"


@trace_event
class WatermarkIgnored(TraceEvent):
    """The valve discarded a watermark. ``reason``: ``idle`` (the channel is) or ``not-greater``."""

    input: str
    channel: int
    ts: int
    reason: str
    rule: Rule | None = None


@trace_event
class WatermarkCombined(TraceEvent):
    """The operator's own watermark moved to ``ts``; none of the timers that it fires has fired yet.

    ``input`` and ``channel`` name the channel that holds it there (the first of those with the lowest watermark).
    """

    before: int | None
    ts: int
    input: str
    channel: int
    rule: Rule | None = None

    line = "combined"


@trace_event
class WatermarkForwarded(TraceEvent):
    """The watermark was forwarded downstream, after everything that it fired. Emits a ``watermark`` row."""

    ts: int

    line = "forwarded"


@trace_event
class ChannelIdle(TraceEvent):
    """A channel turned idle: it no longer counts for the minimum. ``source``: ``generator`` or ``stream``."""

    input: str
    channel: int
    source: str

    line = "idle"


@trace_event
class ChannelActive(TraceEvent):
    """A channel turned active; unless it is ``aligned``, it counts again only when it has caught up."""

    input: str
    channel: int
    source: str
    aligned: bool

    line = "active"


@trace_event
class IdlenessProbed(TraceEvent):
    """A probe checked whether a channel has had records since the last probe, and how long it has had none."""

    input: str
    channel: int
    idle: bool
    rule: Rule | None = None


@trace_event
class StateAdded(TraceEvent):
    """``value`` was added to keyed state. ``after``: what the state holds now (a tuple for a list)."""

    state: str
    key: Key
    namespace: Namespace
    value: Any
    after: Any


@trace_event
class StateUpdated(TraceEvent):
    """Keyed state was replaced as a whole by ``after``."""

    state: str
    key: Key
    namespace: Namespace
    after: Any


@trace_event
class StateMerged(TraceEvent):
    """The contents of ``sources`` joined those of ``target``; there is no ``after`` if all of them were empty."""

    state: str
    key: Key
    target: Window
    sources: tuple[Window, ...]
    after: Any


@trace_event
class StateCleared(TraceEvent):
    """Keyed state was removed; by its ``rule``, if that is there, because it has expired."""

    state: str
    key: Key
    namespace: Namespace
    rule: Rule | None = None


@trace_event
class TimerRegistered(TraceEvent):
    """A new timer was registered. ``domain``: ``event`` or ``processing``.

    ``purpose``: ``fire``, ``cleanup``, ``fire+cleanup``, ``sort``, ``join`` (of a temporal join) or ``emit`` (of OVER
    and deduplication).
    """

    domain: str
    timestamp: int
    key: Key
    namespace: Namespace
    purpose: str


@trace_event
class TimerDeleted(TraceEvent):
    """A waiting timer was deleted."""

    domain: str
    timestamp: int
    key: Key
    namespace: Namespace


@trace_event
class TimerFired(TraceEvent):
    """A timer left the queue, and its callback begins."""

    domain: str
    timestamp: int
    key: Key
    namespace: Namespace
    rule: Rule


@trace_event
class CheckpointTaken(TraceEvent):
    """A snapshot was taken of keyed state (``entries`` values) and of ``timers`` timers."""

    name: str
    entries: int
    timers: int

    line = "checkpoint"


@trace_event
class Restored(TraceEvent):
    """State and timers are those of ``checkpoint_step`` again; watermarks, statuses and generators start afresh."""

    name: str
    checkpoint_step: int

    line = "restored"


@trace_event
class RowsWithdrawn(TraceEvent):
    """The rows that ``steps`` have emitted since the checkpoint do not count: their transaction never committed."""

    steps: tuple[int, ...]

    line = "withdrawn"


@trace_event
class OperatorFailed(TraceEvent):
    """The operator threw an exception, as Flink's would. Emits an ``error`` row and ends the run."""

    type: str
    message: str

    line = "failed"


@trace_event
class WindowsAssigned(TraceEvent):
    """The assigner returned the windows of the record, in its own order; there may be none."""

    key: Key
    windows: tuple[Window, ...]

    line = "assigned"


@trace_event
class WindowSkippedLate(TraceEvent):
    """A window does not take the record: its cleanup time has passed."""

    key: Key
    window: Window
    rule: Rule

    line = "window_late"


class LossEvent(TraceEvent):
    """An event that loses its record as a whole."""

    __slots__ = ()

    rule: Rule

    loss: ClassVar[str]
    """The record's fate."""

    @property
    def verdict(self) -> Verdict:
        """By its rule."""
        return Verdict(self.loss, self.rule)


@trace_event
class LateSideOutput(LossEvent):
    """The record went to the side output for late data. Emits a ``late`` row."""

    input: str
    key: Key
    ts: int
    value: Any
    rule: Rule

    line = "side"
    loss = "side"
    conditions = ("if.late",)


@trace_event
class LateDropped(LossEvent):
    """The record was dropped and counted. Emits a ``dropped`` row."""

    input: str
    key: Key
    ts: int
    value: Any
    rule: Rule

    line = "drop"
    conditions = ("if.late", "if.above", "if.accepted")
    loss = "dropped"


@trace_event
class ElementSilentlySkipped(LossEvent):
    """No window took the record, yet it is not itself late: it vanishes without a row."""

    key: Key
    ts: int
    value: Any
    rule: Rule

    loss = "skipped"


@trace_event
class WindowTracked(TraceEvent):
    """The merging set of ``key`` now keeps the contents of the window under ``state_window``."""

    key: Key
    window: Window
    state_window: Window

    line = "tracked"


@trace_event
class WindowsMerged(TraceEvent):
    """``merged`` became ``result``. Its contents are under ``state_window``, and ``merged_state_windows`` join them."""

    key: Key
    result: Window
    merged: tuple[Window, ...]
    state_window: Window
    merged_state_windows: tuple[Window, ...]

    line = "merged"


@trace_event
class WindowRetired(TraceEvent):
    """The merging set of ``key`` forgot the window."""

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

    line = "cleaned"


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
    """The window has ended: its result is that of ``slices``, those of its slices that hold rows, the newest first.

    Without any, the window emits nothing, and no timer is set for the next one.
    """

    key: Key
    window: Window
    slices: tuple[Window, ...]
    rule: Rule

    line = "slices"


@trace_event
class RowBuffered(TraceEvent):
    """In a session time zone: the record waits in a buffer to be added to its slice."""

    key: Key
    namespace: Window
    value: Any


@trace_event
class BufferFlushed(TraceEvent):
    """The buffered records, ``rows`` of them, are added to their slices: the watermark is past the next flush."""

    rows: int
    rule: Rule

    line = "flush"


@trace_event
class FlushWaits(TraceEvent):
    """A buffered slice has ended, but the buffer waits for a watermark of ``next_flush`` (ms)."""

    namespace: Window
    next_flush: int
    rule: Rule

    line = "flush.waits"


@trace_event
class SliceStranded(TraceEvent):
    """A slice came into state too late, since the watermark before was past its end: it has no timer."""

    key: Key
    namespace: Window
    rule: Rule

    line = "stranded"


@trace_event
class RowRanked(TraceEvent):
    """A row is among the first of its window, ``rank`` from 1. Emits a ``ranked`` row."""

    key: Key
    window: Window
    rank: int
    ts: int
    value: Any

    line = "ranked"


@trace_event
class LateForWindow(TraceEvent):
    """The record was dropped from one of its windows and counted. Emits a ``dropped`` row with this window."""

    input: str
    key: Key
    ts: int
    value: Any
    window: Window
    rule: Rule

    line = "drop"
    conditions = ("window_late",)


@trace_event
class WatermarkRestored(TraceEvent):
    """The watermark was in the checkpoint: the operator goes on from ``ts``, its inputs start anew."""

    ts: int

    line = "restored.watermark"


@trace_event
class WatermarkBehindRestored(TraceEvent):
    """The inputs' watermark ``ts`` is not above the restored one, ``kept``, which is forwarded again."""

    ts: int
    kept: int
    input: str
    channel: int
    rule: Rule

    line = "behind"


LOSS_EVENTS: Final = (LateDropped, LateSideOutput, ElementSilentlySkipped)

EVENT_TYPES: Final[tuple[type[TraceEvent], ...]] = tuple(
    each
    for each in list(globals().values())
    if isinstance(each, type)
    and issubclass(each, TraceEvent)
    and each is not TraceEvent
    and "__dataclass_fields__" in vars(each)
)
"""All of them, in source order, those of ``row_events`` first; without the classes that they have in common."""
