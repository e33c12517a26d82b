"""What fires next, when, and with which records: one right choice, the others are what beliefs expect."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.explore.questions import Fired
from tidemark.simulator.explore.runs import Ran, watermark_after
from tidemark.simulator.inventory.choices import moment_text, settings_of
from tidemark.simulator.inventory.items import Item
from tidemark.simulator.practice import wrong_answers
from tidemark.simulator.practice.exercise import FORM, Chance, Draw, Run, Verdict, drawn
from tidemark.simulator.practice.wrong_answers import results
from tidemark.simulator.words import words

# What speaks against a wrong answer to what fires next, in the numbers of the run: for each expected result.


def against(
    item: Item, truth: Ran, moment: int, expected: Sequence[wrong_answers.Value], fires: Iterable[Fired]
) -> list[str]:
    """Why ``expected`` is not what fires at ``moment``, where ``fires`` is what fires next in truth; never empty.

    An answer that comes too late needs no other reason than that something fires before it.
    """
    right = list(fires)
    if moment > right[0].moment:
        return [words("practice.fires.later", moment=wrong_answers.inside(item, right[0].moment))]
    together = right if moment == right[0].moment else []
    said = [each for value in expected for each in _of_result(item, truth, moment, value, together)]
    theirs = {_window(value) for value in expected}
    missing = wrong_answers.as_values(each for each in together if _window(each) not in theirs)
    said = said or [words("practice.fires.missing", results=_told(item, truth, missing))]
    return list(dict.fromkeys(said))[: wrong_answers.MOST]


def _of_result(item: Item, truth: Ran, moment: int, value: wrong_answers.Value, together: Sequence[Fired]) -> list[str]:
    """What speaks against one result."""
    same = next((each for each in together if _window(each) == _window(value)), None)
    if same is not None:
        return _of_records(item, truth, set(same.value) ^ set(value.records))
    fired = [each for each in results(truth) if _window(each) == _window(value)]
    before = [each for each in fired if each.moment < moment]
    if before:
        known = {record for each in before for record in each.value}
        return [_already(item, truth, before[-1]), *_of_records(item, truth, set(value.records) - known)]
    watermark = watermark_after(truth.watermarks, moment)
    too_early = watermark is None or watermark < value.end - 1
    # At the moment of the right answer a window that never exists is a better reason than a watermark.
    if too_early and (fired or not together):
        return [wrong_answers.of_watermark(item, truth, moment)]
    return _of_records(item, truth, value.records)


def _window(each: Fired | wrong_answers.Value) -> tuple[str, int, int]:
    return str(each.key), each.start, each.end


def _of_records(item: Item, truth: Ran, records: Iterable[int]) -> list[str]:
    return [wrong_answers.of_record(item, truth, record) for record in sorted(records)]


def _already(item: Item, truth: Ran, each: Fired) -> str:
    told = _told(item, truth, wrong_answers.as_values([each]))
    return words("practice.fires.already", results=told, moment=wrong_answers.inside(item, each.moment))


def _told(item: Item, truth: Ran, values: Sequence[wrong_answers.Value]) -> str:
    return wrong_answers.results_text(truth.scenario, values, keys=len(item.forms[FORM].keys) > 1)


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
    results: tuple[wrong_answers.Value, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """``after``: how many records have arrived when the question is asked."""

    after: int
    choices: tuple[wrong_answers.Choice, ...]


def make(chance: Chance, level: int, wanted: str) -> Draw | None:
    """See ``Kind``."""
    item = drawn(chance, level, NAME)
    truth = wrong_answers.truth_of(item)
    if not wrong_answers.is_wrong_here(truth, wanted):
        return None
    found = results(truth)
    after = chance.of([0, *(each.moment // 2 + 1 for each in found if each.moment % 2 == 0)])
    right = next_after(item, found, after)
    if right is None or right.moment >= 2 * len(item.records) - 1 or len(right.results) > MOST_TOGETHER:
        return None
    expected = {
        name: answer
        for name, given in wrong_answers.believed(truth)
        if (answer := next_after(item, given, after)) is not None
    }
    choices = wrong_answers.mixed(chance, right, expected, _others(item, found, right), wanted)
    held = tuple(each.belief for each in choices if each.belief)
    if len(choices) < 4 or len(held) < MANY_KNOWN or (wanted and wanted not in held):
        return None
    return Draw(item, truth, held, Task(after, choices))


def next_after(item: Item, found: Sequence[Fired], after: int) -> Next | None:
    """The first results once ``after`` records have arrived; None if nothing fires any more."""
    last = 2 * len(item.records) - 1
    left = [(min(each.moment, last), each) for each in found if each.moment > 2 * (after - 1)]
    if not left:
        return None
    first = min(moment for moment, _ in left)
    if first == last:
        return Next(last, ())
    return Next(first, wrong_answers.as_values(each for moment, each in left if moment == first))


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
    others += [
        Next(each.moment, wrong_answers.as_values([each])) for each in found if right.moment < each.moment < later
    ]
    return others


def question_of(draw: Draw) -> Mapping[str, Any]:
    """See ``Kind``."""
    task: Task = draw.task
    kind = ("first", "next_one", "next_two")[task.after] if task.after < MANY_ARRIVED else "next"
    return {
        "ask": words(f"practice.fires.{kind}", record=task.after),
        "settings": [*settings_of(draw.item, FORM), words("practice.settings.collect")],
        "choices": [_text(draw, each.value) for each in task.choices],
    }


def _text(draw: Draw, answer: Next) -> str:
    if not answer.results:
        return words("practice.fires.none")
    what = wrong_answers.results_text(draw.truth.scenario, answer.results, keys=len(draw.item.forms[FORM].keys) > 1)
    return words("practice.fires.choice", moment=moment_text(draw.item, answer.moment), results=what)


def grade(draw: Draw, answer: Any) -> Verdict:
    """See ``Kind``."""
    task: Task = draw.task
    picked = wrong_answers.chosen(task.choices, answer)
    place = wrong_answers.right_one(task.choices)
    right: Next = task.choices[place].value
    fired = [each for each in results(draw.truth) if each.moment == right.moment]
    said = [line for each in fired for line in wrong_answers.of_firing(draw.item, draw.truth, each)]
    if not picked.right:
        said += against(draw.item, draw.truth, picked.value.moment, picked.value.results, fired)
    belief = picked.belief or None
    run = Run(draw.item, fired[0].step, belief)
    return Verdict(picked.right, belief, tuple(dict.fromkeys(said)), run, place)
