"""Which panes hold something, for each key: a window may have thousands of panes, and few of them have seen a row.

Flink looks up every pane; the rows are the same.
"""

from bisect import bisect_left, insort
from typing import cast

from tidemark.simulator.state.keyed_state import StateTable
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.time import MIN
from tidemark.simulator.values.window import TimeWindow


class HeldPanes:
    """An index of ``table``, the state of the panes.

    The owner of the state reports what is added and removed; a restore of the table is noticed here.
    """

    def __init__(self, table: StateTable) -> None:
        self._table = table
        self._restores = table.restores
        self._panes: dict[Key, list[TimeWindow]] = {}

    def add(self, key: Key, pane: TimeWindow) -> None:
        """A row goes into ``pane``, which may hold some already."""
        panes = self._of(key)
        if not panes or panes[-1] < pane:
            panes.append(pane)
        elif panes[-1] != pane and panes[bisect_left(panes, pane)] != pane:
            insort(panes, pane)

    def remove(self, key: Key, pane: TimeWindow) -> None:
        """``pane`` no longer holds anything."""
        panes = self._of(key)
        place = bisect_left(panes, pane)
        if panes[place : place + 1] == [pane]:  # it may be missing: a restore may have been noticed just now
            del panes[place]
        if not panes:
            del self._panes[key]

    def within(self, key: Key, window: TimeWindow, pane_size: int) -> list[TimeWindow]:
        """The panes with contents among those of ``pane_size`` ms into which ``window`` is cut, ascending.

        The window's end must not wrap.
        """
        panes, start = self._of(key), window.start
        first = bisect_left(panes, TimeWindow(start, MIN))
        last = bisect_left(panes, TimeWindow(window.end, MIN))
        # An offset near the limits of 64 bits puts panes beside the windows' grid: Flink does not find those.
        return [pane for pane in panes[first:last] if (pane.start - start) % pane_size == 0]

    def _of(self, key: Key) -> list[TimeWindow]:
        if self._restores != self._table.restores:
            self._restores = self._table.restores
            self._panes = {}
            for each, pane in self._table.entries:
                self._panes.setdefault(each, []).append(cast("TimeWindow", pane))  # maybe of a zone's own class
            for panes in self._panes.values():
                panes.sort()
        return self._panes.setdefault(key, [])
