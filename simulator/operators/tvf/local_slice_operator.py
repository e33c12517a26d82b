"""Aggregation over a window table function in a session time zone, with the buffer that may lose rows there.

Theory of operation
-------------------
Windows are of local time, and each fires at the instant at which its last local millisecond is over. That alone would
be the operator without a zone. But here it shows that rows are buffered:

- A row waits in a buffer. A watermark empties the buffer into the slices only from the *next flush* on, and only if one
  of the buffered slices has ended. The next flush lies on a grid of slices (``SessionZone.next_flush``): in a zone that
  never changes its clock on the grid of UTC, whatever its offset (FLINK-38075).
- A slice that is written gets a timer only if the watermark *before* had not reached its end. So a slice whose end lies
  between two points of the grid may be flushed too late: no timer, no result. Its state stays for ever.
- A row of a slice that has ended is dropped as usual, or waits in the buffer for a later window, whose timer is set
  at once. That timer may fire before the buffer is emptied, and finds less than it should.

Source: ``AbstractSliceSyncStateWindowAggProcessor.advanceProgress``, ``RecordsWindowBuffer`` and
``AggCombiner.combine`` (Flink 2.3.0).
"""

from typing import Any, ClassVar

from tidemark.simulator.functions.base import AggregateFunction
from tidemark.simulator.operators.runtime import OperatorRuntime
from tidemark.simulator.operators.tvf.lateness import has_fired
from tidemark.simulator.operators.tvf.slice_window_operator import SliceWindowOperator
from tidemark.simulator.table_assigners.base import SliceAssigner
from tidemark.simulator.trace.events import BufferFlushed, FlushWaits, RowBuffered, Rule, SliceStranded
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.time import MAX, MIN
from tidemark.simulator.values.window import TimeWindow
from tidemark.simulator.values.zone import SessionZone


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
        self._buffer: dict[tuple[Key, TimeWindow], list[Any]] = {}
        self._first: TimeWindow | None = None
        self._next_flush = MIN
        self._progress = MIN

    def advance_progress(self, progress: int) -> None:
        """The watermark is about to move to ``progress`` (ms), which only windows of event time follow.

        Raises ``EngineFailure`` (ArithmeticException) if a sum of buffered rows leaves 64 bits. Source:
        ``WindowAggOperator.processWatermark``.
        """
        if self.is_event_time:
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
            self._next_flush = self._zone.next_flush(progress, self.assigner.interval, self.assigner.offset)
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
        before = self.timers.current_watermark
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
