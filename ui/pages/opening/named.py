"""The scenario that an address of the player names, and what answers the player's requests about it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import words
from tidemark.ui.author.desk import as_lines
from tidemark.ui.author.tryout import fires, tryout
from tidemark.ui.catalogue import Entry, find, library
from tidemark.ui.pages.opening.address import first
from tidemark.ui.payload.packing import STUDENT, choices_of, packed
from tidemark.ui.share import links
from tidemark.ui.share.answers import Answer, Answering
from tidemark.ui.share.links import LinkError, editable, fits, student_text, token_of


@dataclass(frozen=True)
class Opened:
    """What the address names: the scenario, its file's content and suffix, the part of the address, the edition."""

    entry: Entry
    source: Callable[[], bytes]
    ending: str
    address: dict[str, str]
    student: bool = False


def named(query: Mapping[str, str], entries: Sequence[Entry], place: str | None = None) -> Opened:
    """What the address ``query`` names; ``place``: the scenario at which this visitor was last.

    Raises ``LinkError`` if that cannot be opened.
    """
    if "scenario" not in query and ("s" in query or "own" in query):
        try:
            opened = links.of_link(query["s"]) if "s" in query else links.of_shelf(query["own"])
        except ScenarioError as error:
            raise LinkError(str(error)) from None
        text = editable(opened.text)
        ending = "json" if text.json else "yaml"
        several = opened.entry.scenario is not None and opened.entry.scenario.chain is not None
        source, ending = (opened.entry.content, "yaml") if several else (text.text.encode, ending)
        return Opened(opened.entry, source, ending, dict([opened.address]), opened.text.student)
    name = query["scenario"] if "scenario" in query else first(entries, place, visit="visit" in query)
    entry = find(name) if name is not None else None
    if entry is None:
        raise LinkError(words("pages.walkthrough.unknown_scenario", scenario=name or ""))
    return Opened(entry, entry.content, entry.file.rpartition(".")[2], {"scenario": entry.name})


def answers_beside(entry: Entry) -> dict[str, Answering]:
    """What answers requests that lead to another run than the one that ``entry`` shows, or to another edition."""
    return {"tryout": _tried, "fires": _fires, "students": lambda _question: _students(entry)}


def _original(question: Mapping[str, Any]) -> tuple[str, Scenario]:
    """The scenario that a reader changes; ``original`` in the question is the part of its address. Raises LinkError."""
    part = question.get("original")
    try:
        opened = named({str(name): str(value) for name, value in part.items()} if part else {}, library())
        if opened.entry.scenario is None:
            raise LinkError(opened.entry.problem)
        return as_lines(opened.source().decode(), f"link.{opened.ending}"), opened.entry.scenario
    except (ScenarioError, AttributeError) as error:
        raise LinkError(str(error)) from None


def _tried(question: Mapping[str, Any]) -> Answer:
    """The answer to a reader who changes a scenario."""
    try:
        source, scenario = _original(question)
    except LinkError as error:
        return {"problem": str(error)}, b""
    return tryout(question, source, scenario, choices_of(library()))


def _fires(question: Mapping[str, Any]) -> Answer:
    """The answer to a Why card that asks whether its advice fires the window."""
    try:
        return fires(question, _original(question)[0]), b""
    except LinkError as error:
        return {"problem": str(error)}, b""


def _students(entry: Entry) -> Answer:
    """The student edition: the token of its link ("" where it is too long for one), and its facts."""
    assert entry.scenario is not None
    text = student_text(entry.scenario)
    token = token_of(text.text, json=False, student=True)
    facts, _ = packed(entry, entry.name, entry.stamp, choices_of(library()), edition=STUDENT)
    return {"token": token if fits(token) else ""}, facts
