"""The trace events: a closed union of frozen dataclasses, one for each kind of micro-step.

Every event names its ``place`` (operator method, in Flink's terms) and, where something was decided, the ``rule``
with its numbers. All times are ms. ``namespace`` is a window, or ``None`` for Flink's VoidNamespace; in JSON a
``window`` or ``namespace`` shows as ``start`` and ``end``, as in the rows, that of an interval join also as ``side``.
Together the events carry every change of state, timer, watermark, status, clock and output, so that the whole visible state at a
step can be rebuilt from the events before it (see ``simulator/timeline``).
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from simulator.values.element import Element
from simulator.values.key import Key
from simulator.values.window import Namespace, Window


class Rule(NamedTuple):
    """A condition that the engine evaluated.

    ``name`` is its word in the catalogue (``window-late``), ``formula`` its text in Flink's terms
    (``max_timestamp + allowed_lateness <= watermark``), ``numbers`` the value of each name in the formula, in order
    of appearance, and ``holds`` the result.
    """

    name: str
    formula: str
    numbers: tuple[tuple[str, int], ...]
    holds: bool


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """Base of all events. ``place``: ``WindowOperator.process_element`` and the like."""

    place: str


# --- what comes in -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecordArrived(TraceEvent):
    """A record reached the operator. ``ts`` is null only where the scenario gives none (processing time)."""

    input: str
    channel: int
    key: Key
    ts: int | None
    value: Any


@dataclass(frozen=True, slots=True)
class ClockAdvanced(TraceEvent):
    """The processing-time clock moved from ``before`` to ``after``."""

    before: int
    after: int


# --- watermarks ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MaxTimestampRaised(TraceEvent):
    """A generator saw a new largest timestamp; ``before`` is null at the first record of the channel."""

    input: str
    channel: int
    before: int | None
    after: int


@dataclass(frozen=True, slots=True)
class WatermarkEmitted(TraceEvent):
    """A watermark left for the operator. ``source``: ``generator``, ``stream`` (written in it) or ``end``."""

    input: str
    channel: int
    ts: int
    source: str
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class ChannelAdvanced(TraceEvent):
    """The valve took a channel's watermark. ``aligned``: whether the channel counts for the minimum from now on."""

    input: str
    channel: int
    ts: int
    aligned: bool


@dataclass(frozen=True, slots=True)
class WatermarkIgnored(TraceEvent):
    """The valve threw a watermark away. ``reason``: ``idle`` (its channel is) or ``not-greater``."""

    input: str
    channel: int
    ts: int
    reason: str
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class WatermarkCombined(TraceEvent):
    """The operator's own watermark moved to ``ts``, before any timer of it fires.

    ``input`` and ``channel`` name the channel that holds it there (the first of the lowest ones).
    """

    before: int | None
    ts: int
    input: str
    channel: int
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class WatermarkForwarded(TraceEvent):
    """The watermark went on downstream, after everything that it fired. Gives a ``watermark`` row."""

    ts: int


@dataclass(frozen=True, slots=True)
class ChannelIdle(TraceEvent):
    """A channel turned idle: it no longer counts for the minimum. ``source``: ``generator`` or ``stream``."""

    input: str
    channel: int
    source: str


@dataclass(frozen=True, slots=True)
class ChannelActive(TraceEvent):
    """A channel turned active; unless ``aligned`` it counts again only once it has caught up."""

    input: str
    channel: int
    source: str
    aligned: bool


@dataclass(frozen=True, slots=True)
class IdlenessProbed(TraceEvent):
    """A probe looked whether a channel had records since the last one, and for how long it has had none."""

    input: str
    channel: int
    idle: bool
    rule: Rule | None = None


# --- windows and lateness ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WindowsAssigned(TraceEvent):
    """The assigner named the windows of the record, in its order; maybe none."""

    key: Key
    windows: tuple[Window, ...]


@dataclass(frozen=True, slots=True)
class WindowSkippedLate(TraceEvent):
    """A window does not take the record: its cleanup time has passed."""

    key: Key
    window: Window
    rule: Rule


@dataclass(frozen=True, slots=True)
class LateSideOutput(TraceEvent):
    """The record went to the side output for late data. Gives a ``late`` row."""

    input: str
    key: Key
    ts: int
    value: Any
    rule: Rule


@dataclass(frozen=True, slots=True)
class LateDropped(TraceEvent):
    """The record was dropped and counted. Gives a ``dropped`` row."""

    input: str
    key: Key
    ts: int
    value: Any
    rule: Rule


@dataclass(frozen=True, slots=True)
class ElementSilentlySkipped(TraceEvent):
    """No window took the record, yet it is not itself late: it vanishes without a row."""

    key: Key
    ts: int
    value: Any
    rule: Rule


@dataclass(frozen=True, slots=True)
class WindowTracked(TraceEvent):
    """The merging set of ``key`` now keeps the contents of ``window`` under ``state_window``."""

    key: Key
    window: Window
    state_window: Window


@dataclass(frozen=True, slots=True)
class WindowsMerged(TraceEvent):
    """``merged`` became ``result``. Contents live on under ``state_window``; those of ``merged_state_windows`` join it."""

    key: Key
    result: Window
    merged: tuple[Window, ...]
    state_window: Window
    merged_state_windows: tuple[Window, ...]


@dataclass(frozen=True, slots=True)
class WindowRetired(TraceEvent):
    """The merging set of ``key`` forgot ``window``."""

    key: Key
    window: Window


@dataclass(frozen=True, slots=True)
class PaneFired(TraceEvent):
    """A window gave a result. Gives a ``pane`` row with the same members; ``change`` is null but for updates."""

    key: Key
    window: Window
    timing: str
    pane: int
    value: Any
    timestamp: int
    change: str | None = None


@dataclass(frozen=True, slots=True)
class ElementsEvicted(TraceEvent):
    """The evictor removed records from the window, ``when`` being ``before`` or ``after`` the function looked at them.

    ``evicted`` are the records, in order of arrival; ``remaining`` how many are left.
    """

    key: Key
    window: Window
    when: str
    evictor: str
    evicted: tuple[Element, ...]
    remaining: int


@dataclass(frozen=True, slots=True)
class WindowCleaned(TraceEvent):
    """The window's cleanup time came: its contents, trigger state and mapping are gone."""

    key: Key
    window: Window
    rule: Rule


# --- keyed state ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StateAdded(TraceEvent):
    """``value`` was added to keyed state. ``after``: what the state holds now (a tuple for a list)."""

    state: str
    key: Key
    namespace: Namespace
    value: Any
    after: Any


@dataclass(frozen=True, slots=True)
class StateUpdated(TraceEvent):
    """Keyed state was replaced by ``after`` as a whole."""

    state: str
    key: Key
    namespace: Namespace
    after: Any


@dataclass(frozen=True, slots=True)
class StateMerged(TraceEvent):
    """The contents of ``sources`` joined those of ``target``; ``after`` is null if there were none at all."""

    state: str
    key: Key
    target: Window
    sources: tuple[Window, ...]
    after: Any


@dataclass(frozen=True, slots=True)
class StateCleared(TraceEvent):
    """Keyed state was removed."""

    state: str
    key: Key
    namespace: Namespace


# --- triggers ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class TriggerStateChanged(TraceEvent):
    """A trigger's own keyed state changed; ``after`` is null when it was cleared."""

    state: str
    key: Key
    window: Window
    before: Any
    after: Any


# --- timers --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TimerRegistered(TraceEvent):
    """A new timer. ``domain``: ``event`` or ``processing``. ``purpose``: ``fire``, ``cleanup``, ``fire+cleanup``, ``sort``."""

    domain: str
    timestamp: int
    key: Key
    namespace: Namespace
    purpose: str


@dataclass(frozen=True, slots=True)
class TimerDeleted(TraceEvent):
    """A waiting timer was deleted."""

    domain: str
    timestamp: int
    key: Key
    namespace: Namespace


@dataclass(frozen=True, slots=True)
class TimerFired(TraceEvent):
    """A timer left the queue and its callback begins."""

    domain: str
    timestamp: int
    key: Key
    namespace: Namespace
    rule: Rule


# --- event sort ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class QueuePushed(TraceEvent):
    """A record entered the priority queue of its key."""

    key: Key
    ts: int
    value: Any
    rule: Rule


@dataclass(frozen=True, slots=True)
class QueuePopped(TraceEvent):
    """The head of the queue was emitted. Gives an ``emitted`` row."""

    key: Key
    ts: int
    value: Any
    rule: Rule


# --- joins ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BufferAdded(TraceEvent):
    """An interval join keeps a record of ``side`` until the watermark reaches ``kept_until`` (ms)."""

    side: str
    key: Key
    ts: int
    value: Any
    kept_until: int


@dataclass(frozen=True, slots=True)
class BufferRemoved(TraceEvent):
    """An interval join forgot the records of ``side`` with timestamp ``ts``."""

    side: str
    key: Key
    ts: int
    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class JoinMatched(TraceEvent):
    """Two records make a pair. Gives a ``joined`` row; ``window`` is null in an interval join."""

    key: Key
    left: Element
    right: Element
    timestamp: int
    window: Window | None
    rule: Rule | None


@dataclass(frozen=True, slots=True)
class GroupFired(TraceEvent):
    """A coGroup gave the values of both sides. Gives a ``group`` row."""

    key: Key
    window: Window
    left: tuple[Any, ...]
    right: tuple[Any, ...]
    timestamp: int


# --- checkpoints ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CheckpointTaken(TraceEvent):
    """Keyed state and timers were snapshot, ``entries`` values and ``timers`` timers of them."""

    name: str
    entries: int
    timers: int


@dataclass(frozen=True, slots=True)
class Restored(TraceEvent):
    """Keyed state and timers are as they were at ``checkpoint_step``; watermarks, statuses and generators start anew."""

    name: str
    checkpoint_step: int


@dataclass(frozen=True, slots=True)
class RowsWithdrawn(TraceEvent):
    """The rows that these ``steps`` gave since the checkpoint do not count: their transaction never committed."""

    steps: tuple[int, ...]


# --- failure -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OperatorFailed(TraceEvent):
    """The operator threw, as Flink's would. Gives an ``error`` row and ends the run."""

    type: str
    message: str
