"""The tables ``outputs`` and ``counters``: rows as ``run`` prints them, and how many of which kind."""

from typing import Any

from simulator.timeline.folding import Folding, Handlers
from simulator.timeline.ids import bounds, window_id
from simulator.trace.events import (
    ElementSilentlySkipped,
    GroupFired,
    JoinMatched,
    LateDropped,
    LateSideOutput,
    OperatorFailed,
    PaneFired,
    QueuePopped,
    RecordArrived,
    RowsWithdrawn,
    WatermarkForwarded,
)
from simulator.trace.trace import Step, plain
from simulator.values.key import plain_key


class OutputFacts:
    """What came out so far."""

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._arrival = folding.arrival
        self._given = 0
        self._facts.put("counters", "counters", records=0, panes=0, late=0, dropped=0, skipped=0)

    def handlers(self) -> Handlers:
        """What this group listens to."""
        return {
            RecordArrived: lambda step, event: self._count("records"),
            ElementSilentlySkipped: lambda step, event: self._count("skipped"),
            PaneFired: self._pane,
            LateSideOutput: self._late,
            LateDropped: self._dropped,
            QueuePopped: self._emitted,
            JoinMatched: self._joined,
            GroupFired: self._group,
            WatermarkForwarded: self._watermark,
            OperatorFailed: self._error,
            RowsWithdrawn: self._withdrawn,
        }

    def _pane(self, step: Step, event: PaneFired) -> None:
        row = {
            "row": "pane",
            "key": plain_key(event.key),
            **bounds(event.window),
            "timing": event.timing,
            "pane": event.pane,
            "value": plain(event.value),
            "timestamp": event.timestamp,
        }
        if event.change is not None:
            row["change"] = event.change
        self._give(step, row | _moment(step), window_id(event.key, event.window))
        self._count("panes")

    def _late(self, step: Step, event: LateSideOutput) -> None:
        self._give(step, _record_row("late", event) | _moment(step))
        self._count("late")

    def _dropped(self, step: Step, event: LateDropped) -> None:
        self._give(step, _record_row("dropped", event) | _moment(step))
        self._count("dropped")

    def _emitted(self, step: Step, event: QueuePopped) -> None:
        row = {"row": "emitted", "key": plain_key(event.key), "ts": event.ts, "value": plain(event.value)}
        self._give(step, row | _moment(step))

    def _joined(self, step: Step, event: JoinMatched) -> None:
        row = {
            "row": "joined",
            "key": plain_key(event.key),
            "left": {"ts": event.left.timestamp, "value": plain(event.left.value)},
            "right": {"ts": event.right.timestamp, "value": plain(event.right.value)},
            "timestamp": event.timestamp,
            **bounds(event.window),
        }
        window = None if event.window is None else window_id(event.key, event.window)
        self._give(step, row | _moment(step), window)

    def _group(self, step: Step, event: GroupFired) -> None:
        row = {
            "row": "group",
            "key": plain_key(event.key),
            "left": plain(event.left),
            "right": plain(event.right),
            **bounds(event.window),
            "timestamp": event.timestamp,
        }
        self._give(step, row | _moment(step), window_id(event.key, event.window))

    def _watermark(self, step: Step, event: WatermarkForwarded) -> None:
        self._give(step, {"row": "watermark", "ts": event.ts, "at": step.at, "item": step.item})

    def _error(self, step: Step, event: OperatorFailed) -> None:
        self._give(step, {"row": "error", "type": event.type, "message": event.message, "item": step.item})

    def _withdrawn(self, step: Step, event: RowsWithdrawn) -> None:
        """Those of the steps named are the last ones: numbers go on where they stood at the checkpoint."""
        for _ in event.steps:
            self._given -= 1
            self._facts.end(_output_id(self._given))

    def _give(self, step: Step, row: dict[str, Any], window: str | None = None) -> None:
        id = _output_id(self._given)
        self._facts.put("outputs", id, number=self._given, row=row, arrival=self._arrival(step), window=window)
        self._given += 1

    def _count(self, what: str) -> None:
        counters = self._facts.get("counters")
        assert counters is not None
        self._facts.change("counters", "counters", **{what: counters[what] + 1})


def _output_id(number: int) -> str:
    return f"output:{number}"


def _record_row(kind: str, event: LateSideOutput | LateDropped) -> dict[str, Any]:
    key, value = plain_key(event.key), plain(event.value)
    return {"row": kind, "input": event.input, "key": key, "ts": event.ts, "value": value}


def _moment(step: Step) -> dict[str, Any]:
    return {"watermark": step.watermark, "at": step.at, "item": step.item}
