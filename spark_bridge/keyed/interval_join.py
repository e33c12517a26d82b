"""The interval join of one key, record by record: two buffers, and timers that remove what has no partner to come."""

from bisect import bisect_left, bisect_right, insort_right
from operator import attrgetter
from typing import Final

from tidemark.simulator.scenario import model
from tidemark.spark_bridge.keyed.records import Arrival, Fired, Outbox
from tidemark.spark_bridge.keyed.timers import Alarms

LEFT: Final = 0
_TS: Final = attrgetter("ts")


class KeyedIntervalJoin(Outbox):
    """right.ts in [left.ts + lower, left.ts + upper]. ``clock`` is not used."""

    def __init__(self, operator: model.IntervalJoin, watermark: Alarms, clock: Alarms) -> None:
        super().__init__()
        lower, upper = operator.lower + operator.lower_exclusive, operator.upper - operator.upper_exclusive
        self._reach = ((lower, upper), (-upper, -lower))  # the interval of a partner's timestamp, seen from either side
        self._watermark = watermark
        self._buffers: tuple[list[Arrival], list[Arrival]] = ([], [])

    def process(self, record: Arrival) -> None:
        """Buffer the record and pair it with the other side's, unless it is behind the watermark."""
        if record.ts < record.before:
            self._rows.append(Fired("late", None, record.value, 0, by=record, time=record.ts))
            return
        side = record.side
        insort_right(self._buffers[side], record, key=_TS)
        first, last = self._reach[side]
        for partner in _between(self._buffers[1 - side], record.ts + first, record.ts + last):
            left, right = (record, partner) if side == LEFT else (partner, record)
            pair = {"left": _stamped(left), "right": _stamped(right)}
            self._rows.append(Fired("joined", None, pair, 0, by=record, time=max(left.ts, right.ts)))
        self._watermark.register(record.ts + max(last, 0), side)

    def wake(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """Remove the records of one timestamp and side; ``namespace`` is the side."""
        assert isinstance(namespace, int)
        buffer, time = self._buffers[namespace], timestamp - max(self._reach[namespace][1], 0)
        del buffer[bisect_left(buffer, time, key=_TS) : bisect_right(buffer, time, key=_TS)]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is buffered."""
        return not any(self._buffers)


def _between(buffer: list[Arrival], first: int, last: int) -> list[Arrival]:
    return buffer[bisect_left(buffer, first, key=_TS) : bisect_right(buffer, last, key=_TS)]


def _stamped(record: Arrival) -> dict[str, object]:
    return {"ts": record.ts, "value": record.value}
