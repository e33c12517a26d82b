"""The choices of an item: the true answer, and the answers of the three beliefs that lead elsewhere, all computed.

A belief answers an item by its own run (``simulator.explore.beliefs``); where that gives the true answer, or where the
belief cannot be run, whoever holds it answers right. An item is only good if exactly three beliefs lead to another
answer and no two of them to the same one: then each wrong choice is one belief, and nobody who holds a single belief is
without a choice. ``tests/inventory`` checks that of every item.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, Final

from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.explore.beliefs import BELIEFS, tour
from tidemark.simulator.explore.questions import ANSWERS, STATE_ENTRIES, Fired, Span, fired_in, written
from tidemark.simulator.explore.runs import BEFORE_ALL, Ran, run_of
from tidemark.simulator.inventory.items import FORMS, Item, inventory, scenario_of
from tidemark.simulator.timeline.wording import TimeFormat, duration, time_format
from tidemark.simulator.words import words

# What an item asks, and how its answer is read from runs: the true one, or the runs of a belief.
#
# An answer is JSON without times wherever there is a choice: a record is its number (from 1), and a moment is the
# record that came, or the two records between which it lies. So the answers of both forms can be compared.

FIRES: Final = "fires"
FIRST: Final = "first"
FINAL: Final = "final"
DROPPED: Final = "dropped"
WHERE: Final = "where"
RESULTS: Final = "results"
STATE: Final = "state"
WATERMARK: Final = "watermark"

Runs = Sequence[Ran]
"""One run, or several of which each is about a part of the stream."""


def _of_window(item: Item, form: str, runs: Runs) -> list[Fired]:
    start, end = item.bounds(form)
    key = item.forms[form].keys[item.key]
    return [each for each in fired_in(runs) if (each.key, each.start, each.end) == (key, start, end)]


def _fires(item: Item, form: str, runs: Runs) -> int | None:
    """The moment of the window's first result; None if it has none."""
    found = _of_window(item, form, runs)
    return found[0].moment if found else None


def _first(item: Item, form: str, runs: Runs) -> list[int] | None:
    """The records in the window's first result."""
    found = _of_window(item, form, runs)
    return sorted(found[0].value) if found else None


def _final(item: Item, form: str, runs: Runs) -> list[int] | None:
    """The records in the window's last result."""
    found = _of_window(item, form, runs)
    return sorted(found[-1].value) if found else None


def _dropped(item: Item, form: str, runs: Runs) -> list[int]:
    """The records that are in no result."""
    fates = {moment: fate for run in runs for moment, fate in run.fates.items()}
    return [
        number + 1 for number in range(len(item.records)) if fates.get(2 * number, "dropped") in ("dropped", "skipped")
    ]


def _where(item: Item, form: str, runs: Runs) -> dict[str, Any] | None:
    """The result in which the record counts for the first time: {window, again}; None if it is dropped.

    ``window`` is its number, ``again`` whether the window had a result before.
    """
    look = item.forms[form]
    for each in fired_in(runs):
        if item.record in each.value:
            return {"window": (each.start // look.unit - look.start) // item.size, "again": each.pane > 0}
    return None


def _results(item: Item, form: str, runs: Runs) -> list[list[int]]:
    """The records of every result, in order."""
    return sorted(sorted(each.value) for each in fired_in(runs))


def _state(item: Item, form: str, runs: Runs) -> int:
    """How many values the windows hold once the record has been worked on."""
    return sum(_entries(run, 2 * (item.record - 1)) for run in runs)


def _entries(run: Ran, moment: int) -> int:
    while moment not in run.last_steps and moment > BEFORE_ALL:
        moment -= 1
    return int(ANSWERS[STATE_ENTRIES](run, Span(0, run.last_steps[moment]))) if moment in run.last_steps else 0


def _watermark(item: Item, form: str, runs: Runs) -> int | None:
    """The operator's watermark (ms) once the record has been worked on."""
    return runs[0].watermarks[2 * (item.record - 1)]


KINDS: Final[Mapping[str, Callable[[Item, str, Runs], Any]]] = {
    FIRES: _fires,
    FIRST: _first,
    FINAL: _final,
    DROPPED: _dropped,
    WHERE: _where,
    RESULTS: _results,
    STATE: _state,
    WATERMARK: _watermark,
}
"""How the answer of each kind of question is read from runs."""


KEEPS_EVERYTHING: Final = "keeps-everything"
BOUND_FORGOTTEN: Final = "bound-forgotten"

HELD: Final = (*(each.name for each in BELIEFS), BOUND_FORGOTTEN, KEEPS_EVERYTHING)
"""Every belief that the inventory asks about: the thirteen that can be run, and two that are about a number alone."""

ORDER: Final = 114
"""Shuffles the choices: with this number the right answers are spread over all places, in both forms."""

OF_WATERMARKS: Final = frozenset(("after-each-record", "fastest-channel"))
"""The beliefs whose run has the watermark that they expect. The others move the watermark only in order to get the
firings that they expect; they say nothing about its value."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to an item; ``belief``: who expects it, None for the right one."""

    value: Any
    belief: str | None


@cache
def truth_of(item: Item, form: str) -> Ran:
    """The run of an item."""
    return run_of(scenario_of(item, form))


@cache
def expected(item: Item, form: str) -> Mapping[str, Any]:
    """The answer of each belief of ``HELD`` that applies to the item, whether true or not."""
    truth = truth_of(item, form)
    if item.asks == WATERMARK:
        return _watermarks(item, form, truth)
    found = {
        belief.name: KINDS[item.asks](item, form, toured.runs)
        for belief in BELIEFS
        if (toured := tour(truth, belief)) is not None
    }
    return found | ({KEEPS_EVERYTHING: item.record} if item.asks == STATE else {})


def _watermarks(item: Item, form: str, truth: Ran) -> dict[str, Any]:
    right = KINDS[WATERMARK](item, form, (truth,))
    found = {
        belief.name: KINDS[WATERMARK](item, form, toured.runs)
        for belief in BELIEFS
        if belief.name in OF_WATERMARKS and (toured := tour(truth, belief)) is not None
    }
    # Both are about what is taken off, whenever the generator is asked and whichever channel counts.
    ahead = truth.scenario.inputs[0].watermark.ahead
    return found if right is None else found | {"no-minus-one": right + 1, BOUND_FORGOTTEN: right + ahead}


@cache
def right_answer(item: Item, form: str) -> Any:
    """What is true."""
    return KINDS[item.asks](item, form, (truth_of(item, form),))


@cache
def choices(item: Item, form: str) -> tuple[Choice, ...]:
    """The right answer and the wrong ones, in an order that reveals nothing and is always the same."""
    right = right_answer(item, form)
    wrong = [
        Choice(value, belief) for belief, value in expected(item, form).items() if written(value) != written(right)
    ]
    return tuple(sorted((Choice(right, None), *wrong), key=lambda each: _place(item, form, each)))


def _place(item: Item, form: str, choice: Choice) -> bytes:
    return sha256(f"{ORDER} {item.name} {form} {written(choice.value)}".encode()).digest()


@cache
def key_of(form: str) -> tuple[tuple[str | None, ...], ...]:
    """The belief behind each choice of each item, None for the right one."""
    return tuple(tuple(choice.belief for choice in choices(item, form)) for item in inventory())


@cache
def asked_about() -> Mapping[str, int]:
    """In how many items of a form each belief has a choice."""
    behind = [belief for row in key_of(FORMS[0]) for belief in row]
    return {belief: behind.count(belief) for belief in HELD}


def digest() -> str:
    """Changes with any choice of any item; ``edition`` of ``items.toml`` is the one of these items."""
    every = [
        [item.name, form, [[each.value, each.belief] for each in choices(item, form)]]
        for item in inventory()
        for form in FORMS
    ]
    return sha256(written(every).encode()).hexdigest()[:8]


# A form graded: how many answers are right, and which beliefs the wrong ones come from.
#
# A belief is *held* if every item that offers its answer got it, and *wavers* if at least two did, but not all.
# Whoever guesses picks a given answer in one item of four, so three of three happen to one guesser in 64 for each
# belief. A further rule keeps most of these out: where right answers and answers of held beliefs together are fewer
# than half of the form, the answers follow no pattern, and no belief is named.

PATTERN: Final = 0.5
"""The share of a form that right answers and held beliefs must explain."""

WAVERS: Final = 2
"""So many answers by one belief are worth a word, even if not all of its items got one."""

Answers = Sequence[int | None]
"""For each item the index of the choice; None for an item without an answer."""


@dataclass(frozen=True, slots=True)
class Graded:
    """``picked``: how many answers each belief has. ``patternless``: too few answers are explained, see above."""

    form: str
    right: int
    items: int
    picked: Mapping[str, int]
    held: tuple[str, ...]
    wavers: tuple[str, ...]
    patternless: bool


def grade(form: str, answers: Answers) -> Graded:
    """Grade the answers to a form, which are as many as it has items."""
    key = key_of(form)
    behind = [row[answer] for row, answer in zip(key, answers, strict=True) if answer is not None]
    picked = Counter(behind)
    right = picked.pop(None, 0)
    offered = asked_about()
    held = tuple(each for each in HELD if offered[each] and picked[each] == offered[each])
    wavers = tuple(each for each in HELD if each not in held and picked[each] >= WAVERS)
    explained = right + sum(picked[each] for each in held)
    patternless = explained < PATTERN * len(key)
    return Graded(
        form, right, len(key), {each: picked[each] for each in HELD},
        () if patternless else held, () if patternless else wavers, patternless,
    )  # fmt: skip


def answers_by(form: str, *beliefs: str) -> list[int]:
    """The answers of somebody who holds ``beliefs`` and is right in all else; the first of them that applies counts."""
    found = []
    for row in key_of(form):
        belief = next((each for each in beliefs if each in row), None)
        found.append(row.index(belief))
    return found


# An item in words: its settings, its records as a table, its question, its choices.

TICKS: Final = 3
"""So many times are named at which a watermark is emitted."""


def story_of(item: Item, form: str) -> str:
    """What the records are about."""
    return words(f"inventory.items.{item.name}.{form}")


def settings_of(item: Item, form: str, *, bound: str = "") -> list[str]:
    """Windows, bound and whatever else decides, each in a few words. ``bound``: what is said instead of its length."""
    unit = item.forms[form].unit

    def length(units: int) -> str:
        return duration(units * unit)

    told = [words(f"inventory.settings.{'session' if item.session else 'tumbling'}", size=length(item.size))]
    told.append(words("inventory.settings.bound", bound=bound or length(item.bound)))
    if item.lateness:
        told.append(words("inventory.settings.lateness", lateness=length(item.lateness)))
    if item.emit:
        told.append(words("inventory.settings.emit", ticks=listed_text(_ticks(item, form))))
    if item.channels > 1:
        told.append(words("inventory.settings.channels", count=item.channels))
    if item.idle:
        told.append(words("inventory.settings.idle", timeout=length(item.idle)))
    if item.aggregates:
        told.append(words("inventory.settings.count"))
    return told


def _ticks(item: Item, form: str) -> list[str]:
    """When the generator is asked: at multiples of the interval on the clock; the first ones after the first record."""
    look = item.forms[form]
    interval, first = item.emit * look.unit, look.ms(item.records[0].at or 0)
    return [seconds_text((first // interval + number) * interval) for number in range(1, TICKS + 1)]


def seconds_text(ms: int) -> str:
    """A time of an item: all of them are whole seconds."""
    return words("inventory.answer.seconds", time=ms // 1000)


def table_of(item: Item, form: str) -> dict[str, list[Any]]:
    """The records as {head, rows}: number, timestamp, and whatever differs: arrival, key, channel."""
    look = item.forms[form]
    columns = ["record", "ts"]
    columns += ["at"] if item.has_clock else []
    columns += ["key"] if len(look.keys) > 1 else []
    columns += ["channel"] if item.channels > 1 else []
    rows = []
    for number, spot in enumerate(item.records, 1):
        cells = {
            "record": str(number),
            "ts": seconds_text(look.ms(spot.ts)),
            "at": "" if spot.at is None else seconds_text(look.ms(spot.at)),
            "key": look.keys[spot.key],
            "channel": str(spot.channel),
        }
        rows.append([cells[name] for name in columns])
    return {"head": [words(f"inventory.columns.{name}") for name in columns], "rows": rows}


def question_of(item: Item, form: str) -> str:
    """What is asked."""
    look, style = item.forms[form], time_format(scenario_of(item, form))
    kind = item.asks
    if kind == FIRES and len(look.keys) > 1:
        kind = "fires_key"
    if kind == FINAL and item.lateness:
        kind = "final_again"
    window = style.window(TimeWindow(*item.bounds(form)))
    return words(f"inventory.asks.{kind}", window=window, key=look.keys[item.key], record=item.record)


def choice_texts(item: Item, form: str) -> list[str]:
    """The choices in words, in their order."""
    style = time_format(scenario_of(item, form))
    return [answer_text(item, each.value, style) for each in choices(item, form)]


def answer_text(item: Item, value: Any, style: TimeFormat) -> str:
    """An answer in words."""
    if item.asks == WATERMARK:
        return words("inventory.answer.seconds", time=style.exact(value))
    if item.asks == STATE:
        return str(value)
    if item.asks == FIRES:
        return moment_text(item, value)
    return _sessions(item, value) if item.asks == RESULTS else records_text(value)


def moment_text(item: Item, moment: int | None, texts: str = "inventory.answer") -> str:
    """When something happens, told by the records; None for never before the end. ``texts``: where its words are."""
    last = len(item.records)
    if moment is None or moment >= 2 * last - 1:
        return words(f"{texts}.end")
    before, between = divmod(moment, 2)
    if not between:
        return words(f"{texts}.at", record=item.number(before))
    return words(f"{texts}.between", before=item.number(before), after=item.number(before + 1))


def records_text(records: Sequence[int] | None) -> str:
    """Which records, by their numbers; None and none at all for no result."""
    if not records:
        return words("inventory.answer.none")
    if len(records) == 1:
        return words("inventory.answer.one", record=records[0])
    return words("inventory.answer.records", first=listed_text(map(str, records[:-1])), last=records[-1])


def _sessions(item: Item, groups: Sequence[Sequence[int]]) -> str:
    """Which records are together, which alone, which dropped."""
    told = [
        words("inventory.answer.alone", record=group[0])
        if len(group) == 1
        else words("inventory.answer.together", records=_and(group))
        for group in groups
    ]
    kept = {record for group in groups for record in group}
    lost = [number for number in range(1, len(item.records) + 1) if number not in kept]
    if lost:
        told.append(
            words("inventory.answer.dropped", record=lost[0])
            if len(lost) == 1
            else words("inventory.answer.dropped_many", records=_and(lost))
        )
    return words("app.semicolon").join(told)


def _and(records: Sequence[int]) -> str:
    return words("inventory.answer.and", first=listed_text(map(str, records[:-1])), last=records[-1])


def listed_text(parts: Iterable[str]) -> str:
    """Numbers or words one after another."""
    return words("inventory.answer.comma").join(parts)
