"""The scenario as frozen data: what a file says, checked and with every time in ms.

Every class here is one mapping of the format, every field one of its keys. Triggers and evictors are frozen
configuration by themselves, so the scenario holds the parts that the operator runs; their classes are listed here and
defined in ``simulator/triggers``, ``simulator/table_triggers`` and ``simulator/evictors``, those of the operators in
``simulator/scenario/operators``. The Spark bridge, which computes on its own, reads their fields and never calls them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from tidemark.simulator.engine.evictors import CountEvictor as CountEvictor
from tidemark.simulator.engine.evictors import DeltaEvictor as DeltaEvictor
from tidemark.simulator.engine.evictors import TimeEvictor as TimeEvictor
from tidemark.simulator.engine.generators import BoundedOutOfOrderness as BoundedOutOfOrderness
from tidemark.simulator.engine.generators import MonotonousTimestamps as MonotonousTimestamps
from tidemark.simulator.engine.generators import NoWatermarks as NoWatermarks
from tidemark.simulator.engine.generators import Punctuated as Punctuated
from tidemark.simulator.engine.generators import SqlWatermark as SqlWatermark
from tidemark.simulator.engine.triggers.datastream import ContinuousEventTimeTrigger as ContinuousEventTimeTrigger
from tidemark.simulator.engine.triggers.datastream import (
    ContinuousProcessingTimeTrigger as ContinuousProcessingTimeTrigger,
)
from tidemark.simulator.engine.triggers.datastream import CountTrigger as CountTrigger
from tidemark.simulator.engine.triggers.datastream import DeltaTrigger as DeltaTrigger
from tidemark.simulator.engine.triggers.datastream import EventTimeTrigger as EventTimeTrigger
from tidemark.simulator.engine.triggers.datastream import NeverTrigger as NeverTrigger
from tidemark.simulator.engine.triggers.datastream import ProcessingTimeoutTrigger as ProcessingTimeoutTrigger
from tidemark.simulator.engine.triggers.datastream import ProcessingTimeTrigger as ProcessingTimeTrigger
from tidemark.simulator.engine.triggers.datastream import PurgingTrigger as PurgingTrigger
from tidemark.simulator.engine.triggers.table import AfterEndOfWindow as AfterEndOfWindow
from tidemark.simulator.engine.triggers.table import CountElement as CountElement
from tidemark.simulator.engine.triggers.table import EveryElement as EveryElement
from tidemark.simulator.engine.triggers.table import ProcessingTimeEvery as ProcessingTimeEvery
from tidemark.simulator.engine.values.items import Item, Restore
from tidemark.simulator.engine.values.time import Milliseconds
from tidemark.simulator.engine.values.versions import NEWEST, rules_of
from tidemark.simulator.scenario.assigners import Assigner as Assigner
from tidemark.simulator.scenario.assigners import Cumulative as Cumulative
from tidemark.simulator.scenario.assigners import DynamicSession as DynamicSession
from tidemark.simulator.scenario.assigners import Global as Global
from tidemark.simulator.scenario.assigners import Session as Session
from tidemark.simulator.scenario.assigners import Sliding as Sliding
from tidemark.simulator.scenario.assigners import Tumbling as Tumbling
from tidemark.simulator.scenario.calc import Calc, calc_of
from tidemark.simulator.scenario.data.stream import Data as Data
from tidemark.simulator.scenario.operators.facts import Function as Function
from tidemark.simulator.scenario.operators.facts import Setting as Setting
from tidemark.simulator.scenario.operators.rows import UNBOUNDED as UNBOUNDED
from tidemark.simulator.scenario.operators.rows import Deduplicate as Deduplicate
from tidemark.simulator.scenario.operators.rows import Frame as Frame
from tidemark.simulator.scenario.operators.rows import IntervalJoin as IntervalJoin
from tidemark.simulator.scenario.operators.rows import Over as Over
from tidemark.simulator.scenario.operators.rows import Process as Process
from tidemark.simulator.scenario.operators.rows import TemporalJoin as TemporalJoin
from tidemark.simulator.scenario.operators.spark import SparkJoin as SparkJoin
from tidemark.simulator.scenario.operators.spark import SparkWindow as SparkWindow
from tidemark.simulator.scenario.operators.windows import Window as Window
from tidemark.simulator.scenario.operators.windows import Windowed as Windowed
from tidemark.simulator.scenario.operators.windows import WindowJoin as WindowJoin
from tidemark.simulator.scenario.operators.windows import WindowTopN as WindowTopN

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
    """One input of the operator. ``delay`` (ms) is Spark's ``withWatermark``, ``None`` without one and for Flink.

    ``columns``: the members of its records' values with their types. What is computed of them
    (``simulator.scenario.calc``): the condition ``where``, further columns (``select``), and the parts of the ``key``.
    """

    name: str
    channels: int = 1
    watermark: WatermarkSpec = NO_WATERMARKS
    delay: Milliseconds | None = None
    columns: tuple[tuple[str, str], ...] = ()
    where: str | None = None
    select: tuple[tuple[str, str], ...] = ()
    key: tuple[str, ...] = ()

    def calc(self, zone: str) -> Calc:
        """What is computed of its columns in a session time zone. Raises ``CalcProblem``."""
        when = self.watermark.when if isinstance(self.watermark, SqlWatermark) else None
        return calc_of(self.columns, self.where, self.select, self.key, zone, when)


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


Operator = (
    Window
    | WindowJoin
    | WindowTopN
    | IntervalJoin
    | Process
    | TemporalJoin
    | Over
    | Deduplicate
    | SparkWindow
    | SparkJoin
)


# --- the stream ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Generated:
    """``stream: {generate: …}``. ``late_millionths`` is round(late.fraction · 1000000); ``values`` are inclusive.

    ``border_millionths``: as many of a million records seek a border (``simulator.scenario.stream``).
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
    Texts that are not written by language are in ``language``. ``chain``: the operators of which this is one, if the
    file has several. ``translated_from`` has, by the path of a text and by
    language, what the original said when it was translated (``simulator.scenario.languages``).
    """

    name: str
    operator: Operator
    stream: Stream
    inputs: tuple[InputSpec, ...] = (InputSpec("events"),)
    engine: str = "flink"
    flink: str = NEWEST
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
    chain: "Chain | None" = field(default=None, compare=False, repr=False)
    marks: Mapping[tuple[str | int, ...], tuple[int, int]] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        """What an operator says of itself is by the rules of the version."""
        restores = isinstance(self.stream, tuple) and any(isinstance(item, Restore) for item in self.stream)
        rules = rules_of(self.flink).of_run(restores=restores)
        object.__setattr__(self, "operator", self.operator.by_rules(rules))

    @property
    def questions(self) -> int:
        """How many beats of the walkthrough ask something."""
        return sum(beat.say is None for beat in self.walkthrough)

    def input(self, name: str) -> InputSpec:
        """The input called ``name``; raises ``KeyError`` if there is none."""
        for each in self.inputs:
            if each.name == name:
                return each
        raise KeyError(name)


# --- chains --------------------------------------------------------------------------------------------------------


class Origin(NamedTuple):
    """Where a record of a chain was made: the operator, and which of its results it was, from 0."""

    operator: str
    result: int


@dataclass(frozen=True)
class ChainPart:
    """One operator of a chain: the ``scenario`` that it is, and the names of what it is fed by.

    ``origins`` and ``seqs``: of each item of its stream, the result that it was before (None: it is in the file), and
    its number in the stream of the file. ``results``: that number of each result, ``watermarks``: and of each watermark
    that it forwards, with the watermark (ms).
    """

    name: str
    scenario: Scenario
    sources: tuple[str, ...]
    origins: tuple[Origin | None, ...]
    seqs: tuple[int, ...]
    results: tuple[int, ...]
    watermarks: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Chain:
    """The operators of a file, each behind those that feed it; ``shown``: the name of the one that a scenario is."""

    parts: tuple[ChainPart, ...]
    shown: str

    def part(self, name: str) -> Scenario:
        """The operator ``name`` as a scenario. Raises ``KeyError`` if there is none."""
        for each in self.parts:
            if each.name == name:
                return replace(each.scenario, chain=replace(self, shown=name))
        raise KeyError(name)

    @property
    def of_shown(self) -> ChainPart:
        """The operator that is shown."""
        return next(each for each in self.parts if each.name == self.shown)
