"""The walkthrough: one scenario in the player. ``/?scenario=NAME&step=N`` opens it at a step.

``/?s=TEXT`` opens a scenario that the link itself carries, ``/?own=DIGEST`` a reader's file that is too long for that.
``&lecture=NAME`` presents it as part of a lecture, ``&visit=1`` shows it as a scene of the
first visit; ``/?notes=ID`` is the presenter's second window.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from simulator.scenario.model import Scenario
from simulator.values.errors import ScenarioError
from simulator.words import words
from ui import catalogue, visitor
from ui.author.desk import as_lines
from ui.author.fires import fires
from ui.author.tryout import tryout
from ui.catalogue import Entry, find, library
from ui.lecture.component import mount_order, notes_page
from ui.messages import message
from ui.opening.address import is_step
from ui.opening.first import first
from ui.opening.lecture import order_here
from ui.opening.ready import keep
from ui.pages.notice import notice
from ui.payload.packing import choices_of, packed
from ui.payload.students import FULL, STUDENT
from ui.payload.visit import visit_of
from ui.player.component import player
from ui.share import own
from ui.share.desk import desk
from ui.share.links import LinkError, fits, token_of
from ui.share.offline import mount_kit
from ui.share.student import editable, student_text

PARTS_OF_A_PLACE = frozenset(("scenario", "step", "present", "lecture", "card", "visit", "lang"))
"""The parts of an address within a lecture or a visit."""


@dataclass(frozen=True)
class Opened:
    """What the address names: the scenario, its file's content and suffix, the part of the address, the edition."""

    entry: Entry
    source: Callable[[], bytes]
    ending: str
    address: dict[str, str]
    student: bool = False


def _open() -> None:
    """The reader chose another scenario, or a lecture continues with its next scenario."""
    chosen = message("player", "open")
    if isinstance(chosen, str):
        st.query_params.from_dict({"scenario": chosen})
    elif isinstance(chosen, dict):
        # The browser shows this address already. It must be the same, letter by letter, or its history holds it twice.
        st.query_params.from_dict({part: str(value) for part, value in chosen.items() if part in PARTS_OF_A_PLACE})


def _named(entries: list[Entry], query: Mapping[str, str]) -> Opened:
    """What an address names. Raises ``LinkError`` if that cannot be opened."""
    if "scenario" not in query and ("s" in query or "own" in query):
        try:
            opened = own.of_link(query["s"]) if "s" in query else own.of_shelf(query["own"])
        except ScenarioError as error:
            raise LinkError(str(error)) from None
        text = editable(opened.text)
        ending = "json" if text.json else "yaml"
        return Opened(opened.entry, text.text.encode, ending, dict([opened.address]), opened.text.student)
    name = query["scenario"] if "scenario" in query else first(entries, visitor.last_place(), visit="visit" in query)
    entry = find(name) if name is not None else None
    if entry is None:
        raise LinkError(words("pages.walkthrough.unknown_scenario", scenario=name or ""))
    return Opened(entry, entry.path.read_bytes, entry.path.suffix[1:], {"scenario": entry.name})


def _original(question: Mapping[str, Any]) -> tuple[str, Scenario]:
    """The scenario that a reader changes; ``original`` in the question is the part of its address. Raises LinkError."""
    named = question.get("original")
    try:
        opened = _named(library(), {str(name): str(value) for name, value in named.items()} if named else {})
        if opened.entry.scenario is None:
            raise LinkError(opened.entry.problem)
        return as_lines(opened.source().decode(), f"link.{opened.ending}"), opened.entry.scenario
    except (ScenarioError, AttributeError) as error:
        raise LinkError(str(error)) from None


def _tried(question: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
    """The answer to a reader who changes a scenario."""
    try:
        source, scenario = _original(question)
    except LinkError as error:
        return {"problem": str(error)}, b""
    return tryout(question, source, scenario, choices_of(library()))


def _fires(question: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
    """The answer to a Why card that asks whether its advice fires the window."""
    try:
        return fires(question, _original(question)[0]), b""
    except LinkError as error:
        return {"problem": str(error)}, b""


def _students(entry: Entry) -> tuple[dict[str, Any], bytes]:
    """The student edition: the token of its link ("" where it is too long for one), and its facts."""
    assert entry.scenario is not None
    text = student_text(entry.scenario)
    token = token_of(text.text, json=False, student=True)
    facts, _ = packed(entry, entry.name, entry.stamp, choices_of(library()), edition=STUDENT)
    return {"token": token if fits(token) else ""}, facts


def page() -> None:
    """The page."""
    if "notes" in st.query_params:
        notes_page()
        return
    entries = library()
    try:
        opened = _named(entries, {name: st.query_params[name] for name in st.query_params})
    except LinkError as error:
        notice(str(error), words("pages.walkthrough.offer_library"))
        return
    entry = opened.entry
    lessons = catalogue.lessons()
    visit = visit_of(entry.name, entries, lessons) if "scenario" in opened.address else ""
    facts, steps = packed(
        entry, entry.name, entry.stamp, choices_of(entries), visit, edition=STUDENT if opened.student else FULL
    )
    wanted = st.query_params.get("step")
    if wanted is not None and not is_step(wanted, steps):
        text = words("pages.walkthrough.unknown_step", step=wanted, title=entry.title, last=steps - 1)
        notice(text, words("pages.walkthrough.offer_library"), address=opened.address)
        return
    keep("library" if "scenario" in opened.address else "own", entry, facts, steps)
    player(facts, on_open=_open)
    with st.container(key="tidemark_desk"):
        mount_kit()
        assert entry.scenario is not None
        more = {"tryout": _tried, "fires": _fires, "students": lambda _question: _students(entry)}
        desk(entry.scenario, opened.source, opened.ending, facts, more)
        if name := st.query_params.get("lecture"):
            mount_order(order_here(name, entries))


page()
