"""Trace events of keyed state, timers and checkpoints, and of a failure."""

from dataclasses import dataclass
from typing import Any

from simulator.trace.event import Rule, TraceEvent
from simulator.values.key import Key
from simulator.values.window import Namespace, Window


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
    """Keyed state was replaced as a whole by ``after``."""

    state: str
    key: Key
    namespace: Namespace
    after: Any


@dataclass(frozen=True, slots=True)
class StateMerged(TraceEvent):
    """The contents of ``sources`` joined those of ``target``; there is no ``after`` if all of them were empty."""

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


@dataclass(frozen=True, slots=True)
class TimerRegistered(TraceEvent):
    """A new timer was registered. ``domain``: ``event`` or ``processing``.

    ``purpose``: ``fire``, ``cleanup``, ``fire+cleanup`` or ``sort``.
    """

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
    """A timer left the queue, and its callback begins."""

    domain: str
    timestamp: int
    key: Key
    namespace: Namespace
    rule: Rule


@dataclass(frozen=True, slots=True)
class CheckpointTaken(TraceEvent):
    """A snapshot was taken of keyed state (``entries`` values) and of ``timers`` timers."""

    name: str
    entries: int
    timers: int


@dataclass(frozen=True, slots=True)
class Restored(TraceEvent):
    """State and timers are those of ``checkpoint_step`` again; watermarks, statuses and generators start afresh."""

    name: str
    checkpoint_step: int


@dataclass(frozen=True, slots=True)
class RowsWithdrawn(TraceEvent):
    """The rows that ``steps`` have emitted since the checkpoint do not count: their transaction never committed."""

    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OperatorFailed(TraceEvent):
    """The operator threw an exception, as Flink's would. Emits an ``error`` row and ends the run."""

    type: str
    message: str
