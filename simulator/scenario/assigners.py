"""How windows are found, as a scenario says it, in any of the APIs and in either time."""

from dataclasses import dataclass
from typing import ClassVar

from tidemark.simulator.engine.values.part import Part
from tidemark.simulator.engine.values.time import Milliseconds


class WindowAssigner(Part):
    """The builders make the assigner that runs of it."""

    __slots__ = ()

    family: ClassVar[str] = "assigners"

    merges: ClassVar[bool] = False
    """Whether windows of a key that overlap become one."""

    overlaps: ClassVar[bool] = False
    """Whether a record is in several windows: the table runtime puts such windows together from panes."""

    ends: ClassVar[bool] = True
    """Whether windows have an end, so that a record can be late for them."""


@dataclass(frozen=True, slots=True)
class Tumbling(WindowAssigner):
    type: ClassVar[str] = "tumbling"
    size: Milliseconds
    offset: Milliseconds = 0


@dataclass(frozen=True, slots=True)
class Sliding(WindowAssigner):
    type: ClassVar[str] = "sliding"
    overlaps: ClassVar[bool] = True
    size: Milliseconds
    slide: Milliseconds
    offset: Milliseconds = 0


@dataclass(frozen=True, slots=True)
class Cumulative(WindowAssigner):
    type: ClassVar[str] = "cumulative"
    overlaps: ClassVar[bool] = True
    max_size: Milliseconds
    step: Milliseconds
    offset: Milliseconds = 0


@dataclass(frozen=True, slots=True)
class Session(WindowAssigner):
    type: ClassVar[str] = "session"
    merges: ClassVar[bool] = True
    gap: Milliseconds


@dataclass(frozen=True, slots=True)
class DynamicSession(WindowAssigner):
    type: ClassVar[str] = "dynamic-session"
    merges: ClassVar[bool] = True
    gap_field: str


@dataclass(frozen=True, slots=True)
class Global(WindowAssigner):
    type: ClassVar[str] = "global"
    ends: ClassVar[bool] = False


Assigner = Tumbling | Sliding | Cumulative | Session | DynamicSession | Global
