"""What Spark's operators share: a batch, its watermarks, the late filter, the interface of a stateful operator."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tidemark.simulator.engine.trace.events import (
    InputWatermarkMoved,
    MaxTimestampRaised,
    RecordFiltered,
    Rule,
    WatermarkKept,
    WatermarkMoved,
)
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.engine.values.key import Key
from tidemark.simulator.engine.values.rows import SparkRow, batch_dropped_row
from tidemark.simulator.engine.values.window import TimeWindow


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


TRACKER = "WatermarkTracker.update_watermark"


class WatermarkTracker:
    """The watermark, which moves only after a batch, never within one.

    ``delays`` by input (ms), without the inputs that have no watermark. ``policy``: ``min`` or ``max``. ``current`` is
    the watermark (ms) of the next batch, ``late`` that of the one before it. Both begin at 0, the epoch.
    Source: ``org.apache.spark.sql.execution.streaming.WatermarkTracker``.
    """

    def __init__(self, delays: dict[str, int], policy: str, trace: Trace | None) -> None:
        self.current = 0
        self.late = 0
        self.policy = policy
        self.delays = delays
        self.max_timestamps: dict[str, int] = {}
        self.own = dict.fromkeys(delays, 0)
        self._trace = trace

    def see(self, record: Record) -> None:
        """A batch reads ``record``, which counts for the watermark even if it is late. Source: ``EventTimeStats``."""
        if record.input not in self.delays or record.ts is None:
            return
        before = self.max_timestamps.get(record.input)
        if before is None or record.ts > before:
            self.max_timestamps[record.input] = record.ts
            if self._trace is not None:
                self._trace.add(MaxTimestampRaised("EventTimeStats.add", record.input, 0, before, record.ts))

    def end_batch(self) -> None:
        """A batch is done: the next one filters by its watermark, and evicts by the one that its records make."""
        self.late = self.current  # before ``current`` moves, and also where it does not
        if not self.delays:
            return
        for name, delay in self.delays.items():
            self._move_input(name, delay)
        pick = min if self.policy == "min" else max
        name = pick(self.own, key=lambda each: self.own[each])
        chosen, last = self.own[name], self.current
        if chosen > last:
            self.current = chosen
        trace = self._trace
        if trace is None:
            return
        numbers = (("input_watermark", chosen), ("last_watermark", last))
        rule = Rule("batch-watermark", "input_watermark > last_watermark", numbers, chosen > last)
        if chosen > last:
            trace.watermark = chosen
            trace.add(WatermarkMoved(TRACKER, last, chosen, name, self.policy, rule))
        else:
            trace.add(WatermarkKept(TRACKER, last, name, self.policy, rule))

    def _move_input(self, name: str, delay: int) -> None:
        if name not in self.max_timestamps:
            return
        max_timestamp, last = self.max_timestamps[name], self.own[name]
        if max_timestamp - delay <= last:
            return
        self.own[name] = max_timestamp - delay
        if self._trace is not None:
            numbers = (("max_timestamp", max_timestamp), ("delay", delay), ("last", last))
            rule = Rule("input-watermark", "max_timestamp - delay > last", numbers, True)
            self._trace.add(InputWatermarkMoved(TRACKER, name, last, max_timestamp - delay, rule))


# The late filter: what the watermark of the batch before has passed is dropped and counted.

FILTER = "StateStoreWriter.apply_removing_rows_older_than_watermark"


def filter_out(record: Record, key: Key, window: TimeWindow | None, batch: Batch, output: BatchOutput) -> None:
    """Trace that ``record`` is too late for ``window``, or in a join (None) for the batch, and emit its row."""
    assert record.ts is not None
    if output.trace is not None:
        late = ("late_watermark", batch.late_watermark)
        if window is None:
            rule = Rule("batch-record-late", "ts <= late_watermark", (("ts", record.ts), late), True)
        else:
            rule = Rule("batch-window-late", "end <= late_watermark", (("end", window.end), late), True)
        output.trace.add(RecordFiltered(FILTER, record.input, key, record.ts, record.value, window, rule))
    row = batch_dropped_row(record.input, key, record.ts, record.value, window, batch.number, batch.watermark)
    output.emit(row)
