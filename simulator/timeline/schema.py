"""The tables of the timeline: one type for each, every column with its meaning.

A fact is a plain ``dict``; the types cost nothing at run time. TIMELINE.md and the declarations for the
browser (``build/types/payload.d.ts``) are written from this file by ``python -m tests.reference``, and a test
holds every fact of the golden runs against it. The texts are Markdown.

Tables that are worked out from these, for the Why cards and the state drawer, come last.
"""

from typing import Annotated, Literal, NotRequired, TypedDict

from tidemark.simulator.engine.values.items import PlainKey
from tidemark.simulator.engine.values.part import Duration, Id, ItemNumber, Json, StepNumber, Time
from tidemark.simulator.engine.values.rows import Row

Fate = Literal["ahead", "arrived", "on-time", "late-accepted", "dropped", "side", "skipped", "filtered"]
ChannelStatus = Literal["active", "idle"]
WindowStatus = Literal["open", "fired", "cleared", "merged"]
TimerStatus = Literal["waiting", "due", "past"]
TimerPurpose = Literal["fire", "cleanup", "fire+cleanup", "sort", "join", "emit"]
TimerDomain = Literal["event", "processing"]
TimerCaller = Literal[
    "on_element",
    "on_merge",
    "on_event_time",
    "on_processing_time",
    "register_cleanup_timer",
    "process_element",
]
JoinSide = Literal["left", "right"]
StateKind = Literal["contents", "trigger", "merging-set", "emitted", "queue", "buffer", "rows", "versions", "value"]
VersionOp = Literal["upsert", "delete"]
BatchStatus = Literal["running", "done", "failed"]
BatchReason = Literal["records", "empty", "watermark"]

Key = Annotated[PlainKey, "as written in the scenario"]
Arrival = Annotated[int, "its place on the arrival axis: the clock (ms) or the number of the item"]
InputName = Annotated[str, "the name of its input"]


class Fact(TypedDict):
    """What is true from one micro-step to another."""

    from_step: Annotated[StepNumber, "the first step at which it is true"]
    until_step: Annotated[StepNumber | None, "the first step at which it no longer is; null while it stays to the end"]


class NamedFact(Fact):
    """A fact about a thing with an identity."""

    id: Id


class Namespace(TypedDict):
    """The window that something belongs to."""

    start: Annotated[Time | None, "inclusive; null for the global window, and where there is no window"]
    end: Annotated[Time | None, "exclusive; null where `start` is"]


class RuleMember(TypedDict):
    """The rule that decided a step."""

    name: str
    formula: Annotated[str, "in Flink's terms: `max_timestamp + allowed_lateness <= watermark`"]
    numbers: Annotated[dict[str, int | float], "the value of each name in the formula"]
    holds: Annotated[bool, "whether it is true"]


class Predicate(TypedDict):
    """A comparison as it is true: 7999 `<=` 8999, or 7999 `>` 6999 where the rule does not hold."""

    kind: Annotated[Literal["exact", "span", "value"], "times (ms), lengths of time (ms), or counts"]
    sides: Annotated[list[int | float], "each added up"]
    signs: Annotated[list[str], "what stands between them"]


class StepFact(Fact):
    """One micro-step; it lives one step."""

    step: StepNumber
    event: Annotated[str, "the type of the trace event"]
    item: ItemNumber
    at: Annotated[Time, "the processing-time clock"]
    watermark: Annotated[Time | None, "the operator's own, null before the first one"]
    place: Annotated[str, "the operator's method, in Flink's terms"]
    rule: Annotated[RuleMember | None, "the rule that decided, or null"]
    predicate: Annotated[
        Predicate | None, "the rule with its numbers; null without a rule, and for one that is no plain comparison"
    ]
    story: Annotated[str, "what happened: a sentence of the catalogue, below `explain.LEVEL`: `what.dropped`"]
    reason: Annotated[str, 'why, in the same way: `rule.window_late`, or ""']
    fields: Annotated[
        dict[str, Json],
        "what fills the `{names}` of both, raw, the same at every level and in every language; "
        "`simulator/timeline/explain/fields.py` says how each is written",
    ]
    lines: Annotated[list[str], "the lines of the code walk that the step goes through, the running one last"]
    touches: Annotated[list[Id], "the things that this step changed"]


class RecordFact(NamedFact):
    """A record and its fate."""

    item: ItemNumber
    input: InputName
    channel: Annotated[int, "the upstream channel, from 0"]
    key: Key
    ts: Annotated[Time | None, "its timestamp; null only where processing time gives none"]
    value: Json
    at: Annotated[Time, "the clock at its arrival"]
    arrival: Arrival
    out_of_order: Annotated[bool, "whether an earlier record has a larger `ts`"]
    newest_ts: Annotated[Time | None, "`ts` of the newest record before it, or null"]
    newest_arrival: Annotated[int | None, "`arrival` of that record, or null"]
    fate: Annotated[Fate, "what has happened to it so far"]


class WatermarkFact(NamedFact):
    """The operator's own watermark; there is one."""

    value: Annotated[Time | None, "null before the first one"]
    arrival: Annotated[int | None, "where on the arrival axis it moved there; null before the first one"]
    before: Annotated[Time | None, "the watermark before it"]


class ChannelFact(NamedFact):
    """One upstream channel, and the watermark generator in front of it."""

    input: InputName
    channel: Annotated[int, "its number within the input, from 0"]
    watermark: Annotated[Time | None, "null before the first one"]
    status: ChannelStatus
    aligned: Annotated[bool, "whether it counts for the minimum"]
    max_timestamp: Annotated[Time | None, "the largest that its generator has seen"]
    max_item: Annotated[ItemNumber | None, "the item of the record that had it"]
    max_step: Annotated[StepNumber | None, "the step of that record"]
    max_at: Annotated[Time | None, "the clock at that record"]
    emitted: Annotated[Time | None, "the last watermark that the generator emitted"]
    watermark_step: Annotated[StepNumber | None, "the step at which the valve took `watermark`"]
    watermark_at: Annotated[Time | None, "the clock at that step"]
    holds: Annotated[bool, "whether it is the first at the minimum of those that count; no watermark is the lowest"]


class ValveFact(NamedFact):
    """Where the watermarks of channels become one: a valve over all; in an interval join, one for each input."""

    input: Annotated[str | None, "the input whose channels it combines; null for those of all inputs"]
    minimum: Annotated[Time | None, "over the channels that count"]
    holder: Annotated[Id | None, "the first channel at that minimum"]
    watermark: Annotated[Time | None, "the last that it sent on"]
    idle: Annotated[bool, "whether all its channels are"]
    holds: Annotated[bool, "whether it holds the operator's watermark"]


class ClockFact(NamedFact):
    """Processing time; there is one clock."""

    value: Time


class WindowFact(NamedFact, Namespace):
    """A window of a key, from its first record on; it stays when it is over."""

    key: Key
    status: Annotated[WindowStatus, "`fired`: at least once, and its state is kept; the last two: its state is gone"]
    records: Annotated[int, "how many are in it"]
    result: Annotated[
        Json,
        "the result of a firing now; null when it is empty, and where only a firing shows it (`collect`, an evictor)",
    ]
    firings: Annotated[int, "how many there were so far"]
    kept_until: Annotated[Time | None, "the cleanup time; null if never"]
    state_window: Annotated[
        list[Time | None], "[start, end] of the window that its contents are kept under: another only after a merge"
    ]
    holder: Annotated[Id, "joins it to its `contents`"]
    merged_into: Annotated[Id | None, "the window that it went into"]
    partial: NotRequired[
        Annotated[Json, "Spark's rules only: the result over what the running batch has; null when state has it"]
    ]


class ContentFact(NamedFact):
    """A record in a window."""

    holder: Annotated[Id, "equal to that of its window"]
    item: ItemNumber
    input: InputName
    ts: Time | None
    value: Json
    late: Annotated[bool, "whether the window's firing was due already when it came"]
    order: Annotated[int, "ascending: the order in which the state holds them"]


class Timer(Namespace):
    """What there is to know about a timer."""

    order: Annotated[int, "when it was registered, as a position; equal `timestamp`s fire in this order"]
    domain: TimerDomain
    timestamp: Annotated[Time, "when it fires"]
    key: Key
    side: Annotated[JoinSide | None, "of an interval join, else null"]
    purpose: TimerPurpose
    status: Annotated[
        TimerStatus,
        "`due`: it fires in this very advance; `past`: set for a time that was over, it fires at the next advance",
    ]
    by: Annotated[TimerCaller, "the method that set it: the trigger's (`on_…`) or the operator's"]
    registered: Annotated[StepNumber, "the step at which that was"]
    item: Annotated[ItemNumber, "the item at which that was"]


class TimerFact(NamedFact, Timer):
    """A waiting timer."""


class GoneTimerFact(Fact, Timer):
    """A timer that left the queue, as it was; it lives one step."""

    timer: Annotated[Id, "its `id` in `timers`"]
    how: Literal["fired", "deleted"]


class StateFact(NamedFact, Namespace):
    """One entry of keyed state. `start` and `end` are its namespace; of a `merging-set` the window."""

    state: Annotated[str, "the name of the state"]
    kind: Annotated[StateKind, "`emitted`: the last result, where results are taken back"]
    key: Key
    value: Annotated[
        Json,
        "of a `merging-set` the state window; null for a list, a queue, a buffer, `rows` and `versions`: their "
        "elements are rows of `contents`, `queue`, `buffers`, `frames` and `versions`",
    ]
    entries: Annotated[int, "how many elements it holds"]
    group: Annotated[int, "the key group, of 128"]
    version: Annotated[int, "the number of snapshots before it was last written; 0 after a restore"]
    shared: Annotated[bool, "whether the last snapshot holds the same value: it was not written since"]
    written: Annotated[StepNumber, "the step of the last write"]
    holder: Annotated[Id | None, "joins a list to its `contents`"]


class HeldFact(NamedFact):
    """How much keyed state holds; one row at a time."""

    values: Annotated[int, "all `entries` together"]
    peak: Annotated[int, "the most so far"]


class CheckpointFact(NamedFact):
    """A snapshot that can be restored; a restore gives up those taken after it."""

    name: str
    number: Annotated[int, "how many snapshots there are up to it"]
    entries: Annotated[int, "how many values are in it"]
    timers: Annotated[int, "how many timers are in it"]
    taken: Annotated[StepNumber, "the step at which it was taken"]
    item: ItemNumber
    latest: Annotated[bool, "whether `shared` entries are shared with this one: the last taken or restored"]


class QueueFact(NamedFact):
    """A record that waits for the watermark to reach `ts`, in an event sort, on the left of a temporal join, for OVER
    or in a deduplication. They leave by `ts`, then `order`; from a temporal join by `order`."""

    key: Key
    ts: Time
    value: Json
    item: ItemNumber
    order: Annotated[int, "of arrival"]


class BufferFact(NamedFact):
    """A record that an interval join, or a stream join by Spark's rules, keeps."""

    key: Key
    ts: Time
    value: Json
    item: ItemNumber
    order: Annotated[int, "of arrival"]
    side: JoinSide
    kept_until: Annotated[Time | None, "the watermark at which it is forgotten; null for never"]


class VersionFact(NamedFact):
    """A version of the right side of a temporal join, valid from `ts` on; `delete` is the end of the one before it."""

    key: Key
    ts: Time
    until: Annotated[Time | None, "where the next version begins, exclusive; null for the newest"]
    value: Annotated[Json, "null of a `delete`"]
    op: VersionOp
    item: ItemNumber
    order: Annotated[int, "of arrival"]


class FrameFact(NamedFact):
    """A row in a bounded OVER frame of its key, from its own result on until it leaves the frame."""

    key: Key
    ts: Time
    value: Json
    item: ItemNumber
    order: Annotated[int, "of arrival"]


class BatchFact(NamedFact):
    """A micro-batch; by Spark's rules only."""

    number: Annotated[int, "from 0"]
    status: BatchStatus
    reason: Annotated[BatchReason, "why it runs: `empty` was ended without records; `watermark`: it only moved"]
    arrival: Annotated[int, "where on the arrival axis it was cut off"]
    watermark: Annotated[Time, "it evicts by"]
    late_watermark: Annotated[Time, "it filters by: the watermark of the batch before"]
    rows_in: Annotated[int, "how many records it read"]
    rows_out: Annotated[int | None, "how many rows it gave; null until it is done"]
    state_rows: Annotated[int | None, "how many entries it left in state; null until it is done"]


class OutputFact(NamedFact):
    """An output row, from the step that emitted it until a restore withdraws it."""

    number: Annotated[int, "its place among the rows, from 0"]
    row: Annotated[Row, "the row itself, as `run` prints it"]
    arrival: Arrival
    window: Annotated[Id | None, "the window that it is of, in `windows`"]


class CountersFact(NamedFact):
    """Totals so far; one row at a time."""

    records: int
    panes: int
    late: Annotated[int, "sent to the side output"]
    dropped: Annotated[int, "by Spark's rules: records that no window took"]
    skipped: Annotated[int, "taken by no window, though not late"]
    filtered: NotRequired[Annotated[int, "dropped by the filter of their input; not there where none has one"]]


TableName = Literal[
    "steps",
    "records",
    "watermark",
    "channels",
    "valves",
    "clock",
    "windows",
    "contents",
    "timers",
    "gone_timers",
    "state",
    "held",
    "checkpoints",
    "queue",
    "buffers",
    "versions",
    "frames",
    "batches",
    "outputs",
    "counters",
]
"""The members of ``Tables``."""


class Tables(TypedDict):
    """The facts of a run by table, each in the order of `from_step`."""

    steps: list[StepFact]
    records: list[RecordFact]
    watermark: list[WatermarkFact]
    channels: list[ChannelFact]
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
    buffers: list[BufferFact]
    versions: list[VersionFact]
    frames: list[FrameFact]
    batches: list[BatchFact]
    outputs: list[OutputFact]
    counters: list[CountersFact]


# --- worked out from these tables ---
#
# Conditions and judgements answer "why" and "why not"; laws show that nothing is lost; lifetimes and key hashes are
# for the state drawer; levels say which steps matter to whom.

Verdict = Literal[
    "taken",
    "refused",
    "none",
    "dropped",
    "side",
    "skipped",
    "filtered",
    "queued",
    "buffered",
    "ignored",
    "version",
    "given",
]
Cause = Literal["record", "watermark", "clock"]
Level = Literal["novice", "practitioner", "source"]
Sentence = Literal["story", "reason"]
LawName = Literal["all_come", "all_lost", "forward", "lowest", "all_sorted"]

Comparison = Annotated[
    tuple[Time, str, Time | None], "[left, sign, right] as it was true; right is null before the first watermark"
]


class ConditionFact(NamedFact):
    """What a window, or a record in a queue or buffer, waits for: a row for each thing that fires it."""

    of: Annotated[Id, "the window or record that waits"]
    kind: Annotated[
        str,
        "what it waits for: `watermark`, `clock`, `record`, `kept`, or a kind of its trigger's own (such as `count`); "
        "or why it waits for nothing: `asking` (its trigger is being asked), `restart`, `never`, `cleared`, `merged`",
    ]
    reason: Annotated[str, 'why that fires it, or why nothing does; "" where there is nothing to add']
    needs: Annotated[Json, "what has to come: a time (ms), a number of records, a threshold; or an id; or null"]
    has: Annotated[Json, "what is there of it already"]
    phase: Annotated[
        str,
        "of a timer its status, `waiting`, `due` or `past`; of a `record` `due` while the window holds one about which "
        'its trigger has not been asked yet; otherwise "", or a form of its words',
    ]
    order: Annotated[int, "its place among the rows of one thing"]


class FiringFact(NamedFact):
    """A window fired; until a restore takes it back."""

    window: Id
    step: Annotated[StepNumber, "the step of its first row; where none came of it, of the trigger's answer"]
    gave: Annotated[bool, "whether rows came of it"]
    cause: Cause


class _JudgementFact(NamedFact):
    record: Id
    step: StepNumber
    window: Annotated[Id | None, "the window that judged; null for what was said to the record as a whole"]
    start: Time | None
    end: Time | None
    verdict: Verdict
    fired: Annotated[bool, "whether the record fired the window at once"]
    limit: Annotated[Comparison | None, "whether it was over for the window, or for the record"]
    due: Annotated[Comparison | None, "whether the window's firing was due"]
    rule: Annotated[str | None, "the name of the rule that `limit` compares by"]
    formula: Annotated[str | None, "the comparison of `limit` in Flink's terms"]


class JudgementFact(_JudgementFact, total=False):
    """What a window said to a record, or what was said to the record as a whole, until a restore takes it back."""

    needs: Annotated[Time, "of a buffered record alone: the watermark at which it is forgotten"]


class RemedyFact(NamedFact):
    """A number of the scenario by which a lost record would have been kept, from its loss on."""

    record: Id
    what: Annotated[Literal["bound", "allowed-lateness"], "the setting that is changed"]
    before: Annotated[Duration, "what it is"]
    after: Annotated[Duration, "the least value that keeps the record; 1 ms less does not"]


class JudgedFact(Fact, Namespace):
    """What a window, or the stream join, said to a record of a micro-batch (Spark's rules)."""

    record: Id
    taken: bool
    left: Annotated[Time, "the end of the window, in a join the record's own time"]
    right: Annotated[Time | None, "the watermark that it was late by unless larger; null where nothing was asked"]
    batch: int
    step: StepNumber


class LawFact(NamedFact):
    """A law that holds at every step of every run, with its numbers."""

    law: LawName
    holds: bool
    numbers: dict[str, int | None]


class KeyHash(TypedDict):
    """How a key comes to its key group."""

    key: Key
    code: Annotated[int, "the hash code that Java gives it"]
    murmur: Annotated[int, "the murmur hash of that"]


class BarRow(TypedDict):
    """The life of a window, or of a record that waits in a queue or buffer."""

    id: Id
    kind: Literal["window", "queue", "left", "right"]
    key: Key
    start: Annotated[Time | None, "of a window"]
    end: Annotated[Time | None, "of a window"]
    ts: Annotated[Time | None, "of a record"]
    item: Annotated[ItemNumber | None, "of a record"]
    lives: Annotated[
        list[tuple[StepNumber, StepNumber | None, str | None]],
        "[from_step, until_step, how it ended]: `cleared`, `merged` or `removed`; the latter two null to the end",
    ]
    fired: Annotated[list[tuple[StepNumber, str]], "[step, timing]"]


class FoldedBar(TypedDict):
    """Many lives in one row."""

    key: Annotated[Key | None, "null where it stands for several"]
    keys: Annotated[int, "how many keys it stands for"]
    bars: Annotated[int, "how many windows or records"]
    alive: Annotated[list[tuple[StepNumber, int]], "[step, how many there are from this step on]"]


class _Total(TypedDict):
    total: Annotated[int, "how many windows and records there are"]


class Lifetimes(_Total, total=False):
    """All lives, or, where there are too many, a row for each key."""

    bars: list[BarRow]
    keys: list[FoldedBar]


class LevelColumns(TypedDict):
    """Two more columns of `steps`: who stops at a step (`stops.py`), and what it says about the steps in between."""

    level: Annotated[Level, "the first level of words at which an arrow key stops here"]
    since: Annotated[
        list[tuple[StepNumber, Sentence]],
        "[step, sentence] that led to this step; shown with it at levels that do not stop there",
    ]
