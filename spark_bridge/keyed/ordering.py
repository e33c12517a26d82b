"""Deduplication of one key, record by record, for streams that restore a checkpoint.

Without restores the rows follow from sorting (``spark_bridge.execution.ordering``).
Source: ``RowTimeDeduplicateKeepFirstRowFunction`` and ``RowTimeDeduplicateFunction`` of Flink 2.3.0.

Window Top-N of one key, record by record: the windows of a record, and the ranks when one of them ends.

The event sort of one key, record by record.
"""

from heapq import heappop, heappush

from tidemark.simulator.scenario import model
from tidemark.spark_bridge.keyed.records import Arrival, Collector, Fired
from tidemark.spark_bridge.keyed.timers import TimerService


class KeyedFirst:
    """The record of the smallest time, once the watermark has reached it; then the key is done.

    ``clock`` is not used.
    """

    def __init__(self, operator: model.Deduplicate, watermark: TimerService, clock: TimerService) -> None:
        self.out = Collector()
        self._watermark = watermark
        self._waiting: Arrival | None = None
        self._is_done = False

    def process_element(self, record: Arrival) -> None:
        """Keep the record if none that waits is as early."""
        if record.ts < record.before:
            self.out.collect(Fired("late", None, record.value, by=record, time=record.ts))
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
        self._kept: Arrival | None = None

    def process_element(self, record: Arrival) -> None:
        """Take the record that was given back, and give the new one, unless that is older."""
        kept = self._kept
        if kept is not None and record.ts < kept.ts:
            return
        self._kept = record
        if kept is not None:
            self.out.collect(Fired("emitted", None, kept.value, by=record, change="-U", time=kept.ts))
        change = "+I" if kept is None else "+U"
        self.out.collect(Fired("emitted", None, record.value, by=record, change=change, time=record.ts))

    def on_timer(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """No timer is ever set."""

    @property
    def is_empty(self) -> bool:
        """Whether the key has had no record yet."""
        return self._kept is None


class KeyedTopN:
    """Keeps every record of a window until the watermark reaches its end. ``clock`` is not used.

    A record is late for a window, not as such: each window that has ended refuses it.
    Source: ``AlignedWindowTableFunctionOperator`` and ``SyncStateWindowRankProcessor`` of Flink 2.3.0.
    """

    def __init__(self, operator: model.WindowTopN, watermark: TimerService, clock: TimerService) -> None:
        self.out = Collector()
        self._operator = operator
        self._watermark = watermark
        self._windows: dict[tuple[int, int], list[Arrival]] = {}

    def process_element(self, record: Arrival) -> None:
        """Keep the record in each of its windows."""
        for span in spans_of(self._operator.assigner, record.ts):
            if span[1] - 1 <= record.before:
                self.out.collect(Fired("late", span, record.value, by=record, time=record.ts))
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


def spans_of(assigner: object, ts: int) -> list[tuple[int, int]]:
    """The windows that hold ``ts`` (ms), of an assigner of a window table function."""
    match assigner:
        case model.Tumbling(size, offset):
            step, longest, grows = size, size, False
        case model.Sliding(longest, step, offset):
            grows = False
        case model.Cumulative(longest, step, offset):
            grows = True
        case _:
            raise TypeError(f"no windows of {assigner}")
    if grows:
        start = ts - (ts - offset) % longest
        first = ts - (ts - offset) % step + step
        return [(start, end) for end in range(first, start + longest + 1, step)]
    newest = ts - (ts - offset) % step
    return [(start, start + longest) for start in range(newest, ts - longest, -step)]


class KeyedSort:
    """Keeps the records above the watermark until a timer for their timestamp fires. ``clock`` is not used."""

    def __init__(self, watermark: TimerService, clock: TimerService) -> None:
        self.out = Collector()
        self._watermark = watermark
        self._waiting: list[tuple[int, int, Arrival]] = []
        self._came = 0

    def process_element(self, record: Arrival) -> None:
        """Keep the record, unless the watermark has reached it."""
        if record.ts <= record.before:
            self.out.collect(Fired("late", None, record.value, by=record, time=record.ts))
            return
        self._came += 1
        heappush(self._waiting, (record.ts, self._came, record))
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
