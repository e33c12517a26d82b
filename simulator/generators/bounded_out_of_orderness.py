"""Watermarks that lag behind the largest timestamp by a fixed bound."""

from dataclasses import dataclass
from typing import ClassVar

from tidemark.simulator.generators.base import WatermarkGenerator, WatermarkStrategy
from tidemark.simulator.trace.events import Rule
from tidemark.simulator.trace.trace import Trace
from tidemark.simulator.values.time import MIN, Milliseconds


class BoundedOutOfOrdernessWatermarks(WatermarkGenerator):
    """max timestamp − bound − 1 ms. With a bound of 0 ms it is ``AscendingTimestampsWatermarks``.

    Source: ``BoundedOutOfOrdernessWatermarks``.
    """

    place = "BoundedOutOfOrdernessWatermarks"

    def __init__(self, input: str, channel: int, bound: int, trace: Trace | None = None) -> None:
        super().__init__(input, channel, trace)
        self.bound = bound
        self._lag = bound + 1
        self._floor = MIN + self._lag

    def on_event_then_emit(self, timestamp: int) -> int | None:
        """The watermark moves with the largest timestamp alone."""
        newest = self.max_timestamp
        if newest is not None and timestamp <= newest:
            return None
        if self._trace is not None:
            self.on_event(timestamp)
        else:
            self.max_timestamp = timestamp
        return timestamp - self._lag if timestamp > self._floor else MIN

    def on_periodic_emit(self) -> int:
        """``Long.MIN_VALUE`` before the first record."""
        newest = self.max_timestamp
        if newest is None:
            return MIN
        return newest - self._lag if newest > self._floor else MIN

    def rule(self, watermark: int, last: int) -> Rule:
        """max_timestamp - bound - 1 > last."""
        assert self.max_timestamp is not None
        numbers = (("max_timestamp", self.max_timestamp), ("bound", self.bound), ("last", last))
        return Rule("bounded-watermark", "max_timestamp - bound - 1 > last", numbers, watermark > last)


@dataclass(frozen=True, slots=True)
class BoundedOutOfOrderness(WatermarkStrategy):
    """Watermarks that lag by ``bound``. Source: ``WatermarkStrategy.forBoundedOutOfOrderness``."""

    type: ClassVar[str] = "bounded-out-of-orderness"
    bound: Milliseconds
    emit: Milliseconds = 0
    idle_timeout: Milliseconds = 0

    @property
    def takes_off(self) -> tuple[int, ...]:
        """The bound and a millisecond."""
        return (self.bound, 1)

    def create(self, input: str, channel: int, trace: Trace | None = None) -> WatermarkGenerator:
        """The generator of one channel."""
        return BoundedOutOfOrdernessWatermarks(input, channel, self.bound, trace)


@dataclass(frozen=True, slots=True)
class MonotonousTimestamps(WatermarkStrategy):
    """The same without a bound. Source: ``WatermarkStrategy.forMonotonousTimestamps``."""

    type: ClassVar[str] = "monotonous"
    has_bound: ClassVar[bool] = False
    bound: ClassVar[int] = 0
    emit: Milliseconds = 0
    idle_timeout: Milliseconds = 0

    @property
    def takes_off(self) -> tuple[int, ...]:
        """A millisecond."""
        return (1,)

    def create(self, input: str, channel: int, trace: Trace | None = None) -> WatermarkGenerator:
        """The generator of one channel."""
        return BoundedOutOfOrdernessWatermarks(input, channel, self.bound, trace)
