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

Source: the ``MergingWindowAssigner`` branches of ``WindowOperator.processElement``, ``onEventTime`` and
``onProcessingTime``.
"""

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
    """Sessions: timers and trigger state belong to the actual window, contents to its state window."""

    _ends_wrap = False
    """Whether a record has ever opened a window whose end has passed Long.MAX_VALUE and wrapped."""

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Merge the record's window with those that it touches, then add the record.

        Source: ``WindowOperator.processElement``.
        """
        self.state_windows = merging = self._merging_windows(key)
        super().process_element(input, key, timestamp, value)
        # Once for all windows of the record, and after the last of them. No timer fires in between, so nobody reads
        # the set from state before it is written.
        self._persist(key, merging)

    def assign_windows(self, key: Key, timestamp: int, value: Any) -> Sequence[Window]:
        """The actual windows that hold the record's own, after all merges."""
        return [self._add_window(key, window) for window in super().assign_windows(key, timestamp, value)]

    def state_window_of(self, window: Window) -> Window:
        """The namespace of the contents of ``window``.

        Raises ``EngineFailure`` (IllegalStateException), as Flink does, where a later window of the same record has
        merged ``window`` away.
        """
        assert isinstance(window, TimeWindow)
        state_window = self._merging.state_window(window)
        if state_window is None:
            message = f"Window {tuple(window)} is not in in-flight window set."
            raise EngineFailure("IllegalStateException", message)
        return state_window

    def skip_late(self, key: Key, window: Window) -> None:
        """Retire ``window`` as well: it was added to the merging set before anybody knew that it is late."""
        super().skip_late(key, window)
        assert isinstance(window, TimeWindow)
        self._retire(key, window, self._merging)

    def on_timer(self, timestamp: int, key: Key, namespace: Namespace, method: str, *, is_event_time: bool) -> None:
        """As for windows that do not merge, but a timer of a window that was merged away does nothing.

        Source: ``WindowOperator.onEventTime``: "timer firing for non-existent window, this can only happen if a
        trigger did not clean up timers".
        """
        assert isinstance(namespace, TimeWindow)
        state_window = self._merging_windows(key).state_window(namespace)
        if state_window is not None:
            self.ask_on_timer(timestamp, key, namespace, state_window, method, is_event_time=is_event_time)

    @property
    def _merging(self) -> MergingWindowSet:
        assert self.state_windows is not None
        return self.state_windows

    def clear_all_state(self, key: Key, window: Window, state_window: Window) -> None:
        """Remove contents, trigger state and the entry of the merging set.

        Source: ``WindowOperator.clearAllState``.
        """
        super().clear_all_state(key, window, state_window)
        assert isinstance(window, TimeWindow)
        merging = self._merging_windows(key)
        self._retire(key, window, merging)
        self._persist(key, merging)

    def _add_window(self, key: Key, window: Window) -> TimeWindow:
        """Add ``window`` to the merging set, moving what is kept for every window that it merges with."""
        assert isinstance(window, TimeWindow)
        merging = self._merging
        tracked_by_merge = False

        def on_merge(
            result: TimeWindow,
            merged: Sequence[TimeWindow],
            state_window: TimeWindow,
            merged_state_windows: Sequence[TimeWindow],
        ) -> None:
            nonlocal tracked_by_merge
            tracked_by_merge = tracked_by_merge or result == window
            # The order is that of Flink's merge callback, and each step needs the one before:
            # 1. Refuse, before any state has changed.
            self._refuse_past_merge(result)
            if self.trace is not None:
                place = "MergingWindowSet.add_window"
                states = tuple(merged_state_windows)
                self.trace.add(WindowsMerged(place, key, result, tuple(merged), state_window, states))
            context = self.context
            context.key, context.window, context.merged = key, result, merged
            context.current_watermark = self.timers.current_watermark
            # 2. The trigger takes what it needs from the merged windows ...
            self.trigger.on_merge(context)
            for each in merged:
                context.window = each
                # 3. ... and only then are they cleared. ``merged`` never contains the record's own window, which has
                # neither state nor timers yet.
                self.trigger.clear(context)
                self.delete_cleanup_timer(key, each)
                self.firing.forget(key, each)
            # 4. The contents come last. They belong to state windows, of which trigger and timers know nothing.
            self.contents.merge_namespaces(key, state_window, merged_state_windows)

        before = merging.mapping.get(window)
        if window.end < window.start:
            self._ends_wrap = True
        actual = merging.add_window(window, on_merge, ends_wrap=self._ends_wrap)
        if self.trace is not None and not tracked_by_merge:
            state_window = merging.mapping.get(window)
            if state_window is not None and state_window != before:
                place = "MergingWindowSet.add_window"
                self.trace.add(WindowTracked(place, key, window, state_window))
        return actual

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

    def _merging_windows(self, key: Key) -> MergingWindowSet:
        """A copy of what the state holds for ``key``; ``_persist`` writes it back.

        A snapshot may share what is in state, so that must not change in place.
        """
        return MergingWindowSet(dict(self.runtime.state.table(MERGING_SET).get((key, None)) or {}))

    def _persist(self, key: Key, merging: MergingWindowSet) -> None:
        """Write the mapping back if it has changed. Source: ``MergingWindowSet.persist``."""
        table, entry = self.runtime.state.table(MERGING_SET), (key, None)
        if not merging.mapping:
            table.remove(entry)
        elif merging.mapping != table.get(entry):
            table.put(entry, merging.mapping)
