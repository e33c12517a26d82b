"""Trace events of the event sort and of the joins."""

from typing import Any

from tidemark.simulator.trace.event import Rule, TraceEvent, trace_event
from tidemark.simulator.values.element import Element
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.window import Window


@trace_event
class QueuePushed(TraceEvent):
    """A record entered the priority queue of its key."""

    key: Key
    ts: int
    value: Any
    rule: Rule


@trace_event
class QueuePopped(TraceEvent):
    """The head of the queue left it. Emits an ``emitted`` row."""

    key: Key
    ts: int
    value: Any
    rule: Rule


@trace_event
class BufferAdded(TraceEvent):
    """An interval join keeps a record of ``side`` until the watermark reaches ``kept_until`` (ms)."""

    side: str
    key: Key
    ts: int
    value: Any
    kept_until: int


@trace_event
class BufferRemoved(TraceEvent):
    """An interval join removed the records of ``side`` that have timestamp ``ts``."""

    side: str
    key: Key
    ts: int
    elements: tuple[Element, ...]


@trace_event
class JoinMatched(TraceEvent):
    """Two records form a pair. Emits a ``joined`` row; an interval join has no window."""

    key: Key
    left: Element
    right: Element
    timestamp: int
    window: Window | None
    rule: Rule | None


@trace_event
class GroupFired(TraceEvent):
    """A coGroup emitted the values of both sides: a ``group`` row."""

    key: Key
    window: Window
    left: tuple[Any, ...]
    right: tuple[Any, ...]
    timestamp: int
