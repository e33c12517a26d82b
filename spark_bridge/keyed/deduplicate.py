"""Deduplication of one key, record by record, for streams that restore a checkpoint.

Without restores the rows follow from sorting (``spark_bridge.execution.deduplicate``).
Source: ``RowTimeDeduplicateKeepFirstRowFunction`` and ``RowTimeDeduplicateFunction`` of Flink 2.3.0.
"""

from tidemark.simulator.scenario import model
from tidemark.spark_bridge.keyed.records import Arrival, Fired, Outbox
from tidemark.spark_bridge.keyed.timers import Alarms


class KeyedFirst(Outbox):
    """The record of the smallest time, once the watermark has reached it; then the key is done.

    ``clock`` is not used.
    """

    def __init__(self, operator: model.Deduplicate, watermark: Alarms, clock: Alarms) -> None:
        super().__init__()
        self._watermark = watermark
        self._waiting: Arrival | None = None
        self._is_done = False

    def process(self, record: Arrival) -> None:
        """Keep the record if none that waits is as early."""
        if record.ts < record.before:
            self._rows.append(Fired("late", None, record.value, 0, by=record, time=record.ts))
            return
        waiting = self._waiting
        if self._is_done or (waiting is not None and waiting.ts <= record.ts):
            return
        if waiting is not None:
            self._watermark.delete(waiting.ts, None)
        self._waiting = record
        self._watermark.register(record.ts, None)

    def wake(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """Give the record that waits."""
        record, self._waiting, self._is_done = self._waiting, None, True
        assert record is not None
        self._rows.append(Fired("emitted", None, record.value, 0, change="+I", time=record.ts))

    @property
    def is_empty(self) -> bool:
        """Whether the key has had no record yet."""
        return self._waiting is None and not self._is_done


class KeyedLast(Outbox):
    """The record of the largest time so far, at once, as a stream of updates; of equal times the last one."""

    def __init__(self, operator: model.Deduplicate, watermark: Alarms, clock: Alarms) -> None:
        super().__init__()
        self._kept: Arrival | None = None

    def process(self, record: Arrival) -> None:
        """Take the record that was given back, and give the new one, unless that is older."""
        kept = self._kept
        if kept is not None and record.ts < kept.ts:
            return
        self._kept = record
        if kept is not None:
            self._rows.append(Fired("emitted", None, kept.value, 0, by=record, change="-U", time=kept.ts))
        change = "+I" if kept is None else "+U"
        self._rows.append(Fired("emitted", None, record.value, 1, by=record, change=change, time=record.ts))

    def wake(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """No timer is ever set."""

    @property
    def is_empty(self) -> bool:
        """Whether the key has had no record yet."""
        return self._kept is None
