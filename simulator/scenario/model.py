"""The scenario as frozen data: what a file says, checked and with every time in ms.

Every class here is one mapping of the format, every field one of its keys. The values are what the operators are
built from; nothing here runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from simulator.values.items import Item

Text = Mapping[str, str]
"""A text by language; ``en`` is always there."""

EACH_RECORD = 0
"""``WatermarkSpec.emit`` where the generator is polled after each record; otherwise an interval in ms (>= 1)."""


# --- inputs --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WatermarkSpec:
    """How the channels of an input make watermarks. ``bound``, ``emit``, ``idle_timeout`` in ms (0: each, never).

    ``generator``: ``none``, ``bounded-out-of-orderness``, ``monotonous``, ``punctuated`` or ``sql``.
    """

    generator: str = "none"
    bound: int = 0
    emit: int = EACH_RECORD
    idle_timeout: int = 0


@dataclass(frozen=True, slots=True)
class InputSpec:
    """One input of the operator. ``delay`` (ms) is Spark's ``withWatermark``, null without one and for Flink."""

    name: str
    channels: int = 1
    watermark: WatermarkSpec = WatermarkSpec()
    delay: int | None = None


# --- assigners -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tumbling:
    type: ClassVar[str] = "tumbling"
    size: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Sliding:
    type: ClassVar[str] = "sliding"
    size: int
    slide: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Cumulative:
    type: ClassVar[str] = "cumulative"
    max_size: int
    step: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    type: ClassVar[str] = "session"
    gap: int


@dataclass(frozen=True, slots=True)
class DynamicSession:
    type: ClassVar[str] = "dynamic-session"
    gap_field: str


@dataclass(frozen=True, slots=True)
class Global:
    type: ClassVar[str] = "global"


Assigner = Tumbling | Sliding | Cumulative | Session | DynamicSession | Global


# --- triggers ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EventTime:
    type: ClassVar[str] = "event-time"


@dataclass(frozen=True, slots=True)
class ProcessingTime:
    type: ClassVar[str] = "processing-time"


@dataclass(frozen=True, slots=True)
class Never:
    type: ClassVar[str] = "never"


@dataclass(frozen=True, slots=True)
class Count:
    """``count`` of both APIs, also as an early or late firing."""

    type: ClassVar[str] = "count"
    max: int


@dataclass(frozen=True, slots=True)
class ContinuousEventTime:
    type: ClassVar[str] = "continuous-event-time"
    interval: int


@dataclass(frozen=True, slots=True)
class ContinuousProcessingTime:
    type: ClassVar[str] = "continuous-processing-time"
    interval: int


@dataclass(frozen=True, slots=True)
class Delta:
    type: ClassVar[str] = "delta"
    threshold: int | float


@dataclass(frozen=True, slots=True)
class Purging:
    type: ClassVar[str] = "purging"
    inner: "Trigger"


@dataclass(frozen=True, slots=True)
class ProcessingTimeout:
    type: ClassVar[str] = "processing-timeout"
    inner: "Trigger"
    timeout: int
    reset_on_record: bool = False
    clear_on_timeout: bool = True


@dataclass(frozen=True, slots=True)
class EveryElement:
    type: ClassVar[str] = "every-element"


@dataclass(frozen=True, slots=True)
class ProcessingTimeEvery:
    type: ClassVar[str] = "processing-time-every"
    interval: int


Periodic = EveryElement | Count | ProcessingTimeEvery
"""What ``early`` and ``late`` take."""


@dataclass(frozen=True, slots=True)
class AfterEndOfWindow:
    type: ClassVar[str] = "after-end-of-window"
    early: Periodic | None = None
    late: Periodic | None = None


Trigger = (
    EventTime
    | ProcessingTime
    | Never
    | Count
    | ContinuousEventTime
    | ContinuousProcessingTime
    | Delta
    | Purging
    | ProcessingTimeout
    | EveryElement
    | AfterEndOfWindow
)


# --- evictors and functions ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CountEvictor:
    type: ClassVar[str] = "count"
    max: int
    after: bool = False


@dataclass(frozen=True, slots=True)
class TimeEvictor:
    type: ClassVar[str] = "time"
    window: int
    after: bool = False


@dataclass(frozen=True, slots=True)
class DeltaEvictor:
    type: ClassVar[str] = "delta"
    threshold: int | float
    after: bool = False


Evictor = CountEvictor | TimeEvictor | DeltaEvictor


@dataclass(frozen=True, slots=True)
class Function:
    """``call``: ``reduce``, ``aggregate``, ``process`` (``event-sort`` in a process operator, without ``compute``)."""

    call: str
    compute: str | None = None


# --- operators -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Window:
    """``type: window``. ``trigger`` is the one that runs, defaults filled in. ``late_output``: ``drop`` or ``side``."""

    type: ClassVar[str] = "window"
    assigner: Assigner
    trigger: Trigger
    function: Function
    api: str = "datastream"
    time: str = "event"
    evictor: Evictor | None = None
    allowed_lateness: int = 0
    late_output: str = "drop"
    updates: bool = False


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
    """``engine: spark``, ``type: stream-join``; the bounds are both null or both set."""

    type: ClassVar[str] = "stream-join"
    lower: int | None = None
    upper: int | None = None
    watermark_policy: str = "min"


Operator = Window | WindowJoin | IntervalJoin | Process | SparkWindow | SparkJoin


# --- the stream ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Generated:
    """``stream: {generate: …}``. ``late_millionths`` is round(late.fraction · 1000000); ``values`` are inclusive."""

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


Stream = tuple[Item, ...] | Generated


# --- walkthrough and goals -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the run: exactly one of ``event`` (the ``occurrence``-th, from 1), ``item`` and ``step``."""

    event: str | None = None
    occurrence: int = 1
    item: int | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Beat:
    """One stop of the walkthrough: exactly one of ``say``, ``ask`` and ``predict``."""

    at: Place
    say: Text | None = None
    ask: Text | None = None
    choices: tuple[Text, ...] = ()
    answer: int | None = None
    because: Text | None = None
    predict: str | None = None
    note: Text | None = None


@dataclass(frozen=True, slots=True)
class Goal:
    """How many rows of kind ``rows``, or trace events of type ``event``, the run must give."""

    rows: str | None = None
    event: str | None = None
    count: int | None = None
    at_least: int | None = None
    at_most: int | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A whole scenario file. ``origin`` in ms; ``file`` and ``marks`` tell messages where things stand in it.

    ``marks`` maps a path such as ``("walkthrough", 2, "say")`` to (line, column), both from 1; stream items are in
    it only by their index (``("stream", 17)``).
    """

    name: str
    operator: Operator
    stream: Stream
    inputs: tuple[InputSpec, ...] = (InputSpec("events"),)
    engine: str = "flink"
    title: Text | None = None
    summary: Text | None = None
    teaches: tuple[str, ...] = ()
    zone: str = "UTC"
    origin: int = 0
    level: str | None = None
    lesson: str | None = None
    minutes: int | float | None = None
    goals: tuple[Goal, ...] = ()
    walkthrough: tuple[Beat, ...] = ()
    file: str = field(default="", compare=False)
    marks: Mapping[tuple[str | int, ...], tuple[int, int]] = field(default_factory=dict, compare=False, repr=False)

    def input(self, name: str) -> InputSpec:
        """The input called ``name``; raises ``KeyError`` if there is none."""
        for each in self.inputs:
            if each.name == name:
                return each
        raise KeyError(name)
