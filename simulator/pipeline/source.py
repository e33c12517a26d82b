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

from collections.abc import Callable
from typing import Final

from simulator.generators.base import WatermarkGenerator
from simulator.generators.idleness import IdlenessTimer
from simulator.operators.valve import Channel, StatusWatermarkValve
from simulator.timers.processing_time import ProcessingTimeService
from simulator.trace.events import WatermarkEmitted
from simulator.trace.trace import Trace
from simulator.values.time import MAX, MIN

IDLENESS_PROBE_INTERVAL: Final = 200
"""ms between idleness probes of a generator that does not emit periodically (Flink's autoWatermarkInterval)."""


def _nothing(timestamp: int) -> None:
    """The watermark of a channel without a generator: none."""


class ChannelSource:
    """The source of one channel. ``emit_interval`` in ms, 0 to ask the generator after each record.

    ``before_record``, where it is set, is called with the timestamp (ms, None if there is none) of each record that is
    about to go downstream. ``emitted`` is the last watermark (ms) that left, None before the first; a new one must be
    above ``last_emitted``.
    """

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
        self.before_record: Callable[[int | None], None] | None = None
        self.emitted: int | None = None
        self.last_emitted = MIN
        self._valve = valve
        self._input_watermark = valve.input_watermark
        self._emit_interval = emit_interval
        self._ask: Callable[[int], int | None] = _nothing
        if generator is not None:
            each_record = not emit_interval and not generator.is_punctuated
            self._ask = generator.on_event_then_emit if each_record else generator.on_event
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

    def after_record(self, timestamp: int) -> None:
        """The record of ``timestamp`` (ms) went downstream; its watermark may follow.

        Source: ``TimestampsAndWatermarksOperator.processElement``.
        """
        watermark = self._ask(timestamp)
        if self._idleness is not None:
            self._idleness.activity()
            self._marked_idle = False  # a new period of inactivity may begin; ``_idle`` stays until a watermark leaves
        if watermark is None or watermark <= self.last_emitted:
            return
        if self._idle or self._trace is not None:
            self._mark_active()
            self._emit(watermark)
        else:
            self.emitted = self.last_emitted = watermark
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
            self.emitted = self.last_emitted = MAX
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
        watermark = self.generator.on_periodic_emit()
        if watermark > self.last_emitted:
            self._mark_active()
            self._emit(watermark)

    def _mark_active(self) -> None:
        """Make the channel active if its generator had marked it idle."""
        if self._idle:
            self._idle = False
            self._valve.input_active(self.channel, "generator")

    def _emit(self, watermark: int) -> None:
        """Send ``watermark`` (ms), which is above the last one, to the valve."""
        channel = self.channel
        last = self.last_emitted
        self.emitted = self.last_emitted = watermark
        if self._trace is not None and self.generator is not None:
            rule = self.generator.rule(watermark, last)
            place = "TimestampsAndWatermarksOperator.emit_watermark"
            self._trace.add(WatermarkEmitted(place, channel.input, channel.number, watermark, "generator", rule))
        self._valve.input_watermark(watermark, channel)
