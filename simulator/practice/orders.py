"""Put the records into an order so that a window fires twice: any order whose run does so is right."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator.explore.beliefs import BELIEFS
from tidemark.simulator.explore.questions import Fired
from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.inventory.choices import settings_of
from tidemark.simulator.inventory.items import Item, Spot
from tidemark.simulator.practice import wrong_answers
from tidemark.simulator.practice.exercise import FORM, AnswerError, Chance, Draw, Run, Verdict, drawn
from tidemark.simulator.practice.wrong_answers import believed, lost, record_text, results, truth_of, varied
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.words import words

NAME: Final = "order"

TWICE: Final = 2

SAMPLES: Final = 3
"""So many wrong orders are tried on each belief."""


@dataclass(frozen=True, slots=True)
class Task:
    """The window that is to fire twice: its key, start and end (ms). ``solution``: an order in which it does."""

    key: str
    start: int
    end: int
    solution: tuple[int, ...]


def make(chance: Chance, level: int, wanted: str) -> Draw | None:
    """See ``Kind``. The records are shown by their timestamps, in which order no window fires twice."""
    item = drawn(chance, level, NAME, late=True)
    spots = sorted(item.records, key=lambda spot: spot.ts)
    named = tuple(Spot(spot.ts, None, spot.key, spot.channel, number) for number, spot in enumerate(spots, 1))
    item = replace(item, records=named, idle=0)
    truth = truth_of(item)
    if wanted and not any(believed(truth, [wanted])):
        return None
    counts = Counter((each.key, each.start, each.end) for each in results(truth))
    windows = [each for each in results(truth) if len(each.value) > 1 and each.moment < 2 * len(named) - 1]
    if not windows or max(counts.values()) > 1:
        return None
    window = chance.of(windows)
    orders = chance.shuffled(list(_moved(len(named), window.value)))
    tried = {each: _reordered(truth, each) for each in orders}
    solution = next((each for each, run in tried.items() if _times(results(run), window) == TWICE), None)
    wrong = [run for run in tried.values() if _times(results(run), window) != TWICE]
    if solution is None or not wrong:
        return None
    question_of = Task(str(window.key), window.start, window.end, solution)
    names = [wanted] if wanted else None
    held = {name for run in wrong[:SAMPLES] for name in _right_by(run, question_of, names)}
    beliefs = tuple(each.name for each in BELIEFS if each.name in held)
    return Draw(item, truth, beliefs, question_of) if not wanted or wanted in beliefs else None


def _moved(count: int, records: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All orders in which one of ``records`` comes later than it happened."""
    for record in records:
        rest = [each for each in range(1, count + 1) if each != record]
        yield from ((*rest[:place], record, *rest[place:]) for place in range(record, count))


def ordered(item: Item, order: Sequence[int]) -> Item:
    """The scenario with its records in another order."""
    return replace(item, records=tuple(item.records[number - 1] for number in order))


def _reordered(truth: Ran, order: Sequence[int]) -> Ran:
    """The run of another order, of whose scenario only the stream differs."""
    stream = tuple(items(truth.scenario))
    return varied(truth, replace(truth.scenario, stream=(*(stream[number - 1] for number in order), stream[-1])))


def _times(found: Sequence[Fired], window: Task | Fired) -> int:
    """How often the window fires."""
    return sum((each.key, each.start, each.end) == (window.key, window.start, window.end) for each in found)


def _right_by(run: Ran, task: Task, names: Sequence[str] | None = None) -> list[str]:
    """The beliefs by which the order of a run is right, only of ``names`` if any are given."""
    return [name for name, given in believed(run, names) if _times(given, task) == TWICE]


def question_of(draw: Draw) -> Mapping[str, Any]:
    """See ``Kind``."""
    task: Task = draw.task
    keys = draw.item.forms[FORM].keys
    window = wrong_answers.window_text(draw.truth.scenario, task.start, task.end)
    return {
        "ask": words(f"practice.order.ask{'_key' if len(keys) > 1 else ''}", window=window, key=task.key),
        "settings": settings_of(draw.item, FORM),
        "records": [record_text(draw.item, spot) for spot in draw.item.records],
    }


def grade(draw: Draw, answer: Any) -> Verdict:
    """See ``Kind``: an answer is the numbers of the records in the order of their arrival."""
    count = len(draw.item.records)
    if not isinstance(answer, list) or any(type(each) is not int for each in answer):
        raise AnswerError(words("practice.order.not_all"))
    if sorted(answer) != list(range(1, count + 1)):
        raise AnswerError(words("practice.order.not_all"))
    task: Task = draw.task
    item = ordered(draw.item, answer)
    truth = truth_of(item)
    found = results(truth)
    own = [each for each in found if (each.key, each.start, each.end) == (task.key, task.start, task.end)]
    run = Run(item, own[-1].step if own else None)
    said = [_count(draw, item, own)]
    if own:
        said += wrong_answers.of_firing(item, truth, own[-1])
    if len(own) == TWICE:
        return Verdict(True, None, tuple(said), run)
    gone = [record for record in lost(found, count) if _is_in(item, record, task)]
    said += [wrong_answers.of_record(item, truth, record) for record in gone[: wrong_answers.MOST]]
    solution = words("practice.order.solution", order=" – ".join(map(str, task.solution)))
    by = _right_by(truth, task)
    belief = next((name for name in (*draw.beliefs, *by) if name in by), None)
    return Verdict(False, belief, (*said, solution), replace(run, belief=belief))


def _count(draw: Draw, item: Item, own: Sequence[Fired]) -> str:
    window = wrong_answers.window_text(draw.truth.scenario, draw.task.start, draw.task.end)
    moments = words("app.semicolon").join(wrong_answers.inside(item, each.moment) for each in own)
    return words(f"practice.order.times_{min(len(own), 3)}", window=window, count=len(own), moments=moments)


def _is_in(item: Item, record: int, task: Task) -> bool:
    look = item.forms[FORM]
    spot = next(each for each in item.records if each.value == record)
    return look.keys[spot.key] == task.key and task.start <= look.ms(spot.ts) < task.end
