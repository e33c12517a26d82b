"""Find the fault: wrong results, and four things that could be behind them. One of the four gives these results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator.explore.questions import Fired
from tidemark.simulator.inventory.choices import moment_text, settings_of
from tidemark.simulator.inventory.items import Item
from tidemark.simulator.practice import wrong_answers
from tidemark.simulator.practice.exercise import FORM, UNIT, Chance, Draw, Run, Verdict, drawn
from tidemark.simulator.practice.wrong_answers import (
    MANY,
    Choice,
    Value,
    as_values,
    believed,
    chosen,
    is_wrong_here,
    results,
    right_one,
    truth_of,
)
from tidemark.simulator.timeline.wording import duration
from tidemark.simulator.words import words

NAME: Final = "fault"

SETTINGS: Final = 45
"""In so many of 100 exercises the configuration is wrong, in the others somebody's belief."""

BELIEF_OF: Final = {
    "no_bound": "bound-forgotten", "no_lateness": "fired-is-final", "late_bound": "lateness-delays",
    "one_channel": "fastest-channel",
}  # fmt: skip
"""The belief that a wrong setting amounts to."""

OBVIOUS: Final = frozenset({"double_size"})
"""Settings that the bounds of every window show: never what is wrong, but something to choose from."""

Signature = tuple[tuple[int, Value], ...]
"""All results with their moments; two runs with the same one cannot be told apart."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What may be wrong: a belief, or with ``item`` another configuration, whose name is in the catalogue."""

    name: str
    given: Signature
    item: Item | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """The choices; the values of ``Choice`` are faults."""

    choices: tuple[Choice, ...]

    @property
    def planted(self) -> Fault:
        """The one that gives the results that are shown."""
        fault: Fault = next(each.value for each in self.choices if each.right)
        return fault


def make(chance: Chance, level: int, wanted: str) -> Draw | None:
    """See ``Kind``. ``wanted`` is among the choices, so that asking for it does not tell the answer."""
    item = drawn(chance, level, NAME)
    truth = truth_of(item)
    if not (wanted in BELIEF_OF.values() or is_wrong_here(truth, wanted)):
        return None
    right = signature(item, results(truth))
    of_settings = chance.happens(SETTINGS)
    faults = chance.shuffled(_settings(item) if of_settings else _beliefs(item, truth))
    telling = [each for each in faults if each.given != right and each.name not in OBVIOUS]
    belief_of = BELIEF_OF.get if of_settings else lambda name: name
    question_of = [each for each in faults if wanted and belief_of(each.name) == wanted]
    if not telling or (wanted and not question_of):
        return None
    planted = telling[0]
    others = [each for each in [*question_of, *faults] if each.given != planted.given]
    picked = [planted, *dict.fromkeys(others)][:MANY]
    if len(picked) < MANY or (wanted and question_of[0] not in picked):
        return None
    choices = tuple(Choice(each, each is planted, belief_of(each.name) or "") for each in chance.shuffled(picked))
    behind = wanted or belief_of(planted.name)
    return Draw(item, truth, (behind,) if behind else (), Task(choices))


def signature(item: Item, found: Sequence[Fired]) -> Signature:
    """All results of a run, with their moments."""
    last = 2 * len(item.records) - 1
    return tuple(sorted((min(each.moment, last), as_values([each])[0]) for each in found))


def _beliefs(item: Item, truth: Any) -> list[Fault]:
    return [Fault(name, signature(item, found)) for name, found in believed(truth)]


def with_wrong_setting(item: Item) -> dict[str, Item]:
    """The scenario with one setting wrong, by the names of these settings."""
    spots = tuple(replace(spot, channel=0) for spot in item.records)
    changed = {
        "no_bound": replace(item, bound=0),
        "long_bound": replace(item, bound=item.bound * 3),
        "double_size": replace(item, size=item.size * 2),
    }
    if item.bound > 1:
        changed["half_bound"] = replace(item, bound=item.bound // 2)
    if item.lateness:
        changed["no_lateness"] = replace(item, lateness=0)
        changed["late_bound"] = replace(item, bound=item.bound + item.lateness, lateness=0)
    if item.channels > 1:
        changed["one_channel"] = replace(item, channels=1, records=spots)
    return changed


def _settings(item: Item) -> list[Fault]:
    changed = with_wrong_setting(item).items()
    return [Fault(name, signature(item, results(truth_of(each))), each) for name, each in changed]


def question_of(draw: Draw) -> Mapping[str, Any]:
    """See ``Kind``; ``given``: the wrong results."""
    task: Task = draw.task
    return {
        "ask": words(f"practice.fault.{'settings' if task.planted.item else 'belief'}"),
        "settings": [*settings_of(draw.item, FORM), words("practice.settings.collect")],
        "given": [_line(draw, *each) for each in task.planted.given],
        "choices": [_text(draw, each.value) for each in task.choices],
    }


def _line(draw: Draw, moment: int, value: Value) -> str:
    keys = len(draw.item.forms[FORM].keys) > 1
    what = wrong_answers.results_text(draw.truth.scenario, [value], keys=keys)
    return words("practice.fires.choice", moment=moment_text(draw.item, moment), results=what)


def _text(draw: Draw, fault: Fault) -> str:
    if fault.item is None:
        return words(f"beliefs.{fault.name}.claim")
    name = "gap" if draw.item.session and fault.name == "double_size" else fault.name
    size, bound = duration(fault.item.size * UNIT), duration(fault.item.bound * UNIT)
    return words(f"practice.fault.{name}", size=size, bound=bound)


def grade(draw: Draw, answer: Any) -> Verdict:
    """See ``Kind``. The belief of a wrong answer is the one that was not recognized."""
    task: Task = draw.task
    picked = chosen(task.choices, answer)
    place = right_one(task.choices)
    planted = task.choices[place]
    said = []
    if not picked.right:
        said += [words("practice.fault.picked", line=first_apart(draw, picked.value.given, planted.value.given))]
    right = signature(draw.item, results(draw.truth))
    said += [
        words("practice.fault.shown", line=first_apart(draw, planted.value.given, right)),
        words("practice.fault.truth", line=first_apart(draw, right, planted.value.given)),
    ]
    fault: Fault = planted.value
    run = Run(draw.item, belief=fault.name) if fault.item is None else Run(fault.item)
    return Verdict(picked.right, None if picked.right else planted.belief or None, tuple(said), run, place)


def first_apart(draw: Draw, one: Signature, other: Signature) -> str:
    """The first result of ``one`` that ``other`` does not have."""
    line = next((each for each in one if each not in other), None)
    return words("practice.fault.nothing_more") if line is None else _line(draw, *line)
