"""The watermarks of Flink SQL's ``WATERMARK FOR ts AS ts - INTERVAL …``."""

from dataclasses import dataclass
from typing import ClassVar

from tidemark.simulator.generators.base import WatermarkGenerator, WatermarkStrategy
from tidemark.simulator.trace.events import Rule
from tidemark.simulator.trace.trace import Trace
from tidemark.simulator.values.time import Milliseconds, wrap


class SqlWatermarks(WatermarkGenerator):
    """The running maximum of timestamp − bound, which starts at 0: nothing below 1 is ever emitted.

    Source: ``WatermarkAssignerOperator`` of the table runtime.
    """

    place = "WatermarkAssignerOperator"

    def __init__(self, input: str, channel: int, bound: int, trace: Trace | None = None) -> None:
        super().__init__(input, channel, trace)
        self.bound = bound
        self.current_watermark = 0

    def on_event(self, timestamp: int) -> int | None:
        """Raises the watermark; the source decides whether it leaves at once."""
        super().on_event(timestamp)
        self.current_watermark = max(self.current_watermark, wrap(timestamp - self.bound))
        return None

    def on_periodic_emit(self) -> int:
        """The current watermark."""
        return self.current_watermark

    def rule(self, watermark: int, last: int) -> Rule:
        """timestamp - bound > last, by the largest timestamp."""
        assert self.max_timestamp is not None
        numbers = (("max_timestamp", self.max_timestamp), ("bound", self.bound), ("last", last))
        return Rule("sql-watermark", "max_timestamp - bound > last", numbers, watermark > last)


@dataclass(frozen=True, slots=True)
class SqlWatermark(WatermarkStrategy):
    """``WATERMARK FOR ts AS ts - bound``. Source: ``WatermarkAssignerOperator``."""

    type: ClassVar[str] = "sql"
    floor: ClassVar[int | None] = 1
    in_table_runtime: ClassVar[bool] = True
    bound: Milliseconds
    emit: Milliseconds = 0
    idle_timeout: Milliseconds = 0

    @property
    def takes_off(self) -> tuple[int, ...]:
        """The bound."""
        return (self.bound,)

    def create(self, input: str, channel: int, trace: Trace | None = None) -> WatermarkGenerator:
        """The generator of one channel."""
        return SqlWatermarks(input, channel, self.bound, trace)
