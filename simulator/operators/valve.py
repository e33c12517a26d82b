"""The status watermark valve: many channels in, one watermark out.

The watermark of the operator is the minimum over the channels that are active and *aligned*. A channel that was idle
is aligned again only once its watermark has caught up with what the valve has sent already.
Source: ``StatusWatermarkValve`` of Flink 2.3.0.
"""

from collections.abc import Callable
from dataclasses import dataclass

from simulator.trace.events import ChannelActive, ChannelAdvanced, ChannelIdle, Rule, WatermarkIgnored
from simulator.trace.trace import Trace
from simulator.values.time import MIN


@dataclass(slots=True)
class Channel:
    """One upstream channel as the valve sees it; ``watermark`` in ms."""

    input: str
    number: int
    watermark: int = MIN
    active: bool = True
    aligned: bool = True


OnWatermark = Callable[[int, Channel], None]
"""Called with the new minimum (ms) and the first channel that stands at it."""


class StatusWatermarkValve:
    """The valve over ``channels``; ``on_status`` is told when all of them are idle (True) or no longer are."""

    def __init__(
        self,
        channels: list[Channel],
        on_watermark: OnWatermark,
        trace: Trace | None = None,
        on_status: Callable[[bool], None] | None = None,
    ) -> None:
        self.channels = channels
        self.last_output = MIN
        self._active = True
        self._on_watermark = on_watermark
        self._on_status = on_status
        self._trace = trace

    def input_watermark(self, watermark: int, channel: Channel) -> None:
        """A channel's watermark (ms). One that comes on an idle channel, or is not greater, is lost."""
        if not channel.active:
            self._ignore(watermark, channel, "idle")
            return
        if watermark <= channel.watermark:
            self._ignore(watermark, channel, "not-greater")
            return
        channel.watermark = watermark
        if not channel.aligned and watermark >= self.last_output:
            channel.aligned = True
        if self._trace is not None:
            place = "StatusWatermarkValve.input_watermark"
            self._trace.add(ChannelAdvanced(place, channel.input, channel.number, watermark, channel.aligned))
        if len(self.channels) == 1 and channel.aligned and watermark > self.last_output:
            self.last_output = watermark
            self._on_watermark(watermark, channel)
        else:
            self._output_new_minimum()

    def input_idle(self, channel: Channel, source: str) -> None:
        """A channel turns idle. The last one to do so lets the furthest watermark through, but only if it is itself
        the one that was held to the valve's last output."""
        if not channel.active:
            return
        channel.active = channel.aligned = False
        if self._trace is not None:
            place = "StatusWatermarkValve.input_watermark_status"
            self._trace.add(ChannelIdle(place, channel.input, channel.number, source))
        held_back = channel.watermark == self.last_output
        if any(each.active for each in self.channels):
            if held_back:
                self._output_new_minimum()
            return
        if held_back:
            furthest = max(self.channels, key=lambda each: each.watermark)
            self._output(furthest.watermark, furthest)
        self._set_active(False)

    def input_active(self, channel: Channel, source: str) -> None:
        """A channel turns active; nothing is sent before its next watermark."""
        if channel.active:
            return
        channel.active = True
        channel.aligned = channel.watermark >= self.last_output
        if self._trace is not None:
            place = "StatusWatermarkValve.input_watermark_status"
            self._trace.add(ChannelActive(place, channel.input, channel.number, source, channel.aligned))
        self._set_active(True)

    def _set_active(self, active: bool) -> None:
        if active != self._active:
            self._active = active
            if self._on_status is not None:
                self._on_status(not active)

    def _output_new_minimum(self) -> None:
        holder = None
        for channel in self.channels:
            if channel.aligned and (holder is None or channel.watermark < holder.watermark):
                holder = channel
        if holder is not None:
            self._output(holder.watermark, holder)

    def _output(self, watermark: int, holder: Channel) -> None:
        if watermark > self.last_output:
            self.last_output = watermark
            self._on_watermark(watermark, holder)

    def _ignore(self, watermark: int, channel: Channel, reason: str) -> None:
        if self._trace is None:
            return
        rule = None
        if reason == "not-greater":
            numbers = (("watermark", watermark), ("channel_watermark", channel.watermark))
            rule = Rule("watermark-not-greater", "watermark <= channel_watermark", numbers, True)
        place = "StatusWatermarkValve.input_watermark"
        self._trace.add(WatermarkIgnored(place, channel.input, channel.number, watermark, reason, rule))
