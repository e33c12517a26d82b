"""The packed scenarios that have been shown before: a link to one of them needs no page run to be read.

A page that shows a library scenario keeps it here. Nothing is computed for a link, so an answer never waits.
"""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Final

from simulator.words import current_language
from ui.catalogue import Entry, library
from ui.payload.badges import badges_of
from ui.payload.packing import choices_of

MOST: Final = 120
"""Scenarios that are kept, over all languages; the one that was asked for longest ago goes first."""

MOST_BYTES: Final = 400_000
"""What is larger is not put into a page: Streamlit can start meanwhile."""


@dataclass(frozen=True)
class Shown:
    """A packed scenario and its number of steps. ``made_of`` changes with the file, its badges and the library."""

    facts: bytes
    steps: int
    made_of: tuple[str, object, str]


_SHOWN: "OrderedDict[tuple[str, str], Shown]" = OrderedDict()
_LOCK = Lock()


def keep(entry: Entry, facts: bytes, steps: int) -> None:
    """Remember what has just been sent for a scenario of the library, in the current language."""
    if len(facts) > MOST_BYTES:
        return
    with _LOCK:
        _SHOWN[entry.name, current_language()] = Shown(facts, steps, _made_of(entry, library()))
        _SHOWN.move_to_end((entry.name, current_language()))
        while len(_SHOWN) > MOST:
            _SHOWN.popitem(last=False)


def shown(name: str) -> Shown | None:
    """What a page run would send for the scenario called ``name``, in the current language; None if it is not there."""
    key = name, current_language()
    with _LOCK:
        found = _SHOWN.get(key)
        if found is None:
            return None
        _SHOWN.move_to_end(key)
    entries = library()
    entry = next((each for each in entries if each.name == name and each.scenario), None)
    return found if entry is not None and found.made_of == _made_of(entry, entries) else None


def _made_of(entry: Entry, entries: list[Entry]) -> tuple[str, object, str]:
    return entry.stamp, choices_of(entries), badges_of(entry)
