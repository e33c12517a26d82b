"""The scenario as frozen data: what a file says, checked and with every time in ms.

Every class here is one mapping of the format, every field one of its keys. Triggers and evictors are frozen
configuration by themselves, so the scenario holds the parts that the operator runs; their classes are listed here and
defined in ``simulator/triggers``, ``simulator/table_triggers`` and ``simulator/evictors``. The Spark bridge, which
computes on its own, reads their fields and never calls them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final

from tidemark.simulator.engine.evictors import CountEvictor as CountEvictor
from tidemark.simulator.engine.evictors import DeltaEvictor as DeltaEvictor
from tidemark.simulator.engine.evictors import TimeEvictor as TimeEvictor
from tidemark.simulator.engine.generators import BoundedOutOfOrderness as BoundedOutOfOrderness
from tidemark.simulator.engine.generators import MonotonousTimestamps as MonotonousTimestamps
from tidemark.simulator.engine.generators import NoWatermarks as NoWatermarks
from tidemark.simulator.engine.generators import Punctuated as Punctuated
from tidemark.simulator.engine.generators import SqlWatermark as SqlWatermark
from tidemark.simulator.engine.triggers.by_record import CountTrigger as CountTrigger
from tidemark.simulator.engine.triggers.by_record import DeltaTrigger as DeltaTrigger
from tidemark.simulator.engine.triggers.by_record import NeverTrigger as NeverTrigger
from tidemark.simulator.engine.triggers.by_record import PurgingTrigger as PurgingTrigger
from tidemark.simulator.engine.triggers.by_time import EventTimeTrigger as EventTimeTrigger
from tidemark.simulator.engine.triggers.by_time import ProcessingTimeoutTrigger as ProcessingTimeoutTrigger
from tidemark.simulator.engine.triggers.by_time import ProcessingTimeTrigger as ProcessingTimeTrigger
from tidemark.simulator.engine.triggers.continuous import ContinuousEventTimeTrigger as ContinuousEventTimeTrigger
from tidemark.simulator.engine.triggers.continuous import (
    ContinuousProcessingTimeTrigger as ContinuousProcessingTimeTrigger,
)
from tidemark.simulator.engine.triggers.table import AfterEndOfWindow as AfterEndOfWindow
from tidemark.simulator.engine.triggers.table import CountElement as CountElement
from tidemark.simulator.engine.triggers.table import EveryElement as EveryElement
from tidemark.simulator.engine.triggers.table import ProcessingTimeEvery as ProcessingTimeEvery
from tidemark.simulator.engine.values.items import Item
from tidemark.simulator.engine.values.part import Part
from tidemark.simulator.engine.values.time import Milliseconds
from tidemark.simulator.scenario.data.stream import Data as Data


@dataclass(frozen=True, slots=True)
class Function:
    """``call``: ``reduce``, ``aggregate``, ``process`` (``event-sort`` in a process operator, without ``compute``)."""

    call: str
    compute: str | None = None


@dataclass(frozen=True, slots=True)
class TemporalJoin:
    """``kind``: ``inner`` or ``left``."""

    type: ClassVar[str] = "temporal-join"
    kind: str = "inner"


UNBOUNDED: Final = "unbounded"
"""``rows`` or ``range`` of a frame that begins with the key's first row."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Of an OVER aggregation: ``rows`` before the current one, or a ``range`` (ms) before its time; one of the two."""

    rows: int | str | None = None
    range: int | str | None = None


@dataclass(frozen=True, slots=True)
class Over:
    type: ClassVar[str] = "over"
    frame: Frame
    function: Function


@dataclass(frozen=True, slots=True)
class Deduplicate:
    """``keep``: ``first`` or ``last``."""

    type: ClassVar[str] = "deduplicate"
    keep: str


Text = Mapping[str, str]
"""A text by language, of which the file's own ``language`` is always there."""

EACH_RECORD = 0
"""``emit`` of a generator that is polled after each record; any other value is an interval in ms (>= 1)."""


# --- inputs --------------------------------------------------------------------------------------------------------


WatermarkSpec = BoundedOutOfOrderness | MonotonousTimestamps | Punctuated | SqlWatermark | NoWatermarks
"""How the channels of an input generate watermarks."""

NO_WATERMARKS: Final = NoWatermarks()


@dataclass(frozen=True, slots=True)
class InputSpec:
    """One input of the operator. ``delay`` (ms) is Spark's ``withWatermark``, ``None`` without one and for Flink."""

    name: str
    channels: int = 1
    watermark: WatermarkSpec = NO_WATERMARKS
    delay: int | None = None


# --- assigners -----------------------------------------------------------------------------------------------------


class WindowAssigner(Part):
    """How windows are found, in any of the APIs and in either time; the builders make the assigner that runs of it."""

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


# --- triggers ------------------------------------------------------------------------------------------------------


PeriodicTrigger = EveryElement | CountElement | ProcessingTimeEvery
"""What ``early`` and ``late`` take."""

Trigger = (
    EventTimeTrigger
    | ProcessingTimeTrigger
    | NeverTrigger
    | CountTrigger
    | ContinuousEventTimeTrigger
    | ContinuousProcessingTimeTrigger
    | DeltaTrigger
    | PurgingTrigger
    | ProcessingTimeoutTrigger
)
"""The triggers of the DataStream API."""

TableTrigger = AfterEndOfWindow | EveryElement | CountElement
"""The triggers of the table runtime."""


# --- evictors and functions ----------------------------------------------------------------------------------------


Evictor = CountEvictor | TimeEvictor | DeltaEvictor


# --- operators -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Window:
    """``type: window``. ``trigger``: as written, or Flink's default. ``late_output``: ``drop`` or ``side``.

    ``api``: ``datastream``, ``sql`` (group windows) or ``tvf`` (window table functions). The latter have no trigger of
    their own: theirs says that a window fires at its end. ``session_zone``, for both of SQL's: the IANA time
    zone in whose local time windows are found (``simulator.engine.values.zone``), None for UTC.
    """

    type: ClassVar[str] = "window"
    assigner: Assigner
    trigger: Trigger | TableTrigger
    function: Function
    api: str = "datastream"
    time: str = "event"
    evictor: Evictor | None = None
    allowed_lateness: int = 0
    late_output: str = "drop"
    updates: bool = False
    session_zone: str | None = None


@dataclass(frozen=True, slots=True)
class WindowJoin:
    """``type: window-join`` (``join`` is then ``inner``) and ``type: co-group``."""

    type: str
    assigner: Assigner
    trigger: Trigger
    time: str = "event"
    evictor: Evictor | None = None
    allowed_lateness: int = 0
    join: str = "inner"


@dataclass(frozen=True, slots=True)
class WindowTopN:
    """``type: window-top-n``: the first ``n`` rows of each window. ``order``: ``desc`` or ``asc``.

    The class variables are what it has in common with a window table function: windows of event time that fire once,
    at their end.
    """

    type: ClassVar[str] = "window-top-n"
    time: ClassVar[str] = "event"
    trigger: ClassVar[AfterEndOfWindow] = AfterEndOfWindow()
    evictor: ClassVar[None] = None
    allowed_lateness: ClassVar[int] = 0
    late_output: ClassVar[str] = "drop"
    assigner: Assigner
    n: int
    order: str = "desc"


@dataclass(frozen=True, slots=True)
class IntervalJoin:
    type: ClassVar[str] = "interval-join"
    lower: int
    upper: int
    lower_exclusive: bool = False
    upper_exclusive: bool = False
    late_output: str = "drop"


@dataclass(frozen=True, slots=True)
class Process:
    type: ClassVar[str] = "process"
    function: Function


@dataclass(frozen=True, slots=True)
class SparkWindow:
    """``engine: spark``, ``type: window``."""

    type: ClassVar[str] = "window"
    assigner: Assigner
    function: Function
    output_mode: str = "append"


@dataclass(frozen=True, slots=True)
class SparkJoin:
    """``engine: spark``, ``type: stream-join``; the bounds are both ``None`` or both set."""

    type: ClassVar[str] = "stream-join"
    lower: int | None = None
    upper: int | None = None
    watermark_policy: str = "min"


Windowed = Window | WindowJoin | WindowTopN
"""The operators whose records go into windows."""


def of_table_function(operator: "Operator") -> bool:
    """Whether it works on a window table function: no trigger and no lateness, and the watermark is checkpointed."""
    return isinstance(operator, WindowTopN) or (isinstance(operator, Window) and operator.api == "tvf")


def session_zone_of(operator: "Operator") -> str | None:
    """The time zone in whose local time its windows are found; None where windows know no zone."""
    return operator.session_zone if isinstance(operator, Window) else None


TwoInputs = IntervalJoin | TemporalJoin
"""The operators that combine the watermarks of two inputs themselves: each input has a valve of its own."""

RowByRow = TemporalJoin | Over | Deduplicate
"""SQL's operators without windows."""

Operator = Window | WindowJoin | WindowTopN | IntervalJoin | Process | RowByRow | SparkWindow | SparkJoin


# --- the stream ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Generated:
    """``stream: {generate: …}``. ``late_millionths`` is round(late.fraction · 1000000); ``values`` are inclusive.

    ``border_millionths``: as many of a million records seek a border (``simulator.scenario.generated``).
    """

    events: int
    seed: int
    keys: int
    every: int
    disorder: int = 0
    late_millionths: int = 0
    late_by: int = 0
    values: tuple[int, int] = (1, 9)
    end: bool = False
    batch_every: int | None = None
    border_millionths: int = 0


Stream = tuple[Item, ...] | Generated | Data


# --- walkthrough and goals -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the run: exactly one of ``event`` (the ``occurrence``-th, from 1), ``item`` and ``step``."""

    event: str | None = None
    occurrence: int = 1
    item: int | None = None
    step: Milliseconds | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to the question of a beat. ``reply``: what is said to somebody who picks it, if it is wrong.

    ``belief``: the name of the wrong belief that leads to it.
    """

    text: Text
    reply: Text | None = None
    belief: str | None = None


@dataclass(frozen=True, slots=True)
class Beat:
    """One stop of the walkthrough: exactly one of ``say``, ``ask`` and ``predict``.

    ``answer`` is the index of the right choice; of a ``predict``, how a class answers it (``WAYS`` of the format).
    """

    at: Place
    say: Text | None = None
    ask: Text | None = None
    choices: tuple[Choice, ...] = ()
    answer: int | str | None = None
    because: Text | None = None
    predict: str | None = None
    note: Text | None = None


@dataclass(frozen=True, slots=True)
class Goal:
    """How many rows of kind ``rows``, or trace events of type ``event``, the run must produce."""

    rows: str | None = None
    event: str | None = None
    count: int | None = None
    at_least: int | None = None
    at_most: int | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A whole scenario file. ``origin`` in ms; ``file`` and ``marks`` hold the places that messages name.

    ``marks`` maps a path such as ``("walkthrough", 2, "say")`` to (line, column), both from 1; stream items are in
    it only by their index (``("stream", 17)``). ``look_for`` is read before the first step, ``takeaway`` at the end.
    Texts that are not written by language are in ``language``. ``translated_from`` has, by the path of a text and by
    language, what the original said when it was translated (``simulator.scenario.languages``).
    """

    name: str
    operator: Operator
    stream: Stream
    inputs: tuple[InputSpec, ...] = (InputSpec("events"),)
    engine: str = "flink"
    language: str = "en"
    title: Text | None = None
    summary: Text | None = None
    look_for: Text | None = None
    takeaway: Text | None = None
    teaches: tuple[str, ...] = ()
    zone: str = "UTC"
    origin: int = 0
    level: str | None = None
    lesson: str | None = None
    minutes: int | float | None = None
    goals: tuple[Goal, ...] = ()
    walkthrough: tuple[Beat, ...] = ()
    translated_from: Mapping[tuple[str | int, ...], Text] = field(default_factory=dict, compare=False, repr=False)
    file: str = field(default="", compare=False)
    marks: Mapping[tuple[str | int, ...], tuple[int, int]] = field(default_factory=dict, compare=False, repr=False)

    def input(self, name: str) -> InputSpec:
        """The input called ``name``; raises ``KeyError`` if there is none."""
        for each in self.inputs:
            if each.name == name:
                return each
        raise KeyError(name)
