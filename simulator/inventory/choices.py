"""The choices of an item: the true answer, and the answers of the three beliefs that lead elsewhere, all computed.

A belief answers an item by its own run (``simulator.explore.beliefs``); where that gives the true answer, or where the
belief cannot be run, whoever holds it answers right. An item is only good if exactly three beliefs lead to another
answer and no two of them to the same one: then each wrong choice is one belief, and nobody who holds a single belief is
without a choice. ``tests/inventory`` checks that of every item.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, Final

from tidemark.simulator.explore.answers import ANSWERS, STATE_ENTRIES, Fired, Span, fired_in, written
from tidemark.simulator.explore.beliefs import BELIEFS, tour
from tidemark.simulator.explore.runs import BEFORE_ALL, Ran, run_of
from tidemark.simulator.inventory.items import FORMS, Item, inventory, scenario_of

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
