"""Which bound loses nothing and waits least: a number of seconds, graded by the run that it makes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator.explore.beliefs import BELIEFS
from tidemark.simulator.explore.questions import Fired
from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.explore.settings import BOUND
from tidemark.simulator.explore.smallest import keeps_all
from tidemark.simulator.inventory.choices import settings_of
from tidemark.simulator.inventory.items import Item
from tidemark.simulator.practice import wrong_answers
from tidemark.simulator.practice.exercise import FORM, UNIT, AnswerError, Chance, Draw, Run, Verdict, drawn
from tidemark.simulator.practice.wrong_answers import believed, lost, results, scenario_of, truth_of, varied
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.wording import duration
from tidemark.simulator.words import words

from tidemark import simulator

NAME: Final = "bound"

MOST: Final = 60
"""The largest bound (s) that can be entered."""

STRAYS: Final = 35
"""So many of 100 records come later than a window waits without a bound."""

ABOUT: Final = (
    "behind-is-dropped", "reaches-the-end", "fired-is-final", "fastest-channel", "watermark-per-key", "end-inclusive",
    "gap-on-the-clock",
)  # fmt: skip
"""The beliefs that may lead to another bound; under the others none is enough, or the same one."""


@dataclass(frozen=True, slots=True)
class Task:
    """``least``: the right answer (s)."""

    least: int


def make(chance: Chance, level: int, wanted: str) -> Draw | None:
    """See ``Kind``."""
    item = drawn(chance, level, NAME, strays=STRAYS)
    disorder = _disorder(item)
    if not disorder or (wanted and wanted not in ABOUT):
        return None
    least = _least(scenario_of(item), disorder)
    if least is None or not 0 < least < min(disorder, MOST):
        return None
    draw = with_bound(item, least)
    truth = truth_of(draw)
    for belief in [wanted] if wanted else chance.shuffled(ABOUT):
        if _bound_of(draw, truth, belief, disorder) not in (None, least):
            return Draw(draw, truth, (belief,), Task(least))
    return None


def _disorder(item: Item) -> int:
    """The most (s) that a record is behind the newest one before it."""
    most, newest = 0, item.records[0].ts
    for spot in item.records:
        newest = max(newest, spot.ts)
        most = max(most, newest - spot.ts)
    return most


def with_bound(item: Item, seconds: int) -> Item:
    """The same scenario with another bound."""
    return replace(item, bound=seconds)


def _least(scenario: Scenario, disorder: int) -> int | None:
    """The smallest bound (s) that loses nothing; a larger one never loses more."""
    for seconds in range(disorder + 1):
        changed = BOUND.write(scenario, seconds * UNIT)
        if keeps_all(changed, simulator.run_traced(changed)[1]):
            return seconds
    return None


def _bound_of(item: Item, truth: Ran, belief: str, disorder: int) -> int | None:
    """The smallest bound (s) that loses nothing by a belief; None if it does not apply or no such bound is enough."""
    for seconds in range(disorder + item.size + 1):
        found = next(_believed(item, truth, seconds, [belief]), None)
        if found is None:
            return None
        if not found[1]:
            return seconds
    return None


def _believed(item: Item, truth: Ran, seconds: int, names: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
    """The records that each belief expects to be lost with a bound."""
    for name, found in believed(varied(truth, BOUND.write(truth.scenario, seconds * UNIT)), names):
        yield name, lost(found, len(item.records))


def question_of(draw: Draw) -> Mapping[str, Any]:
    """See ``Kind``."""
    return {
        "ask": words("practice.bound.ask"),
        "settings": settings_of(draw.item, FORM, bound="?"),
        "number": {
            "most": MOST, "label": words("practice.bound.label"), "unit": words("practice.bound.unit"),
            "rule": words("practice.bound.range", most=MOST),
        },
    }  # fmt: skip


def grade(draw: Draw, answer: Any) -> Verdict:
    """See ``Kind``."""
    if type(answer) is not int or not 0 <= answer <= MOST:
        raise AnswerError(words("practice.bound.range", most=MOST))
    least = draw.task.least
    if answer == least:
        said = [_critical(draw), *_lost(with_bound(draw.item, least - 1), "practice.bound.less")]
        return Verdict(True, None, tuple(said), Run(draw.item))
    given = with_bound(draw.item, answer)
    said = [words("practice.right_is", answer=duration(least * UNIT))]
    if answer < least:
        said += [*_lost(given, "practice.bound.small"), _first_lost(given)]
    else:
        said += [words("practice.bound.large", bound=duration(answer * UNIT)), *_later(draw, given)]
    return Verdict(False, _belief_behind(draw, answer), tuple(said), Run(given))


def _critical(draw: Draw) -> str:
    """The record that needs this bound."""
    gone = lost(results(truth_of(with_bound(draw.item, draw.task.least - 1))), len(draw.item.records))
    return wrong_answers.of_record(draw.item, draw.truth, gone[0])


def _lost(item: Item, key: str) -> list[str]:
    gone = lost(results(truth_of(item)), len(item.records))
    name = key if len(gone) == 1 else f"{key}_many"
    return [words(name, bound=duration(item.bound * UNIT), record=gone[0], count=len(gone))]


def _first_lost(item: Item) -> str:
    truth = truth_of(item)
    return wrong_answers.of_record(item, truth, lost(results(truth), len(item.records))[0])


def _later(draw: Draw, given: Item) -> list[str]:
    """The first result that comes later than it could."""
    late = {(each.key, each.start, each.end, each.pane): each for each in results(truth_of(given))}
    for each in results(draw.truth):
        other = late.get((each.key, each.start, each.end, each.pane))
        if other is not None and other.moment > each.moment:
            return [_delay(draw, each, other)]
    return [words("practice.bound.waits", time=duration((given.bound - draw.task.least) * UNIT))]


def _delay(draw: Draw, each: Fired, other: Fired) -> str:
    return words(
        "practice.bound.later",
        window=wrong_answers.window_text(draw.truth.scenario, each.start, each.end),
        least=duration(draw.task.least * UNIT),
        moment=wrong_answers.inside(draw.item, each.moment),
        other=wrong_answers.inside(draw.item, other.moment),
    )


def _belief_behind(draw: Draw, answer: int) -> str | None:
    """The belief by which ``answer`` is the right one: nothing is lost with it, and something with one second less."""
    names = [*draw.beliefs, *(each.name for each in BELIEFS if each.name not in draw.beliefs)]
    kept = {name for name, gone in _believed(draw.item, draw.truth, answer, names) if not gone}
    if answer:
        kept &= {name for name, gone in _believed(draw.item, draw.truth, answer - 1, names) if gone}
    return next((name for name in names if name in kept), None)
