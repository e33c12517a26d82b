"""How often each value occurs, counted exactly in memory that does not grow with the stream.

A task counts the small values of each slot (a channel, or another figure) in one table, and the others sorted. When
there are too many of these, they are handed out, and Spark adds up what all tasks handed out.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tidemark.spark_bridge.profile.behind import Longs

CELLS: Final = 1 << 21
"""How many counters the table of the small values has in all."""

HELD: Final = 1 << 19
"""How many other values are held before they are handed out."""


class Counted(NamedTuple):
    """Columns of one length: in ``slot``, ``value`` was seen ``number`` times."""

    slot: Longs
    value: Longs
    number: Longs


class Tally:
    """Counts values >= 0 in each of ``slots``."""

    def __init__(self, slots: int) -> None:
        self.slots, self.width = slots, max(CELLS // slots, 1)
        # The slots of a value lie side by side: mostly the values are much smaller than the table is wide, and then
        # only its beginning is ever touched.
        self._small = np.zeros(slots * self.width, np.int64)
        self._others: list[Counted] = []
        self._held = 0

    def add(self, slot: NDArray[np.integer] | int, values: Longs) -> None:
        """Count ``values``, each in its own slot, or all in one."""
        if not len(values):
            return
        if values.max() >= self.width:
            small = values < self.width
            slots, others = np.broadcast_to(np.asarray(slot), values.shape), ~small
            self._hold(Counted(slots[others].astype(np.int64), values[others], np.ones(int(others.sum()), np.int64)))
            slot, values = slots[small], values[small]
        places = values
        if self.slots > 1:
            places = values * self.slots
            places += slot
        found = np.bincount(places)
        self._small[: len(found)] += found

    def add_zeros(self, slot: int, number: int) -> None:
        """Count 0 ``number`` times."""
        self._small[slot] += number

    def full(self) -> Iterator[Counted]:
        """What has to be handed out by now."""
        if self._held > HELD:
            self._others = [_summed(self._others)]
            self._held = len(self._others[0].slot)
            if self._held > HELD // 2:
                yield self._others.pop()
                self._held = 0

    def rest(self) -> Iterator[Counted]:
        """All that was counted and not handed out."""
        places = np.flatnonzero(self._small)
        yield Counted(places % self.slots, places // self.slots, self._small[places])
        if self._others:
            yield _summed(self._others)

    def _hold(self, counted: Counted) -> None:
        self._others.append(counted)
        self._held += len(counted.slot)


def _summed(parts: list[Counted]) -> Counted:
    slot, value, number = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort((value, slot))
    slot, value, number = slot[order], value[order], number[order]
    first = np.ones(len(slot), bool)
    first[1:] = (slot[1:] != slot[:-1]) | (value[1:] != value[:-1])
    starts = np.flatnonzero(first)
    return Counted(slot[starts], value[starts], np.add.reduceat(number, starts))
