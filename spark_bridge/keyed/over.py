"""What the frame of an OVER aggregation holds: values come and go, and the aggregate of those that are there.

OVER aggregations of one key, record by record.

Each record waits until a timer for its timestamp fires, and is then given with the aggregate of its frame. The kinds of
frame differ in two things: what is late, and what leaves the frame.

Source: ``RowTimeRowsBoundedPrecedingFunction``, ``RowTimeRangeBoundedPrecedingFunction`` and
``RowTimeUnboundedPrecedingOverFunctionV2`` of Flink 2.3.0.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, Final, Protocol

from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.model import UNBOUNDED
from tidemark.spark_bridge.keyed.records import Arrival, Collector, Fired
from tidemark.spark_bridge.keyed.timers import TimerService
from tidemark.spark_bridge.results.canonical import own_of


class Frame(Protocol):
    """The values of a frame."""

    def add(self, value: Any) -> None:
        """``value`` comes into the frame."""

    def take(self, value: Any) -> None:
        """``value`` leaves the frame. It may leave just before it comes."""

    def result(self) -> Any:
        """The aggregate of the values that are there."""


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

    def take(self, value: Any) -> None:
        """Take it off the total."""
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
        self._came = 0

    def add(self, value: Any) -> None:
        """Put it into the heap."""
        self._came += 1
        heappush(self._heap, (self._sign * value, self._came, value))

    def take(self, value: Any) -> None:
        """Remember that one of these has left."""
        self._left[value] += 1

    def result(self) -> Any:
        """The first of those that are there; None without any."""
        while self._heap and self._left[self._heap[0][2]]:
            self._left[heappop(self._heap)[2]] -= 1
        return self._heap[0][2] if self._heap else None


FRAMES: Final[dict[str, Callable[[], Frame]]] = {
    "sum": lambda: Total(lambda total, count: total),
    "count": lambda: Total(lambda total, count: count),
    "avg": lambda: Total(lambda total, count: float(total) / count if count else None),
    "min": lambda: Extreme(1),
    "max": lambda: Extreme(-1),
}
"""A new frame by ``compute``."""


class KeyedOver(ABC):
    """What all frames have in common. ``clock`` is not used."""

    def __init__(self, operator: model.Over, watermark: TimerService, clock: TimerService) -> None:
        self.out = Collector()
        self._make_frame = FRAMES[operator.function.compute or ""]
        self._frame = self._make_frame()
        self._watermark = watermark
        self._rows_by_time: dict[int, list[Arrival]] = {}

    def process_element(self, record: Arrival) -> None:
        """Keep the record for its timer, unless it is late."""
        if self._is_late(record):
            self.out.collect(Fired("late", None, record.value, by=record, time=record.ts))
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
        self.out.collect(Fired("emitted", None, value, time=record.ts, own=own_of(record.value)))


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
                self._frame.take(leaving[gone].value)
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
                    self._frame.take(record.value)
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
