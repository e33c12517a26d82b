"""What is worked out from the tables of the timeline, typed as they are in ``schema.py``.

Conditions and judgements answer "why" and "why not"; laws show that nothing is lost; lifetimes and key hashes are for
the state drawer; levels say which steps matter to whom.
"""

from typing import Annotated, Literal, TypedDict

from tidemark.simulator.engine.values.part import Duration, Id, ItemNumber, Json, StepNumber, Time
from tidemark.simulator.timeline.schema import Fact, Key, NamedFact, Namespace

Verdict = Literal[
    "taken", "refused", "none", "dropped", "side", "skipped", "queued", "buffered", "ignored", "version", "given"
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
    """Two more columns of `steps`: who stops at a step (`levels.py`), and what it says about the steps in between."""

    level: Annotated[Level, "the first level of words at which an arrow key stops here"]
    since: Annotated[
        list[tuple[StepNumber, Sentence]],
        "[step, sentence] that led to this step; shown with it at levels that do not stop there",
    ]
