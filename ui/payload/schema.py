"""The payload: everything that goes to the browser for one scenario, typed part by part.

``build/types/payload.d.ts`` is written from here (``python -m tests.reference``). The tables travel by columns
(``columns.py``); these types describe them unpacked, as the player's modules see them.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from tidemark.simulator.engine.values.part import Duration, Id, ItemNumber, StepNumber, Time
from tidemark.simulator.timeline.explain.fields import Kind
from tidemark.simulator.timeline.schema import (
    BatchFact,
    BufferFact,
    ChannelFact,
    CheckpointFact,
    ClockFact,
    ConditionFact,
    ContentFact,
    CountersFact,
    Fact,
    FiringFact,
    FrameFact,
    GoneTimerFact,
    HeldFact,
    JoinSide,
    JudgedFact,
    JudgementFact,
    Key,
    KeyHash,
    LawFact,
    LevelColumns,
    Lifetimes,
    OutputFact,
    QueueFact,
    RecordFact,
    RemedyFact,
    StateFact,
    StepFact,
    TimerFact,
    ValveFact,
    VersionFact,
    WatermarkFact,
    WindowFact,
)
from tidemark.ui.payload.charts.schema import Lanes, Part, PlaneSources, Signals

Edition = Literal["full", "graded", "student"]

Pieces = Annotated[list[tuple[str, bool]], "pieces of a text; true: a value, which is set off"]


class ShownChannel(ChannelFact):
    """A channel with what the cards say about it."""

    since: Annotated[int | None, "where on the arrival axis its watermark came to what it is"]
    ahead: Annotated[
        Duration | None, "how far a record must be ahead of the watermark that it brings; null: they are in the stream"
    ]
    least: Annotated[Time | None, "the lowest watermark that its generator may still send; null for any"]
    pending: Annotated[Time | None, "what it sends when it is asked next; null for nothing new"]
    every: Annotated[Duration, "how often it is asked; 0: after each record"]
    when: Annotated[str | None, "the SQL without which the watermark of a record is NULL; null: none is"]
    taken: Annotated[
        list[Duration] | None, "what its watermark is below `max_timestamp`; []: not sent yet; null: there is no sum"
    ]


class TimeRange(TypedDict):
    """Which times on the other side of a join match a record; `low` and `high` are null where any does."""

    low: Annotated[Time | None, "the earliest"]
    high: Annotated[Time | None, "the latest"]
    low_open: Annotated[bool, "whether `low` itself does not match"]
    high_open: Annotated[bool, "whether `high` itself does not match"]


class ShownBuffer(BufferFact, total=False):
    """A buffered record; in a join by time with the range of its partners."""

    low: Time | None
    high: Time | None
    low_open: bool
    high_open: bool


class RetractedFact(Fact):
    """A result that an update takes back."""

    output: Annotated[Id, "the result"]
    by: Annotated[Id, "the output that takes it back"]


class VoidFact(OutputFact):
    """A row that a restore has withdrawn, until the same one is given again."""


class EvictedFact(ContentFact):
    """A record that an evictor takes out of a window: from the step that says so to the one that writes the rest."""


class CountFact(Fact):
    """How far a count trigger has counted in a window."""

    window: Id
    count: int
    most: Annotated[int, "the number at which it fires"]


class RangeFact(Fact, TimeRange):
    """What matches a record of a join by time, while it is worked on and is not late."""

    item: ItemNumber
    side: JoinSide
    key: Key
    ts: Time


class ShownStep(StepFact, LevelColumns):
    """A step with the level at which readers stop there."""


class ShownTables(TypedDict):
    """The facts of a run by table, each in the order of `from_step`."""

    steps: list[ShownStep]
    records: list[RecordFact]
    watermark: list[WatermarkFact]
    channels: list[ShownChannel]
    valves: list[ValveFact]
    clock: list[ClockFact]
    windows: list[WindowFact]
    contents: list[ContentFact]
    timers: list[TimerFact]
    gone_timers: list[GoneTimerFact]
    state: list[StateFact]
    held: list[HeldFact]
    checkpoints: list[CheckpointFact]
    queue: list[QueueFact]
    buffers: list[ShownBuffer]
    versions: list[VersionFact]
    frames: list[FrameFact]
    batches: list[BatchFact]
    outputs: list[OutputFact]
    counters: list[CountersFact]
    laws: list[LawFact]
    retracted: list[RetractedFact]
    void: list[VoidFact]
    evicted: list[EvictedFact]
    counts: list[CountFact]
    ranges: list[RangeFact]
    conditions: NotRequired[Annotated[list[ConditionFact], "of Flink's rules"]]
    firings: NotRequired[Annotated[list[FiringFact], "of Flink's rules"]]
    judgements: NotRequired[Annotated[list[JudgementFact], "of Flink's rules"]]
    remedies: NotRequired[Annotated[list[RemedyFact], "of Flink's rules"]]
    judged: NotRequired[Annotated[list[JudgedFact], "of Spark's rules"]]


class Generator(TypedDict):
    """What makes the watermarks of an input."""

    kind: Annotated[str, "the strategy's type; of Spark `delay` or `without`"]
    says: Annotated[str, "what it does, in words"]
    minus: Annotated[list[Duration], "what is subtracted from the largest timestamp"]
    emit: Duration
    idle_timeout: Duration


class StatePart(TypedDict):
    """What the state drawer needs beside the facts."""

    key_groups: Annotated[int, "how many there are; 0: none (Spark)"]
    hashes: Annotated[dict[str, list[KeyHash]], "the keys with state by the number of their key group"]
    lifetimes: Lifetimes
    generators: Annotated[dict[str, Generator], "by name of the input"]
    lateness: Duration


class StoppingPlace(TypedDict):
    """A step at which the author says or asks something, or where a prediction is asked."""

    step: StepNumber
    before: Annotated[StepNumber, "the step whose picture does not show the answer yet"]
    kind: Annotated[str, "`say`, `ask`, or the kind of the prediction"]
    text: str
    choices: list[str]
    answer: Annotated[int | None, "an index into `choices`"]
    because: str
    replies: Annotated[list[str], 'what is said to somebody who picks each choice; "" to the right one']
    note: NotRequired[Annotated[str, 'for the presenter; "" for none']]
    until: NotRequired[Annotated[StepNumber, "of a prediction: the step that shows the answer"]]
    beliefs: NotRequired[Annotated[list[str], 'the belief behind each choice that Compare can show, or ""']]
    way: NotRequired[Annotated[str, "how a class answers it: `choose`, `tap`, `drag` or `enter`"]]


class Story(TypedDict):
    """What frames the steps; "" for a text that the file does not have."""

    summary: Annotated[str, "what the scenario is about"]
    look_for: Annotated[str, "what to look for, before the first step"]
    takeaway: Annotated[str, "what it showed, after the last step"]


class Scene(TypedDict):
    """A scenario of the first visit, or one to go to from there."""

    name: str
    title: str
    says: Annotated[str, "what it showed; of one that lies ahead, what is new there"]


class Visit(TypedDict):
    """The first visit; of a scenario that is no scene of it, only the scenes."""

    title: str
    about: Annotated[str, "what this is all about, for somebody who has never been here"]
    scenes: list[Scene]
    onward: list[Scene]


class Mark(TypedDict):
    """A mark on the scrubber."""

    step: StepNumber
    kind: Literal["fired", "early", "update", "late", "dropped", "side", "checkpoint", "restored"]


class Jumps(TypedDict):
    """For each kind of jump its steps in ascending order."""

    firing: list[StepNumber]
    late: list[StepNumber]
    merge: list[StepNumber]
    watermark: list[StepNumber]
    timer: list[StepNumber]
    checkpoint: list[StepNumber]


class Owners(TypedDict):
    """The key and window that each step names, so that steps can be found by them."""

    names: Annotated[list[tuple[Key, Time | None, Time | None]], "[key, start, end], each once"]
    of: Annotated[list[int], "for each step its place in `names`; -1 for none"]


class Firing(TypedDict):
    """What is the same for all windows of the scenario."""

    trigger: Annotated[str, "in words"]
    ways: Annotated[dict[str, Any], "what the trigger's own ways to fire are called, by kind"]
    by_clock: Annotated[bool, "whether windows end by the clock"]
    merges: Annotated[bool, "whether they are sessions"]
    sides: Annotated[list[str], "the inputs that must both be there for a row"]
    keeps: Annotated[list[str], "the settings by which a lost record might be kept: `bound`, `allowed-lateness`"]


class Style(TypedDict):
    """How times are written."""

    style: Literal["seconds", "clock"]
    zone: str
    day: Annotated[str | None, "the date that needs no mention"]
    clocks: NotRequired[Annotated[list[tuple[int, int, str]], "of a session zone: since when, UTC plus what, name"]]
    milliseconds: NotRequired[Annotated[bool, "whether none may be rounded"]]


class Legend(TypedDict):
    """The marks that occur in the run."""

    plane: list[str]
    join: NotRequired[list[str]]


class Choice(TypedDict):
    """A scenario of the library."""

    name: str
    title: str
    lesson: str


class Telling(TypedDict):
    """What puts steps into words, as far as the run needs it (`ui/payload/columns.py`)."""

    texts: Annotated[dict[str, dict[str, str]], "by level the sentences, by name"]
    live: Annotated[dict[str, str], 'by what happens the text beside the line of code; "" for none']
    kinds: Annotated[dict[str, Kind], "how each field is written"]
    derived: Annotated[dict[str, list[str]], "fields that are found elsewhere: their kind, then where"]
    numbers: Annotated[dict[str, Kind], "how numbers of rules are written; the others are `exact`"]
    parts: Annotated[dict[str, Any], "pieces of sentences"]
    trail: Annotated[dict[str, str], "by event the short words of a step"]
    more: Annotated[dict[str, str], "texts beside a line that names windows"]
    constants: Annotated[dict[str, str], "what the scenario alone decides"]
    places: Annotated[dict[str, str], "by place class and method in Java's words"]
    gap_field: Annotated[str | None, "the field of a value that is a length of time"]


class CodeMethod(TypedDict):
    """A method of the code walk."""

    flink: Annotated[str, "its name in Flink"]
    lines: Annotated[list[tuple[str, str]], '[id, text]; the id is "" for a line at which no step stands']


class Chapter(TypedDict):
    """A chapter of the code walk."""

    name: str
    methods: list[CodeMethod]


class BadgeRow(TypedDict):
    """A member of the first row that differs."""

    cells: Annotated[list[str], "the member's name, our value, that of the other engine"]
    differs: bool


class BadgeDifference(TypedDict):
    """The first row that differs, member by member."""

    title: str
    columns: list[str]
    rows: list[BadgeRow]


class BadgeLink(TypedDict):
    """Where a badge leads."""

    scenario: str
    text: str


class Badge(TypedDict):
    """Which engine produced how many of the same rows for exactly this scenario, in words."""

    engine: Literal["flink", "spark"]
    name: Annotated[str, "the engine's name"]
    good: Annotated[bool, "whether all rows are the same"]
    label: str
    short: str
    spoken: str
    head: str
    tick: str
    says: str
    facts: Annotated[list[tuple[str, str]], "[heading, text]"]
    difference: BadgeDifference | None
    link: BadgeLink | None


class Number(TypedDict):
    """A number of the configuration that a reader may change."""

    name: Annotated[str, "of its control on the Author page"]
    label: str
    value: Annotated[str, "a length of time in words"]
    ms: int
    text: Annotated[str, "what stands for it in the sentence"]


class QueryLine(TypedDict):
    """A line of the query."""

    text: str
    clauses: Annotated[list[str], "those that stand in it"]


class QueryPart(TypedDict):
    """The query, and what of it decides (`ui/payload/contents.py`)."""

    forms: Annotated[dict[str, list[QueryLine]], "by `sentence`, `sql`, `datastream`; those that the scenario has"]
    deciding: Annotated[dict[str, list[str]], "by event the clauses that can decide it, the best one first"]


class ChainOperator(TypedDict):
    """One operator of a chain. Numbers of items are those of the file's stream, in ascending order."""

    name: str
    kind: Annotated[str, "what it is"]
    sources: Annotated[list[str], "the inputs and operators that feed it"]
    address: Annotated[tuple[str, str], "what opens it"]
    shown: bool
    records: Annotated[list[int], "the item that brings each of its records"]
    waiting: Annotated[list[tuple[int, int]], "an item, and how many records wait behind it"]
    results: Annotated[list[int], "the item that brings about each of its results"]
    steps: Annotated[list[tuple[int, StepNumber]], "an item, and the last step that it brings about there"]
    watermarks: Annotated[list[tuple[int, Time | None]], "an item, and the watermark behind it; null: the end"]


class MadeRecord(TypedDict):
    """A record that is a result of another operator, which emits it at `step`."""

    item: ItemNumber
    operator: str
    step: StepNumber


class FollowedResult(TypedDict):
    """A result as a record of another operator, where it arrives at `step`."""

    result: Annotated[int, "which of the results of the operator that is shown, from 0"]
    operator: str
    step: StepNumber
    behind: Annotated[bool, "whether it arrives behind the watermark there"]
    fate: Annotated[str, "what becomes of it, as in the table `records`"]


class ChainPart(TypedDict):
    """Several operators, of which one is shown."""

    shown: str
    seqs: Annotated[list[int], "by item of the run, its number in the file's stream"]
    operators: list[ChainOperator]
    made: list[MadeRecord]
    becomes: list[FollowedResult]


class Payload(TypedDict):
    """Everything that the player shows of one scenario."""

    name: str
    title: str
    about: str
    sentence: Annotated[Pieces, "the configuration"]
    numbers: Annotated[list[Number], "those in the sentence that a reader may change, in its order"]
    brief: Annotated[list[Pieces], "the configuration in the fewest words"]
    query: QueryPart
    chain: ChainPart | None
    minutes: float | None
    edition: Annotated[Edition, "graded: without notes; student: nor is any question graded"]
    style: Style
    words: Annotated[dict[str, Any], "the section `player` of the catalogue"]
    steps: Annotated[int, "how many there are"]
    arrival_axis: Literal["at", "item"]
    signals: Signals
    parts: list[Part]
    sources: PlaneSources
    lanes: Lanes
    state: StatePart
    tables: ShownTables
    telling: Telling
    code: list[Chapter]
    story: Story
    beats: list[StoppingPlace]
    predictions: list[StoppingPlace]
    marks: list[Mark]
    jumps: Jumps
    owners: Owners
    firing: Firing
    items: Annotated[list[StepNumber], "the first step of each run of steps of one stream item"]
    legend: Legend
    combined: Annotated[str, "what the operator's watermark is called"]
    time: Literal["event", "processing"]
    library: list[Choice]
    strings: NotRequired[Annotated[list[str], "every text of the packed tables; written by the packing"]]


class SentPayload(Payload):
    """The payload with what stands beside it in the packed bytes."""

    badges: list[Badge]
    visit: Visit | None
