"""A scenario by Spark's rules, batch by batch: what has arrived waits, a batch takes it all, then the watermark moves.

Theory of operation
-------------------
Spark knows no watermark between two records. Records wait at the source until a batch begins; the batch takes them all,
and works with two watermarks that stand still meanwhile:

- the *late watermark*, that of the batch before, by which records are filtered;
- the *watermark*, made by the batches before, by which state is evicted.

They differ by one batch, so that what a stateful operator emits by the watermark of a batch is not late for a stateful
operator behind it (SPARK-40925). A record behind the watermark therefore still counts for one more batch.

The records of a batch move the watermark only when the batch is done. So the results that they close appear a batch
later, and if no records follow, one more batch runs without data.

A batch is a transaction. Its rows are collected and reach the sink when it is done; if the query fails, none of them
does.

Source: ``MicroBatchExecution`` and ``WatermarkTracker``. What was observed is listed in docs/users/BATCHES.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tidemark.simulator.engine.trace.events import (
    BatchEnded,
    BatchStarted,
    InputWatermarkMoved,
    MaxTimestampRaised,
    OperatorFailed,
    RecordArrived,
    RecordFiltered,
    RowsWithdrawn,
    Rule,
    WatermarkKept,
    WatermarkMoved,
)
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.items import BatchEnd, Item, Key, Record, key_of
from tidemark.simulator.engine.values.rows import SparkRow, batch_dropped_row, batch_row, error_row
from tidemark.simulator.engine.values.window import TimeWindow


class Waiting(NamedTuple):
    """A record that waits at the source for its batch, with its index in the stream."""

    item: int
    record: Record


@dataclass(frozen=True, slots=True)
class Batch:
    """One micro-batch. It evicts by ``watermark`` and filters by ``late_watermark`` (ms).

    ``late_watermark`` is the ``watermark`` of the batch before.
    """

    number: int
    records: Sequence[Waiting]
    watermark: int
    late_watermark: int


@dataclass(frozen=True, slots=True)
class BatchOutput:
    """Where a batch's rows and steps go.

    ``emit_result`` takes rows that count as output, ``emit`` all others. ``item`` is the last item that has arrived;
    steps of the batch as a whole carry its index.
    """

    emit: Callable[[SparkRow], None]
    emit_result: Callable[[SparkRow], None]
    trace: Trace | None
    item: int

    def at_record(self, item: int) -> None:
        """The steps from now on are about the record of ``item``."""
        if self.trace is not None:
            self.trace.item = item

    def at_batch(self) -> None:
        """The steps from now on are about the batch as a whole."""
        self.at_record(self.item)


class StatefulOperator(ABC):
    """The stateful part of a query: it keeps keyed state from batch to batch."""

    @abstractmethod
    def run(self, batch: Batch, output: BatchOutput, read: Callable[[Record], None]) -> None:
        """Work on ``batch``; ``read`` is called with each record in the order in which Spark takes it.

        Raises ``EngineFailure`` where Spark's query would fail; then nothing of the batch counts.
        """

    @abstractmethod
    def state_rows(self) -> int:
        """How many entries the state store holds: Spark's ``numRowsTotal``."""

    @property
    @abstractmethod
    def waits_for_watermark(self) -> bool:
        """Whether a new watermark alone justifies a batch. Source: ``StatefulOperator.shouldRunAnotherBatch``."""

    @abstractmethod
    def snapshot(self) -> Mapping[str, Any]:
        """The whole state, by the name of the state."""


TRACKER = "WatermarkTracker.update_watermark"


class WatermarkTracker:
    """The watermark, which moves only after a batch, never within one.

    ``delays`` by input (ms), without the inputs that have no watermark. ``policy``: ``min`` or ``max``. ``current`` is
    the watermark (ms) of the next batch, ``late`` that of the one before it. Both begin at 0, the epoch.
    Source: ``org.apache.spark.sql.execution.streaming.WatermarkTracker``.
    """

    def __init__(self, delays: dict[str, int], policy: str, trace: Trace | None) -> None:
        self.current = 0
        self.late = 0
        self.policy = policy
        self.delays = delays
        self.max_timestamps: dict[str, int] = {}
        self.own = dict.fromkeys(delays, 0)
        self._trace = trace

    def see(self, record: Record) -> None:
        """A batch reads ``record``, which counts for the watermark even if it is late. Source: ``EventTimeStats``."""
        if record.input not in self.delays or record.ts is None:
            return
        before = self.max_timestamps.get(record.input)
        if before is None or record.ts > before:
            self.max_timestamps[record.input] = record.ts
            if self._trace is not None:
                self._trace.add(MaxTimestampRaised("EventTimeStats.add", record.input, 0, before, record.ts))

    def end_batch(self) -> None:
        """A batch is done: the next one filters by its watermark, and evicts by the one that its records make."""
        self.late = self.current  # before ``current`` moves, and also where it does not
        if not self.delays:
            return
        for name, delay in self.delays.items():
            self._move_input(name, delay)
        pick = min if self.policy == "min" else max
        name = pick(self.own, key=lambda each: self.own[each])
        chosen, last = self.own[name], self.current
        if chosen > last:
            self.current = chosen
        trace = self._trace
        if trace is None:
            return
        numbers = (("input_watermark", chosen), ("last_watermark", last))
        rule = Rule("batch-watermark", "input_watermark > last_watermark", numbers, chosen > last)
        if chosen > last:
            trace.watermark = chosen
            trace.add(WatermarkMoved(TRACKER, last, chosen, name, self.policy, rule))
        else:
            trace.add(WatermarkKept(TRACKER, last, name, self.policy, rule))

    def _move_input(self, name: str, delay: int) -> None:
        if name not in self.max_timestamps:
            return
        max_timestamp, last = self.max_timestamps[name], self.own[name]
        if max_timestamp - delay <= last:
            return
        self.own[name] = max_timestamp - delay
        if self._trace is not None:
            numbers = (("max_timestamp", max_timestamp), ("delay", delay), ("last", last))
            rule = Rule("input-watermark", "max_timestamp - delay > last", numbers, True)
            self._trace.add(InputWatermarkMoved(TRACKER, name, last, max_timestamp - delay, rule))


# The late filter: what the watermark of the batch before has passed is dropped and counted.

FILTER = "StateStoreWriter.apply_removing_rows_older_than_watermark"


def filter_out(record: Record, key: Key, window: TimeWindow | None, batch: Batch, output: BatchOutput) -> None:
    """Trace that ``record`` is too late for ``window``, or in a join (None) for the batch, and emit its row."""
    assert record.ts is not None
    if output.trace is not None:
        late = ("late_watermark", batch.late_watermark)
        if window is None:
            rule = Rule("batch-record-late", "ts <= late_watermark", (("ts", record.ts), late), True)
        else:
            rule = Rule("batch-window-late", "end <= late_watermark", (("end", window.end), late), True)
        output.trace.add(RecordFiltered(FILTER, record.input, key, record.ts, record.value, window, rule))
    row = batch_dropped_row(record.input, key, record.ts, record.value, window, batch.number, batch.watermark)
    output.emit(row)


EXECUTION = "MicroBatchExecution"


@dataclass(frozen=True, slots=True)
class DialectPlan:
    """How to build one run.

    ``delays`` holds the watermark delay (ms) of each input that has one; ``policy`` is ``min`` or ``max``; ``origin``
    is the time (ms) that the steps carry as their clock. ``ends_are_items``: the ends of batches are written in the
    stream and count as items; those of a generator do not.
    """

    make_operator: Callable[[], StatefulOperator]
    delays: dict[str, int]
    policy: str
    origin: int
    ends_are_items: bool


class MicroBatches:
    """One run. ``sink`` takes the rows of a batch when the batch is done; a batch that fails has none."""

    def __init__(self, plan: DialectPlan, sink: Callable[[SparkRow], None], trace: Trace | None = None) -> None:
        self.operator = plan.make_operator()
        self.trace = trace
        self.watermarks = WatermarkTracker(plan.delays, plan.policy, trace)
        self.batches = 0
        self.failed = False
        self._sink = sink
        self._ends_are_items = plan.ends_are_items
        self._waiting: list[Waiting] = []
        if trace is not None:
            trace.at, trace.watermark = plan.origin, self.watermarks.current

    def run(self, items: Iterable[Item], after_batch: Callable[[int], None] | None = None) -> None:
        """Work on the whole stream. ``after_batch`` is called with the number of each batch, when it is done.

        ``last`` is the item that closes a batch, and that the batch's own steps carry: its end where that is an item,
        else its last record.
        """
        arrived, last = 0, 0
        for item in items:
            if isinstance(item, Record):
                last = arrived
                self._arrive(Waiting(arrived, item))
                arrived += 1
            elif isinstance(item, BatchEnd):
                if self._ends_are_items:
                    last = arrived
                    arrived += 1
                self._batch(last, "records" if self._waiting else "empty", after_batch)
            if self.failed:
                return
        # What follows the last end is a batch too. It has no end of its own: its steps carry the item that would be it.
        if self._waiting:
            last = arrived
            self._batch(last, "records", after_batch)
        # After the last batch ``late`` is the watermark that it evicted by. If the new one is above, there may be
        # something to close, and Spark runs one batch without data. A second one would find nothing.
        moved = self.watermarks.current > self.watermarks.late
        if not self.failed and self.batches and moved and self.operator.waits_for_watermark:
            self._batch(last + 1, "watermark", after_batch)

    def snapshot(self) -> dict[str, Any]:
        """Everything that can be seen of the engine after a batch."""
        marks = self.watermarks
        return {
            "watermark": marks.current,
            "late_watermark": marks.late,
            "inputs": {name: (marks.own[name], marks.max_timestamps.get(name)) for name in marks.delays},
            "state": self.operator.snapshot(),
            "state_rows": self.operator.state_rows(),
            "batches": self.batches,
        }

    def _arrive(self, waiting: Waiting) -> None:
        self._waiting.append(waiting)
        if self.trace is not None:
            item, record = waiting
            self.trace.item = item
            place, key = f"{EXECUTION}.fetch_new_offsets", key_of(record.key)
            self.trace.add(RecordArrived(place, record.input, 0, key, record.ts, record.value))

    def _batch(self, item: int, reason: str, after_batch: Callable[[int], None] | None) -> None:
        records, self._waiting = self._waiting, []
        marks, trace = self.watermarks, self.trace
        # The two watermarks are fixed here; ``marks.see`` below only collects the largest timestamps.
        batch = Batch(self.batches, records, marks.current, marks.late)
        if trace is not None:
            trace.item = item
            place = f"{EXECUTION}.construct_next_batch"
            trace.add(BatchStarted(place, batch.number, reason, len(records), batch.late_watermark))
        rows: list[SparkRow] = []
        steps: list[int] = []
        rows_out = 0

        def emit(row: SparkRow) -> None:
            rows.append(row)
            if trace is not None:
                steps.append(len(trace) - 1)

        def emit_result(row: SparkRow) -> None:
            nonlocal rows_out
            rows_out += 1
            emit(row)

        output = BatchOutput(emit, emit_result, trace, item)
        try:
            self.operator.run(batch, output, marks.see)
        except EngineFailure as failure:
            self._fail(failure, item, steps)
            return
        self._end(batch, output, rows_out)
        for row in rows:  # the commit
            self._sink(row)
        self.batches += 1
        if after_batch is not None:
            after_batch(batch.number)

    def _end(self, batch: Batch, output: BatchOutput, rows_out: int) -> None:
        counted = {"rows_in": len(batch.records), "rows_out": rows_out, "state_rows": self.operator.state_rows()}
        if self.trace is not None:
            place = f"{EXECUTION}.execute_one_batch"
            self.trace.add(BatchEnded(place, batch.number, batch.late_watermark, **counted))
        output.emit(batch_row(batch.number, batch.watermark, batch.late_watermark, **counted))
        # Last: the ``batch`` row above shows the watermarks that this batch worked with.
        self.watermarks.end_batch()

    def _fail(self, failure: EngineFailure, item: int, steps: list[int]) -> None:
        """The query fails; what the batch had emitted so far was never committed."""
        self.failed = True
        if self.trace is not None:
            self.trace.item = item
            if steps:
                self.trace.add(RowsWithdrawn(f"{EXECUTION}.run_activated_stream", tuple(steps)))
            self.trace.add(OperatorFailed("StreamExecution.run_stream", failure.java_type, failure.message))
        self._sink(error_row(failure.java_type, failure.message, item))
