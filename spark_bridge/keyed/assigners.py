"""The sessions of one key: which windows are in flight, and where the contents of each are kept.

When windows merge, the contents stay where one of the windows kept them (its *home*), and those of the others are
appended, in the order in which a Java hash set iterates over the windows. Lists and evictors show that order.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Final

Window = tuple[int, int]

Merged = Callable[[Window, list[Window], Window, list[Window]], None]
"""Called with a merge that changes a window: the result, the windows that are gone, the home of the result, and the
other homes, whose contents are appended."""

_BITS: Final = 2**64 - 1
_INT: Final = 2**32 - 1


class Sessions:
    """``homes`` maps a window in flight to the window under which its contents are kept."""

    def __init__(self) -> None:
        self.homes: dict[Window, Window] = {}

    def add(self, new: Window, merged: Merged) -> Window:
        """Add ``new`` and return the window that holds it."""
        touching = [window for window in self.homes if window[0] <= new[1] and new[0] <= window[1]]
        if not touching:
            self.homes[new] = new
            return new
        if touching == [new]:
            # The same window again: it becomes its own home, and contents elsewhere are orphaned.
            self.homes[new] = new
            return new
        ascending = sorted([*touching, new], key=lambda window: window[0])
        cover = (ascending[0][0], max(window[1] for window in ascending))
        gone = [window for window in java_order(ascending) if window != new]
        home = self.homes[gone[0]]
        homes = [self.homes.pop(window) for window in gone]
        self.homes[cover] = home
        homes.remove(home)
        if gone != [cover]:
            merged(cover, gone, home, homes)
        return cover


class TableSessions:
    """The same in the table runtime, which looks at the two neighbours only and hashes windows in another way."""

    def __init__(self) -> None:
        self.homes: dict[Window, Window] = {}

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
        if not gone:
            return result  # the same window is in flight already
        home = self.homes[gone[0]]
        homes = [self.homes.pop(window) for window in gone]
        self.homes[result] = home
        homes.remove(home)
        if gone != [result]:
            merged(result, gone, home, homes)
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
