"""The tables ``outputs`` and ``counters`` of micro-batches: rows as ``run`` prints them."""

from typing import Any

from simulator.timeline.folding import Folding, Handlers
from simulator.timeline.ids import bounds, record_id, window_id
from simulator.trace.events import (
    BatchEnded,
    BatchStarted,
    JoinMatched,
    OperatorFailed,
    PaneEmitted,
    RecordArrived,
    RecordFiltered,
    RowsWithdrawn,
)
from simulator.trace.trace import Step, plain
from simulator.values.element import Element
from simulator.values.key import plain_key


class BatchOutputFacts:
    """What came out so far, at the place where its batch was cut off.

    ``dropped`` counts records, as in Flink, not records and windows.
    """

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._arrival = folding.arrival
        self._given = 0
        self._batch = self._cut_off = 0
        self._dropped: set[int] = set()
        self._facts.put("counters", "counters", records=0, panes=0, late=0, dropped=0, skipped=0)

    def handlers(self) -> Handlers:
        """What this group listens to."""
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
        key, value = plain_key(event.key), plain(event.value)
        row = {"row": "dropped", "input": event.input, "key": key, "ts": event.ts, "value": value}
        self._give(step, row | bounds(event.window) | self._moment(step))
        record = self._facts.get(record_id(step.item))
        assert record is not None
        if record["fate"] == "dropped" and step.item not in self._dropped:
            self._dropped.add(step.item)
            self._count("dropped")

    def _pane(self, step: Step, event: PaneEmitted) -> None:
        row = {"row": "pane", "key": plain_key(event.key), **bounds(event.window), "value": plain(event.value)}
        self._give(step, row | self._moment(step), window_id(event.key, event.window))
        self._count("panes")

    def _joined(self, step: Step, event: JoinMatched) -> None:
        row = {"row": "joined", "key": plain_key(event.key), "left": _side(event.left), "right": _side(event.right)}
        self._give(step, row | self._moment(step))

    def _ended(self, step: Step, event: BatchEnded) -> None:
        row = {"row": "batch", **self._moment(step), "late_watermark": event.late_watermark}
        given = {"rows_in": event.rows_in, "rows_out": event.rows_out, "state_rows": event.state_rows}
        self._give(step, row | given)

    def _error(self, step: Step, event: OperatorFailed) -> None:
        self._give(step, {"row": "error", "type": event.type, "message": event.message, "item": step.item})

    def _withdrawn(self, step: Step, event: RowsWithdrawn) -> None:
        """Those of the batch that failed are the last ones."""
        for _ in event.steps:
            self._given -= 1
            self._facts.end(f"output:{self._given}")

    def _give(self, step: Step, row: dict[str, Any], window: str | None = None) -> None:
        id = f"output:{self._given}"
        self._facts.put("outputs", id, number=self._given, row=row, arrival=self._cut_off, window=window)
        self._given += 1

    def _count(self, what: str) -> None:
        counters = self._facts.get("counters")
        assert counters is not None
        self._facts.change("counters", "counters", **{what: counters[what] + 1})

    def _moment(self, step: Step) -> dict[str, Any]:
        return {"batch": self._batch, "watermark": step.watermark}


def _side(element: Element) -> dict[str, Any]:
    return {"ts": element.timestamp, "value": plain(element.value)}
