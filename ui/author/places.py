"""Where an item of the stream belongs: items stand in order of arrival, and none stands behind the end of input."""

from collections.abc import Sequence
from typing import Any

from tidemark.simulator.values.items import End, Item


def after_move(item: int, old: int, new: int) -> int:
    """The index of ``item`` after item ``old`` has moved to ``new``."""
    if item == old:
        return new
    return item - (old < item <= new) + (new <= item < old)


def end_of(items: Sequence[Item], number: int) -> int:
    """The last index that item ``number`` can have: before the end of input, which itself stays where it is."""
    if isinstance(items[number], End):
        return number
    others = _without(items, number)
    return next((place for place, item in enumerate(others) if isinstance(item, End)), len(others))


def clock_there(items: Sequence[Item], number: int, to: int) -> dict[str, int]:
    """The new ``at`` (if it has one) of an item that moves: it arrives when those around it do."""
    if _at(items[number]) is None or to == number:
        return {}
    beside = (_at(item) for item in _without(items, number)[max(to - 1, 0) : to + 1])
    around = [at for at in beside if at is not None]
    return {"at": sum(around) // len(around)} if around else {}


def by_arrival(items: Sequence[Item], number: int, at: int) -> int:
    """The index at which an item that arrives at ``at`` (ms) keeps arrivals ascending; never behind the end of input.

    An item without an arrival of its own arrives with the one before it, and stays with that.
    """
    arrivals = [_at(item) for item in _without(items, number)]
    before = [arrival for arrival in arrivals[:number] if arrival is not None]
    behind = [arrival for arrival in arrivals[number : end_of(items, number)] if arrival is not None]
    if max(before, default=at) <= at <= min(behind, default=at):
        return number
    to = max((place + 1 for place, arrival in enumerate(arrivals) if arrival is not None and arrival <= at), default=0)
    while to < len(arrivals) and to != number and arrivals[to] is None:
        to += 1
    return min(to, end_of(items, number))


def _without(items: Sequence[Item], number: int) -> list[Item]:
    return [item for place, item in enumerate(items) if place != number]


def _at(item: Any) -> int | None:
    at: int | None = getattr(item, "at", None)
    return at
