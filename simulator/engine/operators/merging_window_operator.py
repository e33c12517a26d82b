"""The window operator with a merging assigner: sessions.

Theory of operation
-------------------
A session's window grows while records arrive, so it has two names here. The *actual* window is the one that a reader
sees: its bounds are in the rows, and timers and trigger state belong to it. The *state window* is the namespace of its
contents: a window that was merged into it. It stays the same while the session is extended, so that its contents need
not move. ``MergingWindowSet`` maps the first to the second, for each key.

For a record ``process_element``

1. reads the merging set of the key from state;
2. merges the window of the record with the windows that it touches (``assign_windows``); each merge moves trigger
   state, timers and contents *before* the record is added;
3. goes on as for windows that do not merge, with contents under the state window;
4. writes the merging set back.

A timer keeps the window under which it was registered. A merge therefore deletes the cleanup timers of the merged
windows and lets the trigger delete its own. A timer that is left over, such as the end timer of a continuous trigger,
finds no state window when it fires, and does nothing.

The set maps each window in flight to its *state window*, the namespace of its contents. A new window is its own state
window. When windows merge, the result takes over the state window of one of them, and the contents of the others join
it there: n windows cost n - 1 moves, and a session that is only extended costs none.

Which one survives is not ours to choose. Flink takes the first of a ``HashSet``, and the choice shows: the survivor's
values come first in the merged list, so it decides what an evictor removes, and in which order doubles are added.
``hash_set_order`` therefore computes Java's order.

Windows in flight do not touch each other, otherwise they would have merged. So a new window merges with everything
that it touches, into one window, and nothing else changes: there is at most one group. The exception is a window whose
end has passed Long.MAX_VALUE and wrapped (``ends_wrap``); for it the general way, Flink's own, is followed.

Source: the ``MergingWindowAssigner`` branches of ``WindowOperator.processElement``, ``onEventTime`` and
``onProcessingTime``; ``MergingWindowSet`` and
``TimeWindow.mergeWindows``.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any, Final

from tidemark.simulator.engine.assigners.base import WindowAssigner
from tidemark.simulator.engine.operators.base import OperatorRuntime
from tidemark.simulator.engine.operators.firing import Firing
from tidemark.simulator.engine.operators.window_operator import WindowOperator
from tidemark.simulator.engine.state import Entry
from tidemark.simulator.engine.timers import InternalTimerService
from tidemark.simulator.engine.trace.events import WindowRetired, WindowsMerged, WindowTracked
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.triggers.base import Trigger
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.items import Key
from tidemark.simulator.engine.values.time import MAX, MIN, wrap
from tidemark.simulator.engine.values.window import TimeWindow, Window, new_window

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


MERGING_SET: Final = "merging-window-set"
"""The name of the state that holds the in-flight windows of a key."""


class MergingWindowOperator(WindowOperator):
    """Sessions: timers and trigger state belong to the actual window, contents to its state window."""

    _key: Key
    """The record's key, while a record is being worked on."""

    def __init__(
        self,
        runtime: OperatorRuntime,
        assigner: WindowAssigner,
        trigger: Trigger,
        make_firing: Callable[[OperatorRuntime, InternalTimerService], Firing],
        *,
        allowed_lateness: int = 0,
        side_output: bool = False,
    ) -> None:
        super().__init__(
            runtime, assigner, trigger, make_firing, allowed_lateness=allowed_lateness, side_output=side_output
        )
        self._sets = runtime.state.table(MERGING_SET)
        self._process_element = super().process_element
        # What the state holds for a key is changed in place, unless anybody can tell: a traced run that fails in the
        # middle of a record shows the state as it was, and a snapshot may share it.
        self._copies = self.trace is not None
        self._trigger_on_merge, self._trigger_clear = self.trigger.on_merge, self.trigger.clear
        self._merge = self._on_merge
        # A merged window that ends after the watermark, but not after this time (ms), is not over.
        self._surely_open = MAX - self.allowed_lateness if self.is_event_time else MIN
        self._merging = MergingWindowSet({})
        """The merging set of the key that is being worked on."""
        self._merged_to: list[TimeWindow] = []
        """The results of the merges that the record has caused; kept for the trace only."""

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Merge the record's window with those that it touches, then add the record.

        Source: ``WindowOperator.processElement``.
        """
        self._key, table = key, self._sets
        by_key = table.namespaces.get(None)
        held = None if by_key is None else by_key.get(key)
        if held is None:
            mapping = {}
        else:
            mapping = held.copy() if self._copies or table.version else held
        self._merging.mapping = mapping
        self._process_element(input, key, timestamp, value)
        # Once for all windows of the record, and after the last of them. No timer fires in between, so nobody reads
        # the set from state before it is written.
        if mapping is not held or not mapping:
            self._persist((key, None), mapping)

    def assign_windows(self, key: Key, timestamp: int, value: Any) -> Sequence[Window]:
        """The actual windows that hold the record's own, after all merges."""
        own: Any = self._assign(timestamp, value, self.clock.now)
        if self.trace is None:
            return [self._merging.add_window(window, self._merge) for window in own]
        self.trace_assigned(key, own)
        return [self._add_window(key, window, self.trace) for window in own]

    def state_window_of(self, window: Any) -> Window:
        """The namespace of the contents of ``window``.

        Raises ``EngineFailure`` (IllegalStateException), as Flink does, where a later window of the same record has
        merged ``window`` away.
        """
        state_window = self._merging.mapping.get(window)
        if state_window is None:
            message = f"Window {tuple(window)} is not in in-flight window set."
            raise EngineFailure("IllegalStateException", message)
        return state_window

    def skip_late(self, key: Key, window: Window) -> None:
        """Retire ``window`` as well: it was added to the merging set before anybody knew that it is late."""
        super().skip_late(key, window)
        assert isinstance(window, TimeWindow)
        self._retire(key, window, self._merging)

    def state_window_in_flight(self, key: Key, window: Any) -> Window | None:
        """The namespace of the contents of ``window``. A timer of a window that was merged away finds none.

        Source: ``WindowOperator.onEventTime``: "timer firing for non-existent window, this can only happen if a
        trigger did not clean up timers".
        """
        mapping: dict[TimeWindow, TimeWindow] | None = self._sets.get((key, None))
        return None if mapping is None else mapping.get(window)

    def clear_all_state(self, key: Key, window: Window, state_window: Window) -> None:
        """Remove contents, trigger state and the entry of the merging set.

        Source: ``WindowOperator.clearAllState``.
        """
        super().clear_all_state(key, window, state_window)
        assert isinstance(window, TimeWindow)
        merging, table, entry = self._merging, self._sets, (key, None)
        mapping = table.get(entry)
        if self._copies or table.version:
            mapping = mapping.copy()
        merging.mapping = mapping
        self._retire(key, window, merging)
        self._persist(entry, mapping)

    def _add_window(self, key: Key, window: Any, trace: Trace) -> TimeWindow:
        """Add ``window`` to the merging set, moving what is kept for every window that it merges with."""
        merging = self._merging
        before = merging.mapping.get(window)
        self._merged_to.clear()
        actual = merging.add_window(window, self._merge)
        state_window = merging.mapping.get(window)
        if window not in self._merged_to and state_window is not None and state_window != before:
            trace.add(WindowTracked("MergingWindowSet.add_window", key, window, state_window))
        return actual

    def _on_merge(
        self,
        result: TimeWindow,
        merged: Sequence[TimeWindow],
        state_window: TimeWindow,
        merged_state_windows: Sequence[TimeWindow],
    ) -> None:
        """Flink's merge callback. The order is its own, and each step needs the one before."""
        key, context, watermark = self._key, self.context, self.timers.current_watermark
        # 1. Refuse, before any state has changed.
        if not watermark < result[1] - 1 <= self._surely_open:
            self._refuse_past_merge(result)
        if self.trace is not None:
            self._merged_to.append(result)
            place = "MergingWindowSet.add_window"
            states = tuple(merged_state_windows)
            self.trace.add(WindowsMerged(place, key, result, tuple(merged), state_window, states))
        context.key, context.window, context.merged = key, result, merged
        context.current_watermark = watermark
        # 2. The trigger takes what it needs from the merged windows ...
        self._trigger_on_merge(context)
        for each in merged:
            context.window = each
            # 3. ... and only then are they cleared. ``merged`` never contains the record's own window, which has
            # neither state nor timers yet.
            self._trigger_clear(context)
            if not self._trigger_cleans_up:
                self.delete_cleanup_timer(key, each)
            self._forget(key, each)
        # 4. The contents come last. They belong to state windows, of which trigger and timers know nothing.
        if merged_state_windows:
            self.contents.merge_namespaces(key, state_window, merged_state_windows)

    def _refuse_past_merge(self, result: TimeWindow) -> None:
        """Raise ``EngineFailure`` if the merged window would be over already.

        In event time this cannot happen with a fixed gap, since late windows are retired. In processing time a session
        with a gap of 1 ms runs into it at every merge. Source: the merge callback in ``WindowOperator.processElement``.
        """
        if self.is_event_time:
            over = wrap(result.max_timestamp + self.allowed_lateness) <= self.timers.current_watermark
            clock = "event-time window cannot become earlier than the current watermark"
        else:
            over = result.max_timestamp <= self.clock.now
            clock = "processing-time window cannot become earlier than the current processing time"
        if over:
            message = f"The end timestamp of an {clock} by merging: {tuple(result)}"
            raise EngineFailure("UnsupportedOperationException", message)

    def _retire(self, key: Key, window: TimeWindow, merging: MergingWindowSet) -> None:
        merging.retire(window)
        if self.trace is not None:
            self.trace.add(WindowRetired("MergingWindowSet.retire", key, window))

    def _persist(self, entry: Entry, mapping: dict[TimeWindow, TimeWindow]) -> None:
        """Write the mapping back if it has changed. Source: ``MergingWindowSet.persist``."""
        table = self._sets
        if not mapping:
            table.remove(entry)
            return
        held = table.get(entry)
        if held is not mapping and held != mapping:
            table.put(entry, mapping)
