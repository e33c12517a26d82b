"""Window Top-N of one key, record by record: the windows of a record, and the ranks when one of them ends."""

from tidemark.simulator.scenario import model
from tidemark.spark_bridge.keyed.records import Arrival, Fired, Outbox
from tidemark.spark_bridge.keyed.timers import Alarms


class KeyedTopN(Outbox):
    """Keeps every record of a window until the watermark reaches its end. ``clock`` is not used.

    A record is late for a window, not as such: each window that has ended refuses it.
    Source: ``AlignedWindowTableFunctionOperator`` and ``SyncStateWindowRankProcessor`` of Flink 2.3.0.
    """

    def __init__(self, operator: model.WindowTopN, watermark: Alarms, clock: Alarms) -> None:
        super().__init__()
        self._operator = operator
        self._watermark = watermark
        self._windows: dict[tuple[int, int], list[Arrival]] = {}
        self._given = 0

    def process(self, record: Arrival) -> None:
        """Keep the record in each of its windows."""
        for span in spans_of(self._operator.assigner, record.ts):
            if span[1] - 1 <= record.before:
                self._give(Fired("late", span, record.value, self._given, by=record, time=record.ts))
            else:
                self._windows.setdefault(span, []).append(record)
                self._watermark.register(span[1] - 1, span)

    def wake(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """Rank the records of a window by value; equal ones stay in order of arrival."""
        assert isinstance(namespace, tuple)
        span = (namespace[0], namespace[1])
        sign = -1 if self._operator.order == "desc" else 1
        ranked = sorted(self._windows.pop(span), key=lambda record: sign * record.value)
        for rank, record in enumerate(ranked[: self._operator.n], 1):
            self._give(Fired("ranked", span, record.value, self._given, pane=rank, time=record.ts))

    @property
    def is_empty(self) -> bool:
        """Whether no window waits."""
        return not self._windows

    def _give(self, row: Fired) -> None:
        self._given += 1
        self._rows.append(row)


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
