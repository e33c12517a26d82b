"""Trace events of keyed state, timers and checkpoints, and of a failure."""

from typing import Any

from tidemark.simulator.trace.event import Rule, TraceEvent, trace_event
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.window import Namespace, Window


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
