"""What becomes of the records in tumbling windows: dropped or late, and how long a window waits for its firing.

The watermark is ``m - bound - 1`` after each record, and undefined until every channel of the stream has brought a
record, as in the operator's valve. A window ``[start, end)`` fires when the watermark reaches ``end - 1``, that is when
``m >= end + bound``; with ``m >= end + bound + lateness`` its state is gone and a record for it is dropped.
Source: ``WindowOperator.isWindowLate``, ``EventTimeTrigger``.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from tidemark.spark_bridge.profile.behind import UNSEEN, Block, Longs


@dataclass(frozen=True, slots=True)
class Windows:
    """Tumbling windows of ``size``, with the ``bound`` of the watermark and the allowed ``lateness`` (ms)."""

    size: int
    bound: int = 0
    lateness: int = 0

    def ends(self, timestamps: Longs) -> Longs:
        """The end of each record's window."""
        return (timestamps // self.size + 1) * self.size


class Over(NamedTuple):
    """The records at ``places`` of a block whose windows the watermark has reached, with the ``excess`` of each: the
    smallest lateness with which its window still takes it, the distance from the window's last moment to the watermark,
    plus 1.
    """

    places: Longs
    excess: Longs


def over(windows: Windows, block: Block, timestamps: Longs, behind: Longs) -> Over:
    """What comes after its window. ``behind``: of each record; only one that is late can be too late for its window."""
    places = np.flatnonzero(behind > windows.bound)
    places = places[np.searchsorted(places, block.whole_from) :]
    found = block.lowest[places] - windows.ends(timestamps[places]) - windows.bound + 1
    is_over = found > 0
    return Over(places[is_over], found[is_over])


def excess(windows: Windows, block: Block, timestamps: Longs) -> Longs:
    """The excess of each record, 0 for one whose window the watermark has not reached yet."""
    found = np.zeros(len(timestamps), np.int64)
    places, values = over(windows, block, timestamps, block.behind(timestamps))
    found[places] = values
    return found


def ends_on_time(windows: Windows, timestamps: Longs, late: Over) -> Longs:
    """The ends of the windows that have a record before they fire, each once."""
    numbers = timestamps // windows.size
    if len(late.places):
        is_on_time = np.ones(len(numbers), bool)
        is_on_time[late.places] = False
        numbers = numbers[is_on_time]
    found = numbers[:1]
    if len(numbers) > 1:
        found = np.unique(np.concatenate((found, numbers[1:][numbers[1:] != numbers[:-1]])))
    return (found + 1) * windows.size


def fired(windows: Windows, block: Block, after: int, ats: Longs | None) -> tuple[Longs, Longs]:
    """The last window's end that each firing watermark of a block reaches, and when that was: the arrival of the record
    that raised it (``ats``), or without arrivals the largest timestamp by then.

    ``after``: m after the last record, ``UNSEEN`` while undefined.
    """
    records, steps = len(block.lowest), block.steps.places
    steps = np.insert(steps, np.searchsorted(steps, block.whole_from), block.whole_from)
    places = np.append(steps[steps < records], records)
    m = np.append(block.lowest, after)[places]
    is_defined = (m != UNSEEN) & (places >= block.whole_from)
    reached = (np.where(is_defined, m, 0) - windows.bound) // windows.size * windows.size
    risen = is_defined[1:] & (~is_defined[:-1] | (reached[1:] > reached[:-1]))
    by = places[1:][risen] - 1  # what is so before a record is so since the one before it
    return reached[1:][risen], block.highest_at(by) if ats is None else ats[by]


def waits(windows: Windows, ends: Longs, fired: Longs, clocks: Longs) -> Longs:
    """How long after its end each of the windows fires that fire at all; ``ends`` and ``fired`` rise.

    A window fires with the first watermark that reaches its end or a later one.
    """
    places = np.searchsorted(fired, ends)
    does = places < len(fired)
    return clocks[places[does]] - ends[does]
