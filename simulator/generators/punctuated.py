"""A watermark offered by every single record."""

from typing import ClassVar

from simulator.generators.base import WatermarkGenerator
from simulator.trace.events import Rule
from simulator.trace.trace import Trace
from simulator.values.time import MIN, wrap


class PunctuatedWatermarks(WatermarkGenerator):
    """timestamp − bound, without the millisecond that the bounded generator takes off.

    Source: ``AssignerWithPunctuatedWatermarks`` as the connected-car example writes it.
    """

    is_punctuated: ClassVar[bool] = True
    place = "AssignerWithPunctuatedWatermarks"

    def __init__(self, input: str, channel: int, bound: int, trace: Trace | None = None) -> None:
        super().__init__(input, channel, trace)
        self.bound = bound
        self._timestamp = MIN

    def on_event(self, timestamp: int) -> int | None:
        """The record's own watermark."""
        super().on_event(timestamp)
        self._timestamp = timestamp
        return wrap(timestamp - self.bound)

    def on_periodic_emit(self) -> int:
        """Nothing: only records make watermarks."""
        return MIN

    def rule(self, watermark: int, last: int) -> Rule:
        """timestamp - bound > last."""
        numbers = (("timestamp", self._timestamp), ("bound", self.bound), ("last", last))
        return Rule("punctuated-watermark", "timestamp - bound > last", numbers, watermark > last)
