"""The packed scenarios that have been shown before: a link to one of them needs no page run to be read.

A page that shows a scenario keeps it here, so an answer hardly ever waits; ``own.py`` says when one is made for a link.
"""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Final, Literal

from tidemark.simulator.words import current_language
from tidemark.ui import catalogue
from tidemark.ui.catalogue import Entry, library
from tidemark.ui.payload.badges import badges_of
from tidemark.ui.payload.packing import choices_of
from tidemark.ui.payload.visit import visit_of

MOST: Final = {"library": 400, "own": 24}
"""Scenarios that are kept, over all languages; the one that was asked for longest ago goes first. A library has room as
a whole: it is made ready once, so whatever was pushed out would stay slow."""

MOST_BYTES: Final = 400_000
"""What is larger is not put into a page: Streamlit can start meanwhile."""

Kind = Literal["library", "own"]


@dataclass(frozen=True)
class Shown:
    """A packed scenario and its number of steps. ``made_of`` changes with the file, its badges and the library."""

    entry: Entry
    facts: bytes
    steps: int
    made_of: tuple[object, ...]


_SHOWN: dict[Kind, "OrderedDict[tuple[str, str], Shown]"] = {"library": OrderedDict(), "own": OrderedDict()}
_LOCK = Lock()


def keep(kind: Kind, entry: Entry, facts: bytes, steps: int) -> None:
    """Remember what has just been sent for a scenario, in the current language."""
    if len(facts) > MOST_BYTES:
        return
    key = _name(kind, entry), current_language()
    with _LOCK:
        kept = _SHOWN[kind]
        kept[key] = Shown(entry, facts, steps, _made_of(kind, entry, library()))
        kept.move_to_end(key)
        while len(kept) > MOST[kind]:
            kept.popitem(last=False)


def shown(kind: Kind, name: str) -> Shown | None:
    """What a page run would send for a scenario, in the current language; None if it is not there.

    ``name``: that of a scenario of the library, or the stamp of an own one.
    """
    key = name, current_language()
    with _LOCK:
        found = _SHOWN[kind].get(key)
        if found is None:
            return None
        _SHOWN[kind].move_to_end(key)
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
