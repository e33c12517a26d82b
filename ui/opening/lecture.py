"""The order of a lecture, with the pictures that are ready."""

from collections.abc import Sequence
from typing import Any

from tidemark.ui import catalogue
from tidemark.ui.catalogue import Entry
from tidemark.ui.lecture.orders import order
from tidemark.ui.library.cards import Makings
from tidemark.ui.payload.badges import proofs_stamp


def order_here(name: str, entries: Sequence[Entry]) -> dict[str, Any] | None:
    """The lecture or lesson called ``name`` in this folder (``ui.lecture.orders``); None for an unknown name."""
    ready = Makings(proofs_stamp()).ready
    made = {each.name: there["picture"] for each in entries if each.scenario and (there := ready(each))}
    return order(name, entries, catalogue.lessons(), made)
