"""What makes watermarks: a strategy, which is frozen configuration, and the generator that each channel has of it.

A generator is given every record and asked for a watermark now and then; it keeps what it has seen. The strategy says
what others ask about the generator without running it: what is subtracted from the largest timestamp, the lowest
watermark, how often it is asked.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from tidemark.simulator.engine.trace.events import IdlenessProbed, MaxTimestampRaised, Rule
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.part import Part
from tidemark.simulator.engine.values.time import MIN, Milliseconds, wrap


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

    @abstractmethod
    def rule(self, watermark: int, last: int) -> Rule:
        """The rule by which ``watermark`` is emitted, given the ``last`` one (both ms)."""


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
    def is_conditional(self) -> bool:
        """Whether some records have no watermark, whatever their timestamps."""
        return False

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


# How a channel is found idle: a timer that looks only when it is probed.
#
# Source: ``WatermarksWithIdleness.IdlenessTimer``.


class IdlenessTimer:
    """Idle after more than ``timeout`` ms without a record, as the probes see it.

    The first probe after a record notices that there was one, the next starts the measurement, and only a later one can
    find the channel idle. So idleness shows up to three probes late.
    """

    def __init__(self, input: str, channel: int, timeout: int, trace: Trace | None = None) -> None:
        self.timeout = timeout
        self._input = input
        self._channel = channel
        self._trace = trace
        self._records = 0
        self._records_at_last_probe = 0
        self._inactive_since = 0
        self._told: tuple[bool, int] = (False, 0)

    def activity(self) -> None:
        """A record came."""
        self._records += 1

    def check_if_idle(self, now: int) -> bool:
        """Probe at ``now`` (ms). It is traced only if it finds something new, not at every tick of a long silence."""
        rule = None
        idle = False
        if self._records != self._records_at_last_probe:
            self._records_at_last_probe = self._records
            self._inactive_since = 0
        elif self._inactive_since == 0:
            self._inactive_since = now
        else:
            idle = now - self._inactive_since > self.timeout
            numbers = (("now", now), ("inactive_since", self._inactive_since), ("idle_timeout", self.timeout))
            rule = Rule("idle-timeout", "now - inactive_since > idle_timeout", numbers, idle)
        if self._trace is not None and self._told != (idle, self._inactive_since):
            self._told = (idle, self._inactive_since)
            place = "WatermarksWithIdleness.check_if_idle"
            self._trace.add(IdlenessProbed(place, self._input, self._channel, idle, rule))
        return idle


@dataclass(frozen=True, slots=True)
class NoWatermarks(WatermarkStrategy):
    """Records make no watermarks. Source: ``WatermarkStrategy.noWatermarks``."""

    type: ClassVar[str] = "none"
    has_bound: ClassVar[bool] = False
    makes_watermarks: ClassVar[bool] = False
    bound: ClassVar[int] = 0
    emit: ClassVar[int] = 0
    idle_timeout: ClassVar[int] = 0

    @property
    def takes_off(self) -> tuple[int, ...]:
        """Nothing."""
        return ()

    def create(self, input: str, channel: int, trace: Trace | None = None) -> WatermarkGenerator | None:
        """None."""
        return None


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
    """``WATERMARK FOR ts AS ts - bound``. Source: ``WatermarkAssignerOperator``.

    ``when``: a condition in SQL over the input's columns. Then it is ``CASE WHEN when THEN ts - bound END``, which is
    NULL for all other records.
    """

    type: ClassVar[str] = "sql"
    floor: ClassVar[int | None] = 1
    in_table_runtime: ClassVar[bool] = True
    bound: Milliseconds
    emit: Milliseconds = 0
    idle_timeout: Milliseconds = 0
    when: str | None = None

    @property
    def is_conditional(self) -> bool:
        """Whether there is a condition."""
        return self.when is not None

    @property
    def takes_off(self) -> tuple[int, ...]:
        """The bound."""
        return (self.bound,)

    def create(self, input: str, channel: int, trace: Trace | None = None) -> WatermarkGenerator:
        """The generator of one channel."""
        return SqlWatermarks(input, channel, self.bound, trace)
