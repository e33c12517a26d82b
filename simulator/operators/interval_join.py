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
from operator import itemgetter
from typing import Any, Final

from simulator.operators.base import Operator
from simulator.operators.runtime import OperatorRuntime
from simulator.trace.events import BufferAdded, BufferRemoved, JoinMatched, Rule
from simulator.values.element import Element, new_element
from simulator.values.errors import EngineFailure
from simulator.values.key import Key
from simulator.values.time import MAX, MIN, wrap
from simulator.values.window import Namespace, SideNamespace

LEFT: Final = "left"
RIGHT: Final = "right"
BUFFERS: Final = {LEFT: "left-buffer", RIGHT: "right-buffer"}
"""State names. A buffer is the list of a key's records by timestamp, those of one timestamp in order of arrival."""
_timestamp: Final = itemgetter(0)
"""Of an element, without a call of Python code: a search in a buffer asks many."""
CLEANUP: Final = {LEFT: SideNamespace(LEFT), RIGHT: SideNamespace(RIGHT)}


class IntervalJoinOperator(Operator):
    """Pairs with left.ts + ``lower`` <= right.ts <= left.ts + ``upper`` (ms, both ends inclusive).

    With ``side_output`` late records go to the side output instead of being dropped.
    """

    def __init__(self, runtime: OperatorRuntime, lower: int, upper: int, *, side_output: bool = False) -> None:
        super().__init__(runtime)
        self.lower = lower
        self.upper = upper
        self._side_output = side_output
        self._relative = {LEFT: (lower, upper), RIGHT: (wrap(-upper), wrap(-lower))}
        """The interval of partners around a record of each side, relative to its timestamp (ms, both inclusive)."""
        self._buffers = {side: runtime.state.table(name) for side, name in BUFFERS.items()}

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Buffer the record, join it with those of the other side, and register the timer that will remove it.

        Raises ``EngineFailure`` (FlinkException) for a record without a timestamp.
        Source: ``IntervalJoinOperator.processElement``.
        """
        assert timestamp is not None  # event time
        if timestamp == MIN:
            message = "Long.MIN_VALUE timestamp: Elements used in interval stream joins need timestamps"
            raise EngineFailure("FlinkException", message)
        watermark = self.timers.current_watermark
        if timestamp < watermark:
            self._late(input, key, timestamp, value, watermark)
            return
        element = new_element((timestamp, value, input))
        self._add_to_buffer(key, input, element)
        relative_lower, relative_upper = self._relative[input]
        other_side = RIGHT if input == LEFT else LEFT
        buffer = self._buffers[other_side].get((key, None)) or ()
        # By ascending timestamp. Flink's order is that of a hash map, so a comparison takes a record's pairs as a set.
        first_partner, last_partner = timestamp + relative_lower, timestamp + relative_upper
        if not MIN <= first_partner <= last_partner <= MAX:
            first_partner, last_partner = wrap(first_partner), wrap(last_partner)
        first = bisect_left(buffer, first_partner, key=_timestamp)
        last = bisect_right(buffer, last_partner, key=_timestamp)
        for partner in buffer[first:last]:
            if input == LEFT:
                self._emit(key, element, partner)
            else:
                self._emit(key, partner, element)
        # Registered last, as in Flink. For a record at the watermark this may lie in the past; it then fires with the
        # next watermark, so the record still meets whatever arrives before that.
        cleanup = last_partner if relative_upper > 0 else timestamp
        self.timers.register_event_time_timer(cleanup, key, CLEANUP[input], "cleanup")

    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Remove the records of one timestamp, for which no partner can come any more.

        Source: ``IntervalJoinOperator.onEventTime``.
        """
        # The timer knows only its own timestamp; the records' is computed backwards. The sides are told apart by their
        # namespaces: both may have a timer at the same timestamp.
        if namespace is CLEANUP[LEFT]:
            side, forgotten = LEFT, timestamp if self.upper <= 0 else timestamp - self.upper
        else:
            side, forgotten = RIGHT, timestamp + self.lower if self.lower <= 0 else timestamp
        if not MIN <= forgotten <= MAX:
            forgotten = wrap(forgotten)
        table, entry = self._buffers[side], (key, None)
        buffer = table.writable(entry)
        if buffer is None:
            return
        first, last = bisect_left(buffer, forgotten, key=_timestamp), bisect_right(buffer, forgotten, key=_timestamp)
        removed = tuple(buffer[first:last])
        if not removed:
            return
        del buffer[first:last]
        if not buffer:
            table.remove(entry)
        if self.trace is not None:
            place = "IntervalJoinOperator.on_event_time"
            self.trace.add(BufferRemoved(place, side, key, forgotten, removed))

    def on_processing_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Never called: the operator registers no processing-time timers."""

    def _add_to_buffer(self, key: Key, side: str, element: Element) -> None:
        table, entry = self._buffers[side], (key, None)
        buffer = table.writable(entry)
        if buffer is None:
            table.put(entry, [element])
        else:
            insort_right(buffer, element, key=_timestamp)
        if self.trace is not None:
            timestamp, relative_upper = _timestamp(element), self._relative[side][1]
            kept_until = wrap(timestamp + relative_upper) if relative_upper > 0 else timestamp
            place = "IntervalJoinOperator.add_to_buffer"
            self.trace.add(BufferAdded(place, side, key, timestamp, element.value, kept_until))

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
