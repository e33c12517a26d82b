"""The event sort of one key, record by record."""

from heapq import heappop, heappush

from tidemark.spark_bridge.keyed.records import Arrival, Fired, Outbox
from tidemark.spark_bridge.keyed.timers import Alarms


class KeyedSort(Outbox):
    """Keeps the records above the watermark until a timer for their timestamp fires. ``clock`` is not used."""

    def __init__(self, watermark: Alarms, clock: Alarms) -> None:
        super().__init__()
        self._watermark = watermark
        self._waiting: list[tuple[int, int, Arrival]] = []
        self._came = 0

    def process(self, record: Arrival) -> None:
        """Keep the record, unless the watermark has reached it."""
        if record.ts <= record.before:
            self._rows.append(Fired("late", None, record.value, 0, by=record, time=record.ts))
            return
        self._came += 1
        heappush(self._waiting, (record.ts, self._came, record))
        self._watermark.register(record.ts, None)

    def wake(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """Emit all records up to that time."""
        while self._waiting and self._waiting[0][0] <= timestamp:
            ts, _, record = heappop(self._waiting)
            self._rows.append(Fired("emitted", None, record.value, 0, time=ts))

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting
