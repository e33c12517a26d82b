"""A stream with restores, written out as it happens: after a restore comes what the sources send again.

The position of an item in that is its *place*; the rows keep its number in the scenario.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tidemark.simulator.engine.values.items import Advance, Checkpoint, End, Item, Record, Restore, Status, Watermark

_SENT = Record | Watermark | Status | End
"""The kinds of item that a source sends again."""


@dataclass(frozen=True, slots=True)
class Replays:
    """``items`` by place; ``numbers`` are the scenario's. ``withdrawn``: the places whose rows a restore withdraws."""

    items: tuple[Item, ...]
    numbers: tuple[int, ...]
    withdrawn: frozenset[int]


def replays_of(stream: object) -> Replays | None:
    """The stream with what is sent again; None if nothing is restored."""
    if not (isinstance(stream, tuple) and any(isinstance(item, Restore) for item in stream)):
        return None
    items: list[Item] = []
    numbers: list[int] = []
    places: dict[int, int] = {}
    taken_back: list[range] = []
    for number, item, checkpoint in _happening(stream):
        if checkpoint is not None:
            # On the clock's way to the restore windows still fire; they are withdrawn with everything since the
            # checkpoint.
            items.append(Advance(0, item.at))
            numbers.append(number)
            taken_back.append(range(places[checkpoint] + 1, len(items)))
        places[number] = len(items)
        items.append(item)
        numbers.append(number)
    withdrawn: set[int] = set()
    done = len(items)
    for each in reversed(taken_back):  # a later one covers every earlier one that begins after it
        withdrawn.update(range(each.start, min(each.stop, done)))
        done = min(done, each.start)
    return Replays(tuple(items), tuple(numbers), frozenset(withdrawn))


def replayed(stream: object) -> int:
    """How many items are sent again."""
    if not isinstance(stream, tuple):
        return 0
    sent = [0]
    for item in stream:
        sent.append(sent[-1] + isinstance(item, _SENT))
    return sum(sent[number] - sent[checkpoint] for number, checkpoint in _restores(stream))


def _restores(stream: Iterable[Item]) -> Iterator[tuple[int, int]]:
    """The restores, each with the number of its checkpoint."""
    taken: dict[str, int] = {}
    for number, item in enumerate(stream):
        if isinstance(item, Checkpoint):
            taken[item.name] = number
        elif isinstance(item, Restore):
            checkpoint = taken[item.name]
            taken = {name: each for name, each in taken.items() if each <= checkpoint}
            yield number, checkpoint


def _happening(stream: tuple[Item, ...]) -> Iterator[tuple[int, Item, int | None]]:
    """(number, item, number of the checkpoint if the item is a restore), in the order in which they happen."""
    checkpoints = dict(_restores(stream))
    for number, item in enumerate(stream):
        checkpoint = checkpoints.get(number)
        yield number, item, checkpoint
        if checkpoint is not None:
            for again in range(checkpoint + 1, number):
                if isinstance(stream[again], _SENT):
                    yield again, _at_once(stream[again]), None


def _at_once(item: Any) -> Item:
    """The item as it is sent again: the clock does not wait for its time."""
    again: Item = item._replace(at=None) if isinstance(item, Record) else replace(item, at=None)
    return again
