"""Questions about what comes next, answered by the trace; wrong answers are what a wrong belief would expect.

A question stands before the first step of a stream item and asks what is true after the item's last one.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from simulator.explore.beliefs import BELIEFS, Tour, tour
from simulator.explore.runs import Ran
from simulator.scenario.stream import items
from simulator.timeline.facts import Row
from simulator.trace.events import WindowsMerged
from simulator.values.items import Record

MOST_CHOICES: Final = 4
MOST_SUGGESTED: Final = 6

NEW_WATERMARK: Final = "new-watermark"
WINDOWS_THAT_FIRE: Final = "windows-that-fire"
FATE_OF_RECORD: Final = "fate-of-record"
STATE_ENTRIES: Final = "state-entries"
NEXT_TIMER: Final = "next-timer"

FATES: Final = ("on-time", "late-accepted", "dropped", "side", "skipped")


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer. ``value`` is JSON: ms or null for a watermark; a list of {key, start, end}; a fate; a number;
    {timestamp, domain, key, start, end} or null for a timer. ``belief``: who would expect it (a name of ``BELIEFS``
    or of ``beliefs`` in the catalogue), null for the right answer and for one that nobody in particular gives."""

    value: Any
    belief: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """``kind`` as in a ``predict`` of the format. It is asked before ``step`` and answered at ``until``, the last
    step of the item. ``right`` is an index into ``choices``."""

    kind: str
    item: int
    step: int
    until: int
    choices: tuple[Choice, ...]
    right: int


class Examiner:
    """Asks about one run. The beliefs are run once, when the first question needs them."""

    def __init__(self, truth: Ran) -> None:
        self.truth = truth
        self._first: dict[int, int] = {}
        self._last: dict[int, int] = {}
        for step in truth.trace:
            self._first.setdefault(step.item, step.step)
            self._last[step.item] = step.step
        self._items = list(items(truth.scenario))
        self._tours: list[Tour] | None = None

    def question(self, kind: str, item: int) -> Question | None:
        """The question of ``kind`` at the stream item; None where there is nothing to choose from."""
        if item not in self._first or not self._makes_sense(kind, item):
            return None
        right = ANSWERS[kind](self.truth, self._last[item], {item})
        wrong: dict[str, Choice] = {}
        for choice in self._wrong(kind, item):
            written = _written(choice.value)
            if written != _written(right) and written not in wrong:
                wrong[written] = choice
        named = sorted(wrong.values(), key=lambda choice: choice.belief is None)[: MOST_CHOICES - 1]
        if not named:
            return None
        choices = sorted([Choice(right), *named], key=lambda choice: self._place(kind, item, choice))
        return Question(kind, item, self._first[item], self._last[item], tuple(choices), choices.index(Choice(right)))

    def suggested(self) -> Iterator[Question]:
        """Questions at what is worth asking about: the first firing, lost, late and merging records, watermarks."""
        asked = 0
        for kind, item in self._worth_asking():
            question = self.question(kind, item)
            if question is not None:
                yield question
                asked += 1
            if asked == MOST_SUGGESTED:
                return

    def _makes_sense(self, kind: str, item: int) -> bool:
        if kind == FATE_OF_RECORD:
            return isinstance(self._items[item], Record)
        return kind != WINDOWS_THAT_FIRE or bool(self.truth.facts.tables["windows"])

    def _worth_asking(self) -> list[tuple[str, int]]:
        """At most one question an item, in the order of the stream."""
        found: dict[int, str] = {}
        seen: set[str] = set()

        def once(what: str, item: int, kind: str) -> None:
            if what not in seen and item not in found:
                seen.add(what)
                found[item] = kind

        for row in self.truth.facts.tables["records"]:
            if row["until_step"] is None and row["fate"] in FATES[1:]:
                once(row["fate"], row["item"], FATE_OF_RECORD)
        for results in self.truth.results.values():
            once("result", results[0].row["item"], WINDOWS_THAT_FIRE)
        for step in self.truth.trace:
            if isinstance(step.event, WindowsMerged):
                once("merge", step.item, STATE_ENTRIES)
        moved = [row["from_step"] for row in self.truth.facts.tables["watermark"] if row["value"] is not None]
        for step_number in moved[1:3]:
            once(f"watermark {step_number}", self.truth.trace.steps[step_number].item, NEW_WATERMARK)
        return [(kind, item) for item, kind in sorted(found.items())]

    def _wrong(self, kind: str, item: int) -> Iterator[Choice]:
        """What somebody may think, the beliefs first; what is right may be among it."""
        if isinstance(self._items[item], Record):
            moment = self.truth.moments[item]
            for each in self._believed(kind):
                if len(each.runs) > 1:
                    continue  # believed in parts: there is no step at which all of them stand
                run = each.runs[0]
                if kind == FATE_OF_RECORD:
                    yield Choice(run.fates.get(moment, "dropped"), each.belief.name)
                elif moment in run.last_steps:
                    items = {number for number, each_moment in enumerate(run.moments) if each_moment == moment}
                    yield Choice(ANSWERS[kind](run, run.last_steps[moment], items), each.belief.name)
        yield from GUESSES[kind](self.truth, self._first[item], self._last[item], item)

    def _believed(self, kind: str) -> list[Tour]:
        """Those about records first where a record is in question, else those about the watermark."""
        if self._tours is None:
            self._tours = [found for belief in BELIEFS if (found := tour(self.truth, belief)) is not None]
        return self._tours[::-1] if kind == FATE_OF_RECORD else self._tours

    def _place(self, kind: str, item: int, choice: Choice) -> bytes:
        """An order that tells nothing and is always the same."""
        return sha256(f"{self.truth.scenario.name} {kind} {item} {_written(choice.value)}".encode()).digest()


def _written(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


# --- the answers ---------------------------------------------------------------------------------------------------


def _now(run: Ran, table: str, step: int) -> Sequence[Row]:
    return run.facts.at(step, table)[table]


def _watermark(run: Ran, step: int, items: Collection[int]) -> int | None:
    return run.trace.steps[step].watermark


def _fired(run: Ran, step: int, items: Collection[int]) -> list[dict[str, Any]]:
    rows = [given.row for results in run.results.values() for given in results if given.row["row"] != "emitted"]
    windows = [{name: row[name] for name in ("key", "start", "end")} for row in rows if row["item"] in items]
    return sorted({_written(window): window for window in windows}.values(), key=_written)


def _fate(run: Ran, step: int, items: Collection[int]) -> str | None:
    return next(run.fates.get(run.moments[item]) for item in items)


def _entries(run: Ran, step: int, items: Collection[int]) -> int:
    held = _now(run, "held", step)
    return int(held[0]["values"]) if held else 0


def _next_timer(run: Ran, step: int, items: Collection[int]) -> dict[str, Any] | None:
    waiting = [row for row in _now(run, "timers", step) if row["status"] in ("waiting", "past")]
    if not waiting:
        return None
    return _as_timer(min(waiting, key=lambda row: (row["domain"] != "event", row["timestamp"], row["order"])))


def _as_timer(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("timestamp", "domain", "key", "start", "end")}


ANSWERS: Final[Mapping[str, Callable[[Ran, int, Collection[int]], Any]]] = {
    NEW_WATERMARK: _watermark,
    WINDOWS_THAT_FIRE: _fired,
    FATE_OF_RECORD: _fate,
    STATE_ENTRIES: _entries,
    NEXT_TIMER: _next_timer,
}
"""What is true of a run at a step, the last of its ``items``, by kind."""


# --- guesses that need no belief -----------------------------------------------------------------------------------


def _watermark_guesses(run: Ran, first: int, last: int, item: int) -> Iterator[Choice]:
    before = run.trace.steps[first - 1].watermark if first else None
    after = run.trace.steps[last].watermark
    generators = {each.watermark.generator for each in run.scenario.inputs}
    if after != before and after is not None and generators & {"bounded-out-of-orderness", "monotonous"}:
        yield Choice(after + 1, "no-minus-one")
    newest = [row["max_timestamp"] for row in _now(run, "channels", last) if row["max_timestamp"] is not None]
    if newest:
        yield Choice(max(newest), "first-past-the-end")
    yield Choice(before)
    yield from (Choice(time) for time in newest)


def _firing_guesses(run: Ran, first: int, last: int, item: int) -> Iterator[Choice]:
    yield Choice([])
    open_windows = [row for row in _now(run, "windows", max(first - 1, 0)) if row["status"] == "open"]
    ascending = sorted(open_windows, key=lambda row: (row["end"] is None, row["end"], _written(row["key"])))
    named = [{name: row[name] for name in ("key", "start", "end")} for row in ascending]
    for many in range(1, min(len(named), 3) + 1):
        yield Choice(sorted(named[:many], key=_written))


def _fate_guesses(run: Ran, first: int, last: int, item: int) -> Iterator[Choice]:
    return (Choice(fate) for fate in ("on-time", "late-accepted", "dropped"))


def _entries_guesses(run: Ran, first: int, last: int, item: int) -> Iterator[Choice]:
    right = _entries(run, last, {item})
    came = sum(row["fate"] != "ahead" for row in _now(run, "records", last))
    yield Choice(came, "keeps-everything" if came > right else None)
    yield from (Choice(number) for number in (right + 1, right - 1, right + 2) if number >= 0)


def _timer_guesses(run: Ran, first: int, last: int, item: int) -> Iterator[Choice]:
    waiting = sorted(_now(run, "timers", last), key=lambda row: (row["timestamp"], row["order"]))
    right = _next_timer(run, last, {item})
    if right is not None and right["end"] is not None and right["timestamp"] == right["end"] - 1:
        yield Choice(right | {"timestamp": right["end"]}, "reaches-the-end")
    yield from (Choice(_as_timer(row)) for row in waiting[:4])
    yield Choice(None)


GUESSES: Final[Mapping[str, Callable[[Ran, int, int, int], Iterator[Choice]]]] = {
    NEW_WATERMARK: _watermark_guesses,
    WINDOWS_THAT_FIRE: _firing_guesses,
    FATE_OF_RECORD: _fate_guesses,
    STATE_ENTRIES: _entries_guesses,
    NEXT_TIMER: _timer_guesses,
}
