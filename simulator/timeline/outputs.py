"""The tables ``outputs`` and ``counters``: rows as ``run`` prints them, and how many there are of each kind.

Either engine has its own rows, and Spark's carry their batch.
"""

from tidemark.simulator.engine.trace.events import (
    BatchEnded,
    BatchStarted,
    DeduplicateEmitted,
    ElementSilentlySkipped,
    GroupFired,
    JoinMatched,
    LateDropped,
    LateForWindow,
    LateSideOutput,
    LeftRowJoined,
    OperatorFailed,
    OverEmitted,
    PaneEmitted,
    PaneFired,
    QueuePopped,
    RecordArrived,
    RecordFiltered,
    RowRanked,
    RowsWithdrawn,
    WatermarkForwarded,
)
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.values.rows import (
    Row,
    batch_dropped_row,
    batch_joined_row,
    batch_pane_row,
    batch_row,
    deduplicated_row,
    emitted_row,
    error_row,
    group_row,
    joined_row,
    lost_row,
    over_row,
    paired_record,
    pane_row,
    ranked_row,
    watermark_row,
)
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.timeline.facts import Folding, Handlers
from tidemark.simulator.timeline.ids import output_id, record_id, window_id


class OutputFacts:
    """What has been emitted so far."""

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._arrival = folding.arrival
        self._emitted_rows = 0
        self._facts.put("counters", "counters", records=0, panes=0, late=0, dropped=0, skipped=0)

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            RecordArrived: lambda step, event: self._count("records"),
            ElementSilentlySkipped: lambda step, event: self._count("skipped"),
            PaneFired: self._pane,
            LateSideOutput: self._late,
            LateDropped: self._dropped,
            LateForWindow: self._dropped_from_window,
            RowRanked: self._ranked,
            QueuePopped: self._emitted,
            JoinMatched: self._joined,
            GroupFired: self._group,
            LeftRowJoined: self._left_joined,
            OverEmitted: self._over,
            DeduplicateEmitted: self._deduplicated,
            WatermarkForwarded: self._watermark,
            OperatorFailed: self._error,
            RowsWithdrawn: self._withdrawn,
        }

    def _pane(self, step: Step, event: PaneFired) -> None:
        key, window, value = event.key, event.window, plain(event.value)
        row = pane_row(key, window, event.timing, event.pane, value, event.change, *_moment(step))
        self._append(step, row, window_id(key, window))
        self._count("panes")

    def _late(self, step: Step, event: LateSideOutput) -> None:
        self._append(step, lost_row("late", event.input, event.key, event.ts, plain(event.value), *_moment(step)))
        self._count("late")

    def _dropped(self, step: Step, event: LateDropped) -> None:
        self._append(step, lost_row("dropped", event.input, event.key, event.ts, plain(event.value), *_moment(step)))
        self._count("dropped")

    def _dropped_from_window(self, step: Step, event: LateForWindow) -> None:
        window, value = event.window, plain(event.value)
        assert isinstance(window, TimeWindow)
        row = lost_row("dropped", event.input, event.key, event.ts, value, *_moment(step), window)
        self._append(step, row)  # it is no result of the window
        self._count("dropped")

    def _ranked(self, step: Step, event: RowRanked) -> None:
        window, value = event.window, plain(event.value)
        assert isinstance(window, TimeWindow)
        row = ranked_row(event.key, window, event.rank, event.ts, value, *_moment(step))
        self._append(step, row, window_id(event.key, window))

    def _emitted(self, step: Step, event: QueuePopped) -> None:
        self._append(step, emitted_row(event.key, event.ts, plain(event.value), *_moment(step)))

    def _joined(self, step: Step, event: JoinMatched) -> None:
        sides = [paired_record(each.timestamp, plain(each.value)) for each in (event.left, event.right)]
        row = joined_row(event.key, sides[0], sides[1], event.timestamp, event.window, *_moment(step))
        self._append(step, row, None if event.window is None else window_id(event.key, event.window))

    def _left_joined(self, step: Step, event: LeftRowJoined) -> None:
        left, right = event.left, event.right
        assert left.timestamp is not None
        one = paired_record(left.timestamp, plain(left.value))
        other = None if right is None else paired_record(right.timestamp, plain(right.value))
        self._append(step, joined_row(event.key, one, other, left.timestamp, None, *_moment(step)))

    def _over(self, step: Step, event: OverEmitted) -> None:
        self._append(step, over_row(event.key, event.ts, plain(event.value), plain(event.own), *_moment(step)))

    def _deduplicated(self, step: Step, event: DeduplicateEmitted) -> None:
        row = deduplicated_row(event.key, event.ts, plain(event.value), event.change, *_moment(step))
        self._append(step, row)

    def _group(self, step: Step, event: GroupFired) -> None:
        row = group_row(event.key, plain(event.left), plain(event.right), event.window, *_moment(step))
        self._append(step, row, window_id(event.key, event.window))

    def _watermark(self, step: Step, event: WatermarkForwarded) -> None:
        self._append(step, watermark_row(event.ts, step.at, step.item))

    def _error(self, step: Step, event: OperatorFailed) -> None:
        self._append(step, error_row(event.type, event.message, step.item))

    def _withdrawn(self, step: Step, event: RowsWithdrawn) -> None:
        """Withdraw the last rows, one for each step named: numbers continue where they stood at the checkpoint."""
        for _ in event.steps:
            self._emitted_rows -= 1
            self._facts.end(output_id(self._emitted_rows))

    def _append(self, step: Step, row: Row, window: str | None = None) -> None:
        id = output_id(self._emitted_rows)
        self._facts.put("outputs", id, number=self._emitted_rows, row=row, arrival=self._place(step), window=window)
        self._emitted_rows += 1

    def _place(self, step: Step) -> int:
        """Where a row that the step emits lies on the arrival axis."""
        return self._arrival(step)

    def _count(self, what: str) -> None:
        counters = self._facts.row("counters")
        self._facts.change("counters", "counters", **{what: counters[what] + 1})


def _moment(step: Step) -> tuple[int | None, int, int]:
    """The watermark, the clock and the item with which the operator emits at this step."""
    return step.watermark, step.at, step.item


class BatchOutputFacts(OutputFacts):
    """What has been emitted so far, at the place where its batch was cut off.

    ``dropped`` counts records, as in Flink, not records and windows.
    """

    def __init__(self, folding: Folding) -> None:
        super().__init__(folding)
        self._batch = self._cut_off = 0
        self._dropped_items: set[int] = set()

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            RecordArrived: lambda step, event: self._count("records"),
            BatchStarted: self._started,
            RecordFiltered: self._filtered,
            PaneEmitted: self._pane_emitted,
            JoinMatched: self._rows_joined,
            BatchEnded: self._ended,
            RowsWithdrawn: self._withdrawn,
            OperatorFailed: self._error,
        }

    def _started(self, step: Step, event: BatchStarted) -> None:
        self._batch, self._cut_off = event.batch, self._arrival(step)

    def _filtered(self, step: Step, event: RecordFiltered) -> None:
        value = plain(event.value)
        row = batch_dropped_row(event.input, event.key, event.ts, value, event.window, *self._batch_moment(step))
        self._append(step, row)
        record = self._facts.row(record_id(step.item))
        if record["fate"] == "dropped" and step.item not in self._dropped_items:
            self._dropped_items.add(step.item)
            self._count("dropped")

    def _pane_emitted(self, step: Step, event: PaneEmitted) -> None:
        row = batch_pane_row(event.key, event.window, plain(event.value), *self._batch_moment(step))
        self._append(step, row, window_id(event.key, event.window))
        self._count("panes")

    def _rows_joined(self, step: Step, event: JoinMatched) -> None:
        sides = [paired_record(each.timestamp, plain(each.value)) for each in (event.left, event.right)]
        self._append(step, batch_joined_row(event.key, sides[0], sides[1], *self._batch_moment(step)))

    def _ended(self, step: Step, event: BatchEnded) -> None:
        figures = event.rows_in, event.rows_out, event.state_rows
        self._append(step, batch_row(*self._batch_moment(step), event.late_watermark, *figures))

    def _place(self, step: Step) -> int:
        return self._cut_off

    def _batch_moment(self, step: Step) -> tuple[int, int]:
        """The batch and the watermark that it evicts by, which by Spark's rules is never absent."""
        assert step.watermark is not None
        return self._batch, step.watermark
