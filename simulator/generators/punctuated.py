"""A watermark from every single record."""

from dataclasses import dataclass
from typing import ClassVar

from tidemark.simulator.generators.base import WatermarkGenerator, WatermarkStrategy
from tidemark.simulator.trace.events import Rule
from tidemark.simulator.trace.trace import Trace
from tidemark.simulator.values.time import MIN, Milliseconds, wrap


class PunctuatedWatermarks(WatermarkGenerator):
    """timestamp − bound, without the millisecond that the bounded generator subtracts.

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


@dataclass(frozen=True, slots=True)
class Punctuated(WatermarkStrategy):
    """Each record offers a watermark of its own. Source: ``AssignerWithPunctuatedWatermarks``."""

    type: ClassVar[str] = "punctuated"
    every_record: ClassVar[bool] = True
    emit: ClassVar[int] = 0
    bound: Milliseconds
    idle_timeout: Milliseconds = 0

    @property
    def takes_off(self) -> tuple[int, ...]:
        """The bound."""
        return (self.bound,)

    def create(self, input: str, channel: int, trace: Trace | None = None) -> WatermarkGenerator:
        """The generator of one channel."""
        return PunctuatedWatermarks(input, channel, self.bound, trace)
