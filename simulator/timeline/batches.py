"""The table ``batches``: every micro-batch with its two watermarks, what it read and what it emitted."""

from typing import Final

from tidemark.simulator.engine.trace.events import BatchEnded, BatchStarted, OperatorFailed
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.timeline.facts import Folding, Handlers
from tidemark.simulator.timeline.ids import batch_id

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
        return {BatchStarted: self._started, BatchEnded: self._ended, OperatorFailed: self._failed}

    def _started(self, step: Step, event: BatchStarted) -> None:
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

    def _ended(self, step: Step, event: BatchEnded) -> None:
        figures = {"rows_out": event.rows_out, "state_rows": event.state_rows}
        self._facts.change("batches", batch_id(event.batch), status=DONE, **figures)

    def _failed(self, step: Step, event: OperatorFailed) -> None:
        assert self._last is not None
        self._facts.change("batches", self._last, status=FAILED)
