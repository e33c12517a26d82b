"""The table ``records``, where a record waits for its batch: ``arrived`` until then."""

from simulator.timeline.folding import Handlers
from simulator.timeline.ids import record_id
from simulator.timeline.records import RecordFacts
from simulator.trace.events import RecordArrived, RecordFiltered
from simulator.trace.trace import Step


class BatchRecordFacts(RecordFacts):
    """Fates: ``ahead``, ``arrived``, then ``on-time``, ``late-accepted`` or ``dropped`` (by all its windows)."""

    def handlers(self) -> Handlers:
        """What this group listens to; who takes a record says so by ``accepted``."""
        return {RecordArrived: self.arrived, RecordFiltered: self._filtered}

    def _filtered(self, step: Step, event: RecordFiltered) -> None:
        """The latest of its windows comes first: if that has taken it, it counts."""
        row = self.facts.get(record_id(step.item))
        assert row is not None
        if row["fate"] == "arrived":
            self.meets(step, "dropped")
