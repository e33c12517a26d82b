"""The keyed process function that sorts a stream by event time.

Theory of operation
-------------------
A watermark says that no record at or below it will come any more, so everything up to it can be put in order. A record
above the watermark waits in a priority queue, one for each key, and has a timer at its own timestamp. The first timer
that fires under a new watermark empties the queue up to that watermark, not only up to its own timestamp; the other
timers of the same watermark find nothing left. A record at or below the watermark would come out of order, and is
dropped.

Source: the connected-car example (``SortFunction``), run by ``KeyedProcessOperator``.
"""

from heapq import heappop, heappush
from typing import Any, Final

from tidemark.simulator.engine.operators.base import Operator, OperatorRuntime
from tidemark.simulator.engine.trace.events import QueuePopped, QueuePushed, Rule
from tidemark.simulator.engine.values.items import Key
from tidemark.simulator.engine.values.window import Namespace

QUEUE: Final = "sorted-events"
"""The name of the state that holds the queue of a key: a heap of (timestamp, order of arrival, value)."""


class EventSortOperator(Operator):
    """Records of the same timestamp leave in order of arrival."""

    def __init__(self, runtime: OperatorRuntime) -> None:
        super().__init__(runtime)
        self._queues = runtime.state.table(QUEUE)
        self._arrived = 0

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Queue a record that is above the watermark and register a timer for it; drop any other.

        Source: ``SortFunction.processElement``.
        """
        assert timestamp is not None  # event time
        watermark = self.timers.current_watermark
        rule = None
        accepted = timestamp > watermark
        if self.trace is not None:
            numbers = (("timestamp", timestamp), ("watermark", watermark))
            rule = Rule("above-watermark", "timestamp > watermark", numbers, accepted)
        if not accepted:
            self.drop_late(input, key, timestamp, value, rule)
            return
        entry = (key, None)
        if self._queues.get(entry) is None:
            self._queues.put(entry, [])
        heappush(self._queues.writable(entry), (timestamp, self._arrived, value))
        self._arrived += 1
        if self.trace is not None and rule is not None:
            self.trace.add(QueuePushed("SortFunction.process_element", key, timestamp, value, rule))
        self.timers.register_event_time_timer(timestamp, key, None, "sort")

    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Emit everything up to the watermark (inclusive), in order of time. Source: ``SortFunction.onTimer``."""
        # The watermark, not ``timestamp``: it was raised before the first timer fired.
        watermark = self.timers.current_watermark
        queue = self._queues.writable((key, None))
        while queue and queue[0][0] <= watermark:
            ts, _, value = heappop(queue)
            if self.trace is not None:
                numbers = (("timestamp", ts), ("watermark", watermark))
                rule = Rule("reached-by-watermark", "timestamp <= watermark", numbers, True)
                self.trace.add(QueuePopped("SortFunction.on_timer", key, ts, value, rule))
            self.output.emit_sorted(key, ts, value, watermark)

    def visible_state(self) -> dict[str, dict[Any, Any]]:
        """The queues as lists of (timestamp, value), in the order in which the records will leave."""
        queues = {
            entry: [(ts, value) for ts, _, value in sorted(queue, key=lambda each: each[:2])]
            for entry, queue in self._queues.entries.items()
        }
        return {QUEUE: queues} if queues else {}

    def on_processing_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Never called: the example registers no processing-time timers."""
