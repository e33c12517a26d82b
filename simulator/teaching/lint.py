"""What a scenario's own run contradicts: goals that are not met, beats at places that the run never reaches."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from tidemark.simulator import pipeline_of, run, run_traced, timeline
from tidemark.simulator.engine.trace.trace import Step, Trace, TraceTooLong
from tidemark.simulator.engine.values.errors import Problem, ScenarioError, shown_in_message
from tidemark.simulator.engine.values.items import Item
from tidemark.simulator.explore.runs import RESULTS
from tidemark.simulator.limits import COUNTED_STEPS, SCENARIO_PROBLEMS
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.format.kinds import listed, nearest
from tidemark.simulator.scenario.model import Beat, Data, Goal, Place, Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.timeline.schema import WindowFact
from tidemark.simulator.timeline.stops import StepIndex, evaluate_goals, placeholders, texts_of, unknown_names
from tidemark.simulator.words import words

from tidemark import simulator


@dataclass(frozen=True, slots=True)
class _Finding:
    """A problem at ``place`` (line, column). Equal findings are one problem; ``message`` is made when it is shown."""

    place: tuple[int, int]
    what: tuple[object, ...]
    message: Callable[[], str] = field(compare=False)


def problems_of_run(scenario: Scenario) -> list[Problem]:
    """Run ``scenario`` if its goals or its walkthrough need it, and report where it contradicts them.

    Raises ``ScenarioError`` where the engine does not run the scenario at all.
    """
    if isinstance(scenario.stream, Data):
        scenario.stream.known  # noqa: B018 - raises if only Spark can read it
    rows: Counter[str] = Counter()
    events: Counter[str] = Counter()
    findings: list[_Finding] = []
    if scenario.walkthrough:
        given, trace = run_traced(scenario)
        rows.update(row["row"] for row in given)
        events.update(type(step.event).__name__ for step in trace)
        findings += _walkthrough(scenario, trace)
    elif scenario.goals:
        rows, events = _counted(scenario)
    else:
        pipeline_of(scenario, lambda row: None)
        return []
    for number, result in enumerate(evaluate_goals(scenario, rows, events)):
        if not result.met:
            fields = {"what": counted_by(result.goal), "wanted": wanted_by(result.goal), "found": result.found}
            findings.append(_finding(scenario, ("goals", number), "goal_not_met", **fields))
    return _problems(scenario, findings)


def _counted(scenario: Scenario) -> tuple[Counter[str], Counter[str]]:
    """The rows and the events of a run by kind; nothing of it is kept. Raises ``ScenarioError`` for a longer one."""
    rows: Counter[str] = Counter()
    events: Counter[str] = Counter()
    counting = Trace(on_step=lambda step: events.update((type(step.event).__name__,)), limit=COUNTED_STEPS)
    try:
        run(scenario, lambda row: rows.update((row["row"],)), counting)
    except TraceTooLong:
        message = words("problems.too_many_steps_to_count", limit=f"{COUNTED_STEPS:,}")
        raise ScenarioError([Problem(scenario.file, *place_of(scenario, ("goals", 0)), message)]) from None
    return rows, events


def _problems(scenario: Scenario, findings: list[_Finding]) -> list[Problem]:
    """Each problem once, in the order of the file; of very many only the first, and the number of the others."""
    found = sorted(dict.fromkeys(findings), key=lambda each: each.place)
    problems = [Problem(scenario.file, *each.place, each.message()) for each in found[:SCENARIO_PROBLEMS]]
    if len(found) > SCENARIO_PROBLEMS:
        more = words("problems.and_more", count=len(found) - SCENARIO_PROBLEMS)
        problems.append(Problem(scenario.file, None, None, more))
    return problems


def load_accepted(path: str | Path) -> Scenario:
    """The scenario in the file at ``path``, if ``check`` accepts it; raises ``ScenarioError`` otherwise."""
    scenario = load(path)
    require_accepted(scenario)
    return scenario


def require_accepted(scenario: Scenario) -> None:
    """Raise ``ScenarioError`` unless the scenario's goals are met and its beats are reached."""
    problems = problems_of_run(scenario)
    if problems:
        raise ScenarioError(problems)


def beats_in_doubt(scenario: Scenario) -> list[int]:
    """The numbers (from 0) of the beats that the run contradicts: ``problems_of_run`` names a problem of each.

    Raises ``ScenarioError`` where the engine does not run the scenario at all.
    """
    index = StepIndex(run_traced(scenario)[1])
    return [number for number in range(len(scenario.walkthrough)) if any(_beat(scenario, number, index))]


def _walkthrough(scenario: Scenario, trace: Trace) -> Iterator[_Finding]:
    index = StepIndex(trace)
    for number in range(len(scenario.walkthrough)):
        yield from _beat(scenario, number, index)


def _beat(scenario: Scenario, number: int, index: StepIndex) -> Iterator[_Finding]:
    beat, path = scenario.walkthrough[number], ("walkthrough", number)
    found = index.find(beat.at, first=beat.predict is not None)
    if found is None:
        yield _unreached(scenario, (*path, "at"), beat.at, index)
    else:
        yield from _texts(scenario, path, beat, index.trace.steps[found])


def _unreached(scenario: Scenario, path: tuple[str | int, ...], place: Place, index: StepIndex) -> _Finding:
    if place.event is not None:
        times = len(index.by_event.get(place.event, []))
        return _finding(scenario, path, "event_not_reached", event=place.event, n=place.occurrence, times=times)
    if place.item is not None:
        return _finding(scenario, path, "item_not_reached", item=place.item)
    return _finding(scenario, path, "step_not_reached", step=place.step, last=len(index.trace) - 1)


def _texts(scenario: Scenario, path: tuple[str | int, ...], beat: Beat, step: Step) -> Iterator[_Finding]:
    for below, text in texts_of(beat):
        place = place_of(scenario, (*path, *below))
        for name in unknown_names(text, step):
            yield _Finding(place, ("unknown_name", name), partial(_unknown_name, name, step))


def _unknown_name(name: str, step: Step) -> str:
    known = tuple(placeholders(step))
    near = nearest(name, known)
    word = "unknown_name" if near is None else "unknown_name_near"
    event, called = type(step.event).__name__, shown_in_message(name)
    return words(f"problems.{word}", called=called, event=event, near=near, known=listed(known))


def counted_by(goal: Goal) -> str:
    """What ``goal`` counts, in words."""
    return (
        words("hints.goal.rows", kind=goal.rows)
        if goal.rows is not None
        else words("hints.goal.events", kind=goal.event)
    )


def wanted_by(goal: Goal) -> str:
    """How many ``goal`` asks for, in words."""
    asked = (("exactly", goal.count), ("at_least", goal.at_least), ("at_most", goal.at_most))
    return ", ".join(words(f"problems.wanted.{word}", count=count) for word, count in asked if count is not None)


def place_of(scenario: Scenario, path: tuple[str | int, ...]) -> tuple[int, int]:
    """Line and column of ``path``, or of its nearest parent that has a mark (a text in one language has none below)."""
    while path not in scenario.marks and path:
        path = path[:-1]
    return scenario.marks.get(path, (1, 1))


def _finding(scenario: Scenario, path: tuple[str | int, ...], word: str, **fields: Any) -> _Finding:
    what = (word, *fields.items())
    return _Finding(place_of(scenario, path), what, partial(words, f"problems.{word}", **fields))


@dataclass(frozen=True)
class Look:
    """One finished run: its rows by kind, and its trace."""

    scenario: Scenario
    rows: Counter[str]
    trace: Trace

    @cached_property
    def events(self) -> Counter[str]:
        """How often each type of event occurs in the trace."""
        return Counter(type(step.event).__name__ for step in self.trace)

    @cached_property
    def facts(self) -> Timeline:
        """The timeline of the run, without stories."""
        return timeline.build(self.scenario, self.trace, stories=False)

    @cached_property
    def stream(self) -> Sequence[Item]:
        """The items of the stream."""
        return tuple(items(self.scenario))

    @cached_property
    def unfired(self) -> Sequence[WindowFact]:
        """The windows that hold records at the end and never produced a result."""
        ended = (row for row in self.facts.tables["windows"] if row["until_step"] is None)
        return [row for row in ended if row["status"] == "open" and row["records"] and not row["firings"]]

    @property
    def results(self) -> int:
        """How many results there are."""
        return sum(self.rows[kind] for kind in RESULTS)


def look(scenario: Scenario) -> Look:
    """Run ``scenario``. Raises ``ScenarioError`` if the engine cannot run it or it takes too many steps."""
    rows, trace = simulator.run_traced(scenario)
    return Look(scenario, Counter(row["row"] for row in rows), trace)
