"""The table ``records``: every record with its fate, including those still to come."""

from typing import Any

from tidemark.simulator.engine.trace.events import (
    CheckpointTaken,
    ElementSilentlySkipped,
    JoinMatched,
    LateDropped,
    LateForWindow,
    LateSideOutput,
    MaxTimestampRaised,
    RecordArrived,
    RecordFiltered,
    Restored,
    TraceEvent,
    WindowsAssigned,
)
from tidemark.simulator.engine.trace.trace import Step, Trace
from tidemark.simulator.engine.values.key import plain_key
from tidemark.simulator.timeline.facts import Folding, Handlers
from tidemark.simulator.timeline.ids import record_id


class RecordFacts:
    """Fates: ``ahead``, ``arrived``, then ``on-time``, ``late-accepted``, ``dropped``, ``side`` or ``skipped``."""

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
            RecordArrived: self.arrived,
            LateDropped: lambda step, event: self.meets(step, "dropped"),
            LateForWindow: self._dropped_from_window,
            LateSideOutput: lambda step, event: self.meets(step, "side"),
            ElementSilentlySkipped: lambda step, event: self.meets(step, "skipped"),
        }

    def _dropped_from_window(self, step: Step, event: LateForWindow) -> None:
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

    def arrived(self, step: Step, event: RecordArrived) -> None:
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
        if isinstance(event, CheckpointTaken):
            saved[step.step] = newest_ts, newest_arrival
        elif isinstance(event, Restored):
            newest_ts, newest_arrival = saved[event.checkpoint_step]
        if not isinstance(event, RecordArrived):
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


class BatchRecordFacts(RecordFacts):
    """Fates: ``ahead``, ``arrived``, then ``on-time``, ``late-accepted`` or ``dropped`` (by all its windows)."""

    def handlers(self) -> Handlers:
        """The events that this group handles; whoever accepts a record calls ``accepted``."""
        return {
            RecordArrived: self.arrived,
            MaxTimestampRaised: self._looked_at,
            WindowsAssigned: self._looked_at,
            JoinMatched: self._looked_at,
            RecordFiltered: self._filtered,
        }

    def _looked_at(self, step: Step, event: TraceEvent) -> None:
        """Highlight the record: it need not be the last one that arrived."""
        self.facts.touched[record_id(step.item)] = None

    def _filtered(self, step: Step, event: RecordFiltered) -> None:
        """The latest of its windows comes first: if that one accepted it, the record counts."""
        row = self.facts.row(record_id(step.item))
        if row["fate"] == "arrived":
            self.meets(step, "dropped")
