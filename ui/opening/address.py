"""What an address of the player names, as far as it can be shown before Streamlit has started."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from tidemark.ui import catalogue
from tidemark.ui.catalogue import library
from tidemark.ui.opening import own
from tidemark.ui.opening.first import first
from tidemark.ui.opening.lecture import order_here
from tidemark.ui.opening.ready import Shown, shown
from tidemark.ui.payload.visit import scenes
from tidemark.ui.tags import LINK

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
        return own.of_link(query["s"])
    if "own" in query:
        return own.of_shelf(query["own"])
    name = first(library(), place, visit="visit" in query)
    return shown("library", name) if name else None
