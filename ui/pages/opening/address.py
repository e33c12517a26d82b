"""What an address of the player names, as far as it can be shown before Streamlit has started."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, Literal, NamedTuple

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.engine.trace.trace import Trace, TraceTooLong
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario.model import Generated
from tidemark.simulator.words import LANGUAGES, current_language, words
from tidemark.ui import catalogue
from tidemark.ui.catalogue import Entry, library
from tidemark.ui.catalogue.tours import order, scenes, visit_of
from tidemark.ui.library.cards import Makings
from tidemark.ui.payload.badges import badges_of, proofs_stamp
from tidemark.ui.payload.packing import FULL, STUDENT, choices_of, packed
from tidemark.ui.server.cache import Latest
from tidemark.ui.server.tags import LINK
from tidemark.ui.share import links
from tidemark.ui.share.links import LinkError, Text, text_of

from tidemark import simulator

# Which scenario is shown to a visitor whose address names none.

OPENS_WITH: Final = "late-but-allowed"
"""What a visitor sees who has been here before, at no particular place."""


def first(entries: Sequence[Entry], place: str | None, *, visit: bool) -> str | None:
    """The name of the scenario; None if there is none that can be run.

    ``place``: where the visitor was last (``ui.server.screen.last_place``); ``visit``: the address asks for the first
    visit.
    """
    sound = [each.name for each in entries if each.scenario]
    order = scenes(entries, catalogue.lessons())
    if order and (place is None or visit):
        return place if place in order else order[0]
    if place in sound:
        return place
    return OPENS_WITH if OPENS_WITH in sound else next(iter(sound), None)


# The order of a lecture, with the pictures that are ready.


def order_here(name: str, entries: Sequence[Entry]) -> dict[str, Any] | None:
    """The lecture or lesson called ``name`` in this folder (``ui.catalogue.tours``); None for an unknown name."""
    ready = Makings(proofs_stamp()).ready
    made = {each.name: there["picture"] for each in entries if each.scenario and (there := ready(each))}
    return order(name, entries, catalogue.lessons(), made)


# The packed scenarios that have been shown before: a link to one of them needs no page run to be read.
#
# A page that shows a scenario keeps it here, so an answer hardly ever waits; ``of_link`` says when one is made for a
# link.

MOST_BYTES: Final = 400_000
"""What is larger is not put into a page: Streamlit can start meanwhile."""

Kind = Literal["library", "own"]

MOST: Final[Mapping[Kind, int]] = {"library": 400, "own": 24}
"""Scenarios that are kept, over all languages; the one that was asked for longest ago goes first. A library has room as
a whole: it is made ready once, so whatever was pushed out would stay slow."""


@dataclass(frozen=True)
class Shown:
    """A packed scenario and its number of steps. ``made_of`` changes with the file, its badges and the library."""

    entry: Entry
    facts: bytes
    steps: int
    made_of: tuple[object, ...]


LANGUAGES_ASKED: Final = {LANGUAGES[0]}
"""The languages of the visitors so far. In others the library is not made ready: that takes half a minute of work."""

_SHOWN: Final[Mapping[Kind, Latest[Shown]]] = {kind: Latest(most) for kind, most in MOST.items()}


def keep(kind: Kind, entry: Entry, facts: bytes, steps: int) -> None:
    """Remember what has just been sent for a scenario, in the current language."""
    if len(facts) > MOST_BYTES:
        return
    key = _name(kind, entry), current_language()
    _SHOWN[kind].keep(key, Shown(entry, facts, steps, _made_of(kind, entry, library())))


def shown(kind: Kind, name: str) -> Shown | None:
    """What a page run would send for a scenario, in the current language; None if it is not there.

    ``name``: that of a scenario of the library, or the stamp of an own one.
    """
    language = current_language()
    if language in LANGUAGES:
        LANGUAGES_ASKED.add(language)
    found = _SHOWN[kind].find((name, language))
    if found is None:
        return None
    entries = library()
    entry = found.entry if kind == "own" else next((each for each in entries if each.name == name), None)
    if entry is None or entry.scenario is None or found.made_of != _made_of(kind, entry, entries):
        return None
    return found


def _name(kind: Kind, entry: Entry) -> str:
    return entry.stamp if kind == "own" else entry.name


def _made_of(kind: Kind, entry: Entry, entries: list[Entry]) -> tuple[object, ...]:
    visit = visit_of(entry.name, entries, catalogue.lessons()) if kind == "library" else ""
    return entry.stamp, choices_of(entries), badges_of(entry), visit


# A scenario that a link itself carries, before Streamlit has started: what was shown before, or a short run.

SHORT_TEXT: Final = 16 * 1024
"""Characters; a longer text is left to the page."""

SHORT_RUN: Final = 1_500
"""Micro-steps of a run that is made for a link at once."""

_MAKING = Lock()
"""One at a time: whoever finds it taken gets the page, which makes the same."""


def of_link(token: str) -> Shown | None:
    """The scenario of a link's token; None if it is long, or if only the page can say what is wrong with it."""
    try:
        text = text_of(token)
        return shown("own", links.stamp_of(text)) or _made(token, text)
    except (LinkError, ScenarioError):
        return None


def of_shelf(digest: str) -> Shown | None:
    """The scenario of a reader's file by its digest, if it was shown before."""
    text = links.shelf().find(digest)
    return shown("own", links.stamp_of(text)) if text else None


def _made(token: str, text: Text) -> Shown | None:
    if len(text.text) > SHORT_TEXT or not _MAKING.acquire(blocking=False):
        return None
    try:
        scenario = scenarios.parse(text.text, words("share.link.called"), json=text.json)
        if isinstance(scenario.stream, Generated) and scenario.stream.events > SHORT_RUN:
            return None
        simulator.run(scenario, _ignore, Trace(limit=SHORT_RUN))
        entry = links.of_link(token).entry
        keep(
            "own",
            entry,
            *packed(entry, entry.name, entry.stamp, choices_of(library()), edition=STUDENT if text.student else FULL),
        )
        return shown("own", entry.stamp)
    except TraceTooLong:
        return None
    finally:
        _MAKING.release()


def _ignore(row: simulator.Row) -> None:
    """Only the number of steps matters."""


UNDERSTOOD: Final = frozenset(
    ("scenario", "s", "own", "step", "words", "open", "why", "view", "order", "picture", "marks", "watch", "break",
     "embed", "copy", "visit", "present", "lecture", "card", LINK)
)  # fmt: skip
"""The parts of an address with which the player needs nothing but its facts and the order of its lecture."""

MOST_DIGITS: Final = 9
"""The most digits of a step in an address; no run has more steps."""


class Opened(NamedTuple):
    """What is shown, the order of the lecture that it belongs to, and whether it is a scene of the first visit."""

    shown: Shown
    lecture: Mapping[str, Any] | None
    visits: bool


def opened(query: Mapping[str, str], place: str | None) -> Opened | None:
    """What the address opens, in the current language; None if it is not ready, or if only the page can say why not.

    ``place``: the scenario at which this visitor was last.
    """
    if not query.keys() <= UNDERSTOOD:
        return None
    there = _shown(query, place)
    if there is None or ("step" in query and not is_step(query["step"], there.steps)):
        return None
    entries = library()
    named = any(name in query for name in ("scenario", "s", "own"))
    visits = ("visit" in query or not named) and there.entry.name in scenes(entries, catalogue.lessons())
    return Opened(there, order_here(query["lecture"], entries) if "lecture" in query else None, visits)


def is_step(text: str, steps: int) -> bool:
    """Whether ``text`` is the number of a step of a run that has so many."""
    return text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS and int(text) < steps


def _shown(query: Mapping[str, str], place: str | None) -> Shown | None:
    if "scenario" in query:
        return shown("library", query["scenario"])
    if "s" in query:
        return of_link(query["s"])
    if "own" in query:
        return of_shelf(query["own"])
    name = first(library(), place, visit="visit" in query)
    return shown("library", name) if name else None
