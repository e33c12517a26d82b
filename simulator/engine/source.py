"""The source side of one channel: its generator, when that is asked, and what leaves for the valve.

Theory of operation
-------------------
A generator is asked for a watermark after each record, or at ticks of the clock (``emit_interval``). Whatever it
answers, the channel sends a watermark only if it is above the last one: the emitter compares, the generator need not.

Idleness is noticed at ticks alone. A channel that had no record for long enough is marked idle, and its generator is
not asked at such a tick. A record ends the period of inactivity, but does not make the channel active: the next
watermark does, and the status ACTIVE leaves just before it. A record that does not raise the watermark thus leaves the
channel idle, as in Flink.

Source: ``TimestampsAndWatermarksOperator`` with its ``WatermarkEmitter``, and ``WatermarksWithIdleness``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from tidemark.simulator.engine.generators import IdlenessTimer, SqlWatermarks, WatermarkGenerator
from tidemark.simulator.engine.operators.valve import Channel, StatusWatermarkValve
from tidemark.simulator.engine.timers import ProcessingTimeService
from tidemark.simulator.engine.trace.events import IdlenessProbed, RecordArrived, Rule, WatermarkEmitted, WatermarkNull
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.items import Record, key_of
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.versions import NEWEST_RULES, FlinkRules

IDLENESS_PROBE_INTERVAL: Final = 200
"""ms between idleness probes of a generator that does not emit periodically (Flink's autoWatermarkInterval)."""


def _nothing(timestamp: int) -> None:
    """The watermark of a channel without a generator: none."""


class ChannelSource:
    """The source of one channel. ``emit_interval`` in ms, 0 to ask the generator after each record.

    ``before_record``, where it is set, is called with each record that is about to go downstream. When the record has
    gone, ``ask`` is called with its timestamp (``MIN`` if there is none); it returns the watermark (ms) that may
    follow, for ``send``, or None. ``last_emitted`` is the last watermark (ms) that left; a new one must be above it.
    Source: ``TimestampsAndWatermarksOperator.processElement``.
    """

    lowest: ClassVar[int] = MIN
    """``last_emitted`` (ms) before the first watermark."""

    wakes_by_watermark: ClassVar[bool] = True
    """Whether a watermark that leaves makes an idle channel active. Where it does not, the valve loses it."""

    def __init__(
        self,
        channel: Channel,
        valve: StatusWatermarkValve,
        generator: WatermarkGenerator | None,
        *,
        emit_interval: int = 0,
        idleness: IdlenessTimer | None = None,
        trace: Trace | None = None,
    ) -> None:
        self.channel = channel
        self.generator = generator
        self.before_record: Callable[[Record], None] | None = None
        self.last_emitted = self.lowest
        self._valve = valve
        self._input_watermark = valve.input_watermark
        self._emit_interval = emit_interval
        self._on_event: Callable[[int], int | None] = _nothing
        if generator is not None:
            each_record = not emit_interval and not generator.is_punctuated
            self._on_event = generator.on_event_then_emit if each_record else generator.on_event
        self.ask = self._on_event if idleness is None else self._ask_after_activity
        self._idleness = idleness
        self._idle = False
        self._marked_idle = False
        self._trace = trace

    def open(self, clock: ProcessingTimeService) -> None:
        """Schedule the first periodic emission or idleness probe."""
        interval = self._emit_interval or (IDLENESS_PROBE_INTERVAL if self._idleness is not None else 0)
        if self.generator is None or not interval:
            return

        def tick(due: int) -> None:
            # The next tick is scheduled after this one's work, so it comes after any timer that the work has scheduled
            # for the same millisecond.
            self._on_periodic_emit(due)
            clock.schedule(due + interval, tick)

        clock.schedule(clock.now + interval, tick)

    @property
    def emitted(self) -> int | None:
        """The last watermark (ms) that left, None before the first."""
        return None if self.last_emitted == self.lowest else self.last_emitted

    def follow(self, timestamp: int) -> None:
        """A record of ``timestamp`` (ms) has gone downstream: the watermark that it causes, if any, follows it."""
        ask, pass_on = self.ask, self._input_watermark  # to call an attribute by way of ``self`` takes longer
        watermark = ask(timestamp)
        if watermark is None:
            return
        # The usual case is not left to ``send``, to spare a call: most streams send a watermark after each record.
        if self._idle or self._trace is not None:
            self.send(watermark)
        elif watermark > self.last_emitted:
            self.last_emitted = watermark
            pass_on(watermark, self.channel)

    def send(self, watermark: int) -> None:
        """Send ``watermark`` (ms), unless one as high has left before."""
        last = self.last_emitted
        if watermark <= last:
            return
        if self._idle and self.wakes_by_watermark:
            self._mark_active()
        self.last_emitted = watermark
        if self._trace is not None:
            self._trace_emitted(watermark, last, self._trace)
        self._input_watermark(watermark, self.channel)

    def end(self) -> None:
        """The channel has ended: it turns active if it was idle, and sends ``Long.MAX_VALUE``.

        If its generator has sent that before, nothing is sent, although the valve may have lost it.
        """
        # Active first: the valve ignores the watermarks of an idle channel.
        self._valve.input_active(self.channel, "end")
        if self._is_at_end():
            return
        self._idle = False
        if self.generator is not None:
            self.last_emitted = MAX
        if self._trace is not None:
            channel = self.channel
            place = "TimestampsAndWatermarksOperator.process_watermark"
            self._trace.add(WatermarkEmitted(place, channel.input, channel.number, MAX, "end"))
        self._valve.input_watermark(MAX, self.channel)

    def _is_at_end(self) -> bool:
        return self.last_emitted == MAX

    def _on_periodic_emit(self, now: int) -> None:
        """A tick. Source: ``TimestampsAndWatermarksOperator.onProcessingTime``."""
        assert self.generator is not None
        if self._idleness is not None and self._idleness.check_if_idle(now):
            if not self._marked_idle:
                self._marked_idle = True
                if not self._idle:
                    self._idle = True
                    self._valve.input_idle(self.channel, "generator")
            return  # an idle generator is not asked: WatermarksWithIdleness.onPeriodicEmit
        self.send(self.generator.on_periodic_emit())

    def _mark_active(self) -> None:
        """Make the channel active if its generator had marked it idle."""
        if self._idle:
            self._idle = False
            self._valve.input_active(self.channel, "generator")

    def _ask_after_activity(self, timestamp: int) -> int | None:
        """``ask``, where a record also ends a period of inactivity. The channel is idle until a watermark leaves."""
        assert self._idleness is not None
        watermark = self._on_event(timestamp)
        self._idleness.activity()
        self._marked_idle = False
        return watermark

    def _trace_emitted(self, watermark: int, last: int, trace: Trace) -> None:
        assert self.generator is not None  # nobody else makes watermarks here
        channel, rule = self.channel, self.generator.rule(watermark, last)
        place = "TimestampsAndWatermarksOperator.emit_watermark"
        trace.add(WatermarkEmitted(place, channel.input, channel.number, watermark, "generator", rule))


# The source side of one channel in Flink SQL: eager emission beyond the interval, and idleness of its own.
#
# Source: ``WatermarkAssignerOperator`` of the table runtime.

NO_ROWTIME: Final = "RowTime field should not be null, please convert it to a non-null long value."
"""The operator's message for a row without a rowtime."""

PROCESS_ELEMENT: Final = "WatermarkAssignerOperator.process_element"
"""Where it fails, and computes the watermark of a row."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of SQL over the columns of an input: its ``text``, what it computes, the ``columns`` it looks at."""

    text: str
    columns: tuple[str, ...]
    condition: Callable[[Mapping[str, Any]], bool | None]

    def looked_at(self, row: Mapping[str, Any]) -> tuple[str, dict[str, Any], str]:
        """``text``, the values of ``columns``, and ``FALSE`` or ``NULL``, for a row for which it is not TRUE."""
        values = {name: row.get(name) for name in self.columns}
        return self.text, values, "NULL" if self.condition(row) is None else "FALSE"


class SqlChannelSource(ChannelSource):
    """The source of one channel. ``emit_interval`` and ``idle_timeout`` in ms, 0 for none.

    Where ``when`` is not TRUE, the watermark of a record is NULL, and moves nothing.

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
        when: Condition | None = None,
        rules: FlinkRules = NEWEST_RULES,
        trace: Trace | None = None,
    ) -> None:
        super().__init__(channel, valve, generator, emit_interval=emit_interval, trace=trace)
        self.before_record, self.ask = self._before_record, self._ask_if_far_above
        self._sql = generator
        self._when = when
        self._row: Mapping[str, Any] = {}
        self._idle_timeout = idle_timeout
        self._counts_records = rules.idleness_counts_records
        self._keeps_record_times = not rules.idleness_ignores_record_times
        self._last_periodic_emit = 0
        self._idle_since = 0
        self._records = 0
        self._records_at_last_callback = -1

    def open(self, clock: ProcessingTimeService) -> None:
        """Schedule the first callback."""
        self._clock = clock
        self._last_periodic_emit = self._idle_since = clock.now
        period = self._emit_interval
        if self._counts_records:
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

    def _before_record(self, record: Record) -> None:
        """Make an idle channel active: here the record itself does so, before it goes downstream.

        Raises ``EngineFailure`` for a record without a timestamp.
        """
        self._records += 1
        if (self._idle and not self._counts_records) or self._keeps_record_times:
            self._idle_since = self._clock.now
        self._mark_active()
        if record.ts is None:
            if self._trace is not None:
                key, value = key_of(record.key), record.value
                self._trace.add(RecordArrived(PROCESS_ELEMENT, record.input, record.channel, key, None, value))
            raise EngineFailure("RuntimeException", NO_ROWTIME, PROCESS_ELEMENT)
        if self._when is not None:
            self._row = record.value

    def _ask_if_far_above(self, timestamp: int) -> int | None:
        """The watermark, where it is far enough above the last one to leave at once."""
        if self._when is None or self._when.condition(self._row):
            self._sql.on_event(timestamp)
        elif self._trace is not None:
            channel, looked_at = self.channel, self._when.looked_at(self._row)
            self._trace.add(WatermarkNull(PROCESS_ELEMENT, channel.input, channel.number, *looked_at))
        watermark = self._sql.current_watermark
        return watermark if watermark - self.last_emitted > self._emit_interval else None

    def _on_processing_time(self, now: int) -> None:
        if self._emit_interval and self._last_periodic_emit + self._emit_interval <= now:
            self._last_periodic_emit = now
            self.send(self._sql.on_periodic_emit())
        if not self._idle_timeout:
            return
        if self._counts_records and self._records != self._records_at_last_callback:
            self._records_at_last_callback = self._records
            self._idle_since = now
        if self._idle:
            return
        since, timeout = self._idle_since, self._idle_timeout
        idle = since + timeout <= now if self._counts_records else since + timeout < now
        if self._trace is not None and idle:
            formula = "idle_since + idle_timeout <= now" if self._counts_records else "idle_since + idle_timeout < now"
            numbers = (("idle_since", since), ("idle_timeout", timeout), ("now", now))
            rule = Rule("idle-timeout", formula, numbers, idle)
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
