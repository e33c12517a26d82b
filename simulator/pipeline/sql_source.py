"""The source side of one channel in Flink SQL: eager emission beyond the interval, and idleness of its own.

Source: ``WatermarkAssignerOperator`` of the table runtime.
"""

from typing import ClassVar, Final

from tidemark.simulator.generators.sql import SqlWatermarks
from tidemark.simulator.operators.valve import Channel, StatusWatermarkValve
from tidemark.simulator.pipeline.source import ChannelSource
from tidemark.simulator.timers.processing_time import ProcessingTimeService
from tidemark.simulator.trace.events import IdlenessProbed, Rule
from tidemark.simulator.trace.trace import Trace
from tidemark.simulator.values.errors import EngineFailure
from tidemark.simulator.values.time import MAX

NO_ROWTIME: Final = "RowTime field should not be null, please convert it to a non-null long value."
"""The operator's message for a row without a rowtime."""


class SqlChannelSource(ChannelSource):
    """The source of one channel. ``emit_interval`` and ``idle_timeout`` in ms, 0 for none.

    Without an interval every record that raises the watermark is followed by it. With one, a watermark leaves at a
    callback of the timer, or at once if it is more than the interval above the last one, although that compares event
    time with an interval of processing time.
    """

    lowest: ClassVar[int] = 0
    wakes_by_watermark: ClassVar[bool] = False

    def __init__(
        self,
        channel: Channel,
        valve: StatusWatermarkValve,
        generator: SqlWatermarks,
        *,
        emit_interval: int,
        idle_timeout: int,
        trace: Trace | None = None,
    ) -> None:
        super().__init__(channel, valve, generator, emit_interval=emit_interval, trace=trace)
        self.before_record, self.ask = self._before_record, self._ask_if_far_above
        self._sql = generator
        self._idle_timeout = idle_timeout
        self._last_periodic_emit = 0
        self._idle_since = 0
        self._records = 0
        self._records_at_last_callback = -1

    def open(self, clock: ProcessingTimeService) -> None:
        """Schedule the first callback."""
        self._last_periodic_emit = self._idle_since = clock.now
        period = callback_period(self._emit_interval, self._idle_timeout)
        if not period:
            return

        def callback(due: int) -> None:
            self._on_processing_time(due)
            clock.schedule(due + period, callback)

        clock.schedule(clock.now + period, callback)

    def end(self) -> None:
        """The channel has ended, and with it the generator."""
        super().end()
        self._sql.current_watermark = MAX

    def _is_at_end(self) -> bool:
        """Also true where the timer has not sent it yet. Source: ``WatermarkAssignerOperator.processWatermark``."""
        return self._sql.current_watermark == MAX

    def _before_record(self, timestamp: int | None) -> None:
        """Make an idle channel active: here the record itself does so, before it goes downstream.

        Raises ``EngineFailure`` for a record without a timestamp.
        """
        self._records += 1
        self._mark_active()
        if timestamp is None:
            raise EngineFailure("RuntimeException", NO_ROWTIME)

    def _ask_if_far_above(self, timestamp: int) -> int | None:
        """The watermark, where it is far enough above the last one to leave at once."""
        self._sql.on_event(timestamp)
        watermark = self._sql.current_watermark
        return watermark if watermark - self.last_emitted > self._emit_interval else None

    def _on_processing_time(self, now: int) -> None:
        if self._emit_interval and self._last_periodic_emit + self._emit_interval <= now:
            self._last_periodic_emit = now
            self.send(self._sql.current_watermark)
        if not self._idle_timeout:
            return
        if self._records != self._records_at_last_callback:
            self._records_at_last_callback = self._records
            self._idle_since = now
        if self._idle:
            return
        idle = self._idle_since + self._idle_timeout <= now
        if self._trace is not None and idle:
            numbers = (("idle_since", self._idle_since), ("idle_timeout", self._idle_timeout), ("now", now))
            rule = Rule("idle-timeout", "idle_since + idle_timeout <= now", numbers, idle)
            place = "WatermarkAssignerOperator.on_processing_time"
            self._trace.add(IdlenessProbed(place, self.channel.input, self.channel.number, idle, rule))
        if idle:
            self._idle = True
            self._valve.input_idle(self.channel, "generator")


def callback_period(emit_interval: int, idle_timeout: int) -> int:
    """The time between callbacks of the timer (ms), 0 for no timer. Source: ``WatermarkAssignerOperator.open``."""
    if not emit_interval or not idle_timeout:
        return emit_interval or idle_timeout
    smaller, larger = sorted((emit_interval, idle_timeout))
    return smaller if 5 * smaller < larger else max(smaller // 5, 1)
