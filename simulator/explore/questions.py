"""Questions about what comes next, with their right answers from the run; wrong answers are what a belief expects.

A question is asked before the first step of a stream item, about what is true after its last one.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, NamedTuple, Protocol, cast

from tidemark.simulator.engine.trace.events import (
    ChannelActive,
    ChannelIdle,
    CheckpointTaken,
    PaneFired,
    RecordArrived,
    Restored,
    WatermarkEmitted,
    WindowsMerged,
)
from tidemark.simulator.engine.trace.trace import Step, Trace, plain
from tidemark.simulator.engine.values.items import End, Key, Record, Watermark
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.explore.beliefs import BELIEFS, Tour, applies, tour
from tidemark.simulator.explore.runs import RESULTS, Ran
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.schema import TableName

NEW_WATERMARK: Final = "new-watermark"
WINDOWS_THAT_FIRE: Final = "windows-that-fire"
FATE_OF_RECORD: Final = "fate-of-record"
STATE_ENTRIES: Final = "state-entries"
NEXT_TIMER: Final = "next-timer"


class Span(NamedTuple):
    """Consecutive steps, ``last`` included: those of one stream item."""

    first: int
    last: int


def spans_of(run: Ran) -> dict[int, Span]:
    """The steps of each stream item when it first came; after a restore items come again, with their old numbers."""
    found: dict[int, Span] = {}
    now = None
    for step in run.trace:
        if step.item not in found:
            found[step.item] = Span(step.step, step.step)
            now = step.item
        elif step.item == now:
            found[step.item] = found[step.item]._replace(last=step.step)
        else:
            now = None
    return found


def arrival(run: Ran, span: Span) -> int:
    """The step at which the item itself arrives; before it the clock may move, with timers, ticks and idleness."""
    return next((step.step for step in run.trace.steps[span.first : span.last + 1] if is_the_item(step)), span.first)


def is_the_item(step: Step) -> bool:
    """Whether the stream item itself takes effect at the step, and not the clock that moves on to it."""
    event = step.event
    if isinstance(event, WatermarkEmitted | ChannelIdle | ChannelActive):
        return event.source != "generator"
    return isinstance(event, RecordArrived | CheckpointTaken | Restored)


def written(value: Any) -> str:
    """An answer as text; equal answers have equal texts."""
    return json.dumps(value, sort_keys=True)


def now(run: Ran, table: TableName, step: int) -> Sequence[Row]:
    """The facts of ``table`` at ``step``."""
    return cast("Sequence[Row]", run.facts.at(step, table)[table])


def _watermark(run: Ran, span: Span) -> int | None:
    return run.trace.steps[span.last].watermark


def _fired(run: Ran, span: Span) -> list[dict[str, Any]]:
    # A restore withdraws rows, also those of its own steps.
    facts = [fact for fact in run.facts.by_name()["outputs"] if span.first <= fact["from_step"] <= span.last]
    rows = [fact["row"] for fact in facts if fact["until_step"] is None or fact["until_step"] > span.last]
    results = [row for row in rows if row["row"] in RESULTS and row["row"] != "emitted"]
    windows = [{name: row[name] for name in ("key", "start", "end")} for row in results]
    return sorted({written(window): window for window in windows}.values(), key=written)


def _fate(run: Ran, span: Span) -> str | None:
    item = run.trace.steps[span.first].item
    return next((str(row["fate"]) for row in now(run, "records", span.last) if row["item"] == item), None)


def _entries(run: Ran, span: Span) -> int:
    """For an operator with windows, their contents only: neither the merging set nor the state of triggers."""
    if run.facts.tables["windows"]:
        return sum(row["entries"] for row in now(run, "state", span.last) if row["kind"] == "contents")
    held = now(run, "held", span.last)
    return int(held[0]["values"]) if held else 0


def _next_timer(run: Ran, span: Span) -> dict[str, Any] | None:
    waiting = [row for row in now(run, "timers", span.last) if row["status"] in ("waiting", "past")]
    if not waiting:
        return None
    return as_timer(min(waiting, key=lambda row: (row["domain"] != "event", row["timestamp"], row["order"])))


def as_timer(row: Mapping[str, Any]) -> dict[str, Any]:
    """A timer in the form of an answer."""
    return {name: row[name] for name in ("timestamp", "domain", "key", "start", "end")}


ANSWERS: Final[Mapping[str, Callable[[Ran, Span], Any]]] = {
    NEW_WATERMARK: _watermark,
    WINDOWS_THAT_FIRE: _fired,
    FATE_OF_RECORD: _fate,
    STATE_ENTRIES: _entries,
    NEXT_TIMER: _next_timer,
}
"""What is true of a run after the steps of a span, by kind."""


def decided_before(run: Ran, kind: str, span: Span) -> bool:
    """Whether the clock, a tick or idleness decides the answer before the item itself arrives."""
    before = Span(span.first, arrival(run, span) - 1)
    if before.last < before.first:
        return False
    if kind == WINDOWS_THAT_FIRE:
        return bool(_fired(run, before))
    # The fate of a record depends on the watermark when it comes.
    asked = ANSWERS[NEW_WATERMARK if kind == FATE_OF_RECORD else kind]
    start = max(span.first - 1, 0)
    return written(asked(run, Span(start, start))) != written(asked(run, before))


class Fired(NamedTuple):
    """One result of a window [``start``, ``end``) in ms, as its ``pane`` row; see ``runs`` for moments.

    What fires on the clock while a record is awaited has the moment before that of the record.
    """

    moment: int
    step: int
    key: Key
    start: int
    end: int
    pane: int
    value: Any


class Traced(Protocol):
    """A run, as far as it is needed here."""

    @property
    def trace(self) -> Trace:
        """Its micro-steps."""

    @property
    def moments(self) -> Sequence[int]:
        """The moment of each of its items."""


def fired(trace: Trace, moments: Sequence[int]) -> list[Fired]:
    """The results of one run in order of emission; it has no restores."""
    found: list[Fired] = []
    arrived = -1
    for step in trace:
        event = step.event
        if is_the_item(step):
            arrived = step.item
        elif isinstance(event, PaneFired) and isinstance(event.window, TimeWindow):
            moment, window = moments[step.item], event.window
            awaited = moment % 2 == 0 and arrived != step.item
            found.append(
                Fired(moment - awaited, step.step, event.key, window.start, window.end, event.pane, plain(event.value))
            )
    return found


def fired_in(runs: Iterable[Traced]) -> list[Fired]:
    """The results of several runs, each about a part of one stream."""
    found = [each for run in runs for each in fired(run.trace, run.moments)]
    return sorted(found, key=lambda each: (each.moment, each.step))


MOST_CHOICES: Final = 4
MOST_SUGGESTED: Final = 6

WORTH_ASKING: Final = frozenset(("late-accepted", "dropped", "side", "skipped"))
"""The fates that are worth asking about."""

BELIEF_BEHIND: Final = {
    "no-minus-one": "no-minus-one",
    "first-past-the-end": "bound-forgotten",
    "after-each-record": "after-each-record",
}
"""Beliefs about the watermark itself that other beliefs imply; all others are about windows and records."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer.

    ``value`` is JSON: ms or null for a watermark; a list of {key, start, end}; a fate; a number; {timestamp, domain,
    key, start, end} or null for a timer. ``belief``: who would expect it (a name in ``BELIEFS``, or under ``beliefs``
    in the catalogue), None for the right answer and for one that no belief leads to.
    """

    value: Any
    belief: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question; ``kind`` as in a ``predict`` of the format.

    It is asked before ``step`` and answered at ``until``, the last step of the item. ``right`` is an index into
    ``choices``.
    """

    kind: str
    item: int
    step: int
    until: int
    choices: tuple[Choice, ...]
    right: int


class Examiner:
    """Makes questions about one run. The beliefs are run once, when the first question needs them."""

    def __init__(self, truth: Ran) -> None:
        self.truth = truth
        self._spans = spans_of(truth)
        self._items = list(items(truth.scenario))
        self._tours: list[Tour] | None = None

    @property
    def has_windows(self) -> bool:
        """Whether the operator of the run has windows."""
        return bool(self.truth.facts.tables["windows"])

    def can_be_run(self, belief: str) -> bool:
        """Whether the belief can be run and compared with the truth; for others there are only words."""
        return any(each.name == belief and applies(self.truth, each) for each in BELIEFS)

    def question(self, kind: str, item: int) -> Question | None:
        """The question of ``kind`` at the stream item; None if there is nothing to choose from."""
        if item not in self._spans or not self._makes_sense(kind, item):
            return None
        span = self._spans[item]
        right = ANSWERS[kind](self.truth, span)
        wrong: dict[str, Choice] = {}
        for choice in self._wrong(kind, item):
            answer = written(choice.value)
            if answer != written(right) and answer not in wrong:
                wrong[answer] = choice
        named = sorted(wrong.values(), key=lambda choice: choice.belief is None)[: MOST_CHOICES - 1]
        if not named:
            return None
        choices = sorted([Choice(right), *named], key=lambda choice: self._place(kind, item, choice))
        return Question(kind, item, *span, tuple(choices), choices.index(Choice(right)))

    def suggested(self, asked_already: Collection[int] = ()) -> Iterator[Question]:
        """Questions where they are worth asking: at the first firing, at lost, late and merging records, at watermarks.

        There is none at an item with a step in ``asked_already``, where the author asks.
        """
        taken = {self.truth.trace.steps[step].item for step in asked_already}
        seen: set[str] = set()
        found: dict[int, Question] = {}
        for what, kind, item in self._worth_asking():
            if what in seen or item in found or item in taken or not self._is_open(kind, item):
                continue
            question = self.question(kind, item)
            if question is not None:
                seen.add(what)
                found[item] = question
        for number, item in enumerate(sorted(found)):
            if number < MOST_SUGGESTED:
                yield found[item]

    def _makes_sense(self, kind: str, item: int) -> bool:
        if kind == FATE_OF_RECORD:
            return isinstance(self._items[item], Record)
        return kind != WINDOWS_THAT_FIRE or self.has_windows

    def _is_open(self, kind: str, item: int) -> bool:
        """Whether the answer shows neither in the question nor in what happens before the item arrives."""
        what, span = self._items[item], self._spans[item]
        if kind == NEW_WATERMARK:
            in_stream = MAX if isinstance(what, End) else what.ts if isinstance(what, Watermark) else None
            if in_stream is not None and in_stream == ANSWERS[kind](self.truth, span):
                return False
        return not decided_before(self.truth, kind, span)

    def _worth_asking(self) -> Iterator[tuple[str, str, int]]:
        """What may be asked: (subject, kind, item); one question about each subject is enough."""
        tables, steps = self.truth.facts.tables, self.truth.trace.steps
        for row in tables["records"]:
            if row["fate"] in WORTH_ASKING and self._comes_first(row["from_step"]):
                yield row["fate"], FATE_OF_RECORD, row["item"]
        for fact in tables["outputs"]:
            if fact["row"]["row"] in RESULTS and self._comes_first(fact["from_step"]):
                yield "result", WINDOWS_THAT_FIRE, steps[fact["from_step"]].item
        for step in self.truth.trace:
            if isinstance(step.event, WindowsMerged) and self._comes_first(step.step):
                yield "merge", STATE_ENTRIES, step.item
        moved = [row["from_step"] for row in tables["watermark"] if row["value"] is not None]
        later = [step for step in moved[1:] if self._comes_first(step)]
        for what in ("watermark", "another watermark"):
            yield from ((what, NEW_WATERMARK, steps[step].item) for step in later)

    def _comes_first(self, step: int) -> bool:
        """Whether ``step`` does not belong to the replay of an item."""
        first, last = self._spans[self.truth.trace.steps[step].item]
        return first <= step <= last

    def _wrong(self, kind: str, item: int) -> Iterator[Choice]:
        """What somebody may think, the beliefs first; the right answer may be among it."""
        span = self._spans[item]
        if kind == NEW_WATERMARK:
            yield from _fastest_channel(self.truth, span)
        if isinstance(self._items[item], Record):
            yield from self._expected(kind, self.truth.moments[item])
        yield from GUESSES[kind](self.truth, span, item)

    def _expected(self, kind: str, moment: int) -> Iterator[Choice]:
        """What each belief expects of the record of ``moment``."""
        # Those about records are last in the list, and come first if the question is about a record.
        for each in self._believed()[:: -1 if kind == FATE_OF_RECORD else 1]:
            name = each.belief.name
            if len(each.runs) > 1:
                continue  # believed in parts: there is no common step
            if kind == NEW_WATERMARK and name not in BELIEF_BEHIND:
                continue
            run = each.runs[0]
            if kind == FATE_OF_RECORD:
                yield Choice(run.fates.get(moment, "dropped"), name)
            elif moment in run.last_steps:
                value = ANSWERS[kind](run, _span_of(run, moment))
                yield Choice(value, BELIEF_BEHIND[name] if kind == NEW_WATERMARK else name)

    def _believed(self) -> list[Tour]:
        if self._tours is None:
            self._tours = [found for belief in BELIEFS if (found := tour(self.truth, belief)) is not None]
        return self._tours

    def _place(self, kind: str, item: int, choice: Choice) -> bytes:
        """An order that reveals nothing and is always the same."""
        return sha256(f"{self.truth.scenario.name} {kind} {item} {written(choice.value)}".encode()).digest()


def _span_of(run: Ran, moment: int) -> Span:
    """The steps of ``moment`` in a run without restores."""
    return Span(min(step.step for step in run.trace if run.moments[step.item] == moment), run.last_steps[moment])


# --- guesses that need no belief -----------------------------------------------------------------------------------


def _fastest_channel(run: Ran, span: Span) -> Iterator[Choice]:
    """The watermark of the channel that is furthest; a single channel's is the operator's anyway."""
    reached = [row["watermark"] for row in now(run, "channels", span.last) if row["watermark"] is not None]
    if reached:
        yield Choice(max(reached), "fastest-channel")


def _watermark_guesses(run: Ran, span: Span, item: int) -> Iterator[Choice]:
    before = run.trace.steps[span.first - 1].watermark if span.first else None
    after = run.trace.steps[span.last].watermark
    specs = [each.watermark for each in run.scenario.inputs]
    takes_off_one = any(each.ahead > each.bound for each in specs)
    if after != before and after is not None and after < MAX and takes_off_one:
        yield Choice(after + 1, "no-minus-one")
    channels = now(run, "channels", span.last)
    newest = [row["max_timestamp"] for row in channels if row["max_timestamp"] is not None]
    if newest and len(channels) == 1 and specs[0].bound:
        yield Choice(newest[0], "bound-forgotten")
    yield Choice(before)
    yield from (Choice(time) for time in newest)


def _firing_guesses(run: Ran, span: Span, item: int) -> Iterator[Choice]:
    yield Choice([])
    open_windows = [row for row in now(run, "windows", max(span.first - 1, 0)) if row["status"] == "open"]
    ascending = sorted(open_windows, key=lambda row: (row["end"] is None, row["end"], written(row["key"])))
    named = [{name: row[name] for name in ("key", "start", "end")} for row in ascending]
    for many in range(1, min(len(named), 3) + 1):
        yield Choice(sorted(named[:many], key=written))


def _fate_guesses(run: Ran, span: Span, item: int) -> Iterator[Choice]:
    # Only a window emits another result for a late record.
    late = ("late-accepted",) if run.facts.tables["windows"] else ()
    return (Choice(fate) for fate in ("on-time", *late, "dropped"))


def _entries_guesses(run: Ran, span: Span, item: int) -> Iterator[Choice]:
    right = ANSWERS[STATE_ENTRIES](run, span)
    came = sum(row["fate"] != "ahead" for row in now(run, "records", span.last))
    yield Choice(came, "keeps-everything" if came > right else None)
    yield from (Choice(number) for number in (right + 1, right - 1, right + 2) if number >= 0)


def _timer_guesses(run: Ran, span: Span, item: int) -> Iterator[Choice]:
    waiting = sorted(now(run, "timers", span.last), key=lambda row: (row["timestamp"], row["order"]))
    right = ANSWERS[NEXT_TIMER](run, span)
    if right is not None and right["end"] is not None and right["timestamp"] == right["end"] - 1:
        yield Choice(right | {"timestamp": right["end"]}, "reaches-the-end")
    yield from (Choice(as_timer(row)) for row in waiting[:4])
    yield Choice(None)


GUESSES: Final[Mapping[str, Callable[[Ran, Span, int], Iterator[Choice]]]] = {
    NEW_WATERMARK: _watermark_guesses,
    WINDOWS_THAT_FIRE: _firing_guesses,
    FATE_OF_RECORD: _fate_guesses,
    STATE_ENTRIES: _entries_guesses,
    NEXT_TIMER: _timer_guesses,
}
