"""What a watermark generator is: one per channel, told of every record, asked for a watermark now and then."""

from abc import ABC, abstractmethod
from typing import ClassVar

from simulator.trace.events import MaxTimestampRaised, Rule
from simulator.trace.trace import Trace


class WatermarkGenerator(ABC):
    """Makes the watermarks of one channel. Not checkpointed: after a restore it starts anew.

    ``max_timestamp`` (ms) is the largest timestamp seen, None before the first record.
    Source: ``WatermarkGenerator``.
    """

    place = ""
    is_punctuated: ClassVar[bool] = False
    """Whether records make the watermarks, so that nobody asks for one after each record."""

    def __init__(self, input: str, channel: int, trace: Trace | None = None) -> None:
        self.input = input
        self.channel = channel
        self.max_timestamp: int | None = None
        self._trace = trace

    def on_event(self, timestamp: int) -> int | None:
        """A record of ``timestamp`` (ms) went downstream; gives a watermark if the generator makes one at once."""
        before = self.max_timestamp
        if before is None or timestamp > before:
            self.max_timestamp = timestamp
            if self._trace is not None:
                place = f"{self.place}.on_event"
                self._trace.add(MaxTimestampRaised(place, self.input, self.channel, before, timestamp))
        return None

    def on_event_then_emit(self, timestamp: int) -> int | None:
        """``on_event``, then ``on_periodic_emit``: for those who ask after each record. None where neither has news."""
        self.on_event(timestamp)
        return self.on_periodic_emit()

    @abstractmethod
    def on_periodic_emit(self) -> int:
        """The watermark (ms) as it stands; ``Long.MIN_VALUE`` for none."""

    def rule(self, watermark: int, last: int) -> Rule:
        """Why ``watermark`` comes out, given the ``last`` one emitted (ms)."""
        numbers = (("watermark", watermark), ("last", last))
        return Rule("watermark-above-last", "watermark > last", numbers, watermark > last)
