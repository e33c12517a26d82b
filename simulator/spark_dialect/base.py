"""What the parts of the dialect speak in: a batch with its two watermarks, and the interface of a stateful operator."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from simulator.trace.trace import Trace
from simulator.values.items import Record

Row = dict[str, Any]


class Waiting(NamedTuple):
    """A record that waits at the source for its batch, with its place in the stream."""

    item: int
    record: Record


@dataclass(frozen=True, slots=True)
class Batch:
    """One micro-batch. It evicts by ``watermark`` and filters by ``late_watermark``, that of the batch before (ms)."""

    number: int
    records: Sequence[Waiting]
    watermark: int
    late_watermark: int


@dataclass(frozen=True, slots=True)
class Told:
    """Where a batch's rows and steps go. ``item``: the last that has arrived, where steps of the whole batch stand.

    ``result`` takes rows that count as output, ``row`` all others.
    """

    row: Callable[[Row], None]
    result: Callable[[Row], None]
    trace: Trace | None
    item: int

    def turn_to(self, item: int) -> None:
        """What is told from now on is about the record of ``item``."""
        if self.trace is not None:
            self.trace.item = item

    def turn_to_batch(self) -> None:
        """What is told from now on is about the batch as a whole."""
        self.turn_to(self.item)


class StatefulOperator(ABC):
    """What Spark plans for a query: it keeps keyed state from batch to batch."""

    @abstractmethod
    def run(self, batch: Batch, told: Told, read: Callable[[Record], None]) -> None:
        """Work on ``batch``; ``read`` is called with each record in the order in which Spark takes it.

        Raises ``EngineFailure`` where Spark's query would die; then nothing of the batch counts.
        """

    @abstractmethod
    def state_rows(self) -> int:
        """How many entries the state store holds: Spark's ``numRowsTotal``."""

    @property
    @abstractmethod
    def waits_for_watermark(self) -> bool:
        """Whether a new watermark alone is worth a batch. Source: ``StatefulOperator.shouldRunAnotherBatch``."""

    @abstractmethod
    def snapshot(self) -> Mapping[str, Any]:
        """The whole state, by name of the state."""
