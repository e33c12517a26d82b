"""A scenario by Spark's rules, batch by batch: what arrived waits, a batch takes it all, then the watermark moves."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from simulator.spark_dialect.base import Batch, Row, StatefulOperator, Told, Waiting
from simulator.spark_dialect.watermarks import WatermarkTracker
from simulator.trace.events import BatchEnded, BatchStarted, OperatorFailed, RecordArrived, RowsWithdrawn
from simulator.trace.trace import Trace
from simulator.values.errors import EngineFailure
from simulator.values.items import BatchEnd, Item, Record
from simulator.values.key import key_of

EXECUTION = "MicroBatchExecution"


@dataclass(frozen=True, slots=True)
class DialectPlan:
    """How to build one run. ``delays``: the watermark delay (ms) of each input that has one. ``policy``: min or max.

    ``ends_are_items``: the ends of batches are written in the stream and count as items; a generator's do not.
    """

    make_operator: Callable[[], StatefulOperator]
    delays: dict[str, int]
    policy: str
    origin: int
    ends_are_items: bool


class MicroBatches:
    """One run. ``sink`` takes the rows, those of a batch when it is done: a batch that fails gives none."""

    def __init__(self, plan: DialectPlan, sink: Callable[[Row], None], trace: Trace | None = None) -> None:
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
        """The whole stream. ``after_batch`` is called with the number of each batch, when everything of it is done."""
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
        if self._waiting:
            last = arrived
            self._batch(last, "records", after_batch)
        moved = self.watermarks.current > self.watermarks.late
        if not self.failed and self.batches and moved and self.operator.waits_for_watermark:
            self._batch(last + 1, "watermark", after_batch)

    def snapshot(self) -> dict[str, Any]:
        """Everything that is to be seen of the engine, after a batch."""
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
        batch = Batch(self.batches, records, marks.current, marks.late)
        if trace is not None:
            trace.item = item
            place = f"{EXECUTION}.construct_next_batch"
            trace.add(BatchStarted(place, batch.number, reason, len(records), batch.late_watermark))
        rows: list[Row] = []
        steps: list[int] = []
        given = 0

        def row(row: Row) -> None:
            rows.append(row)
            if trace is not None:
                steps.append(len(trace) - 1)

        def result(each: Row) -> None:
            nonlocal given
            given += 1
            row(each)

        told = Told(row, result, trace, item)
        try:
            self.operator.run(batch, told, marks.see)
        except EngineFailure as failure:
            self._fail(failure, item, steps)
            return
        self._end(batch, told, given)
        for each in rows:
            self._sink(each)
        self.batches += 1
        if after_batch is not None:
            after_batch(batch.number)

    def _end(self, batch: Batch, told: Told, given: int) -> None:
        counted = {"rows_in": len(batch.records), "rows_out": given, "state_rows": self.operator.state_rows()}
        if self.trace is not None:
            place = f"{EXECUTION}.execute_one_batch"
            self.trace.add(BatchEnded(place, batch.number, batch.late_watermark, **counted))
        told.row(
            {
                "row": "batch",
                "batch": batch.number,
                "watermark": batch.watermark,
                "late_watermark": batch.late_watermark,
                **counted,
            }
        )
        self.watermarks.end_batch()

    def _fail(self, failure: EngineFailure, item: int, steps: list[int]) -> None:
        """The query dies; what the batch had given so far never was committed."""
        self.failed = True
        if self.trace is not None:
            self.trace.item = item
            if steps:
                self.trace.add(RowsWithdrawn(f"{EXECUTION}.run_activated_stream", tuple(steps)))
            self.trace.add(OperatorFailed("StreamExecution.run_stream", failure.java_type, failure.message))
        self._sink({"row": "error", "type": failure.java_type, "message": failure.message, "item": item})
