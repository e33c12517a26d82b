"""What a scenario's own run says about it: goals that are not met, beats at places that the run never reaches."""

from collections import Counter
from pathlib import Path
from typing import Any

from simulator import pipeline_of, run, run_traced
from simulator.scenario import load
from simulator.scenario.format.kinds import listed, nearest
from simulator.scenario.model import Beat, Goal, Place, Scenario
from simulator.scenario.reading.source import shown_in_message
from simulator.scenario.walkthrough import StepIndex, evaluate_goals, placeholders, texts_of, unknown_names
from simulator.trace.trace import Step, Trace
from simulator.values.errors import Problem, ScenarioError
from simulator.words import words


def problems_of_run(scenario: Scenario) -> list[Problem]:
    """Run ``scenario`` if its goals or its walkthrough need it, and tell what does not come out as they say.

    Raises ``ScenarioError`` where the engine does not run the scenario at all.
    """
    needs_trace = bool(scenario.walkthrough) or any(goal.event for goal in scenario.goals)
    rows: Counter[str] = Counter()
    trace = None
    if needs_trace:
        given, trace = run_traced(scenario)
        rows.update(row["row"] for row in given)
    elif scenario.goals:
        run(scenario, lambda row: rows.update((row["row"],)))
    else:
        pipeline_of(scenario, lambda row: None)
        return []
    problems = []
    if trace is not None:
        problems += _walkthrough(scenario, trace)
    events = Counter(type(step.event).__name__ for step in trace or ())
    for number, result in enumerate(evaluate_goals(scenario, rows, events)):
        if not result.met:
            fields = {"what": counted_by(result.goal), "wanted": wanted_by(result.goal), "found": result.found}
            problems.append(_problem(scenario, ("goals", number), "goal_not_met", **fields))
    return sorted(problems, key=lambda each: (each.line or 0, each.column or 0))


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


def _walkthrough(scenario: Scenario, trace: Trace) -> list[Problem]:
    index = StepIndex(trace)
    problems = []
    for number, beat in enumerate(scenario.walkthrough):
        path = ("walkthrough", number)
        found = index.find(beat.at, first=beat.predict is not None)
        if found is None:
            problems.append(_unreached(scenario, (*path, "at"), beat.at, index))
        else:
            problems += _texts(scenario, path, beat, trace.steps[found])
    return problems


def _unreached(scenario: Scenario, path: tuple[str | int, ...], place: Place, index: StepIndex) -> Problem:
    if place.event is not None:
        times = len(index.by_event.get(place.event, []))
        return _problem(scenario, path, "event_not_reached", event=place.event, n=place.occurrence, times=times)
    if place.item is not None:
        return _problem(scenario, path, "item_not_reached", item=place.item)
    return _problem(scenario, path, "step_not_reached", step=place.step, last=len(index.trace) - 1)


def _texts(scenario: Scenario, path: tuple[str | int, ...], beat: Beat, step: Step) -> list[Problem]:
    problems = []
    for below, text in texts_of(beat):
        for name in unknown_names(text, step):
            known = tuple(placeholders(step))
            near = nearest(name, known)
            word = "unknown_name" if near is None else "unknown_name_near"
            event = type(step.event).__name__
            fields = {"called": shown_in_message(name), "event": event, "near": near, "known": listed(known)}
            problems.append(_problem(scenario, (*path, *below), word, **fields))
    return problems


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
    """Line and column of ``path``, or as near to it as the file has any (a text in one language has no mark below)."""
    while path not in scenario.marks and path:
        path = path[:-1]
    return scenario.marks.get(path, (1, 1))


def _problem(scenario: Scenario, path: tuple[str | int, ...], word: str, **fields: Any) -> Problem:
    return Problem(scenario.file, *place_of(scenario, path), words(f"problems.{word}", **fields))
