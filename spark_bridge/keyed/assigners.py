"""Where the windows of a record lie, and what they become: aligned ones by arithmetic, sessions by merging.

Which windows of a record have ended, and when any window is over, is decided here for all operators of a key.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Final

from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.scenario import model

Window = tuple[int, int]

Merged = Callable[[Window, list[Window], Window, list[Window]], None]
"""Called with a merge that changes a window: the result, the windows that are gone, the home of the result, and the
other homes, whose contents are appended."""

_BITS: Final = 2**64 - 1
_INT: Final = 2**32 - 1


def cleanup_time(last: int, lateness: int) -> int:
    """When the state of a window goes whose last instant is ``last`` (ms): never, if the sum would leave 64 bits."""
    return min(last + lateness, MAX)


def is_over(time: int, watermark: int) -> bool:
    """Whether the watermark (ms) has reached a window's last instant, or the time of its cleanup."""
    return time <= watermark


@dataclass(frozen=True, slots=True)
class Aligned:
    """Windows on a grid: one ends every ``step`` ms. Each is ``size`` ms long, tumbling ones being sliding ones with a
    ``step`` of that size. If they ``grow``, they start at the multiples of ``size`` and are at most that long.
    """

    size: int
    step: int
    offset: int
    grow: bool = False

    @classmethod
    def of(cls, assigner: object) -> "Aligned":
        """The windows of an assigner. Raises ``TypeError`` for one whose windows are not aligned."""
        match assigner:
            case model.Tumbling(size, offset):
                return cls(size, size, offset)
            case model.Sliding(size, slide, offset):
                return cls(size, slide, offset)
            case model.Cumulative(max_size, step, offset):
                return cls(max_size, step, offset, grow=True)
            case _:
                raise TypeError(f"no windows of {assigner}")

    def windows(self, ts: int) -> list[Window]:
        """Those that hold ``ts`` (ms)."""
        newest = self.floor(ts, self.step)
        if self.grow:
            start = self.floor(ts, self.size)
            return [(start, end) for end in range(newest + self.step, start + self.size + 1, self.step)]
        return [(start, start + self.size) for start in range(newest, ts - self.size, -self.step)]

    def floor(self, ts: int, width: int) -> int:
        """The last multiple of ``width`` on the grid that is not after ``ts``."""
        return ts - (ts - self.offset) % width

    @property
    def pane_size(self) -> int:
        """The length (ms) of the pieces that the table runtime makes windows of: none of them begins inside one."""
        return self.step if self.grow else gcd(self.size, self.step)

    def pane(self, ts: int) -> Window:
        """The pane that holds ``ts`` (ms)."""
        start = self.floor(ts, self.pane_size)
        return (start, start + self.pane_size)

    def last_window(self, pane: Window) -> Window:
        """The last window that needs ``pane``."""
        start = self.floor(pane[0], self.size if self.grow else self.step)
        return (start, start + self.size)


class Sessions:
    """The sessions of one key. ``homes`` maps a window in flight to the window under which its contents are kept.

    When windows merge, the contents stay where one of the windows kept them (its *home*), and those of the others are
    appended, in the order in which a Java hash set iterates over the windows. Lists and evictors show that order.
    """

    def __init__(self) -> None:
        self.homes: dict[Window, Window] = {}

    def add(self, new: Window, merged: Merged) -> Window:
        """Add ``new`` and return the window that holds it."""
        touching = [window for window in self.homes if window[0] <= new[1] and new[0] <= window[1]]
        if touching in ([], [new]):
            # The same window again becomes its own home, and contents elsewhere are orphaned.
            self.homes[new] = new
            return new
        ascending = sorted([*touching, new], key=lambda window: window[0])
        cover = (ascending[0][0], max(window[1] for window in ascending))
        self._merge(cover, [window for window in java_order(ascending) if window != new], merged)
        return cover

    def _merge(self, cover: Window, gone: list[Window], merged: Merged) -> None:
        home = self.homes[gone[0]]
        homes = [self.homes.pop(window) for window in gone]
        self.homes[cover] = home
        homes.remove(home)
        if gone != [cover]:
            merged(cover, gone, home, homes)


class TableSessions(Sessions):
    """The same in the table runtime, which looks at the two neighbours only and hashes windows in another way."""

    def add(self, new: Window, merged: Merged) -> Window:
        """Add ``new`` and return the window that holds it."""
        ordered = sorted(self.homes)
        result, touching = new, list[Window]()
        for index in dict.fromkeys((bisect_left(ordered, new), bisect_right(ordered, new) - 1)):
            if 0 <= index < len(ordered) and ordered[index][0] <= result[1] and result[0] <= ordered[index][1]:
                near = ordered[index]
                result = (min(result[0], near[0]), max(result[1], near[1]))
                touching.append(near)
        if not touching:
            self.homes[new] = new
            return new
        gone = [window for window in java_order([*touching, new], _table_hash) if window != new]
        if gone:  # else the same window is in flight already
            self._merge(result, gone, merged)
        return result


def _table_hash(window: Window) -> int:
    odd = (2 * window[1] + 1) & _INT
    inverse = odd * odd * odd & _INT
    for _ in range(3):
        inverse = inverse * (2 - odd * inverse) & _INT
    return (window[0] + inverse) & _INT


def _mixed(window: Window) -> int:
    bits = (window[0] + window[1]) & _BITS
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & _BITS
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & _BITS
    return (bits ^ (bits >> 31)) & _INT


def java_order(windows: Sequence[Window], code: Callable[[Window], int] = _mixed) -> list[Window]:
    """Windows, inserted in this order, in the order in which ``java.util.HashSet`` iterates over them."""
    buckets = 16
    while len(windows) > buckets * 3 // 4:
        buckets *= 2

    def bucket(window: Window) -> int:
        number = code(window)
        return (number ^ (number >> 16)) & (buckets - 1)

    return sorted(windows, key=bucket)
