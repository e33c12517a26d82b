"""The operators without window state of their own, for one key: joins by time, event sort, deduplication, Top-N, OVER.

All of them go by the watermark alone, so their

Sources, of Flink 2.3.0: ``IntervalJoinOperator``; ``TemporalRowTimeJoinOperator``;
``RowTimeDeduplicateKeepFirstRowFunction`` and ``RowTimeDeduplicateFunction``; ``AlignedWindowTableFunctionOperator``
and ``SyncStateWindowRankProcessor``; ``RowTimeRowsBoundedPrecedingFunction``, ``RowTimeRangeBoundedPrecedingFunction``
and ``RowTimeUnboundedPrecedingOverFunctionV2``.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right, insort_right
from collections import Counter
from collections.abc import Callable
from heapq import heappop, heappush
from operator import attrgetter
from typing import Any, Final

from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.model import UNBOUNDED
from tidemark.spark_bridge.keyed.assigners import Aligned, Window, is_over
from tidemark.spark_bridge.keyed.context import DELETED, Arrival, Collector, Fired, TimerService
from tidemark.spark_bridge.results.canonical import value_json

LEFT: Final = 0
_TS: Final = attrgetter("ts")


class KeyedIntervalJoin:
    """right.ts in [left.ts + lower, left.ts + upper]."""

    def __init__(self, operator: model.IntervalJoin, watermark: TimerService, clock: TimerService) -> None:
        self.out = Collector()
        lower, upper = operator.lower + operator.lower_exclusive, operator.upper - operator.upper_exclusive
        self._reach = ((lower, upper), (-upper, -lower))  # the interval of a partner's timestamp, seen from either side
        self._watermark = watermark
        self._buffers: tuple[list[Arrival], list[Arrival]] = ([], [])

    def process_element(self, record: Arrival) -> None:
        """Buffer the record and pair it with the other side's, unless it is behind the watermark."""
        if record.ts < record.before:
            self.out.late(record)
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


class KeyedFirst:
    """The record of the smallest time, once the watermark has reached it; then the key is done."""

    def __init__(self, operator: model.Deduplicate, watermark: TimerService, clock: TimerService) -> None:
        self.out = Collector()
        self._watermark = watermark
        self._waiting: Arrival | None = None
        self._is_done = False

    def process_element(self, record: Arrival) -> None:
        """Keep the record if none that waits is as early."""
        is_late = record.ts < record.before
        if is_late:
            self.out.late(record)
            return
        waiting = self._waiting
        if self._is_done or (waiting is not None and waiting.ts <= record.ts):
            return
        if waiting is not None:
            self._watermark.delete(waiting.ts, None)
        self._waiting = record
        self._watermark.register(record.ts, None)

    def on_timer(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """Give the record that waits."""
        record, self._waiting, self._is_done = self._waiting, None, True
        assert record is not None
        self.out.collect(Fired("emitted", None, record.value, change="+I", time=record.ts))

    @property
    def is_empty(self) -> bool:
        """Whether the key has had no record yet."""
        return self._waiting is None and not self._is_done


class KeyedLast:
    """The record of the largest time so far, at once, as a stream of updates; of equal times the last one."""

    def __init__(self, operator: model.Deduplicate, watermark: TimerService, clock: TimerService) -> None:
        self.out = Collector()
        self._last: Arrival | None = None

    def process_element(self, record: Arrival) -> None:
        """Take the record that was given back, and give the new one, unless that is older."""
        last = self._last
        if last is not None and record.ts < last.ts:
            return
        self._last = record
        if last is not None:
            self.out.collect(Fired("emitted", None, last.value, by=record, change="-U", time=last.ts))
        change = "+I" if last is None else "+U"
        self.out.collect(Fired("emitted", None, record.value, by=record, change=change, time=record.ts))

    def on_timer(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """No timer is ever set."""

    @property
    def is_empty(self) -> bool:
        """Whether the key has had no record yet."""
        return self._last is None


class KeyedTopN:
    """Keeps every record of a window until the watermark reaches its end.

    A record is late for a window, not as such: each window that has ended refuses it.
    Source: ``AlignedWindowTableFunctionOperator`` and ``SyncStateWindowRankProcessor`` of Flink 2.3.0.
    """

    def __init__(self, operator: model.WindowTopN, watermark: TimerService, clock: TimerService) -> None:
        self.out = Collector()
        self._operator = operator
        self._aligned = Aligned.of(operator.assigner)
        self._watermark = watermark
        self._windows: dict[Window, list[Arrival]] = {}

    def process_element(self, record: Arrival) -> None:
        """Keep the record in each of its windows."""
        for span in self._aligned.windows(record.ts):
            if is_over(span[1] - 1, record.before):
                self.out.late(record, span)
            else:
                self._windows.setdefault(span, []).append(record)
                self._watermark.register(span[1] - 1, span)

    def on_timer(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """Rank the records of a window by value; equal ones stay in order of arrival."""
        assert isinstance(namespace, tuple)
        span = (namespace[0], namespace[1])
        sign = -1 if self._operator.order == "desc" else 1
        ranked = sorted(self._windows.pop(span), key=lambda record: sign * record.value)
        for rank, record in enumerate(ranked[: self._operator.n], 1):
            self.out.collect(Fired("ranked", span, record.value, pane=rank, time=record.ts))

    @property
    def is_empty(self) -> bool:
        """Whether no window waits."""
        return not self._windows


class KeyedSort:
    """Keeps the records above the watermark until a timer for their timestamp fires."""

    def __init__(self, watermark: TimerService, clock: TimerService) -> None:
        self.out = Collector()
        self._watermark = watermark
        self._waiting: list[tuple[int, int, Arrival]] = []
        self._number = 0

    def process_element(self, record: Arrival) -> None:
        """Keep the record, unless the watermark has reached it."""
        if record.ts <= record.before:
            self.out.late(record)
            return
        self._number += 1
        heappush(self._waiting, (record.ts, self._number, record))
        self._watermark.register(record.ts, None)

    def on_timer(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """Emit all records up to that time."""
        while self._waiting and self._waiting[0][0] <= timestamp:
            ts, _, record = heappop(self._waiting)
            self.out.collect(Fired("emitted", None, record.value, time=ts))

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting


class Total:
    """Sum, count and average. A value is taken off the total, as Flink does, which shows in the digits of doubles."""

    def __init__(self, result: Callable[[Any, int], Any]) -> None:
        self._result = result
        self._total: Any = 0
        self._count = 0

    def add(self, value: Any) -> None:
        """Add it to the total."""
        self._count += 1
        self._total = self._total + value if isinstance(value, int | float) else self._total

    def remove(self, value: Any) -> None:
        """Take it off the total. It may leave just before it comes."""
        self._count -= 1
        self._total = self._total - value if isinstance(value, int | float) else self._total

    def result(self) -> Any:
        """The aggregate."""
        return self._result(self._total, self._count)


class Extreme:
    """The smallest value, or with ``sign`` -1 the largest; of equal ones the first that came.

    What has left stays in the heap until it comes to the top.
    """

    def __init__(self, sign: int) -> None:
        self._sign = sign
        self._heap: list[tuple[Any, int, Any]] = []
        self._left: Counter[Any] = Counter()
        self._number = 0

    def add(self, value: Any) -> None:
        """Put it into the heap."""
        self._number += 1
        heappush(self._heap, (self._sign * value, self._number, value))

    def remove(self, value: Any) -> None:
        """Remember that one of these has left."""
        self._left[value] += 1

    def result(self) -> Any:
        """The first of those that are there; None without any."""
        while self._heap and self._left[self._heap[0][2]]:
            self._left[heappop(self._heap)[2]] -= 1
        return self._heap[0][2] if self._heap else None


class Listed:
    """The values that are there, in the order in which they came. One may leave just before it comes."""

    def __init__(self) -> None:
        self._values: list[Any] = []
        self._gone: Counter[Any] = Counter()

    def add(self, value: Any) -> None:
        """Append it, unless it has left."""
        if self._gone[value]:
            self._gone[value] -= 1
        else:
            self._values.append(value)

    def remove(self, value: Any) -> None:
        """Take it out."""
        if value in self._values:
            self._values.remove(value)
        else:
            self._gone[value] += 1

    def result(self) -> list[Any]:
        """All of them."""
        return self._values[:]


FRAMES: Final[dict[str, Callable[[], Total | Extreme | Listed]]] = {
    "sum": lambda: Total(lambda total, count: total),
    "count": lambda: Total(lambda total, count: count),
    "avg": lambda: Total(lambda total, count: float(total) / count if count else None),
    "min": lambda: Extreme(1),
    "max": lambda: Extreme(-1),
    "collect": Listed,
}
"""A new frame by ``compute``."""


class KeyedOver(ABC):
    """What all frames have in common."""

    def __init__(self, operator: model.Over, watermark: TimerService, clock: TimerService) -> None:
        self.out = Collector()
        self._make_frame = FRAMES[operator.function.compute or ""]
        self._frame = self._make_frame()
        self._watermark = watermark
        self._rows_by_time: dict[int, list[Arrival]] = {}

    def process_element(self, record: Arrival) -> None:
        """Keep the record for its timer, unless it is late."""
        if self._is_late(record):
            self.out.late(record)
            return
        self._rows_by_time.setdefault(record.ts, []).append(record)
        self._watermark.register(record.ts, None)

    @abstractmethod
    def on_timer(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """The timer of ``timestamp`` (ms) fires."""

    @abstractmethod
    def _is_late(self, record: Arrival) -> bool: ...

    @property
    @abstractmethod
    def is_empty(self) -> bool:
        """Whether no state of the key is left."""

    def _give_aggregate(self, record: Arrival) -> None:
        value = self._frame.result()
        self.out.collect(Fired("emitted", None, value, time=record.ts, own=value_json(record.value)))


class UnboundedOver(KeyedOver):
    """A frame from the key's first record on: nothing ever leaves it, and what the watermark has reached is late."""

    def __init__(self, operator: model.Over, watermark: TimerService, clock: TimerService) -> None:
        super().__init__(operator, watermark, clock)
        self._by_row = operator.frame.rows == UNBOUNDED
        self._began = False

    def _is_late(self, record: Arrival) -> bool:
        return record.ts <= record.before

    def on_timer(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """By rows each record is given before the next one comes into the frame; by range all of one time together."""
        records = self._rows_by_time.pop(timestamp)
        self._began = True
        for record in records:
            self._frame.add(record.value)
            if self._by_row:
                self._give_aggregate(record)
        if not self._by_row:
            for record in records:
                self._give_aggregate(record)

    @property
    def is_empty(self) -> bool:
        """Once a record has come into the frame, there is always an aggregate."""
        return not (self._began or self._rows_by_time)


class RowsOver(KeyedOver):
    """The current record and the ``rows`` that were worked on before it.

    Late is what does not lie behind the last timer of the key, wherever the watermark is; without a timer so far that
    is 0. So a record behind the watermark may come into a frame after later ones. What leaves the frame is always the
    first record of the smallest time in state, which then may be one that has just come, or even the current one.
    """

    def __init__(self, operator: model.Over, watermark: TimerService, clock: TimerService) -> None:
        super().__init__(operator, watermark, clock)
        assert isinstance(operator.frame.rows, int)
        self._most = operator.frame.rows + 1
        self._held = 0
        self._last_timer = 0

    def _is_late(self, record: Arrival) -> bool:
        return record.ts <= self._last_timer

    def on_timer(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """One record after another: first one leaves, if the frame is full, then the record comes."""
        records, by_time = self._rows_by_time.get(timestamp, []), self._rows_by_time
        leaving: list[Arrival] = []
        gone, earliest = 0, 0
        for record in records[:]:
            if self._held < self._most:
                self._held += 1
            else:
                if not leaving:
                    earliest = min(by_time)
                    leaving, gone = by_time[earliest], 0
                self._frame.remove(leaving[gone].value)
                gone += 1
                if gone == len(leaving):
                    del by_time[earliest]
                    leaving = []
            self._frame.add(record.value)
            self._give_aggregate(record)
        if leaving:
            by_time[earliest] = leaving[gone:]
        self._last_timer = timestamp

    @property
    def is_empty(self) -> bool:
        """The time of the last timer is state, too."""
        return not (self._rows_by_time or self._held or self._last_timer)


class RangeOver(KeyedOver):
    """The records of the current time and those at most ``range`` ms before it. Late is as for rows.

    A key that is silent for one and a half times the range forgets everything, its last timer included: then a timer
    cleans up that each record may set. Whatever fires at or after that time cleans up, and does nothing else.
    """

    def __init__(self, operator: model.Over, watermark: TimerService, clock: TimerService) -> None:
        super().__init__(operator, watermark, clock)
        assert isinstance(operator.frame.range, int)
        self._range = operator.frame.range
        self._last_timer = 0
        self._cleanup: int | None = None

    def process_element(self, record: Arrival) -> None:
        """Keep the record, and set the timer that cleans up if the one that is set comes too early for it."""
        super().process_element(record)
        soonest = record.ts + self._range + 1
        if not self._is_late(record) and (self._cleanup is None or self._cleanup < soonest):
            self._cleanup = record.ts + self._range * 3 // 2 + 1
            self._watermark.register(self._cleanup, None)

    def _is_late(self, record: Arrival) -> bool:
        return record.ts <= self._last_timer

    def on_timer(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """What is too old leaves, the oldest first, the records of this time come, and all are given with one value."""
        if self._cleanup is not None and self._cleanup <= timestamp:
            self._rows_by_time, self._frame = {}, self._make_frame()
            self._last_timer, self._cleanup = 0, None
            return
        records = self._rows_by_time.get(timestamp, [])
        if records:
            for old in sorted(time for time in self._rows_by_time if timestamp - time > self._range):
                for record in self._rows_by_time.pop(old):
                    self._frame.remove(record.value)
        for record in records:
            self._frame.add(record.value)
        for record in records:
            self._give_aggregate(record)
        self._last_timer = timestamp

    @property
    def is_empty(self) -> bool:
        """Whether the key has been cleaned up, or has never had a record in time."""
        return not (self._rows_by_time or self._last_timer) and self._cleanup is None


def keyed_over(operator: model.Over, watermark: TimerService, clock: TimerService) -> KeyedOver:
    """The machine for the frame of ``operator``."""
    frame = operator.frame
    if UNBOUNDED in (frame.rows, frame.range):
        return UnboundedOver(operator, watermark, clock)
    return (RowsOver if frame.rows is not None else RangeOver)(operator, watermark, clock)
