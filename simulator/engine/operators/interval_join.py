"""The interval join: each record meets the records of the other side that lie within an interval of time around it.

Theory of operation
-------------------
Each side keeps a buffer of records by timestamp, for each key. A record is added to the buffer of its own side, and is
joined at once with the records of the other side that lie within the interval: the later of two partners finds the
earlier one, whatever their timestamps. Results therefore appear on arrival. The watermark has two tasks only:

- A record behind it (strictly; one at the watermark is not late) is dropped or sent to the side output.
- A buffered record is removed when the watermark reaches the last timestamp that a partner can have. If its partners
  lie in the past, that is the record's own timestamp.

One condition is relative to the left side: left + lower <= right <= left + upper. Seen from the right, the bounds
change sign and place.

The removal is inclusive and lateness is strict, and that costs pairs. A partner at exactly the last possible timestamp
is accepted while the watermark stands there, but the timer of that watermark has removed its partner already.

Source: ``IntervalJoinOperator`` (Flink 2.3.0).
"""

from bisect import bisect_left, bisect_right, insort_right
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final

from tidemark.simulator.engine.operators.base import Operator, OperatorRuntime
from tidemark.simulator.engine.state import StateTable
from tidemark.simulator.engine.trace.events import BufferAdded, BufferRemoved, JoinMatched, Rule
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.items import Element, Key, new_element
from tidemark.simulator.engine.values.time import MAX, MIN, wrap
from tidemark.simulator.engine.values.window import Namespace, SideNamespace

LEFT: Final = "left"
RIGHT: Final = "right"
BUFFERS: Final = {LEFT: "left-buffer", RIGHT: "right-buffer"}
"""State names. A buffer is the list of a key's records by timestamp, those of one timestamp in order of arrival."""
_timestamp: Final = itemgetter(0)
"""Of an element, without a call of Python code: a search in a buffer asks many."""


@dataclass(frozen=True, slots=True)
class _Side:
    """One side: its buffers by key, and the interval of partners around each of its records (ms, both inclusive).

    Its cleanup timers have a namespace of their own: both sides may have one at the same timestamp.
    """

    name: str
    buffers: StateTable
    lower: int
    upper: int
    cleanup: SideNamespace


class IntervalJoinOperator(Operator):
    """Pairs with left.ts + ``lower`` <= right.ts <= left.ts + ``upper`` (ms, both ends inclusive).

    With ``side_output`` late records go to the side output instead of being dropped.
    """

    def __init__(self, runtime: OperatorRuntime, lower: int, upper: int, *, side_output: bool = False) -> None:
        super().__init__(runtime)
        self.lower = lower
        self.upper = upper
        self._side_output = side_output
        table = runtime.state.table
        self._left = _Side(LEFT, table(BUFFERS[LEFT]), lower, upper, SideNamespace(LEFT))
        self._right = _Side(RIGHT, table(BUFFERS[RIGHT]), wrap(-upper), wrap(-lower), SideNamespace(RIGHT))

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Buffer the record, join it with those of the other side, and register the timer that will remove it.

        Raises ``EngineFailure`` (FlinkException) for a record without a timestamp.
        Source: ``IntervalJoinOperator.processElement1`` and ``processElement2``.
        """
        if input == LEFT:
            self._process(self._left, self._right, key, timestamp, value)
        else:
            self._process(self._right, self._left, key, timestamp, value)

    def _process(self, own: _Side, other: _Side, key: Key, timestamp: int | None, value: Any) -> None:
        """Source: ``IntervalJoinOperator.processElement``."""
        assert timestamp is not None  # event time
        if timestamp == MIN:
            message = "Long.MIN_VALUE timestamp: Elements used in interval stream joins need timestamps"
            raise EngineFailure("FlinkException", message)
        watermark = self.timers.current_watermark
        if timestamp < watermark:
            self._late(own.name, key, timestamp, value, watermark)
            return
        element = new_element((timestamp, value, own.name))
        self._add_to_buffer(key, own, element)
        first_partner, last_partner = timestamp + own.lower, timestamp + own.upper
        if not MIN <= first_partner <= last_partner <= MAX:
            first_partner, last_partner = wrap(first_partner), wrap(last_partner)
        buffer = other.buffers.get((key, None))
        if buffer is not None:
            # By ascending timestamp. Flink's order is that of a hash map, so a comparison takes a record's pairs as a
            # set.
            first = bisect_left(buffer, first_partner, key=_timestamp)
            last = bisect_right(buffer, last_partner, first, key=_timestamp)
            for partner in buffer[first:last]:
                if own.name == LEFT:
                    self._emit(key, element, partner)
                else:
                    self._emit(key, partner, element)
        # Registered last, as in Flink. For a record at the watermark this may lie in the past; it then fires with the
        # next watermark, so the record still meets whatever arrives before that.
        cleanup = last_partner if own.upper > 0 else timestamp
        self.timers.register_event_time_timer(cleanup, key, own.cleanup, "cleanup")

    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Remove the records of one timestamp, for which no partner can come any more.

        Source: ``IntervalJoinOperator.onEventTime``.
        """
        # The timer knows only its own timestamp; the records' is computed backwards.
        if namespace is self._left.cleanup:
            self._remove(self._left, key, timestamp if self.upper <= 0 else timestamp - self.upper)
        else:
            self._remove(self._right, key, timestamp + self.lower if self.lower <= 0 else timestamp)

    def _remove(self, side: _Side, key: Key, timestamp: int) -> None:
        """Remove the records of ``timestamp`` (ms). Source: ``IntervalJoinOperator.removeFromBuffer``."""
        if not MIN <= timestamp <= MAX:
            timestamp = wrap(timestamp)
        buffers, entry = side.buffers, (key, None)
        buffer = buffers.writable(entry)
        if buffer is None:
            return
        first = bisect_left(buffer, timestamp, key=_timestamp)
        last = bisect_right(buffer, timestamp, first, key=_timestamp)
        if first == last:
            return
        removed = buffer[first:last]
        del buffer[first:last]
        if not buffer:
            buffers.remove(entry)
        if self.trace is not None:
            place = "IntervalJoinOperator.on_event_time"
            self.trace.add(BufferRemoved(place, side.name, key, timestamp, tuple(removed)))

    def on_processing_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Never called: the operator registers no processing-time timers."""

    def _add_to_buffer(self, key: Key, side: _Side, element: Element) -> None:
        buffers, entry = side.buffers, (key, None)
        buffer = buffers.writable(entry)
        if buffer is None:
            buffers.put(entry, [element])
        elif buffer[-1][0] <= element[0]:
            buffer.append(element)  # as most are, in a stream that is nearly in order
        else:
            insort_right(buffer, element, key=_timestamp)
        if self.trace is not None:
            timestamp = _timestamp(element)
            kept_until = wrap(timestamp + side.upper) if side.upper > 0 else timestamp
            place = "IntervalJoinOperator.add_to_buffer"
            self.trace.add(BufferAdded(place, side.name, key, timestamp, element.value, kept_until))

    def _emit(self, key: Key, left: Element, right: Element) -> None:
        one, other = _timestamp(left), _timestamp(right)
        timestamp = one if one >= other else other
        if self.trace is not None:
            numbers = (("left", one), ("lower", self.lower), ("right", other), ("upper", self.upper))
            formula = "left + lower <= right <= left + upper"
            rule = Rule("within-interval", formula, numbers, True)
            place = "IntervalJoinOperator.collect"
            self.trace.add(JoinMatched(place, key, left, right, timestamp, None, rule))
        self.output.emit_joined(key, left, right, timestamp, None, self.timers.current_watermark)

    def _late(self, input: str, key: Key, timestamp: int, value: Any, watermark: int) -> None:
        rule = None
        if self.trace is not None:
            numbers = (("timestamp", timestamp), ("watermark", watermark))
            rule = Rule("behind-watermark", "timestamp < watermark", numbers, True)
        if self._side_output:
            self.side_output_late(input, key, timestamp, value, rule)
        else:
            self.drop_late(input, key, timestamp, value, rule)
