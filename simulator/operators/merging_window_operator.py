"""The window operator with a merging assigner: sessions."""

from collections.abc import Sequence
from typing import Any, Final

from simulator.operators.merging_window_set import MergingWindowSet
from simulator.operators.window_operator import WindowOperator
from simulator.trace.events import WindowRetired, WindowsMerged, WindowTracked
from simulator.values.errors import EngineFailure
from simulator.values.key import Key
from simulator.values.time import wrap
from simulator.values.window import Namespace, TimeWindow, Window

MERGING_SET: Final = "merging-window-set"
"""The name of the state that holds the in-flight windows of a key."""


class MergingWindowOperator(WindowOperator):
    """Timers and trigger state belong to the actual window, contents to its state window."""

    _ends_wrap = False
    """Whether a record has opened a window whose end has passed Long.MAX_VALUE."""

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Merge the record's window with what it touches, then add the record. Source: ``processElement``."""
        self.state_windows = merging = self._merging_windows(key)
        super().process_element(input, key, timestamp, value)
        self._persist(key, merging)

    def assign_windows(self, key: Key, timestamp: int, value: Any) -> Sequence[Window]:
        """The record's windows, merged into those that hold them now."""
        return [self._add_window(key, window) for window in super().assign_windows(key, timestamp, value)]

    def state_window_of(self, window: Window) -> Window:
        """Where the contents of ``window`` are kept."""
        assert isinstance(window, TimeWindow)
        state_window = self._merging.state_window(window)
        if state_window is None:
            message = f"Window {tuple(window)} is not in in-flight window set."
            raise EngineFailure("IllegalStateException", message)
        return state_window

    def skip_late(self, key: Key, window: Window) -> None:
        """A late window is not in flight any more."""
        super().skip_late(key, window)
        assert isinstance(window, TimeWindow)
        self._retire(key, window, self._merging)

    def on_timer(self, timestamp: int, key: Key, namespace: Namespace, method: str, *, is_event_time: bool) -> None:
        """As for windows that do not merge; the timer of a window that was merged away is stale and does nothing."""
        assert isinstance(namespace, TimeWindow)
        state_window = self._merging_windows(key).state_window(namespace)
        if state_window is not None:
            self.ask_on_timer(timestamp, key, namespace, state_window, method, is_event_time=is_event_time)

    @property
    def _merging(self) -> MergingWindowSet:
        assert self.state_windows is not None
        return self.state_windows

    def clear_all_state(self, key: Key, window: Window, state_window: Window) -> None:
        """Remove contents, trigger state and the mapping. Source: ``WindowOperator.clearAllState``."""
        super().clear_all_state(key, window, state_window)
        assert isinstance(window, TimeWindow)
        merging = self._merging_windows(key)
        self._retire(key, window, merging)
        self._persist(key, merging)

    def _add_window(self, key: Key, window: Window) -> TimeWindow:
        assert isinstance(window, TimeWindow)
        merging = self._merging
        known_by_merge = False

        def on_merge(
            result: TimeWindow,
            merged: Sequence[TimeWindow],
            state_window: TimeWindow,
            merged_state_windows: Sequence[TimeWindow],
        ) -> None:
            nonlocal known_by_merge
            known_by_merge = known_by_merge or result == window
            self._refuse_past_merge(result)
            if self.trace is not None:
                place = "MergingWindowSet.add_window"
                states = tuple(merged_state_windows)
                self.trace.add(WindowsMerged(place, key, result, tuple(merged), state_window, states))
            context = self.context
            context.key, context.window, context.merged = key, result, merged
            context.current_watermark = self.timers.current_watermark
            self.trigger.on_merge(context)
            for each in merged:
                context.window = each
                self.trigger.clear(context)
                self.delete_cleanup_timer(key, each)
                self.firing.forget(key, each)
            self.contents.merge_namespaces(key, state_window, merged_state_windows)

        before = merging.mapping.get(window)
        if window.end < window.start:
            self._ends_wrap = True
        actual = merging.add_window(window, on_merge, ends_wrap=self._ends_wrap)
        if self.trace is not None and not known_by_merge:
            state_window = merging.mapping.get(window)
            if state_window is not None and state_window != before:
                place = "MergingWindowSet.add_window"
                self.trace.add(WindowTracked(place, key, window, state_window))
        return actual

    def _refuse_past_merge(self, result: TimeWindow) -> None:
        """A merge must not give a window that is over. Source: the merge callback of ``WindowOperator``."""
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

    def _merging_windows(self, key: Key) -> MergingWindowSet:
        """A copy of what the state holds for ``key``; ``_persist`` writes it back."""
        return MergingWindowSet(dict(self.runtime.state.table(MERGING_SET).get((key, None)) or {}))

    def _persist(self, key: Key, merging: MergingWindowSet) -> None:
        """Write the mapping back if it is another one. Source: ``MergingWindowSet.persist``."""
        table, entry = self.runtime.state.table(MERGING_SET), (key, None)
        if not merging.mapping:
            table.remove(entry)
        elif merging.mapping != table.get(entry):
            table.put(entry, merging.mapping)
