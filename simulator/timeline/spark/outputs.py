"""The tables ``outputs`` and ``counters`` of micro-batches: rows as ``run`` prints them."""

from tidemark.simulator.engine.trace.events import (
    BatchEnded,
    BatchStarted,
    JoinMatched,
    OperatorFailed,
    PaneEmitted,
    RecordArrived,
    RecordFiltered,
    RowsWithdrawn,
)
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.values.rows import (
    Row,
    batch_dropped_row,
    batch_joined_row,
    batch_pane_row,
    batch_row,
    error_row,
    paired_record,
)
from tidemark.simulator.timeline.folding import Folding, Handlers
from tidemark.simulator.timeline.ids import output_id, record_id, window_id


class BatchOutputFacts:
    """What has been emitted so far, at the place where its batch was cut off.

    ``dropped`` counts records, as in Flink, not records and windows.
    """

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._arrival = folding.arrival
        self._emitted_rows = 0
        self._batch = self._cut_off = 0
        self._dropped: set[int] = set()
        self._facts.put("counters", "counters", records=0, panes=0, late=0, dropped=0, skipped=0)

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            RecordArrived: lambda step, event: self._count("records"),
            BatchStarted: self._started,
            RecordFiltered: self._filtered,
            PaneEmitted: self._pane,
            JoinMatched: self._joined,
            BatchEnded: self._ended,
            RowsWithdrawn: self._withdrawn,
            OperatorFailed: self._error,
        }

    def _started(self, step: Step, event: BatchStarted) -> None:
        self._batch, self._cut_off = event.batch, self._arrival(step)

    def _filtered(self, step: Step, event: RecordFiltered) -> None:
        value = plain(event.value)
        row = batch_dropped_row(event.input, event.key, event.ts, value, event.window, *self._moment(step))
        self._append(step, row)
        record = self._facts.get(record_id(step.item))
        assert record is not None
        if record["fate"] == "dropped" and step.item not in self._dropped:
            self._dropped.add(step.item)
            self._count("dropped")

    def _pane(self, step: Step, event: PaneEmitted) -> None:
        row = batch_pane_row(event.key, event.window, plain(event.value), *self._moment(step))
        self._append(step, row, window_id(event.key, event.window))
        self._count("panes")

    def _joined(self, step: Step, event: JoinMatched) -> None:
        sides = [paired_record(each.timestamp, plain(each.value)) for each in (event.left, event.right)]
        self._append(step, batch_joined_row(event.key, sides[0], sides[1], *self._moment(step)))

    def _ended(self, step: Step, event: BatchEnded) -> None:
        figures = event.rows_in, event.rows_out, event.state_rows
        self._append(step, batch_row(*self._moment(step), event.late_watermark, *figures))

    def _error(self, step: Step, event: OperatorFailed) -> None:
        self._append(step, error_row(event.type, event.message, step.item))

    def _withdrawn(self, step: Step, event: RowsWithdrawn) -> None:
        """Withdraw the rows of the batch that failed: they are the last ones."""
        for _ in event.steps:
            self._emitted_rows -= 1
            self._facts.end(output_id(self._emitted_rows))

    def _append(self, step: Step, row: Row, window: str | None = None) -> None:
        id = output_id(self._emitted_rows)
        self._facts.put("outputs", id, number=self._emitted_rows, row=row, arrival=self._cut_off, window=window)
        self._emitted_rows += 1

    def _count(self, what: str) -> None:
        counters = self._facts.get("counters")
        assert counters is not None
        self._facts.change("counters", "counters", **{what: counters[what] + 1})

    def _moment(self, step: Step) -> tuple[int, int]:
        """The batch and the watermark that it evicts by, which by Spark's rules is never absent."""
        assert step.watermark is not None
        return self._batch, step.watermark
