"""Trace events of input and state: records, clock, watermarks, idleness; state, timers, checkpoints, a failure."""

from typing import Any

from tidemark.simulator.engine.trace.event import Rule, TraceEvent, trace_event
from tidemark.simulator.engine.values.key import Key
from tidemark.simulator.engine.values.window import Namespace, Window


@trace_event
class RecordArrived(TraceEvent):
    """A record reached the operator. Only in processing time may it be without ``ts``."""

    input: str
    channel: int
    key: Key
    ts: int | None
    value: Any


@trace_event
class ClockAdvanced(TraceEvent):
    """The processing-time clock moved from ``before`` to ``after``."""

    before: int
    after: int


@trace_event
class MaxTimestampRaised(TraceEvent):
    """A generator saw a new largest timestamp; at the first record of the channel there is no ``before``."""

    input: str
    channel: int
    before: int | None
    after: int


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


@trace_event
class WatermarkForwarded(TraceEvent):
    """The watermark was forwarded downstream, after everything that it fired. Emits a ``watermark`` row."""

    ts: int


@trace_event
class ChannelIdle(TraceEvent):
    """A channel turned idle: it no longer counts for the minimum. ``source``: ``generator`` or ``stream``."""

    input: str
    channel: int
    source: str


@trace_event
class ChannelActive(TraceEvent):
    """A channel turned active; unless it is ``aligned``, it counts again only when it has caught up."""

    input: str
    channel: int
    source: str
    aligned: bool


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
    """Keyed state was removed."""

    state: str
    key: Key
    namespace: Namespace


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


@trace_event
class Restored(TraceEvent):
    """State and timers are those of ``checkpoint_step`` again; watermarks, statuses and generators start afresh."""

    name: str
    checkpoint_step: int


@trace_event
class RowsWithdrawn(TraceEvent):
    """The rows that ``steps`` have emitted since the checkpoint do not count: their transaction never committed."""

    steps: tuple[int, ...]


@trace_event
class OperatorFailed(TraceEvent):
    """The operator threw an exception, as Flink's would. Emits an ``error`` row and ends the run."""

    type: str
    message: str
