"""The order of a lecture, with the pictures that are ready."""

from collections.abc import Sequence
from typing import Any

from ui import catalogue
from ui.catalogue import Entry
from ui.lecture.orders import order
from ui.library.cards import Makings
from ui.payload.badges import proofs_stamp


def order_here(name: str, entries: Sequence[Entry]) -> dict[str, Any] | None:
    """The lecture or lesson called ``name`` in this folder (``ui.lecture.orders``); None for an unknown name."""
    ready = Makings(proofs_stamp()).ready
    made = {each.name: there["picture"] for each in entries if each.scenario and (there := ready(each))}
    return order(name, entries, catalogue.lessons(), made)
