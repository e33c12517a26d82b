"""OVER aggregations ordered by event time: each row gets the aggregate over the frame that ends at it.

Theory of operation
-------------------
A row waits in state until the watermark reaches its timestamp, so that the rows of a key are taken in order of time. It
has a timer at its own timestamp; rows of one time share it. (An unbounded frame had another before Flink 2.1: see
``FlinkRules``.) When that fires,

- a frame by rows goes on row by row, in order of arrival;
- a frame by range takes all rows of the time at once: they are peers, and get one and the same value.

A bounded frame keeps its rows in state, beside those that wait, until they leave it. An unbounded one needs the
accumulator alone.

What is late differs. An unbounded frame drops what is at or below the watermark. A bounded one never looks at the
watermark: it drops what is at or below the last timer of the key, wherever the watermark stands. That begins at 0, not
at Long.MIN_VALUE, so a bounded frame drops every row before the epoch, and the epoch itself.

A frame by range has a clean-up timer as well, a row and a half behind the last one. It cannot be told from the others,
and removes everything of the key, the last timer included: what was late may then be taken again (FLINK-38751).

Source: ``RowTimeRowsBoundedPrecedingFunction``, ``RowTimeRangeBoundedPrecedingFunction`` and
``RowTimeUnboundedPrecedingOverFunctionV2`` (Flink 2.3.0), each run by ``KeyedProcessOperator``.
"""

from abc import abstractmethod
from bisect import bisect_left, bisect_right, insort_right
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from tidemark.simulator.engine.functions import FrameFunction
from tidemark.simulator.engine.operators.base import Operator, OperatorRuntime
from tidemark.simulator.engine.trace.events import FrameCleared, FrameMoved, OverEmitted, RowStored, Rule, StateUpdated
from tidemark.simulator.engine.values.items import Element, Key
from tidemark.simulator.engine.values.time import MAX, MIN, wrap
from tidemark.simulator.engine.values.window import Namespace

ROWS: Final = "inputState"
"""The state that holds a key's rows by time, (timestamp, value): those of the frame, then those that wait."""
ACCUMULATOR: Final = "accState"
LAST: Final = "lastTriggeringTsState"
"""The state that holds the time (ms) of the key's last timer; bounded frames only."""
CLEANUP: Final = "cleanupTsState"
"""The state that holds the time (ms) of the key's newest clean-up timer; frames by range only."""
BEFORE_ANY: Final = 0
"""What stands for the last timer before there was one (ms)."""
_timestamp: Final = itemgetter(0)

Row = tuple[int, Any]


class OverOperator(Operator):
    """What all frames have in common: rows that wait, an accumulator, and rows emitted in order of time."""

    function = ""
    first_timer: int = MIN
    """The timer (ms) of a row with an earlier time."""

    def __init__(self, runtime: OperatorRuntime, aggregate: FrameFunction) -> None:
        super().__init__(runtime)
        self.aggregate = aggregate
        self.rows = runtime.state.table(ROWS)
        self.accumulators = runtime.state.table(ACCUMULATOR)

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Let a row wait for the watermark, unless it is late. Source: ``processElement`` of each function."""
        assert timestamp is not None  # event time
        rule = self.accepts(key, timestamp)
        if not rule.holds:
            self.drop_late(input, key, timestamp, value, rule)
            return
        entry = (key, None)
        if self.rows.get(entry) is None:
            self.rows.put(entry, [])
        insort_right(self.rows.writable(entry), (timestamp, value), key=_timestamp)
        if self.trace is not None:
            self.trace.add(RowStored(f"{self.function}.process_element", key, timestamp, value, rule))
        self.timers.register_event_time_timer(max(timestamp, self.first_timer), key, None, "emit")

    @abstractmethod
    def accepts(self, key: Key, timestamp: int) -> Rule:
        """Whether a row of this time (ms) may still wait; the rule is that by which it does."""

    def on_processing_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Never called: the operator registers no processing-time timers."""

    def rows_of(self, key: Key, timestamp: int) -> tuple[list[Row], int, int]:
        """A key's rows, to be changed in place, and where those of ``timestamp`` (ms) begin and end.

        Those before them are in the frame: their timers have fired.
        """
        rows = self.rows.writable((key, None)) or []
        first = bisect_left(rows, timestamp, key=_timestamp)
        return rows, first, bisect_right(rows, timestamp, lo=first, key=_timestamp)

    def accumulator_of(self, key: Key) -> Any:
        """The accumulator of a key, a new one if there is none."""
        accumulator = self.accumulators.get((key, None))
        return self.aggregate.create() if accumulator is None else accumulator

    def moved(
        self,
        key: Key,
        timestamp: int,
        entered: list[Row],
        left: list[Row],
        accumulator: Any,
        rows: int,
        low: int | None = None,
    ) -> None:
        """Keep the accumulator of a frame that went on to ``timestamp`` (ms)."""
        self.accumulators.put((key, None), accumulator)
        if self.trace is not None:
            ins, outs = (tuple(Element(ts, value, "") for ts, value in part) for part in (entered, left))
            place = f"{self.function}.on_timer"
            self.trace.add(FrameMoved(place, key, timestamp, ins, outs, low, rows, accumulator))

    def emit(self, key: Key, ts: int, own: Any, accumulator: Any) -> None:
        """Emit a row with the aggregate over its frame."""
        value, watermark = self.aggregate.result(accumulator), self.timers.current_watermark
        if self.trace is not None:
            rule = Rule("row-reached", "timestamp <= watermark", (("timestamp", ts), ("watermark", watermark)), True)
            self.trace.add(OverEmitted(f"{self.function}.on_timer", key, ts, value, own, rule))
        self.output.emit_over(key, ts, value, own, watermark)

    def forget_if_empty(self, key: Key) -> None:
        """Remove the entry of a key without rows."""
        if not self.rows.get((key, None)):
            self.rows.remove((key, None))


class BoundedOverOperator(OverOperator):
    """A frame with a beginning: it remembers the last timer of each key, and judges by it who is late."""

    def __init__(self, runtime: OperatorRuntime, aggregate: FrameFunction) -> None:
        super().__init__(runtime, aggregate)
        self.last = runtime.state.table(LAST)

    def accepts(self, key: Key, timestamp: int) -> Rule:
        """Above the last timer of its key."""
        last = self.last.get((key, None))
        numbers = (("timestamp", timestamp), ("last_timer", BEFORE_ANY if last is None else last))
        return Rule("after-last-timer", "timestamp > last_timer", numbers, numbers[0][1] > numbers[1][1])

    def keep_last(self, key: Key, timestamp: int) -> None:
        """Note that a timer has fired, whatever it found."""
        self.last.put((key, None), timestamp)
        if self.trace is not None:
            self.trace.add(StateUpdated("HeapValueState.update", LAST, key, None, timestamp))


class RowsOverOperator(BoundedOverOperator):
    """``ROWS BETWEEN n PRECEDING AND CURRENT ROW``: the last ``preceding`` + 1 rows of the key."""

    function = "RowTimeRowsBoundedPrecedingFunction"

    def __init__(self, runtime: OperatorRuntime, aggregate: FrameFunction, preceding: int) -> None:
        super().__init__(runtime, aggregate)
        self._preceding = preceding

    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Take the rows of one time, one by one. Source: ``RowTimeRowsBoundedPrecedingFunction.onTimer``."""
        rows, first, end = self.rows_of(key, timestamp)
        accumulator = self.accumulator_of(key)
        for _ in range(end - first):
            ts, own = rows[first]
            left = []
            if first > self._preceding:  # the frame is full: the oldest row leaves before the new one is added
                left = [rows.pop(0)]
                first -= 1
                others = [value for _, value in rows[:first]]
                accumulator = self.aggregate.retract(accumulator, left[0][1], others)
            accumulator = self.aggregate.add(accumulator, own)
            first += 1
            self.moved(key, timestamp, [(ts, own)], left, accumulator, first)
            self.emit(key, ts, own, accumulator)
        self.keep_last(key, timestamp)


class RangeOverOperator(BoundedOverOperator):
    """``RANGE BETWEEN d PRECEDING AND CURRENT ROW``: the rows of the last ``span`` ms, both ends included."""

    function = "RowTimeRangeBoundedPrecedingFunction"

    def __init__(self, runtime: OperatorRuntime, aggregate: FrameFunction, span: int) -> None:
        super().__init__(runtime, aggregate)
        self._span = span
        self._longest = min(int(span * 1.5), MAX)  # a double on the way, as in Java
        self._cleanup = runtime.state.table(CLEANUP)

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """As for every frame; an accepted row may move the clean-up on.

        Source: ``RowTimeRangeBoundedPrecedingFunction.registerCleanupTimer``.
        """
        assert timestamp is not None  # event time
        dropped = self.output.dropped
        super().process_element(input, key, timestamp, value)
        if self.output.dropped != dropped:
            return
        planned = self._cleanup.get((key, None))
        if planned is None or planned < wrap(timestamp + self._span + 1):
            planned = wrap(timestamp + self._longest + 1)
            self._cleanup.put((key, None), planned)
            if self.trace is not None:
                self.trace.add(StateUpdated("HeapValueState.update", CLEANUP, key, None, planned))
            # The earlier timer stays: it may be that of a row. When it fires it finds that this one is later.
            self.timers.register_event_time_timer(planned, key, None, "cleanup")

    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Clean up, or take all rows of one time. Source: ``RowTimeRangeBoundedPrecedingFunction.onTimer``."""
        planned = self._cleanup.get((key, None))
        if planned is not None and planned <= timestamp:
            self._clear(key, timestamp, planned)
            return
        rows, first, end = self.rows_of(key, timestamp)
        if first < end:
            low = wrap(timestamp - self._span)
            out = bisect_left(rows, low, hi=first, key=_timestamp)
            left, entered = rows[:out], rows[first:end]
            accumulator = self.accumulator_of(key)
            for number, (_, value) in enumerate(left):
                others = [each for _, each in rows[number + 1 : first]]
                accumulator = self.aggregate.retract(accumulator, value, others)
            for _, value in entered:
                accumulator = self.aggregate.add(accumulator, value)
            del rows[:out]
            self.moved(key, timestamp, entered, left, accumulator, end - out, low)
            for ts, own in entered:
                self.emit(key, ts, own, accumulator)
        self.keep_last(key, timestamp)

    def _clear(self, key: Key, timestamp: int, planned: int) -> None:
        rows, *_ = self.rows_of(key, timestamp)
        waiting = 0
        if self.trace is not None:
            last = self.last.get((key, None))
            taken = 0 if last is None else bisect_right(rows, last, key=_timestamp)
            waiting = len(rows) - taken
            rule = Rule("cleanup-planned", "planned <= timer", (("planned", planned), ("timer", timestamp)), True)
            self.trace.add(FrameCleared(f"{self.function}.on_timer", key, waiting, taken, rule))
        for table in (self.rows, self.accumulators, self.last, self._cleanup):
            table.remove((key, None))


class UnboundedOverOperator(OverOperator):
    """``… BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW``, by rows, or with ``peers`` by range."""

    function = "RowTimeUnboundedPrecedingOverFunctionV2"

    def __init__(self, runtime: OperatorRuntime, aggregate: FrameFunction, *, peers: bool) -> None:
        super().__init__(runtime, aggregate)
        self._peers = peers
        if not runtime.rules.unbounded_frames_emit_before_1970:
            self.first_timer = 0

    def accepts(self, key: Key, timestamp: int) -> Rule:
        """Above the watermark."""
        watermark = self.timers.current_watermark
        numbers = (("timestamp", timestamp), ("watermark", watermark))
        return Rule("above-watermark", "timestamp > watermark", numbers, timestamp > watermark)

    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Take the rows up to a time. Source: ``RowTimeUnboundedPrecedingOverFunctionV2.onTimer``."""
        rows, _, end = self.rows_of(key, timestamp)
        taken = rows[:end]
        del rows[:end]
        self.forget_if_empty(key)
        accumulator = self.accumulator_of(key)
        parts = (list(part) for _, part in groupby(taken, _timestamp)) if self._peers else ([row] for row in taken)
        for part in parts:
            for _, value in part:
                accumulator = self.aggregate.add(accumulator, value)
            self.moved(key, part[0][0], part, [], accumulator, len(part))
            for ts, own in part:
                self.emit(key, ts, own, accumulator)
