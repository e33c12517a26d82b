"""Aggregation and Top-N over window table functions: TUMBLE, HOP, CUMULATE and sessions.

Theory of operation
-------------------
A row is accumulated in its slice (``SliceAssigner``), and one timer per key and window puts the window together:

- A row whose slice has not ended is added to it. Its timer is that of the slice's own end: the first window that the
  slice serves.
- A row whose slice has ended is dropped only if the *last* window that the slice serves has ended as well. Else it
  counts for the windows that are still to come, and a timer is set for the first of these. What was emitted before is
  never corrected.
- When a window ends, its slices are merged and the result is emitted, once. A HOP window without rows emits nothing
  and sets no timer; CUMULATE emits at every step from a key's first row on, changed or not. The timer of the next
  window is set then, and slices that no window needs any more are removed.

There is no trigger, no lateness, and nothing is retracted. The watermark is in the checkpoint (``keeps_watermark``).

Flink's operator buffers rows and adds them to state when the watermark passes the end of a slice, or at a checkpoint.
Nobody can tell, but for a sum that leaves 64 bits: it fails there, not at the row. ``_buffered_to`` and ``_overflow``
say what the buffer would hold.

Source: ``WindowAggOperator`` with ``SliceUnsharedSyncStateWindowAggProcessor`` and
``SliceSharedSyncStateWindowAggProcessor``, ``RecordsWindowBuffer`` (Flink 2.3.0).
"""

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, ClassVar, Final, cast

from tidemark.simulator.engine.assigners.base import SliceAssigner, TableWindowAssigner
from tidemark.simulator.engine.functions import AggregateFunction
from tidemark.simulator.engine.operators.base import Operator, OperatorRuntime
from tidemark.simulator.engine.operators.group_window_functions import ACCUMULATORS, HeldPanes, MergingFunction
from tidemark.simulator.engine.operators.group_window_operator import TableWindowOperator
from tidemark.simulator.engine.state import AggregatingState, ListState
from tidemark.simulator.engine.trace.events import (
    BufferFlushed,
    ElementSilentlySkipped,
    FlushWaits,
    LateForWindow,
    PaneFired,
    RowBuffered,
    RowRanked,
    Rule,
    SlicesMerged,
    SliceStranded,
    WindowCleaned,
    WindowsAssigned,
    WindowSkippedLate,
)
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.items import Element, Key
from tidemark.simulator.engine.values.rows import Timing
from tidemark.simulator.engine.values.time import MAX, MIN, wrap
from tidemark.simulator.engine.values.window import Namespace, TimeWindow, Window
from tidemark.simulator.engine.values.zone import SessionZone

# When a window of a window table function is over, which is all that lateness means there.

FIRED: Final = "window-fired"
"""The name of the rule."""
FIRED_FORMULA: Final = "max_timestamp <= watermark"


def has_fired(window: TimeWindow, watermark: int) -> bool:
    """Whether the window ended at or before ``watermark`` (ms). Source: ``TimeWindowUtil.isWindowFired``."""
    return window.end != MAX and window.max_timestamp <= watermark


def fired_rule(window: TimeWindow, watermark: int) -> Rule:
    """That the window is over, for the trace."""
    numbers = (("max_timestamp", window.max_timestamp), ("watermark", watermark))
    return Rule(FIRED, FIRED_FORMULA, numbers, True)


def traced_late(key: Key, window: TimeWindow, watermark: int) -> WindowSkippedLate:
    """The event that ``window`` does not take the row."""
    return WindowSkippedLate("TimeWindowUtil.is_window_fired", key, window, fired_rule(window, watermark))


NOTHING: Final = MAX + 1
"""Behind the end of every slice (ms): ``_buffered_to`` of an empty buffer."""


class SliceWindowOperator(Operator):
    """One row for each key and window, when the window ends."""

    keeps_watermark: ClassVar[bool] = True

    def __init__(
        self, runtime: OperatorRuntime, assigner: SliceAssigner, aggregate: AggregateFunction, *, is_event_time: bool
    ) -> None:
        super().__init__(runtime)
        self.assigner = assigner
        self.aggregate = aggregate
        self.is_event_time = is_event_time
        self.accumulators = AggregatingState(runtime.state, ACCUMULATORS, aggregate, runtime.trace)
        self._held = HeldPanes(runtime.state.table(ACCUMULATORS))
        self._shares = assigner.shares
        # Elsewhere a window fires once, and on time.
        self._numbers = runtime.panes if is_event_time and runtime.rules.functions_fire_after_restore else None
        self._buffered_to = NOTHING
        self._overflow: EngineFailure | None = None

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Add the row to its slice, or drop it if no window that is still to come needs the slice.

        Source: ``AbstractSliceSyncStateWindowAggProcessor.processElement``.
        """
        if timestamp is None:
            timestamp = MIN
        time = timestamp if self.is_event_time else self.clock.now
        piece, target = self.assigner.slice_of(time), None
        window = self.assigner.window_of(piece.end)
        if self.trace is not None:
            place = "SliceAssigner.assign_slice_end"
            self.trace.add(WindowsAssigned(place, key, tuple(self.assigner.windows_of(piece))))
        if self._is_over(window):
            window, target = self._first_to_come(piece, key)
            if target is None:
                self.drop_late(input, key, timestamp, value, self._late_rule(window))
                return
        self._take(key, piece if target is None else target, value, window, was_late=target is not None)

    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """A window ends. Source: ``WindowAggOperator.onEventTime``."""
        self._flush(self.timers.current_watermark)
        self._fire(timestamp, key, namespace)

    def on_processing_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """A window ends. Source: ``WindowAggOperator.onProcessingTime``."""
        self._flush(timestamp)
        self._fire(timestamp, key, namespace)

    def prepare_checkpoint(self) -> None:
        """Flush the buffer. Source: ``WindowAggOperator.prepareSnapshotPreBarrier``."""
        self._flush(MAX)

    def restored(self) -> None:
        """The buffer was empty at the checkpoint."""
        self._buffered_to, self._overflow = NOTHING, None

    # --- a row ---

    @property
    def _reached(self) -> int:
        """The time (ms) by which windows are over."""
        return self.timers.current_watermark

    def _is_over(self, window: TimeWindow) -> bool:
        """Whether a row comes too late for ``window``: by the clock none does."""
        return self.is_event_time and has_fired(window, self._reached)

    def _first_to_come(self, piece: TimeWindow, key: Key) -> tuple[TimeWindow, TimeWindow | None]:
        """The first window of ``piece`` that has not ended, and where the row is kept; (last window, None): nowhere."""
        last, window = self.assigner.window_of(self.assigner.last_end(piece)), self.assigner.window_of(piece.end)
        reached = self._reached
        over = has_fired(last, reached)
        if self.trace is None and over:
            return last, None
        for window in self.assigner.windows_of(piece):
            if not has_fired(window, reached):
                break
            if self.trace is not None:
                self.trace.add(traced_late(key, window, reached))
        return (last, None) if over else (window, self.assigner.kept_in(piece))

    def _take(self, key: Key, piece: TimeWindow, value: Any, window: TimeWindow, *, was_late: bool) -> None:
        """Add the row to the slice ``piece``, with a timer for ``window``, the first that is still to come."""
        self._add(key, piece, value)
        self._register_timer(key, window)

    def _add(self, key: Key, piece: TimeWindow, value: Any) -> None:
        if piece.end < self._buffered_to:
            self._buffered_to = piece.end
        try:
            self.accumulators.add(key, piece, value)
        except EngineFailure as failure:
            self._overflow = self._overflow or failure
        if self._shares:
            self._held.add(key, piece)

    def _flush(self, progress: int) -> None:
        """The buffer is added to state when the first of its slices has ended by ``progress`` (ms).

        Raises ``EngineFailure`` (ArithmeticException) if a sum left 64 bits. Source: ``RecordsWindowBuffer.flush``.
        """
        if self._buffered_to - 1 > progress:
            return
        self._buffered_to = NOTHING
        if self._overflow is not None:
            raise self._overflow

    def _register_timer(self, key: Key, window: TimeWindow) -> None:
        if self.is_event_time:
            self.timers.register_event_time_timer(window.max_timestamp, key, window, "fire+cleanup")
        else:
            self.timers.register_processing_time_timer(window.max_timestamp, key, window, "fire+cleanup")

    def _late_rule(self, last: TimeWindow) -> Rule | None:
        if self.trace is None:
            return None
        numbers = (("max_timestamp", last.max_timestamp), ("watermark", self._reached))
        return Rule("last-window-fired", "max_timestamp <= watermark", numbers, True)

    # --- the end of a window ---

    def _fire(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Emit the window, wait for the next one, and remove what is over.

        Source: ``SliceUnsharedSyncStateWindowAggProcessor.fireWindow`` and ``clearWindow``, and their shared sisters.
        """
        window = cast("TimeWindow", namespace)  # no isinstance: compiled, it misses a zone's own class
        accumulator, has_rows = self._merged(key, window)
        if has_rows:
            self._emit(key, window, self.aggregate.result(accumulator))
            following = self.assigner.next_end(window) if self._shares else None
            if following is not None:
                self._register_timer(key, self.assigner.window_of(following))
        if self.trace is not None:
            numbers = (("timer", timestamp), ("max_timestamp", window.max_timestamp))
            rule = Rule("window-over", "timer == max_timestamp", numbers, timestamp == window.max_timestamp)
            self.trace.add(WindowCleaned("WindowAggProcessor.clear_window", key, window, rule))
        self._clean(key, window)

    def _merged(self, key: Key, window: TimeWindow) -> tuple[Any, bool]:
        """The accumulator over the window's slices, and whether any of them holds rows."""
        if not self._shares:
            return self._kept(key, window), True
        first = self.assigner.first_slice(window)
        if first is not None:
            return self._joined_to_first(key, window, first), True
        slices = self._slices(key, window)
        self._trace_merged(key, window, slices)
        held = [self.accumulators.get(key, piece) for piece in slices]
        return (reduce(self.aggregate.merge, held), True) if held else (None, False)

    def _joined_to_first(self, key: Key, window: TimeWindow, first: TimeWindow) -> Any:
        """CUMULATE: what came in the last step joins the first slice, which all windows of the set share."""
        newest = self.assigner.slice_up_to(window.end)
        held = [each for each in (newest, first) if self.accumulators.get(key, each) is not None]
        self._trace_merged(key, window, list(dict.fromkeys(held)))
        if newest != first and newest in held:
            self.accumulators.merge_namespaces(key, first, [newest])
            self._held.remove(key, newest)
            self._held.add(key, first)
        return self._kept(key, first)

    def _kept(self, key: Key, piece: TimeWindow) -> Any:
        """The accumulator of a slice; a new one if no row has reached it."""
        accumulator = self.accumulators.get(key, piece)
        return self.aggregate.create_accumulator() if accumulator is None else accumulator

    def _slices(self, key: Key, window: TimeWindow) -> Sequence[TimeWindow]:
        """The slices of a HOP window that hold rows, the newest first."""
        interval = self.assigner.interval
        if window.end > window.start:  # a window that wraps is cut as Flink does it, slice by slice
            return self._held.within(key, window, interval)[::-1]
        length = (window.end - window.start) % 2**64
        slices = [self.assigner.slice_of(wrap(window.end - 1 - back)) for back in range(0, length, interval)]
        return [piece for piece in slices if self.accumulators.get(key, piece) is not None]

    def _clean(self, key: Key, window: TimeWindow) -> None:
        """Remove the slices that no later window needs."""
        if not self._shares:
            self.accumulators.clear(key, window)
            return
        first = self.assigner.first_slice(window)
        if first is None:
            self._remove(key, self.assigner.slice_from(window.start))
        elif self.assigner.next_end(window) is None:
            self._remove(key, first)

    def _remove(self, key: Key, piece: TimeWindow) -> None:
        if self.accumulators.get(key, piece) is not None:
            self.accumulators.clear(key, piece)
            self._held.remove(key, piece)

    def _emit(self, key: Key, window: TimeWindow, value: Any) -> None:
        watermark, number = self.timers.current_watermark, 0
        timing: Timing = "on-time"
        if self._numbers is not None:
            number, timing = self._numbers.next(key, window, watermark)
        if self.trace is not None:
            place = "WindowAggProcessor.collect"
            self.trace.add(PaneFired(place, key, window, timing, number, value, window.row_timestamp))
        self.output.emit_pane(key, window, timing, number, value, watermark)

    def _trace_merged(self, key: Key, window: TimeWindow, slices: Sequence[TimeWindow]) -> None:
        if self.trace is None:
            return
        rule = Rule("window-not-empty", "count > 0", (("count", len(slices)),), bool(slices))
        place = "SliceSharedWindowAggProcessor.fire_window"
        self.trace.add(SlicesMerged(place, key, window, tuple(slices), rule))


# Aggregation over a window table function in a session time zone, with the buffer that may lose rows there.
#
# Theory of operation
# -------------------
# Windows are of local time, and each fires at the instant at which its last local millisecond is over. That alone would
# be the operator without a zone. But here it shows that rows are buffered:
#
# - A row waits in a buffer. A watermark empties the buffer into the slices only from the *next flush* on, and only if
#   one of the buffered slices has ended. The next flush lies on a grid of slices (``SessionZone.next_flush``): in a
#   zone that never changes its clock on the grid of UTC, whatever its offset (FLINK-38075).
# - A slice that is written gets a timer only if the watermark *before* had not reached its end. So a slice whose end
#   lies between two points of the grid may be flushed too late: no timer, no result. Its state stays for ever.
# - A row of a slice that has ended is dropped as usual, or waits in the buffer for a later window, whose timer is set
#   at once. That timer may fire before the buffer is emptied, and finds less than it should.
#
# Source: ``AbstractSliceSyncStateWindowAggProcessor.advanceProgress``, ``RecordsWindowBuffer`` and
# ``AggCombiner.combine`` (Flink 2.3.0).


class LocalSliceOperator(SliceWindowOperator):
    """The same in local time, with the buffer in front of the state."""

    buffers: ClassVar[bool] = True

    def __init__(
        self,
        runtime: OperatorRuntime,
        assigner: SliceAssigner,
        aggregate: AggregateFunction,
        zone: SessionZone,
        *,
        is_event_time: bool,
    ) -> None:
        super().__init__(runtime, assigner, aggregate, is_event_time=is_event_time)
        self._zone = zone
        self._follows_watermarks = runtime.rules.follows_watermarks(by_clock=not is_event_time)
        self._buffer: dict[tuple[Key, TimeWindow], list[Any]] = {}
        self._first: TimeWindow | None = None
        self._next_flush = MIN
        self._progress = MIN

    def advance_progress(self, progress: int) -> None:
        """The watermark is about to move to ``progress`` (ms), which only windows of event time follow.

        Raises ``EngineFailure`` (ArithmeticException) if a sum of buffered rows leaves 64 bits. Source:
        ``WindowAggOperator.processWatermark``.
        """
        if self._follows_watermarks:
            self._advance(progress)

    def _advance(self, progress: int) -> None:
        """The watermark, or in processing time the clock, has come to ``progress`` (ms)."""
        if progress <= self._progress:
            return
        self._progress = progress
        due = self._first is not None and has_fired(self._first, progress)
        if progress >= self._next_flush:
            if due:
                self._trace_flush(progress)
                self._empty()
            offset, start_of = self.runtime.rules.flush_offset(self.assigner.offset), self.assigner.start_of
            self._next_flush = self._zone.next_flush(progress, self.assigner.interval, offset, start_of)
        elif due and self.trace is not None:
            assert self._first is not None
            numbers = (("watermark", progress), ("next_flush", self._next_flush))
            rule = Rule("flush-not-due", "watermark < next_flush", numbers, True)
            place = "SliceWindowAggProcessor.advance_progress"
            self.trace.add(FlushWaits(place, self._first, self._next_flush, rule))

    def on_processing_time(self, timestamp: int, key: Key, namespace: Any) -> None:
        """A window ends. Source: ``WindowAggOperator.onProcessingTime``."""
        self._advance(timestamp)
        self._fire(timestamp, key, namespace)

    def prepare_checkpoint(self) -> None:
        """Empty the buffer. Source: ``WindowAggOperator.prepareSnapshotPreBarrier``."""
        if self._buffer:
            self._trace_flush(MAX)
            self._empty()

    def restored(self) -> None:
        """The buffer was empty at the checkpoint, and the next watermark may flush."""
        super().restored()
        self._buffer, self._first, self._next_flush, self._progress = {}, None, MIN, MIN

    def watermark_restored(self, watermark: int) -> None:
        """Progress in event time goes on from ``watermark`` (ms).

        Source: ``WindowAggProcessorBase.initializeWatermark``.
        """
        if self.is_event_time:
            self._progress = watermark

    @property
    def _reached(self) -> int:
        return self._progress

    def _take(self, key: Key, piece: TimeWindow, value: Any, window: TimeWindow, *, was_late: bool) -> None:
        if self.trace is not None:
            self.trace.add(RowBuffered("RecordsWindowBuffer.add_element", key, piece, value))
        self._buffer.setdefault((key, piece), []).append(value)
        if self._first is None or piece.end < self._first.end:
            self._first = piece
        if was_late or not self.is_event_time:
            self._register_timer(key, window)

    def _flush(self, progress: int) -> None:
        """The buffer is emptied before a watermark fires timers (``advance_progress``)."""

    def _empty(self) -> None:
        """Add all buffered rows to their slices. Source: ``AggCombiner.combine``."""
        buffered, self._buffer, self._first = self._buffer, {}, None
        before = self.timers.reached
        for (key, piece), values in buffered.items():
            for value in values:
                self.accumulators.add(key, piece, value)
            if self._shares:
                self._held.add(key, piece)
            if not self.is_event_time:
                continue
            window = self.assigner.window_of(piece.end)
            if not has_fired(window, before):
                self._register_timer(key, window)
            elif self.trace is not None:
                numbers = (("max_timestamp", window.max_timestamp), ("last_watermark", before))
                rule = Rule("fired-before-flush", "max_timestamp <= last_watermark", numbers, True)
                self.trace.add(SliceStranded("AggCombiner.combine", key, piece, rule))

    def _trace_flush(self, progress: int) -> None:
        if self.trace is not None:
            numbers = (("next_flush", self._next_flush), ("watermark", progress))
            rule = Rule("flush-due", "next_flush <= watermark", numbers, True)
            rows = sum(map(len, self._buffer.values()))
            self.trace.add(BufferFlushed("RecordsWindowBuffer.flush", rows, rule))


# Aggregation over sessions of a window table function.
#
# Unlike slices they are kept as the group windows of the table runtime keep them: a merging set, a trigger at the
# end of the session, no lateness. What differs is the checkpoint, which holds the watermark, and that no timer is
# moved to the epoch.
#
# Source: ``WindowAggOperator`` with ``UnsliceSyncStateWindowAggProcessor`` (Flink 2.3.0).


class SessionFunction(MergingFunction):
    """Sessions whose timer is at their end, also before the epoch."""

    def timer_cleanup_time(self, window: Window) -> int:
        """The session's last instant (ms)."""
        return self.cleanup_time(window)


class SessionWindowOperator(TableWindowOperator):
    """Group windows of the table runtime whose watermark a restore brings back."""

    keeps_watermark: ClassVar[bool] = True


RANKED: Final = "window_rank"
"""The name of the state that holds the rows of a window."""


def _place(of: Callable[[Any], Any], row: Element) -> Any:
    return of(row.value)


class WindowRankOperator(Operator):
    """The first ``n`` rows of each key and window.

    A row goes into each of its windows that has not ended, and is dropped from each other one: the metric counts
    windows, not rows. When a window ends its rows are put in order, those of equal value as they came, the first ``n``
    are emitted with their ranks, and all of them are forgotten. A window without rows has no timer. ``order``: what
    rows are put in order by, made of their values, and each whether the largest comes first. ``last_of_equal``: of rows
    with equal values the one that came last comes first.

    Source: ``AlignedWindowTableFunctionOperator``, then ``WindowAggOperator`` with ``SyncStateWindowRankProcessor``, or
    that of window deduplication, where it is one row by its time (Flink 2.3.0).
    """

    keeps_watermark: ClassVar[bool] = True  # as for every processor that WindowAggOperator runs

    def __init__(
        self,
        runtime: OperatorRuntime,
        assigner: TableWindowAssigner,
        n: int,
        order: Sequence[tuple[Callable[[Any], Any], bool]],
        *,
        last_of_equal: bool,
    ) -> None:
        super().__init__(runtime)
        self.assigner = assigner
        self.n = n
        self.order = order
        self.last_of_equal = last_of_equal
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
        ordered = list(self.rows.get(key, window))
        if self.last_of_equal:
            ordered.reverse()
        for of, descending in reversed(self.order):
            # A stable order, also in reverse: rows that are equal in it stay as they are.
            ordered.sort(key=partial(_place, of), reverse=descending)
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
