"""A walkthrough on its run: each beat with its step and its texts filled in; goals with the numbers they count."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tidemark.simulator.engine.trace.trace import Step, Trace, event_fields
from tidemark.simulator.scenario.format.document import WAYS
from tidemark.simulator.scenario.languages import fill, names
from tidemark.simulator.scenario.model import Beat, Goal, Place, Scenario, Text
from tidemark.simulator.words import words
from tidemark.simulator.words.tags import text_for

TIMES: Final = frozenset(("ts", "timestamp", "start", "end", "at", "watermark", "late_watermark", "kept_until"))
"""Members that are times (ms) in every event."""

TIMES_BEFORE_AND_AFTER: Final = frozenset(
    ("ClockAdvanced", "InputWatermarkMoved", "MaxTimestampRaised", "WatermarkCombined", "WatermarkMoved")
)
"""Events whose ``before`` and ``after`` are times too."""

FormatTime = Callable[[int, bool], str]
"""Writes a time (ms); True for bare, without its unit."""


def milliseconds(ms: int, bare: bool) -> str:
    """A time as it is in the trace; it has no unit in any place."""
    return str(ms)


@dataclass(frozen=True, slots=True)
class ResolvedBeat:
    """One stop of the walkthrough, located in a trace.

    ``kind`` is ``say``, ``ask`` or ``predict``. A ``predict`` comes before ``step``, the others at it. ``answer`` is
    an index into ``choices``; ``replies`` has what is said to each wrong one, None where its author wrote nothing.
    ``text`` is what is said or asked; it is empty for ``predict``. ``beliefs`` names the belief that leads to each
    choice, "" for none, and is empty if none is named; ``way`` is how a class answers a ``predict``.
    """

    number: int
    step: int
    kind: str
    text: str = ""
    choices: tuple[str, ...] = ()
    replies: tuple[str | None, ...] = ()
    answer: int | None = None
    because: str | None = None
    predict: str | None = None
    note: str | None = None
    beliefs: tuple[str, ...] = ()
    way: str = "choose"


@dataclass(frozen=True, slots=True)
class GoalResult:
    """The number of rows or events that a goal counts, and whether that meets the goal."""

    goal: Goal
    found: int
    met: bool


class UnknownNameError(ValueError):
    """A text names a field that the event does not have. ``known``: the fields that it has."""

    def __init__(self, name: str, event: str, known: tuple[str, ...]) -> None:
        super().__init__(name)
        self.name = name
        self.event = event
        self.known = known


@dataclass(slots=True)
class StepIndex:
    """Where in a trace things happen, indexed in one pass."""

    trace: Trace
    by_event: dict[str, list[int]] = field(default_factory=dict)
    first_of_item: dict[int, int] = field(default_factory=dict)
    last_of_item: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for step in self.trace:
            self.by_event.setdefault(type(step.event).__name__, []).append(step.step)
            self.first_of_item.setdefault(step.item, step.step)
            self.last_of_item[step.item] = step.step

    def find(self, place: Place, *, first: bool = False) -> int | None:
        """The step at ``place``, None if the run never gets there. An item has its last step, or its ``first``."""
        if place.event is not None:
            steps = self.by_event.get(place.event, [])
            return steps[place.occurrence - 1] if place.occurrence <= len(steps) else None
        if place.item is not None:
            return (self.first_of_item if first else self.last_of_item).get(place.item)
        assert place.step is not None
        return place.step if place.step < len(self.trace) else None


def resolve_beats(
    scenario: Scenario, trace: Trace, *, format_time: FormatTime = milliseconds, language: str = "en"
) -> list[ResolvedBeat]:
    """The beats that the run reaches, in the order of the file, each with its step and its texts in ``language``.

    Texts that are not there in ``language`` are in the one nearest to it, or in English. Raises ``UnknownNameError``
    for a name that the event at the step does not have; ``problems_of_run`` finds both mistakes with their place.
    """
    index = StepIndex(trace)
    resolved = []
    for number, beat in enumerate(scenario.walkthrough):
        step = index.find(beat.at, first=beat.predict is not None)
        if step is not None:
            resolved.append(_resolved(number, beat, trace.steps[step], format_time, language))
    return resolved


def _resolved(number: int, beat: Beat, step: Step, format_time: FormatTime, language: str) -> ResolvedBeat:
    known = placeholders(step)

    def filled(text: Text | None) -> str | None:
        return (
            None
            if text is None
            else fill(text_for(language, text), lambda name, bare: _shown(known, step, name, bare, format_time))
        )

    kind = "predict" if beat.predict is not None else "ask" if beat.ask is not None else "say"
    return ResolvedBeat(
        number,
        step.step,
        kind,
        filled(beat.ask if beat.say is None else beat.say) or "",
        tuple(filled(choice.text) or "" for choice in beat.choices),
        tuple(filled(choice.reply) for choice in beat.choices),
        beat.answer if isinstance(beat.answer, int) else None,
        filled(beat.because),
        beat.predict,
        filled(beat.note),
        tuple(choice.belief or "" for choice in beat.choices) if any(each.belief for each in beat.choices) else (),
        "choose" if beat.predict is None else str(beat.answer or WAYS[beat.predict][0]),
    )


def placeholders(step: Step) -> dict[str, Any]:
    """What the names in a text stand for at ``step``: the event's members, ``item``, ``at`` and ``watermark``."""
    return {"item": step.item, "at": step.at, "watermark": step.watermark} | event_fields(step.event)


def _shown(known: Mapping[str, Any], step: Step, name: str, bare: bool, format_time: FormatTime) -> str:
    event = type(step.event).__name__
    if name not in known:
        raise UnknownNameError(name, event, tuple(known))
    value = known[name]
    if value is None:
        return words("problems.placeholder_none")
    is_time = name in TIMES or (name in ("before", "after") and event in TIMES_BEFORE_AND_AFTER)
    if is_time and type(value) is int:
        return format_time(value, bare)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def texts_of(beat: Beat) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every text of ``beat`` in every language, with its path below the beat."""
    named: list[tuple[tuple[str | int, ...], Text | None]] = [(("say",), beat.say), (("ask",), beat.ask)]
    for number, choice in enumerate(beat.choices):
        at = ("choices", number)
        # A choice without anything else may be written as its text alone.
        is_text = choice.reply is None and choice.belief is None
        named.append((at if is_text else (*at, "text"), choice.text))
        named.append(((*at, "reply"), choice.reply))
    named += [(("because",), beat.because), (("note",), beat.note)]
    for path, text in named:
        for language, written in (text or {}).items():
            yield (*path, language), written


def unknown_names(text: str, step: Step) -> list[str]:
    """The names in ``text`` that stand for nothing at ``step``, each once."""
    known = placeholders(step)
    return [name for name in dict.fromkeys(names(text)) if name not in known]


def evaluate_goals(scenario: Scenario, rows: Counter[str], events: Counter[str]) -> list[GoalResult]:
    """Each goal with its count, from the numbers of rows by kind and events by type that the run produced."""
    results = []
    for goal in scenario.goals:
        found = found_for(goal, rows, events)
        results.append(GoalResult(goal, found, is_met(goal, found)))
    return results


def found_for(goal: Goal, rows: Counter[str], events: Counter[str]) -> int:
    """The count that ``goal`` is about."""
    return rows[goal.rows] if goal.rows is not None else events[goal.event or ""]


def is_met(goal: Goal, found: int) -> bool:
    """Whether the count ``found`` meets ``goal``."""
    return (
        (goal.count is None or found == goal.count)
        and (goal.at_least is None or found >= goal.at_least)
        and (goal.at_most is None or found <= goal.at_most)
    )
