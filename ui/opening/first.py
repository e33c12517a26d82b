"""Which scenario is shown to a visitor whose address names none."""

from collections.abc import Sequence
from typing import Final

from tidemark.ui import catalogue
from tidemark.ui.catalogue import Entry
from tidemark.ui.payload.visit import scenes

OPENS_WITH: Final = "late-but-allowed"
"""What a visitor sees who has been here before, at no particular place."""


def first(entries: Sequence[Entry], place: str | None, *, visit: bool) -> str | None:
    """The name of the scenario; None if there is none that can be run.

    ``place``: where the visitor was last (``ui.visitor.last_place``); ``visit``: the address asks for the first visit.
    """
    sound = [each.name for each in entries if each.scenario]
    order = scenes(entries, catalogue.lessons())
    if order and (place is None or visit):
        return place if place in order else order[0]
    if place in sound:
        return place
    return OPENS_WITH if OPENS_WITH in sound else next(iter(sound), None)
