"""Which windows of a key are in flight, and under which window the contents of each are kept.

Theory of operation
-------------------
The set maps each window in flight to its *state window*, the namespace of its contents. A new window is its own state
window. When windows merge, the result takes over the state window of one of them, and the contents of the others join
it there: n windows cost n - 1 moves, and a session that is only extended costs none.

Which one survives is not ours to choose. Flink takes the first of a ``HashSet``, and the choice shows: the survivor's
values come first in the merged list, so it decides what an evictor removes, and in which order doubles are added.
``hash_set_order`` therefore computes Java's order.

Windows in flight do not touch each other, otherwise they would have merged. So a new window merges with everything
that it touches, into one window, and nothing else changes: there is at most one group. The exception is a window whose
end has passed Long.MAX_VALUE and wrapped (``ends_wrap``); for it the general way, Flink's own, is followed.

Source: ``MergingWindowSet`` and ``TimeWindow.mergeWindows``.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from tidemark.simulator.engine.values.window import TimeWindow, new_window

# The order in which a Java ``HashSet`` or ``HashMap`` of windows is iterated.
#
# When windows merge, Flink keeps the contents under the first window of such a set. So this order shows in the
# order of merged lists, in what an evictor removes and in the last bit of sums of doubles.

_MASK_64 = 2**64 - 1
_MASK_32 = 2**32 - 1


def time_window_hash(window: TimeWindow) -> int:
    """The 32 bits of ``TimeWindow.hashCode``. Source: ``MathUtils.longToIntWithBitMixing``."""
    bits = (window.start + window.end) & _MASK_64
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & _MASK_64
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & _MASK_64
    return (bits ^ (bits >> 31)) & _MASK_32


def table_window_hash(window: TimeWindow) -> int:
    """The 32 bits of the table runtime's ``TimeWindow.hashCode``: start + the inverse of an odd number of end."""
    odd = ((window.end << 1) + 1) & _MASK_32
    inverse = odd * odd * odd & _MASK_32
    for _ in range(3):
        inverse = inverse * (2 - odd * inverse) & _MASK_32
    return (window.start + inverse) & _MASK_32


def hash_set_order(
    inserted: Sequence[TimeWindow], hash_code: Callable[[TimeWindow], int] = time_window_hash
) -> list[TimeWindow]:
    """Distinct windows, passed in order of insertion, in the order in which a ``java.util.HashSet`` iterates them.

    There are 16 buckets, doubled while there are more windows than three quarters of them. Buckets come by ascending
    index; within one, windows come in order of insertion.
    """
    buckets = 16
    while len(inserted) > buckets * 3 // 4:
        buckets *= 2

    def bucket(window: TimeWindow) -> int:
        code = hash_code(window)
        return (code ^ (code >> 16)) & (buckets - 1)

    return sorted(inserted, key=bucket)


OnMerge = Callable[[TimeWindow, Sequence[TimeWindow], TimeWindow, Sequence[TimeWindow]], None]
"""(result, merged windows, state window of the result, state windows whose contents join it)."""

_Group = tuple[TimeWindow, list[TimeWindow]]
"""The cover of windows that touch each other, and these windows, each once, by ascending start."""


class MergingWindowSet:
    """``mapping`` is window → state window for one key; the set changes it in place.

    ``ends_wrap``: there has been a window, of any key, whose end has passed Long.MAX_VALUE and so lies before its
    start.
    """

    __slots__ = ("ends_wrap", "mapping")

    def __init__(self, mapping: dict[TimeWindow, TimeWindow]) -> None:
        self.mapping = mapping
        self.ends_wrap = False

    def retire(self, window: TimeWindow) -> None:
        """Forget ``window``, which must be in flight. Source: ``MergingWindowSet.retireWindow``."""
        del self.mapping[window]

    def add_window(self, new: TimeWindow, on_merge: OnMerge) -> TimeWindow:
        """Add ``new``, merging it with the windows that it touches, and return the window that now holds it.

        When ``on_merge`` is called the mapping has changed already. It is not called when ``new`` lies inside a single
        window of the set, for then nothing moves. Source: ``MergingWindowSet.addWindow``.
        """
        # By index, which is faster than by name: sessions ask this for every record.
        mapping, start, end = self.mapping, new[0], new[1]
        if end < start:
            self.ends_wrap = True
        if self.ends_wrap:
            return self._add_to_all(new, on_merge, ends_wrap=True)
        # The usual case first: no window is touched, or a single one. Two need no hash code to be put in order.
        touched, several = None, False
        for window in mapping:
            if window[1] >= start and window[0] <= end:
                several = touched is not None
                touched = window
                if several:
                    break
        if several:
            return self._add_to_all(new, on_merge, ends_wrap=False)
        if touched is None or touched == new:
            mapping[new] = new
            return new
        first, last = touched[0], touched[1]
        if start >= first and end <= last:
            return touched
        cover = new_window((start if start < first else first, end if end > last else last))
        mapping[cover] = state_window = mapping.pop(touched)
        on_merge(cover, (touched,), state_window, ())
        return cover

    def _add_to_all(self, new: TimeWindow, on_merge: OnMerge, *, ends_wrap: bool) -> TimeWindow:
        result, merged_new, reported = new, False, False
        for cover, inserted in self._groups_of_any(new) if ends_wrap else _merge_windows([*self.mapping, new]):
            reported = True
            group = hash_set_order(inserted)
            if new in group:
                group.remove(new)
                result, merged_new = cover, True
            # Read the survivor's state window before its entry goes. The result may be one of the group, so the old
            # entries must all be gone before the new one is put.
            state_window = self.mapping[group[0]]
            merged_state_windows = [self.mapping.pop(window) for window in group]
            self.mapping[cover] = state_window
            merged_state_windows.remove(state_window)
            if group != [cover]:
                on_merge(cover, group, state_window, merged_state_windows)
        if not reported or (result == new and not merged_new):
            # Either ``new`` is on its own, or an identical window is in the set already. That one is put again, with
            # itself as its state window; contents under another state window are orphaned, as in Flink.
            self.mapping[new] = new
        return result

    def _groups_of_any(self, new: TimeWindow) -> list[_Group]:
        """All groups as Flink finds them, in the order of its hash maps.

        A window whose end has wrapped does not even touch itself. Where it starts between two others it keeps them
        apart, although they touch; once it is gone they merge, whatever is added. And where several windows have the
        same start, the order decides which of them meet.
        """
        groups = dict(_merge_windows([*hash_set_order(list(self.mapping)), new]))
        return [(cover, groups[cover]) for cover in hash_set_order(list(groups))]


def _merge_windows(windows: Sequence[TimeWindow]) -> list[_Group]:
    """The groups of two or more windows that touch, by ascending start. Source: ``TimeWindow.mergeWindows``."""
    groups: list[_Group] = []
    # The sort is stable and by start alone, as Flink's: windows of one start keep the order in which they came.
    for window in sorted(windows, key=lambda each: each.start):
        if groups and groups[-1][0].intersects(window):
            cover, members = groups[-1]
            if window not in members:
                members.append(window)
            groups[-1] = (cover.cover(window), members)
        else:
            groups.append((window, [window]))
    return [group for group in groups if len(group[1]) > 1]


# The merging window set of the table runtime.
#
# Sessions of one key never touch each other, so a new window can touch only its two neighbours in order of (start,
# end). Source: ``org.apache.flink.table.runtime...windowing.internal.MergingWindowSet`` and
# ``SessionWindowAssigner``.


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
