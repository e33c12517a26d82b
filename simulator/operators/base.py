"""What every operator answers to. It is told; it has no clock, no randomness and no input or output of its own."""

from abc import ABC, abstractmethod
from typing import Any

from simulator.operators.runtime import OperatorRuntime
from simulator.timers.timer_service import InternalTimerService
from simulator.trace.events import LateDropped, LateSideOutput, Rule
from simulator.values.key import Key, plain_key
from simulator.values.window import Namespace


class Operator(ABC):
    """A keyed operator with a timer service. Source: ``AbstractStreamOperator``."""

    def __init__(self, runtime: OperatorRuntime) -> None:
        self.runtime = runtime
        self.trace = runtime.trace
        self.clock = runtime.clock
        self.output = runtime.output
        self.timers = InternalTimerService(self, runtime.clock, runtime.trace)

    @abstractmethod
    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """A record of ``input``; ``timestamp`` in ms, null where it has none, which only processing time allows."""

    @abstractmethod
    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """An event-time timer of the operator fires."""

    @abstractmethod
    def on_processing_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """A processing-time timer of the operator fires."""

    def visible_state(self) -> dict[str, dict[Any, Any]]:
        """What the keyed state holds, by state name and (key, namespace)."""
        return {name: dict(table.entries) for name, table in self.runtime.state.tables.items() if table.entries}

    def side_output_late(self, input: str, key: Key, timestamp: int, value: Any, rule: Rule | None) -> None:
        """Send a late record to the side output."""
        self.output.late += 1
        if self.trace is not None and rule is not None:
            place = f"{type(self).__name__}.side_output"
            self.trace.add(LateSideOutput(place, input, key, timestamp, value, rule))
        self._emit_record("late", input, key, timestamp, value)

    def drop_late(self, input: str, key: Key, timestamp: int, value: Any, rule: Rule | None) -> None:
        """Drop a late record and count it."""
        self.output.dropped += 1
        if self.trace is not None and rule is not None:
            place = f"{type(self).__name__}.process_element"
            self.trace.add(LateDropped(place, input, key, timestamp, value, rule))
        self._emit_record("dropped", input, key, timestamp, value)

    def _emit_record(self, kind: str, input: str, key: Key, timestamp: int, value: Any) -> None:
        row = {"row": kind, "input": input, "key": plain_key(key), "ts": timestamp, "value": value}
        self.output.emit(row, self.timers.current_watermark)
