"""The source side of one channel: its generator, when it is asked, and what leaves for the valve.

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
"""ms between probes where the generator has no periodic emission of its own (Flink's autoWatermarkInterval)."""


def _nothing(timestamp: int) -> None:
    """What a channel without a generator sends after a record."""


class Source:
    """One channel. ``emit_interval`` in ms, 0 to ask after each record.

    ``before_record`` is called, where there is one, with the timestamp of a record (null if it has none) that is about
    to go downstream. ``emitted`` (ms) is the
    last watermark that left, None before the first; a new one must be above ``last_emitted``.
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
            self._on_periodic_emit(due)
            clock.schedule(due + interval, tick)

        clock.schedule(clock.now + interval, tick)

    def after_record(self, timestamp: int) -> None:
        """The record of ``timestamp`` (ms) went downstream; it may be followed by its watermark."""
        watermark = self._ask(timestamp)
        if self._idleness is not None:
            self._idleness.activity()
            self._marked_idle = False
        if watermark is None or watermark <= self.last_emitted:
            return
        if self._idle or self._trace is not None:
            self._mark_active()
            self._emit(watermark)
        else:
            self.emitted = self.last_emitted = watermark
            self._input_watermark(watermark, self.channel)

    def end(self) -> None:
        """The channel has ended: it turns active if it was idle and sends ``Long.MAX_VALUE``.

        A generator that has come so far by itself says nothing more, though what it had sent may have been lost.
        """
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
        assert self.generator is not None
        if self._idleness is not None and self._idleness.check_if_idle(now):
            if not self._marked_idle:
                self._marked_idle = True
                if not self._idle:
                    self._idle = True
                    self._valve.input_idle(self.channel, "generator")
            return
        watermark = self.generator.on_periodic_emit()
        if watermark > self.last_emitted:
            self._mark_active()
            self._emit(watermark)

    def _mark_active(self) -> None:
        """A channel that the generator had marked idle is no longer."""
        if self._idle:
            self._idle = False
            self._valve.input_active(self.channel, "generator")

    def _emit(self, watermark: int) -> None:
        """Send a watermark on."""
        channel = self.channel
        last = self.last_emitted
        self.emitted = self.last_emitted = watermark
        if self._trace is not None and self.generator is not None:
            rule = self.generator.rule(watermark, last)
            place = "TimestampsAndWatermarksOperator.emit_watermark"
            self._trace.add(WatermarkEmitted(place, channel.input, channel.number, watermark, "generator", rule))
        self._valve.input_watermark(watermark, channel)
