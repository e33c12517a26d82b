"""Which windows of a key are in flight, and under which window each one's contents are kept.

Merged contents are not copied: they live on under one of the windows that were merged, the *state window*.
Source: ``MergingWindowSet`` and ``TimeWindow.mergeWindows``.
"""

from collections.abc import Callable, Sequence

from simulator.operators.java_hash import hash_set_order
from simulator.values.window import TimeWindow

OnMerge = Callable[[TimeWindow, Sequence[TimeWindow], TimeWindow, Sequence[TimeWindow]], None]
"""(result, merged windows, state window, state windows whose contents join it)."""


class MergingWindowSet:
    """``mapping`` is window → state window, of one key; the set changes it in place."""

    def __init__(self, mapping: dict[TimeWindow, TimeWindow]) -> None:
        self.mapping = mapping

    def state_window(self, window: TimeWindow) -> TimeWindow | None:
        """Where the contents of ``window`` are kept, None when it is not in flight."""
        return self.mapping.get(window)

    def retire(self, window: TimeWindow) -> None:
        """``window`` is no longer in flight. Source: ``MergingWindowSet.retireWindow``."""
        del self.mapping[window]

    def add_window(self, new: TimeWindow, on_merge: OnMerge) -> TimeWindow:
        """Add ``new``, merging it with what it touches, and give the window that holds it now.

        Where windows merge, the mapping has changed already when ``on_merge`` is called. It is not called when ``new``
        lies inside one window that is there. Source: ``MergingWindowSet.addWindow``.
        """
        result, merged_new, reported = new, False, False
        for cover, inserted in _merge_windows([*self.mapping, new]):
            reported = True
            group = hash_set_order(inserted)
            if new in group:
                group.remove(new)
                result, merged_new = cover, True
            state_window = self.mapping[group[0]]
            merged_state_windows = [self.mapping.pop(window) for window in group]
            self.mapping[cover] = state_window
            merged_state_windows.remove(state_window)
            if group != [cover]:
                on_merge(cover, group, state_window, merged_state_windows)
        if not reported or (result == new and not merged_new):
            # An identical window that is there already is put again, with itself as its state window; what was kept
            # under another one is orphaned, as in Flink.
            self.mapping[new] = new
        return result


def _merge_windows(windows: Sequence[TimeWindow]) -> list[tuple[TimeWindow, list[TimeWindow]]]:
    """(cover, distinct windows in ascending order of start) for each group of two or more that touch.

    The last of ``windows`` is the new one.
    """
    new = windows[-1]
    if new.start <= new.end and not any(window.intersects(new) for window in windows[:-1]):
        return []  # windows in flight do not touch each other: only the new one can bring them together
    groups: list[tuple[TimeWindow, list[TimeWindow]]] = []
    for window in sorted(windows, key=lambda each: each.start):
        if groups and groups[-1][0].intersects(window):
            cover, members = groups[-1]
            if window not in members:
                members.append(window)
            groups[-1] = (cover.cover(window), members)
        else:
            groups.append((window, [window]))
    return [group for group in groups if len(group[1]) > 1]
