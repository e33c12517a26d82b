"""The table ``records``, where a record waits for its batch: ``arrived`` until then."""

from tidemark.simulator.engine.trace.events import (
    JoinMatched,
    MaxTimestampRaised,
    RecordArrived,
    RecordFiltered,
    TraceEvent,
    WindowsAssigned,
)
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.timeline.folding import Handlers
from tidemark.simulator.timeline.ids import record_id
from tidemark.simulator.timeline.records import RecordFacts


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
        row = self.facts.get(record_id(step.item))
        assert row is not None
        if row["fate"] == "arrived":
            self.meets(step, "dropped")
