"""What the parts of the dialect share: a batch with its two watermarks, and the interface of a stateful operator."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tidemark.simulator.trace.trace import Trace
from tidemark.simulator.values.items import Record
from tidemark.simulator.values.rows import SparkRow


class Waiting(NamedTuple):
    """A record that waits at the source for its batch, with its index in the stream."""

    item: int
    record: Record


@dataclass(frozen=True, slots=True)
class Batch:
    """One micro-batch. It evicts by ``watermark`` and filters by ``late_watermark`` (ms).

    ``late_watermark`` is the ``watermark`` of the batch before.
    """

    number: int
    records: Sequence[Waiting]
    watermark: int
    late_watermark: int


@dataclass(frozen=True, slots=True)
class BatchOutput:
    """Where a batch's rows and steps go.

    ``emit_result`` takes rows that count as output, ``emit`` all others. ``item`` is the last item that has arrived;
    steps of the batch as a whole carry its index.
    """

    emit: Callable[[SparkRow], None]
    emit_result: Callable[[SparkRow], None]
    trace: Trace | None
    item: int

    def at_record(self, item: int) -> None:
        """The steps from now on are about the record of ``item``."""
        if self.trace is not None:
            self.trace.item = item

    def at_batch(self) -> None:
        """The steps from now on are about the batch as a whole."""
        self.at_record(self.item)


class StatefulOperator(ABC):
    """The stateful part of a query: it keeps keyed state from batch to batch."""

    @abstractmethod
    def run(self, batch: Batch, output: BatchOutput, read: Callable[[Record], None]) -> None:
        """Work on ``batch``; ``read`` is called with each record in the order in which Spark takes it.

        Raises ``EngineFailure`` where Spark's query would fail; then nothing of the batch counts.
        """

    @abstractmethod
    def state_rows(self) -> int:
        """How many entries the state store holds: Spark's ``numRowsTotal``."""

    @property
    @abstractmethod
    def waits_for_watermark(self) -> bool:
        """Whether a new watermark alone justifies a batch. Source: ``StatefulOperator.shouldRunAnotherBatch``."""

    @abstractmethod
    def snapshot(self) -> Mapping[str, Any]:
        """The whole state, by the name of the state."""
