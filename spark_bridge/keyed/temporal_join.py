"""The temporal join of one key, record by record: versions on the right, and left records that ask for one of them.

Nothing is late here. One timer of the key is set, at the earliest time of what came since it fired last. When it fires,
all left records up to the *watermark* are joined, not those up to the timer, and versions are forgotten up to the
watermark as well. So the task has to see every move of it.

Source: ``TemporalRowTimeJoinOperator`` of Flink 2.3.0.
"""

from bisect import bisect_right
from typing import Any, Final

from tidemark.simulator.scenario import model
from tidemark.spark_bridge.keyed.records import DELETED, Arrival, Fired, Outbox
from tidemark.spark_bridge.keyed.timers import Alarms

LEFT: Final = 0


class KeyedTemporalJoin(Outbox):
    """Left records by arrival, versions by time; a version replaces an earlier one of the same time."""

    def __init__(self, operator: model.TemporalJoin, watermark: Alarms, clock: Alarms) -> None:
        super().__init__()
        self._keeps_left = operator.kind == "left"
        self._watermark = watermark
        self._asking: list[Arrival] = []
        self._versions: dict[int, Any] = {}
        self._timer: int | None = None
        self._given = 0

    def process(self, record: Arrival) -> None:
        """Keep the record; nothing is joined before the next watermark."""
        if record.side == LEFT:
            self._asking.append(record)
        else:
            self._versions[record.ts] = record.value
        if self._timer is None or record.ts < self._timer:
            if self._timer is not None:
                self._watermark.delete(self._timer, None)
            self._set_timer(record.ts)

    def wake(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """Join all left records that the watermark has reached, then forget what no later one can ask for."""
        reached, times = self._watermark.reached, sorted(self._versions)
        self._timer = None
        for record in self._asking:
            if record.ts <= reached:
                self._join(record, bisect_right(times, record.ts), times)
        self._asking = [record for record in self._asking if record.ts > reached]
        for time in times[: max(0, bisect_right(times, reached) - 1)]:
            del self._versions[time]
        if self._asking:
            self._set_timer(min(record.ts for record in self._asking))

    @property
    def is_empty(self) -> bool:
        """Whether nothing asks, and no version is left."""
        return not (self._asking or self._versions)

    def _set_timer(self, time: int) -> None:
        self._timer = time
        self._watermark.register(time, None)

    def _join(self, record: Arrival, earlier: int, times: list[int]) -> None:
        version = self._versions[times[earlier - 1]] if earlier else DELETED
        found = None if version is DELETED else {"ts": times[earlier - 1], "value": version}
        if found is not None or self._keeps_left:
            pair = {"left": {"ts": record.ts, "value": record.value}, "right": found}
            self._rows.append(Fired("joined", None, pair, self._given, time=record.ts))
            self._given += 1
