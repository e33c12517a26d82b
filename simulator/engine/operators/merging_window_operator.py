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

from collections.abc import Callable, Sequence
from typing import Any, Final

from tidemark.simulator.engine.assigners.base import WindowAssigner
from tidemark.simulator.engine.operators.base import OperatorRuntime
from tidemark.simulator.engine.operators.firing import Firing
from tidemark.simulator.engine.operators.merging_window_set import MergingWindowSet
from tidemark.simulator.engine.operators.window_operator import WindowOperator
from tidemark.simulator.engine.state import Entry
from tidemark.simulator.engine.timers import InternalTimerService
from tidemark.simulator.engine.trace.events import WindowRetired, WindowsMerged, WindowTracked
from tidemark.simulator.engine.triggers.base import Trigger
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.key import Key
from tidemark.simulator.engine.values.time import MAX, MIN, wrap
from tidemark.simulator.engine.values.window import TimeWindow, Window

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
        if self.trace is None and len(own) == 1:  # a session begins with one window
            return (self._merging.add_window(own[0], self._merge),)
        self.trace_assigned(key, own)
        return self._add_windows(key, own)

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

    def _add_windows(self, key: Key, windows: Sequence[Any]) -> list[TimeWindow]:
        return [self._add_window(key, window) for window in windows]

    def _add_window(self, key: Key, window: Any) -> TimeWindow:
        """Add ``window`` to the merging set, moving what is kept for every window that it merges with."""
        merging = self._merging
        if self.trace is None:
            return merging.add_window(window, self._merge)
        before = merging.mapping.get(window)
        self._merged_to.clear()
        actual = merging.add_window(window, self._merge)
        state_window = merging.mapping.get(window)
        if window not in self._merged_to and state_window is not None and state_window != before:
            self.trace.add(WindowTracked("MergingWindowSet.add_window", key, window, state_window))
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
