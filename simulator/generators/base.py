"""What makes watermarks: a strategy, which is frozen configuration, and the generator that each channel has of it.

A generator is given every record and asked for a watermark now and then; it keeps what it has seen. The strategy says
what others ask about the generator without running it: what is subtracted from the largest timestamp, the lowest
watermark, how often it is asked.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

from tidemark.simulator.trace.events import MaxTimestampRaised, Rule
from tidemark.simulator.trace.trace import Trace
from tidemark.simulator.values.part import Part


class WatermarkGenerator(ABC):
    """Makes the watermarks of one channel. It is not checkpointed: after a restore it starts again from nothing.

    ``max_timestamp`` (ms) is the largest timestamp seen, None before the first record.
    Source: ``WatermarkGenerator``.
    """

    place = ""
    is_punctuated: ClassVar[bool] = False
    """Whether records themselves make the watermarks, so that the source need not ask after each record."""

    def __init__(self, input: str, channel: int, trace: Trace | None = None) -> None:
        self.input = input
        self.channel = channel
        self.max_timestamp: int | None = None
        self._trace = trace

    def on_event(self, timestamp: int) -> int | None:
        """A record of ``timestamp`` (ms) went downstream; returns a watermark if the generator makes one at once."""
        before = self.max_timestamp
        if before is None or timestamp > before:
            self.max_timestamp = timestamp
            if self._trace is not None:
                place = f"{self.place}.on_event"
                self._trace.add(MaxTimestampRaised(place, self.input, self.channel, before, timestamp))
        return None

    def on_event_then_emit(self, timestamp: int) -> int | None:
        """``on_event``, then ``on_periodic_emit``: for sources that ask after each record.

        None if neither has a new watermark.
        """
        self.on_event(timestamp)
        return self.on_periodic_emit()

    @abstractmethod
    def on_periodic_emit(self) -> int:
        """The current watermark (ms); ``Long.MIN_VALUE`` for none."""

    def rule(self, watermark: int, last: int) -> Rule:
        """The rule by which ``watermark`` is emitted, given the ``last`` one (both ms)."""
        numbers = (("watermark", watermark), ("last", last))
        return Rule("watermark-above-last", "watermark > last", numbers, watermark > last)


class WatermarkStrategy(Part, ABC):
    """How the channels of an input make watermarks. Source: ``WatermarkStrategy``.

    ``type`` is what ``generator`` says in a scenario. All strategies have three numbers (ms), 0 where they cannot be
    given: ``bound``; ``emit``, the interval at which the generator is asked, 0 (``EACH_RECORD``) for after each record;
    ``idle_timeout``, after how long without a record a channel is idle, 0 for never.
    """

    __slots__ = ()

    family: ClassVar[str] = "generators"

    has_bound: ClassVar[bool] = True
    """Whether ``bound`` can be given."""

    makes_watermarks: ClassVar[bool] = True
    """Whether there is a generator; without one watermarks stand in the stream."""

    every_record: ClassVar[bool] = False
    """Whether each record offers a watermark of its own, whatever came before."""

    floor: ClassVar[int | None] = None
    """The lowest watermark that is ever sent; None if there is no such bound."""

    in_table_runtime: ClassVar[bool] = False
    """Whether the source is the table runtime's (``SqlSource``), which asks the generator in a way of its own."""

    @property
    @abstractmethod
    def takes_off(self) -> tuple[int, ...]:
        """What is subtracted from the largest timestamp (the record's own, if ``every_record``), term by term."""

    @property
    def ahead(self) -> int:
        """A record of timestamp ``watermark + ahead`` is the earliest by which a channel sends ``watermark``."""
        return sum(self.takes_off)

    @abstractmethod
    def create(self, input: str, channel: int, trace: Trace | None = None) -> WatermarkGenerator | None:
        """The generator of one channel; None where there is none."""
