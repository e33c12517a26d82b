"""A draft: the text that an author is working on, what is wrong with it, and as much of it as runs all the same."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidemark.simulator import timeline
from tidemark.simulator.engine.values.errors import Problem, ScenarioError
from tidemark.simulator.engine.values.items import Item
from tidemark.simulator.explore.runs import Ran, moments_of
from tidemark.simulator.limits import DRAFT_STEPS
from tidemark.simulator.scenario import read_parsed, read_text
from tidemark.simulator.scenario.editing import EditError, ScenarioText, blank
from tidemark.simulator.scenario.format.document import EVENTS, ROWS
from tidemark.simulator.scenario.model import Goal, Scenario
from tidemark.simulator.teaching.hints import goals_now, hints
from tidemark.simulator.teaching.lint import Look, problems_of_run
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.ids import key_id
from tidemark.simulator.words import current_language, listed, words
from tidemark.ui.catalogue import library
from tidemark.ui.catalogue.walkable import walked
from tidemark.ui.server.cache import Latest

CALLED: Final = "draft.yaml"

LEFT_OUT: Final = (("walkthrough",), ("goals",), ("walkthrough", "goals"))
"""Members that the run does not need: an error in one of them does not keep it from running."""

MOST_KEPT: Final = 24
MOST_CHARACTERS: Final = 750_000
"""How many drafts are kept, and how much text in total: a text that has been read takes many times its size."""


@dataclass(frozen=True)
class Draft:
    """``text`` has ``\\n`` line ends; ``read`` is the same for edits, ``None`` if it cannot be read.

    ``scenario`` is ``None`` if not even the run is sound. ``whole``: it is all that the text says, and not only what is
    left without its goals or its walkthrough.
    """

    text: str
    read: ScenarioText | None
    problems: tuple[Problem, ...]
    scenario: Scenario | None
    whole: bool


_DRAFTS: Final = Latest[Draft](MOST_KEPT, lambda draft: len(draft.text), MOST_CHARACTERS)
"""By language and text, shared by all sessions: the next question begins with one of them."""


def draft_of(text: str) -> Draft:
    """The draft with ``text``. Raises nothing: what is wrong is among its problems."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    key = current_language(), text
    found = _DRAFTS.find(key)
    if found is not None:
        return found
    try:
        return _DRAFTS.keep(key, _checked(text, ScenarioText(text)))
    except EditError:
        return _DRAFTS.keep(key, _unreadable(text))


def draft_of_edit(read: ScenarioText, known: Sequence[Item | None] = ()) -> Draft:
    """As ``draft_of``, for the text that an edit has returned: it is not parsed again, nor are ``known`` items checked.

    See ``simulator.scenario.read_parsed``.
    """
    key = current_language(), read.text
    return _DRAFTS.find(key) or _DRAFTS.keep(key, _checked(read.text, read, known))


def _checked(text: str, read: ScenarioText, known: Sequence[Item | None] = ()) -> Draft:
    try:
        scenario, warnings = read_parsed(read, CALLED, known)
    except ScenarioError as error:
        return Draft(text, read, tuple(error.problems), _run_of(read, known), False)
    return Draft(text, read, tuple(warnings), scenario, True)


def _unreadable(text: str) -> Draft:
    try:
        read_text(text, CALLED)
    except ScenarioError as error:
        return Draft(text, None, tuple(error.problems), None, False)
    raise AssertionError("what edits cannot read, the reader refuses")


def _run_of(read: ScenarioText, known: Sequence[Item | None]) -> Scenario | None:
    """The scenario without its walkthrough, or its goals, or both; every line stays where it is."""
    for left_out in LEFT_OUT:
        try:
            rest = read
            for name in left_out:
                rest = blank(rest, name)
            return read_parsed(rest, CALLED, known)[0]
        except (EditError, ScenarioError):
            continue
    return None


MOST_CHECKS: Final = 24
MOST_STEPS_KEPT: Final = 12_000
"""How many runs are kept, and how many steps in total: a long run is tens of thousands of objects, which the garbage
collector visits again and again, so that more kept runs would make every edit slower."""


@dataclass(frozen=True)
class Shown:
    """``cut``: the run is longer than what is shown of it."""

    run: Ran
    cut: bool


_RUNS: Final = Latest[Shown](MOST_CHECKS, lambda shown: len(shown.run.trace), MOST_STEPS_KEPT)
"""By language and text, shared by all sessions."""


def kept_run(text: str) -> Shown | None:
    """The run of ``text``, if it is kept."""
    return _RUNS.find((current_language(), text))


def run_of_draft(text: str, scenario: Scenario) -> Shown:
    """The run of ``scenario``, whose text is ``text``. Raises ``ScenarioError`` for what the engine does not run."""
    key = current_language(), text
    return _RUNS.find(key) or _RUNS.keep(key, _run(scenario))


def _run(scenario: Scenario) -> Shown:
    shown, trace = walked(scenario, DRAFT_STEPS)
    if not len(trace):
        return Shown(Ran(shown, trace, timeline.build(shown, trace), []), False)
    return Shown(Ran(shown, trace, timeline.build(shown, trace), moments_of(shown)), shown is not scenario)


MOST_RECORDS: Final = 40
MOST_KEYS: Final = 6
"""How many records and keys can still be told apart from the last row of a room."""

PROMISES: Final = ("title", "tag")
"""The kinds of hints at what title and topics promise."""

FROZEN_ROWS: Final = ("pane", "joined", "group", "emitted", "ranked", "late", "dropped")
"""The kinds of rows that become goals when a run is frozen: what a reader sees of it."""


def checks(draft: Draft, shown: Shown) -> list[Row]:
    """{mark, head, line, more}; ``mark``: ``error``, ``warning`` or ``ok``. Errors come first."""
    assert draft.scenario is not None
    found = [_problem(each) for each in draft.problems]
    if draft.whole and not shown.cut:
        found += [_problem(each) for each in _of_the_run(draft.scenario)]
    return [*sorted(found, key=lambda each: each["mark"] != "error"), *_sound(shown)]


def _of_the_run(scenario: Scenario) -> list[Problem]:
    """Beats that the run never reaches, and the like. Goals have a list of their own."""
    try:
        return problems_of_run(replace(scenario, goals=()))
    except ScenarioError as error:
        return error.problems


def _problem(problem: Problem) -> Row:
    mark = "warning" if problem.warning else "error"
    head = words("author.checks.line", line=problem.line) if problem.line else words("author.checks.file")
    return {"mark": mark, "head": head, "line": problem.line, "more": problem.text}


def _sound(shown: Shown) -> list[Row]:
    records = [row for row in shown.run.facts.tables["records"] if row["until_step"] is None]
    fates = Counter(row["fate"] for row in records)
    lost, side = fates["dropped"] + fates["skipped"], fates["side"]
    missed = len(shown.run.missed)
    name, on_time = "fates_side" if side else "fates", fates["on-time"] - missed
    more = words(f"author.checks.{name}", on_time=on_time, late=fates["late-accepted"], side=side, lost=lost)
    if missed:
        more = words("author.checks.fates_missed", fates=more, missed=missed)
    if fates["filtered"]:
        more = words("author.checks.fates_filtered", fates=more, filtered=fates["filtered"])
    notes: list[Row] = []
    open_ones = fates["ahead"] + fates["arrived"]
    if records and not open_ones:
        notes.append({"mark": "ok", "head": words("author.checks.every_fate"), "line": None, "more": more})
    elif not records:
        notes.append({"mark": "warning", "head": words("author.checks.no_record"), "line": None,
                     "more": words("author.checks.no_record_more")})  # fmt: skip
    keys = len({key_id(row["key"]) for row in records})
    fits = len(records) <= MOST_RECORDS and keys <= MOST_KEYS
    size = words("author.checks.size", records=len(records), keys=keys)
    if records:
        mark, name = ("ok", "fits") if fits else ("warning", "fits_not")
        notes.append({"mark": mark, "head": words(f"author.checks.{name}"), "line": None, "more": size})
    return notes


def _look(scenario: Scenario, shown: Shown) -> Look:
    """The run that exists already, in the form that hints and goals need."""
    return Look(scenario, rows_of(shown), shown.run.trace)


def rows_of(shown: Shown) -> Counter[str]:
    """How many rows of each kind remain at the end."""
    return Counter(fact["row"]["row"] for fact in shown.run.facts.tables["outputs"] if fact["until_step"] is None)


def hints_of(draft: Draft, shown: Shown) -> list[Row]:
    """Hints at what the author may not have meant, in the form of ``checks``.

    The browser asks for them separately, because they need more runs: what wrong beliefs would give. A title that is
    still that of a scenario of the library promises nothing: whoever tries something out in a copy did not write it.
    """
    scenario = draft.scenario
    if scenario is None or not draft.whole or shown.cut:
        return []
    borrowed = any(each.scenario and each.scenario.title == scenario.title for each in library() if scenario.title)
    return [
        {"mark": "warning", "head": each.message, "line": each.line, "more": each.fix}
        for each in hints(scenario, _look(scenario, shown))
        if not (borrowed and each.kind in PROMISES)
    ]


def goals(scenario: Scenario, shown: Shown) -> list[Row]:
    """{head, more, met, path}; ``met`` is ``None`` if the run is too long to be followed at every edit."""
    notes = []
    for number, result in enumerate(goals_now(scenario, _look(scenario, shown))):
        place = scenario.marks.get(("goals", number))
        notes.append({
            "number": number, "head": _wanted(result.goal), "met": None if shown.cut else result.met,
            "more": words("author.goals.now", found=result.found), "line": place[0] if place else None,
        })  # fmt: skip
    return notes


def _wanted(goal: Goal) -> str:
    asked = (("exactly", goal.count), ("at_least", goal.at_least), ("at_most", goal.at_most))
    what = words(f"author.story.events.{goal.event}" if goal.rows is None else f"author.goals.rows.{goal.rows}")
    parts = [words(f"author.goals.{word}", count=count, what=what) for word, count in asked if count is not None]
    return listed(parts)


def goal_choices(engine: str) -> list[list[str]]:
    """What a new goal can count: rows of the engine, then trace events as people say them."""
    rows = [[each, words(f"author.goals.rows.{each}")] for each in ROWS[engine]]
    return rows + [[each, words(f"author.story.events.{each}")] for each in EVENTS]
