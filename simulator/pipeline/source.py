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
from typing import ClassVar, Final

from tidemark.simulator.generators.base import WatermarkGenerator
from tidemark.simulator.generators.idleness import IdlenessTimer
from tidemark.simulator.operators.valve import Channel, StatusWatermarkValve
from tidemark.simulator.timers.processing_time import ProcessingTimeService
from tidemark.simulator.trace.events import WatermarkEmitted
from tidemark.simulator.trace.trace import Trace
from tidemark.simulator.values.time import MAX, MIN

IDLENESS_PROBE_INTERVAL: Final = 200
"""ms between idleness probes of a generator that does not emit periodically (Flink's autoWatermarkInterval)."""


def _nothing(timestamp: int) -> None:
    """The watermark of a channel without a generator: none."""


class ChannelSource:
    """The source of one channel. ``emit_interval`` in ms, 0 to ask the generator after each record.

    ``before_record``, where it is set, is called with the timestamp (ms, None if there is none) of each record that is
    about to go downstream. When the record has gone, ``ask`` is called with its timestamp (``MIN`` if there is none);
    it returns the watermark (ms) that may follow, for ``send``, or None. ``last_emitted`` is the last watermark (ms)
    that left; a new one must be above it.
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
        self.before_record: Callable[[int | None], None] | None = None
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
