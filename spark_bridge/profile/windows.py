"""What becomes of the records in tumbling windows: dropped or late, and how long a window waits for its firing.

The watermark is ``m - bound - 1`` after each record, and undefined until every channel of the stream has brought a
record, as in the operator's valve. A window ``[start, end)`` fires when the watermark reaches ``end - 1``, that is when
``m >= end + bound``; with ``m >= end + bound + lateness`` its state is gone and a record for it is dropped.
Source: ``WindowOperator.isWindowLate``, ``EventTimeTrigger``.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spark_bridge.profile.behind import UNSEEN, Block, Longs


@dataclass(frozen=True, slots=True)
class Windows:
    """Tumbling windows of ``size``, with the ``bound`` of the watermark and the allowed ``lateness`` (ms)."""

    size: int
    bound: int = 0
    lateness: int = 0

    def ends(self, timestamps: Longs) -> Longs:
        """The end of each record's window."""
        return (timestamps // self.size + 1) * self.size


class Seen(NamedTuple):
    """What the windows see of a block.

    ``excess``: see there. ``ends``: of the windows that have a record before they fire, each once. ``fired``: the last
    window's end that each firing watermark reaches; ``clocks``: when that was (see ``clocks`` of ``seen``).
    """

    excess: Longs
    ends: Longs
    fired: Longs
    clocks: Longs


def excess(windows: Windows, block: Block, timestamps: Longs) -> Longs:
    """0 for a record whose window the watermark has not reached yet; else the smallest lateness with which the window
    still takes it: the distance from the window's last moment to the watermark, plus 1.
    """
    found: Longs = np.maximum(block.lowest - windows.ends(timestamps) - windows.bound + 1, 0)
    found[: block.whole_from] = 0
    return found


def seen(windows: Windows, block: Block, timestamps: Longs, after: int, clocks: Longs) -> Seen:
    """What becomes of the records of a block with these ``timestamps``.

    ``after``: m after the last record, ``UNSEEN`` while undefined. ``clocks``: the time right after each record, by the
    arrivals or as the largest timestamp so far.
    """
    ends, late = windows.ends(timestamps), excess(windows, block, timestamps)
    on_time = ends[late == 0]
    if len(on_time):
        on_time = np.unique(on_time[np.concatenate(([True], on_time[1:] != on_time[:-1]))])
    passed = np.append(block.lowest, after)
    defined = passed != UNSEEN
    defined[: block.whole_from] = False
    reached = (np.where(defined, passed, 0) - windows.bound) // windows.size * windows.size
    risen = defined[1:] & (~defined[:-1] | (reached[1:] > reached[:-1]))
    return Seen(late, on_time, reached[1:][risen], clocks[risen])


def waits(windows: Windows, ends: Longs, fired: Longs, clocks: Longs) -> Longs:
    """How long after its end each of the windows fires that fire at all; ``ends`` and ``fired`` rise.

    A window fires with the first watermark that reaches its end or a later one.
    """
    places = np.searchsorted(fired, ends)
    does = places < len(fired)
    return clocks[places[does]] - ends[does]
