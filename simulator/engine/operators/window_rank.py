"""Window Top-N: the first rows of each window, by value.

Theory of operation
-------------------
A row goes into each of its windows that has not ended, and is dropped from each other one: the metric counts windows,
not rows. When a window ends its rows are put in order, those of equal value as they came, the first ``n`` are emitted
with their ranks, and all of them are forgotten. A window without rows has no timer.

Source: ``AlignedWindowTableFunctionOperator``, then ``WindowAggOperator`` with ``SyncStateWindowRankProcessor``
(Flink 2.3.0).
"""

from operator import attrgetter
from typing import Any, ClassVar, Final

from tidemark.simulator.engine.assigners.base import TableWindowAssigner
from tidemark.simulator.engine.operators.base import Operator, OperatorRuntime
from tidemark.simulator.engine.operators.window_aggregate import fired_rule, has_fired
from tidemark.simulator.engine.state import ListState
from tidemark.simulator.engine.trace.events import (
    ElementSilentlySkipped,
    LateForWindow,
    RowRanked,
    Rule,
    WindowCleaned,
    WindowsAssigned,
)
from tidemark.simulator.engine.values.key import Element, Key
from tidemark.simulator.engine.values.window import Namespace, TimeWindow

RANKED: Final = "window_rank"
"""The name of the state that holds the rows of a window."""


class WindowRankOperator(Operator):
    """The first ``n`` rows of each key and window, the largest values first with ``descending``."""

    keeps_watermark: ClassVar[bool] = True

    def __init__(self, runtime: OperatorRuntime, assigner: TableWindowAssigner, n: int, *, descending: bool) -> None:
        super().__init__(runtime)
        self.assigner = assigner
        self.n = n
        self.descending = descending
        self.rows = ListState(runtime.state, RANKED, runtime.trace)

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Add the row to its windows that are still to come.

        Source: ``SyncStateWindowRankProcessor.processElement``.
        """
        assert timestamp is not None  # event time
        windows, watermark = self.assigner.assign_windows(timestamp), self.timers.current_watermark
        if self.trace is not None:
            place = "AlignedWindowTableFunctionOperator.process_element"
            self.trace.add(WindowsAssigned(place, key, tuple(windows)))
        if not windows:
            self._skip(key, timestamp, value, watermark)
        element = Element(timestamp, value, input)
        for window in windows:
            if has_fired(window, watermark):
                self._drop(input, key, timestamp, value, window, watermark)
                continue
            self.rows.add(key, window, element)
            self.timers.register_event_time_timer(window.max_timestamp, key, window, "fire+cleanup")

    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """A window ends: its first rows are emitted, and all are forgotten.

        Source: ``SyncStateWindowRankProcessor.fireWindow`` and ``clearWindow``.
        """
        assert isinstance(namespace, TimeWindow)
        window, watermark = namespace, self.timers.current_watermark
        # A stable order, also in reverse: rows of equal value stay as they came.
        ordered = sorted(self.rows.get(key, window), key=attrgetter("value"), reverse=self.descending)
        for rank, row in enumerate(ordered[: self.n], start=1):
            if self.trace is not None:
                place = "SyncStateWindowRankProcessor.collect"
                self.trace.add(RowRanked(place, key, window, rank, row.timestamp, row.value))
            self.output.emit_ranked(key, window, rank, row, watermark)
        if self.trace is not None:
            numbers = (("timer", timestamp), ("max_timestamp", window.max_timestamp))
            rule = Rule("window-over", "timer == max_timestamp", numbers, timestamp == window.max_timestamp)
            self.trace.add(WindowCleaned("SyncStateWindowRankProcessor.clear_window", key, window, rule))
        self.rows.clear(key, window)

    def on_processing_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Never called: windows end by the watermark."""

    def _drop(self, input: str, key: Key, ts: int, value: Any, window: TimeWindow, watermark: int) -> None:
        """Drop the row from one window, and count it."""
        self.output.dropped += 1
        if self.trace is not None:
            place = "SyncStateWindowRankProcessor.process_element"
            self.trace.add(LateForWindow(place, input, key, ts, value, window, fired_rule(window, watermark)))
        self.output.emit_lost("dropped", input, key, ts, value, watermark, window)

    def _skip(self, key: Key, timestamp: int, value: Any, watermark: int) -> None:
        """Between the windows of a slide that is longer than they are: no row, late or not."""
        self.output.skipped += 1
        if self.trace is not None:
            place = "AlignedWindowTableFunctionOperator.process_element"
            numbers = (("timestamp", timestamp), ("watermark", watermark))
            rule = Rule("element-late", "timestamp <= watermark", numbers, timestamp <= watermark)
            self.trace.add(ElementSilentlySkipped(place, key, timestamp, value, rule))
