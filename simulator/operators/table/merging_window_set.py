"""The merging window set of the table runtime.

Sessions of one key never touch each other, so a new window can touch only its two neighbours in order of (start, end).
Source: ``org.apache.flink.table.runtime...windowing.internal.MergingWindowSet`` and ``SessionWindowAssigner``.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from tidemark.simulator.operators.java_hash import hash_set_order, table_window_hash
from tidemark.simulator.values.window import TimeWindow

OnMerge = Callable[[TimeWindow, Sequence[TimeWindow], TimeWindow, Sequence[TimeWindow]], None]
"""(result, merged windows, state window of the result, the other state windows)."""


class TableMergingWindowSet:
    """``mapping`` is window → state window for one key; the set changes it in place."""

    def __init__(self, mapping: dict[TimeWindow, TimeWindow]) -> None:
        self.mapping = mapping

    def add_window(self, new: TimeWindow, on_merge: OnMerge) -> TimeWindow:
        """Add ``new``, merging it with the neighbours that touch it, and return the window that now holds it.

        When ``on_merge`` is called the mapping has changed already. Source: ``MergingWindowSet.addWindow``.
        """
        ordered = sorted(self.mapping)
        following, preceding = bisect_left(ordered, new), bisect_right(ordered, new) - 1
        result, group = new, []
        # The following neighbour first; the preceding one is compared with the window as it has grown by then.
        for index in (following, preceding):
            if 0 <= index < len(ordered) and ordered[index].intersects(result):
                result = result.cover(ordered[index])
                if ordered[index] not in group:
                    group.append(ordered[index])
        if not group:
            self.mapping[new] = new
            return new
        merged = [window for window in hash_set_order([*group, new], table_window_hash) if window != new]
        if not merged:
            return result  # an identical window is in the set already: nothing changes
        state_window = self.mapping[merged[0]]
        state_windows = [self.mapping.pop(window) for window in merged]
        self.mapping[result] = state_window
        state_windows.remove(state_window)
        if merged != [result]:
            on_merge(result, merged, state_window, state_windows)
        return result
