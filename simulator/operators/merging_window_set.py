"""Which windows of a key are in flight, and under which window each one's contents are kept.

Merged contents are not copied: they live on under one of the windows that were merged, the *state window*.
Source: ``MergingWindowSet`` and ``TimeWindow.mergeWindows``.
"""

from collections.abc import Callable, Sequence

from simulator.operators.java_hash import hash_set_order
from simulator.values.window import TimeWindow

OnMerge = Callable[[TimeWindow, Sequence[TimeWindow], TimeWindow, Sequence[TimeWindow]], None]
"""(result, merged windows, state window, state windows whose contents join it)."""

_Group = tuple[TimeWindow, list[TimeWindow]]
"""The cover of windows that touch, and they, each once, in ascending order of start."""


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

    def add_window(self, new: TimeWindow, on_merge: OnMerge, *, ends_wrap: bool = False) -> TimeWindow:
        """Add ``new``, merging it with what it touches, and give the window that holds it now.

        Where windows merge, the mapping has changed already when ``on_merge`` is called. It is not called when ``new``
        lies inside one window that is there. ``ends_wrap``: there has been a window, ``new`` or an earlier one,
        whose end has passed Long.MAX_VALUE and so lies before its start. Source: ``MergingWindowSet.addWindow``.
        """
        result, merged_new, reported = new, False, False
        for cover, inserted in self._groups_of_any(new) if ends_wrap else self._group_of(new):
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

    def _group_of(self, new: TimeWindow) -> list[_Group]:
        """At most one: windows in flight do not touch each other, so only ``new`` can bring some together."""
        if any(window.intersects(new) for window in self.mapping):
            return _merge_windows([*self.mapping, new])
        return []

    def _groups_of_any(self, new: TimeWindow) -> list[_Group]:
        """As Flink finds them, in the order of its hash maps.

        A window whose end has wrapped touches not even itself. Where it starts between two others it keeps them apart,
        though they touch; once it is gone they merge, whatever is added. And several windows may have one start: then
        the order decides which of them meet.
        """
        groups = dict(_merge_windows([*hash_set_order(list(self.mapping)), new]))
        return [(cover, groups[cover]) for cover in hash_set_order(list(groups))]


def _merge_windows(windows: Sequence[TimeWindow]) -> list[_Group]:
    """The groups of two or more that touch, by ascending start. Source: ``TimeWindow.mergeWindows``."""
    groups: list[_Group] = []
    for window in sorted(windows, key=lambda each: each.start):
        if groups and groups[-1][0].intersects(window):
            cover, members = groups[-1]
            if window not in members:
                members.append(window)
            groups[-1] = (cover.cover(window), members)
        else:
            groups.append((window, [window]))
    return [group for group in groups if len(group[1]) > 1]
