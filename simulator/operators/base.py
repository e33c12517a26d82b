"""What every operator has: a timer service, and the callbacks that drive it.

An operator does nothing on its own account. It is called, reads no clock but the one that it was given, and uses no
randomness and no input or output.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from tidemark.simulator.operators.runtime import OperatorRuntime
from tidemark.simulator.timers.timer_service import InternalTimerService
from tidemark.simulator.trace.events import LateDropped, LateSideOutput, Rule
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.window import Namespace


class Operator(ABC):
    """A keyed operator with a timer service. Source: ``AbstractStreamOperator``."""

    keeps_watermark: ClassVar[bool] = False
    """Whether a checkpoint holds the watermark, so that a restore brings it back."""

    buffers: ClassVar[bool] = False
    """Whether a watermark is announced before it fires timers (``advance_progress``)."""

    def __init__(self, runtime: OperatorRuntime) -> None:
        self.runtime = runtime
        self.trace = runtime.trace
        self.clock = runtime.clock
        self.output = runtime.output
        self.timers = InternalTimerService(self, runtime.clock, runtime.trace)

    @abstractmethod
    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Work on a record of ``input``. ``timestamp`` in ms; None, which only processing time allows, if it has none.

        Raises ``EngineFailure`` where Flink's operator throws.
        """

    def process_delete(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Work on a record that ends what the one before it has begun: only a versioned side has such records."""
        raise TypeError(f"{type(self).__name__} takes no deletes")

    @abstractmethod
    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """An event-time timer of the operator fires."""

    @abstractmethod
    def on_processing_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """A processing-time timer of the operator fires."""

    def prepare_checkpoint(self) -> None:  # noqa: B027 - most operators have nothing to do
        """A checkpoint is about to be taken. Raises ``EngineFailure`` where Flink's operator throws.

        Source: ``AbstractStreamOperator.prepareSnapshotPreBarrier``.
        """

    def restored(self) -> None:  # noqa: B027 - most operators remember nothing
        """State and timers are those of a checkpoint again; forget what was remembered beside them."""

    def advance_progress(self, progress: int) -> None:  # noqa: B027 - only where rows are buffered
        """The watermark is about to rise to ``progress`` (ms); called where ``buffers``. Raises ``EngineFailure``."""

    def watermark_restored(self, watermark: int) -> None:  # noqa: B027 - most operators ask the timer service
        """The watermark (ms) of a checkpoint is the operator's again."""

    def visible_state(self) -> dict[str, dict[Any, Any]]:
        """The keyed state as a reader sees it: state name → (key, namespace) → value; no empty tables."""
        tables = ((name, table.entries) for name, table in self.runtime.state.tables.items())
        return {name: entries for name, entries in tables if entries}

    def side_output_late(self, input: str, key: Key, timestamp: int, value: Any, rule: Rule | None) -> None:
        """Send a late record to the side output."""
        self.output.late += 1
        if self.trace is not None and rule is not None:
            place = f"{type(self).__name__}.side_output"
            self.trace.add(LateSideOutput(place, input, key, timestamp, value, rule))
        self.output.emit_lost("late", input, key, timestamp, value, self.timers.current_watermark)

    def drop_late(self, input: str, key: Key, timestamp: int, value: Any, rule: Rule | None) -> None:
        """Drop a late record and count it."""
        self.output.dropped += 1
        if self.trace is not None and rule is not None:
            place = f"{type(self).__name__}.process_element"
            self.trace.add(LateDropped(place, input, key, timestamp, value, rule))
        self.output.emit_lost("dropped", input, key, timestamp, value, self.timers.current_watermark)
