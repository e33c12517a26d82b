"""A try-out: a reader of the player moves a record or changes a number, and sees what that does beside the original.

The browser keeps the text of the try-out, and every question carries it. What the author says of the original run is
not shown with it: beats, goals and topics need not be true of another run. A draft gets what still is (``holds.py``).
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from tidemark.simulator.explore.runs import Ran, run_of
from tidemark.simulator.limits import SCENARIO_BYTES, TRIED_STEPS
from tidemark.simulator.scenario.editing import EditError
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline.format import time_format
from tidemark.simulator.values.errors import ScenarioError
from tidemark.simulator.words import words
from tidemark.ui.author.changes import partners
from tidemark.ui.author.draft import Draft, draft_of
from tidemark.ui.author.edits import edited
from tidemark.ui.author.holds import what_holds, without_said
from tidemark.ui.author.inserts import step_of_effect
from tidemark.ui.author.refusing import EditRefused
from tidemark.ui.author.tried import sentenced, told
from tidemark.ui.payload.numbers import numbers
from tidemark.ui.payload.packing import packed
from tidemark.ui.share import own
from tidemark.ui.share.links import LinkError
from tidemark.ui.times import TimeStyle

Row = dict[str, Any]
Answer = tuple[Row, bytes]


def tryout(
    question: Mapping[str, Any], source: str, scenario: Scenario, choices: Sequence[tuple[str, str, str]]
) -> Answer:
    """The answer to {text, edit, step, window, effect}, and the packed payload of the changed scenario.

    ``text`` is the try-out so far, null for ``scenario`` itself, whose text is ``source``; ``step`` is a step of that
    run; ``window``, which may be missing, is what an insertion is to fire or to release: see ``steps_of_effect``. The
    answer: {text, address, draft, step, what, line, ghost}, or {problem}. ``address`` opens the changed scenario,
    ``draft`` a draft of it: {address, left_out}; ``what`` says what was changed and ``line`` what that does, ``ghost``
    is where the original's records and watermark were.
    """
    try:
        before = text_before(question, source)
        draft, _ = edited(draft_of(before), question.get("edit") or {})
        opened = own.of_file(words("author.called"), shown_alone(draft))
    except (EditRefused, LinkError, ScenarioError) as error:
        return {"problem": str(error)}, b""
    changed = opened.entry.scenario
    assert changed is not None
    here, there = run_of(scenario), run_of(changed)
    if max(len(here.trace), len(there.trace)) > TRIED_STEPS:
        return {"problem": words("tryout.too_long", limit=f"{TRIED_STEPS:,}")}, b""
    past = here if not isinstance(question.get("text"), str) else run_of(_scenario(before))
    body, _ = packed(opened.entry, opened.entry.name, opened.entry.stamp, tuple(choices))
    style = TimeStyle(time_format(scenario))
    return {
        "text": draft.text,
        "address": list(opened.address),
        "draft": _draft(draft, opened.address, here, there),
        "step": _where_it_fires(there, question) or _same_moment(past, there, question.get("step")),
        "what": _what(scenario, changed),
        "line": told(here, there, style),
        "ghost": _ghost(here, there),
    }, body


def text_before(question: Mapping[str, Any], source: str) -> str:
    """The text before the edit."""
    text = question.get("text")
    if isinstance(text, str):
        if len(text) > SCENARIO_BYTES:
            raise EditRefused(words("author.refused.too_large", limit=SCENARIO_BYTES // 1024))
        return text
    return source


def shown_alone(draft: Draft) -> str:
    """The text of ``draft`` without what its author says of the run. Raises ``EditRefused`` if it is not simple."""
    try:
        assert draft.read is not None
        return without_said(draft.read).text
    except EditError:
        raise EditRefused(words("author.refused.not_simple")) from None


def _draft(draft: Draft, shown: tuple[str, str], here: Ran, there: Ran) -> Row:
    """``address`` of a draft of it, with what its author says and still holds, and what was ``left_out``, in words.

    ``shown`` is the address without all of that.
    """
    assert draft.read is not None
    if draft.scenario is None or not draft.whole:
        return {"address": list(shown), "left_out": words("tryout.left_out.all")}
    text, left_out = what_holds(draft.read, draft.scenario, here, there)
    try:
        return {"address": list(own.of_file(words("author.called"), text.text).address), "left_out": left_out}
    except (LinkError, ScenarioError):
        return {"address": list(shown), "left_out": words("tryout.left_out.all")}


def _scenario(text: str) -> Scenario:
    scenario = draft_of(text).scenario
    assert scenario is not None  # it was shown
    return scenario


def _same_moment(past: Ran, there: Ran, step: Any) -> int:
    """The step that the changed run shows for a step of the run before: the same one if all is the same up to there,
    else the last one of the moment; if nothing happens then, the one before."""
    last = len(there.trace) - 1
    if not isinstance(step, int) or step >= len(past.trace) - 1:
        return last
    same = slice(max(step, 0) + 1)
    if past.trace.steps[same] == there.trace.steps[same]:
        return max(step, 0)
    moment = past.moments[past.trace.steps[max(step, 0)].item]
    return max((each for at, each in there.last_steps.items() if at <= moment), default=0)


def _where_it_fires(there: Ran, question: Mapping[str, Any]) -> int | None:
    """The step at which what was put in fires the ``window`` of the question; None where it names none."""
    if "window" not in question or question["edit"]["kind"] != "insert":
        return None
    return step_of_effect(there.facts, there.trace, question)


def _what(scenario: Scenario, changed: Scenario) -> str:
    """``Bound: 2 s → 2.501 s, one record moved.``"""
    were = {each["name"]: each for each in numbers(scenario)}
    said = [
        words("tryout.number", label=each["label"], before=were[each["name"]]["value"], after=each["value"])
        for each in numbers(changed)
        if each["name"] in were and were[each["name"]]["value"] != each["value"]
    ]
    moved = len(_moved(scenario, changed))
    if moved:
        said.append(words("tryout.moved_one" if moved == 1 else "tryout.moved", count=moved))
    added = len(list(items(changed))) - len(list(items(scenario)))
    if added > 0:
        said.append(words("tryout.added_one" if added == 1 else "tryout.added", count=added))
    return sentenced(words("app.comma").join(said) if said else words("tryout.as_before"))


def _moved(scenario: Scenario, changed: Scenario) -> list[int]:
    """The items of the original whose record is another one now, or comes after one that it was before."""
    ours, theirs = list(items(scenario)), list(items(changed))
    found = {item: was for item, was in partners(scenario, changed).items() if was is not None}
    others = [was for item, was in found.items() if ours[was] != theirs[item]]
    return others or [was for was, following in pairwise(found.values()) if following < was][:1]


def _ghost(here: Ran, there: Ran) -> Row:
    """``records``: [event time, arrival, input] of those moved; ``watermark``: [value, arrival] of each rise; in ms."""
    moved = set(_moved(here.scenario, there.scenario))
    places = {
        row["item"]: [row["at"] if row["ts"] is None else row["ts"], row["arrival"], row["input"]]
        for row in here.facts.tables["records"]
        if row["item"] in moved
    }
    rises = [[row["value"], row["arrival"]] for row in here.facts.tables["watermark"] if row["value"] is not None]
    return {"records": list(places.values()), "watermark": rises}
