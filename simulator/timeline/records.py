"""The tables ``records``, ``batches``, ``outputs`` and ``counters``: what comes in, its fate, and what goes out.

Outputs are rows as ``run`` prints them. Either engine has its own rows, and Spark's carry their batch.
"""

from collections.abc import Iterable
from typing import Any, Final

from tidemark.simulator.engine.source import PROCESS_ELEMENT
from tidemark.simulator.engine.trace import events
from tidemark.simulator.engine.trace.row_events import ROW_EVENTS, RowEvent
from tidemark.simulator.engine.trace.trace import Step, Trace, plain
from tidemark.simulator.engine.values import rows
from tidemark.simulator.engine.values.items import plain_key
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.timeline.facts import Folding, Handlers, Row
from tidemark.simulator.timeline.ids import batch_id, output_id, record_id, window_id


class RecordFacts:
    """Fates: ``ahead``, ``arrived``, then ``on-time``, ``late-accepted``, or how it is lost or left out."""

    def __init__(self, folding: Folding, trace: Trace) -> None:
        self.facts = folding.facts
        self._arrivals = _arrivals(folding, trace)
        for columns in self._arrivals.values():
            id = record_id(columns["item"])
            if self.facts.get(id) is None:
                self.facts.put("records", id, **columns, fate="ahead")

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            events.RecordArrived: self.arrived,
            **dict.fromkeys(events.LOSS_EVENTS, lambda step, event: self.meets(step, event.loss)),
            events.LateForWindow: self._dropped_from_window,
            events.RowFiltered: lambda step, event: self.meets(step, "filtered"),
        }

    def _dropped_from_window(self, step: Step, event: events.LateForWindow) -> None:
        """It is dropped as a whole if no window has taken it; the next window still may."""
        row = self.facts.row(record_id(step.item))
        if row["fate"] == "arrived":
            self.meets(step, "dropped")

    def accepted(self, step: Step, late: bool) -> None:
        """A window accepted the step's record. ``late``: its firing was due already; one such window makes it late."""
        row = self.facts.row(record_id(step.item))
        fate = "late-accepted" if late else "on-time"
        if row["fate"] not in ("late-accepted", fate):
            self.meets(step, fate)

    def arrived(self, step: Step, event: events.RecordArrived) -> None:
        """The record has arrived; its fate is not decided yet."""
        self.facts.put("records", record_id(step.item), **self._arrivals[step.step], fate="arrived")

    def meets(self, step: Step, fate: str) -> None:
        """Set the fate of the step's record."""
        self.facts.change("records", record_id(step.item), fate=fate)


def _arrivals(folding: Folding, trace: Trace) -> dict[int, dict[str, Any]]:
    """The columns of each record except its fate, by the step at which it arrives."""
    arrivals: dict[int, dict[str, Any]] = {}
    newest_ts: int | None = None
    newest_arrival: int | None = None
    saved: dict[int, tuple[int | None, int | None]] = {}
    for step in trace:
        event = step.event
        if isinstance(event, events.CheckpointTaken):
            saved[step.step] = newest_ts, newest_arrival
        elif isinstance(event, events.Restored):
            newest_ts, newest_arrival = saved[event.checkpoint_step]
        if not isinstance(event, events.RecordArrived):
            continue
        arrival = folding.arrival(step)
        arrivals[step.step] = {
            "item": step.item,
            "input": event.input,
            "channel": event.channel,
            "key": plain_key(event.key),
            "ts": event.ts,
            "value": event.value,
            "at": step.at,
            "arrival": arrival,
            "out_of_order": event.ts is not None and newest_ts is not None and event.ts < newest_ts,
            "newest_ts": newest_ts,
            "newest_arrival": newest_arrival,
        }
        if event.ts is not None and (newest_ts is None or event.ts > newest_ts):
            newest_ts, newest_arrival = event.ts, arrival
    return arrivals


def null_rowtimes(steps: Iterable[Row]) -> frozenset[int]:
    """The item whose rowtime is NULL, at which the job fails at one of the ``steps``; none where it does not."""
    failed = (step for step in steps if step["event"] == events.OperatorFailed.__name__)
    return frozenset(step["item"] for step in failed if step["place"] == PROCESS_ELEMENT)


class BatchRecordFacts(RecordFacts):
    """Fates: ``ahead``, ``arrived``, then ``on-time``, ``late-accepted`` or ``dropped`` (by all its windows)."""

    def handlers(self) -> Handlers:
        """The events that this group handles; whoever accepts a record calls ``accepted``."""
        return {
            events.RecordArrived: self.arrived,
            events.MaxTimestampRaised: self._looked_at,
            events.WindowsAssigned: self._looked_at,
            events.JoinMatched: self._looked_at,
            events.RecordFiltered: self._filtered,
        }

    def _looked_at(self, step: Step, event: events.TraceEvent) -> None:
        """Highlight the record: it need not be the last one that arrived."""
        self.facts.touched[record_id(step.item)] = None

    def _filtered(self, step: Step, event: events.RecordFiltered) -> None:
        """The latest of its windows comes first: if that one accepted it, the record counts."""
        row = self.facts.row(record_id(step.item))
        if row["fate"] == "arrived":
            self.meets(step, "dropped")


RUNNING: Final = "running"
DONE: Final = "done"
FAILED: Final = "failed"


class BatchFacts:
    """A batch is ``running``, then ``done`` or ``failed``; its row stays."""

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._arrival = folding.arrival
        self._last: str | None = None

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {events.BatchStarted: self._started, events.BatchEnded: self._ended, events.OperatorFailed: self._failed}

    def _started(self, step: Step, event: events.BatchStarted) -> None:
        self._last = batch_id(event.batch)
        self._facts.put(
            "batches",
            self._last,
            number=event.batch,
            status=RUNNING,
            reason=event.reason,
            arrival=self._arrival(step),
            watermark=step.watermark,
            late_watermark=event.late_watermark,
            rows_in=event.records,
            rows_out=None,
            state_rows=None,
        )

    def _ended(self, step: Step, event: events.BatchEnded) -> None:
        figures = {"rows_out": event.rows_out, "state_rows": event.state_rows}
        self._facts.change("batches", batch_id(event.batch), status=DONE, **figures)

    def _failed(self, step: Step, event: events.OperatorFailed) -> None:
        assert self._last is not None
        self._facts.change("batches", self._last, status=FAILED)


class OutputFacts:
    """What has been emitted so far."""

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._arrival = folding.arrival
        self._emitted_rows = 0
        filters = any(each.where is not None for each in folding.scenario.inputs)
        counts = dict.fromkeys(
            ("records", "panes", "late", "dropped", "skipped", *(["filtered"] if filters else [])), 0
        )
        self._facts.put("counters", "counters", **counts)

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            events.RecordArrived: lambda step, event: self._count("records"),
            events.ElementSilentlySkipped: lambda step, event: self._count("skipped"),
            events.RowFiltered: lambda step, event: self._count("filtered"),
            events.PaneFired: self._pane,
            events.LateSideOutput: self._late,
            events.LateDropped: self._dropped,
            events.LateForWindow: self._dropped_from_window,
            events.RowRanked: self._ranked,
            **dict.fromkeys(ROW_EVENTS, self._row),
            events.WatermarkForwarded: self._watermark,
            events.OperatorFailed: self._error,
            events.RowsWithdrawn: self._withdrawn,
        }

    def _pane(self, step: Step, event: events.PaneFired) -> None:
        key, window, value = event.key, event.window, plain(event.value)
        row = rows.pane_row(key, window, event.timing, event.pane, value, event.change, *_moment(step))
        self._append(step, row, window_id(key, window))
        self._count("panes")

    def _late(self, step: Step, event: events.LateSideOutput) -> None:
        self._append(step, rows.lost_row("late", event.input, event.key, event.ts, plain(event.value), *_moment(step)))
        self._count("late")

    def _dropped(self, step: Step, event: events.LateDropped) -> None:
        self._append(
            step, rows.lost_row("dropped", event.input, event.key, event.ts, plain(event.value), *_moment(step))
        )
        self._count("dropped")

    def _dropped_from_window(self, step: Step, event: events.LateForWindow) -> None:
        window, value = event.window, plain(event.value)
        assert isinstance(window, TimeWindow)
        row = rows.lost_row("dropped", event.input, event.key, event.ts, value, *_moment(step), window)
        self._append(step, row)  # it is no result of the window
        self._count("dropped")

    def _ranked(self, step: Step, event: events.RowRanked) -> None:
        window, value = event.window, plain(event.value)
        assert isinstance(window, TimeWindow)
        row = rows.ranked_row(event.key, window, event.rank, event.ts, value, *_moment(step))
        self._append(step, row, window_id(event.key, window))

    def _row(self, step: Step, event: RowEvent) -> None:
        window = event.window if isinstance(event, events.JoinMatched | events.GroupFired) else None
        row = plain(event.row(*_moment(step)))
        self._append(step, row, None if window is None else window_id(event.key, window))

    def _watermark(self, step: Step, event: events.WatermarkForwarded) -> None:
        self._append(step, rows.watermark_row(event.ts, step.at, step.item))

    def _error(self, step: Step, event: events.OperatorFailed) -> None:
        self._append(step, rows.error_row(event.type, event.message, step.item))

    def _withdrawn(self, step: Step, event: events.RowsWithdrawn) -> None:
        """Withdraw the last rows, one for each step named: numbers continue where they stood at the checkpoint."""
        for _ in event.steps:
            self._emitted_rows -= 1
            self._facts.end(output_id(self._emitted_rows))

    def _append(self, step: Step, row: rows.Row, window: str | None = None) -> None:
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
            events.RecordArrived: lambda step, event: self._count("records"),
            events.BatchStarted: self._started,
            events.RecordFiltered: self._filtered,
            events.PaneEmitted: self._pane_emitted,
            events.JoinMatched: self._rows_joined,
            events.BatchEnded: self._ended,
            events.RowsWithdrawn: self._withdrawn,
            events.OperatorFailed: self._error,
        }

    def _started(self, step: Step, event: events.BatchStarted) -> None:
        self._batch, self._cut_off = event.batch, self._arrival(step)

    def _filtered(self, step: Step, event: events.RecordFiltered) -> None:
        value = plain(event.value)
        row = rows.batch_dropped_row(event.input, event.key, event.ts, value, event.window, *self._batch_moment(step))
        self._append(step, row)
        record = self._facts.row(record_id(step.item))
        if record["fate"] == "dropped" and step.item not in self._dropped_items:
            self._dropped_items.add(step.item)
            self._count("dropped")

    def _pane_emitted(self, step: Step, event: events.PaneEmitted) -> None:
        row = rows.batch_pane_row(event.key, event.window, plain(event.value), *self._batch_moment(step))
        self._append(step, row, window_id(event.key, event.window))
        self._count("panes")

    def _rows_joined(self, step: Step, event: events.JoinMatched) -> None:
        sides = [rows.paired_record(each.timestamp, plain(each.value)) for each in (event.left, event.right)]
        self._append(step, rows.batch_joined_row(event.key, sides[0], sides[1], *self._batch_moment(step)))

    def _ended(self, step: Step, event: events.BatchEnded) -> None:
        figures = event.rows_in, event.rows_out, event.state_rows
        self._append(step, rows.batch_row(*self._batch_moment(step), event.late_watermark, *figures))

    def _place(self, step: Step) -> int:
        return self._cut_off

    def _batch_moment(self, step: Step) -> tuple[int, int]:
        """The batch and the watermark that it evicts by, which by Spark's rules is never absent."""
        assert step.watermark is not None
        return self._batch, step.watermark
