"""The interval join of one key, record by record: two buffers, and timers that remove what has no partner to come.

The temporal join of one key, record by record: versions on the right, and left records that ask for one of them.

Nothing is late here. One timer of the key is set, at the earliest time of what came since it fired last. When it fires,
all left records up to the *watermark* are joined, not those up to the timer, and versions are forgotten up to the
watermark as well. So the task has to see every move of it.

Source: ``TemporalRowTimeJoinOperator`` of Flink 2.3.0.
"""

from bisect import bisect_left, bisect_right, insort_right
from operator import attrgetter
from typing import Any, Final

from tidemark.simulator.scenario import model
from tidemark.spark_bridge.keyed.records import DELETED, Arrival, Collector, Fired
from tidemark.spark_bridge.keyed.timers import TimerService

LEFT: Final = 0
_TS: Final = attrgetter("ts")


class KeyedIntervalJoin:
    """right.ts in [left.ts + lower, left.ts + upper]. ``clock`` is not used."""

    def __init__(self, operator: model.IntervalJoin, watermark: TimerService, clock: TimerService) -> None:
        self.out = Collector()
        lower, upper = operator.lower + operator.lower_exclusive, operator.upper - operator.upper_exclusive
        self._reach = ((lower, upper), (-upper, -lower))  # the interval of a partner's timestamp, seen from either side
        self._watermark = watermark
        self._buffers: tuple[list[Arrival], list[Arrival]] = ([], [])

    def process_element(self, record: Arrival) -> None:
        """Buffer the record and pair it with the other side's, unless it is behind the watermark."""
        if record.ts < record.before:
            self.out.collect(Fired("late", None, record.value, by=record, time=record.ts))
            return
        side = record.side
        insort_right(self._buffers[side], record, key=_TS)
        first, last = self._reach[side]
        for partner in _between(self._buffers[1 - side], record.ts + first, record.ts + last):
            left, right = (record, partner) if side == LEFT else (partner, record)
            pair = {"left": _stamped(left), "right": _stamped(right)}
            self.out.collect(Fired("joined", None, pair, by=record, time=max(left.ts, right.ts)))
        self._watermark.register(record.ts + max(last, 0), side)

    def on_timer(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
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


class KeyedTemporalJoin:
    """Left records by arrival, versions by time; a version replaces an earlier one of the same time."""

    def __init__(self, operator: model.TemporalJoin, watermark: TimerService, clock: TimerService) -> None:
        self.out = Collector()
        self._keeps_left = operator.kind == "left"
        self._watermark = watermark
        self._asking: list[Arrival] = []
        self._versions: dict[int, Any] = {}
        self._timer: int | None = None

    def process_element(self, record: Arrival) -> None:
        """Keep the record; nothing is joined before the next watermark."""
        if record.side == LEFT:
            self._asking.append(record)
        else:
            self._versions[record.ts] = record.value
        if self._timer is None or record.ts < self._timer:
            if self._timer is not None:
                self._watermark.delete(self._timer, None)
            self._set_timer(record.ts)

    def on_timer(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
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
            self.out.collect(Fired("joined", None, pair, time=record.ts))
