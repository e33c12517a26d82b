"""What fires next, when, and with which records: one right choice, the others are what beliefs expect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.explore.fired import Fired
from tidemark.simulator.inventory.items import Item
from tidemark.simulator.inventory.telling import moment_text, settings_of
from tidemark.simulator.practice import reasons
from tidemark.simulator.practice.against import against
from tidemark.simulator.practice.believed import believed, is_wrong_here, results, truth_of
from tidemark.simulator.practice.chance import Chance
from tidemark.simulator.practice.choosing import Choice, chosen, mixed, right_one
from tidemark.simulator.practice.exercise import Made, Run, Verdict
from tidemark.simulator.practice.levels import FORM, drawn
from tidemark.simulator.practice.reasons import Value, as_values, results_text
from tidemark.simulator.words import words

NAME: Final = "fires"

MOST_TOGETHER: Final = 2
"""So many windows may fire at once; more make a choice hard to read."""

MANY_KNOWN: Final = 2
"""At least so many of the wrong choices are beliefs."""


MANY_ARRIVED: Final = 3
"""From so many records on, those that have arrived are told as a range."""


@dataclass(frozen=True, slots=True)
class Next:
    """The next moment at which anything fires, and its results. At the end of input there are none: all fire then."""

    moment: int
    results: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """``after``: how many records have arrived when the question is asked."""

    after: int
    choices: tuple[Choice, ...]


def make(chance: Chance, level: int, wanted: str) -> Made | None:
    """See ``Kind``."""
    item = drawn(chance, level, NAME)
    truth = truth_of(item)
    if not is_wrong_here(truth, wanted):
        return None
    found = results(truth)
    after = chance.of([0, *(each.moment // 2 + 1 for each in found if each.moment % 2 == 0)])
    right = next_after(item, found, after)
    if right is None or right.moment >= 2 * len(item.records) - 1 or len(right.results) > MOST_TOGETHER:
        return None
    expected = {
        name: answer for name, given in believed(truth) if (answer := next_after(item, given, after)) is not None
    }
    choices = mixed(chance, right, expected, _others(item, found, right), wanted)
    held = tuple(each.belief for each in choices if each.belief)
    if len(choices) < 4 or len(held) < MANY_KNOWN or (wanted and wanted not in held):
        return None
    return Made(item, truth, held, Task(after, choices))


def next_after(item: Item, found: Sequence[Fired], after: int) -> Next | None:
    """The first results once ``after`` records have arrived; None if nothing fires any more."""
    last = 2 * len(item.records) - 1
    left = [(min(each.moment, last), each) for each in found if each.moment > 2 * (after - 1)]
    if not left:
        return None
    first = min(moment for moment, _ in left)
    if first == last:
        return Next(last, ())
    return Next(first, as_values(each for moment, each in left if moment == first))


def _others(item: Item, found: Sequence[Fired], right: Next) -> list[Next]:
    """Wrong answers that no belief need lead to: a record later, a record more, a record less."""
    others = [Next(right.moment + 2, right.results)] if right.moment + 2 < 2 * len(item.records) - 1 else []
    first, *rest = right.results
    varied = (first.records[:-1], first.records[1:], (*first.records, right.moment // 2 + 1))
    others += [
        Next(right.moment, (first._replace(records=records), *rest))
        for records in varied
        if records and len(set(records)) == len(records)
    ]
    later = 2 * len(item.records) - 1
    others += [Next(each.moment, as_values([each])) for each in found if right.moment < each.moment < later]
    return others


def asked(made: Made) -> Mapping[str, Any]:
    """See ``Kind``."""
    task: Task = made.task
    kind = ("first", "next_one", "next_two")[task.after] if task.after < MANY_ARRIVED else "next"
    return {
        "ask": words(f"practice.fires.{kind}", record=task.after),
        "settings": [*settings_of(made.item, FORM), words("practice.settings.collect")],
        "choices": [_text(made, each.value) for each in task.choices],
    }


def _text(made: Made, answer: Next) -> str:
    if not answer.results:
        return words("practice.fires.none")
    what = results_text(made.truth.scenario, answer.results, keys=len(made.item.forms[FORM].keys) > 1)
    return words("practice.fires.choice", moment=moment_text(made.item, answer.moment), results=what)


def grade(made: Made, answer: Any) -> Verdict:
    """See ``Kind``."""
    task: Task = made.task
    picked = chosen(task.choices, answer)
    place = right_one(task.choices)
    right: Next = task.choices[place].value
    fired = [each for each in results(made.truth) if each.moment == right.moment]
    said = [line for each in fired for line in reasons.of_firing(made.item, made.truth, each)]
    if not picked.right:
        said += against(made.item, made.truth, picked.value.moment, picked.value.results, fired)
    belief = picked.belief or None
    run = Run(made.item, fired[0].step, belief)
    return Verdict(picked.right, belief, tuple(dict.fromkeys(said)), run, place)
