"""The status watermark valve: many channels in, one watermark out.

Theory of operation
-------------------
The valve sends a watermark when it rises, never twice and never backwards. It is the minimum over the channels that
are *active* and *aligned*:

- An idle channel sends no records, so the others need not wait for it. Watermarks that arrive on it are lost.
- A channel that turns active again may be behind what the valve has sent already. It is not aligned until it has caught
  up: it may not pull the minimum back, and must not block the others while it tries.

The four inputs of the valve move it in this way:

- watermark: the channel moves, perhaps becomes aligned, and the minimum is computed again;
- idle, while other channels are active: the minimum is computed without the channel and may rise, but only if the
  channel was at the last output, for otherwise it held nobody back;
- idle, as the last active channel: nobody holds anything back any more, so the largest watermark of all channels is
  sent, but only if this channel was at the last output. Then the valve itself is idle;
- active: the valve is active again, and nothing is sent before the next watermark.

The condition on the last active channel is a peculiarity of the releases up to 2.3.0. FLINK-40475 removes it.

Source: ``StatusWatermarkValve`` of Flink 2.3.0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from tidemark.simulator.engine.trace.events import ChannelActive, ChannelAdvanced, ChannelIdle, Rule, WatermarkIgnored
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.engine.values.versions import FlinkRules


@dataclass(slots=True)
class Channel:
    """One upstream channel as the valve sees it; ``watermark`` in ms.

    ``aligned``: its watermark counts for the minimum. An idle channel is never aligned.
    """

    input: str
    number: int
    watermark: int = MIN
    active: bool = True
    aligned: bool = True


OnWatermark = Callable[[int, Channel], None]
"""Called with the new minimum (ms) and the first channel that stands at it."""


class StatusWatermarkValve:
    """The valve over ``channels``.

    ``on_watermark`` is called with each watermark sent, ``on_status`` with True when all channels are idle and with
    False when that is over.
    """

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
        self._is_single_untraced = len(channels) == 1 and trace is None

    def input_watermark(self, watermark: int, channel: Channel) -> None:
        """Take a channel's watermark (ms). One that is not greater, or comes on an idle channel, is lost.

        Source: ``StatusWatermarkValve.inputWatermark``.
        """
        # The usual case first: a single active channel is its own minimum, and aligned with itself.
        if self._is_single_untraced and watermark > channel.watermark and channel.active:
            channel.watermark = self.last_output = watermark
            on_watermark = self._on_watermark
            on_watermark(watermark, channel)
            return
        if not channel.active:
            self._ignore(watermark, channel, "idle")
            return
        if watermark <= channel.watermark:
            self._ignore(watermark, channel, "not-greater")
            return
        channel.watermark = watermark
        # Align before the minimum is computed: a channel that has just caught up takes part in it.
        if not channel.aligned and watermark >= self.last_output:
            channel.aligned = True
        if self._trace is not None:
            place = "StatusWatermarkValve.input_watermark"
            self._trace.add(ChannelAdvanced(place, channel.input, channel.number, watermark, channel.aligned))
        self._output_new_minimum()

    def input_idle(self, channel: Channel, source: str) -> None:
        """A channel turns idle. ``source``, for the trace: ``generator`` or ``stream``.

        Source: ``StatusWatermarkValve.inputWatermarkStatus``.
        """
        if not channel.active:
            return
        channel.active = channel.aligned = False
        if self._trace is not None:
            place = "StatusWatermarkValve.input_watermark_status"
            self._trace.add(ChannelIdle(place, channel.input, channel.number, source))
        # Only a channel at the last output can have held the others back. Flink asks this before either case below.
        held_back = channel.watermark == self.last_output
        if any(each.active for each in self.channels):
            if held_back:
                self._output_new_minimum()
            return
        if held_back:
            # The largest of all channels: what the idle ones had sent before is still known, and nothing waits now.
            furthest = max(self.channels, key=lambda each: each.watermark)
            self._output(furthest.watermark, furthest)
        # The status goes last: a watermark that came after it would make the input active again (CombinedWatermark).
        self._set_active(False)

    def input_active(self, channel: Channel, source: str) -> None:
        """A channel turns active; nothing is sent before its next watermark.

        ``source``, for the trace: ``generator``, ``stream`` or ``end``.
        Source: ``StatusWatermarkValve.inputWatermarkStatus``.
        """
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
        """Send the minimum over the aligned channels if it has risen; without any, nothing.

        Source: ``StatusWatermarkValve.findAndOutputNewMinWatermarkAcrossAlignedSubpartitions``.
        """
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


# Two inputs with a valve each, and the one watermark that the operator combines them into.
#
# Source: ``IndexedCombinedWatermarkStatus`` and ``CombinedWatermarkStatus`` of Flink 2.3.0 (with FLINK-38454);
# ``AbstractStreamOperator.processWatermark1`` and ``2`` before 1.14.

_WATERMARK: Final = attrgetter("watermark")


class PartialWatermark:
    """What one input sends: its ``watermark`` (ms), held there by ``holder``, and whether it is idle.

    Source: ``CombinedWatermarkStatus.PartialWatermark``.
    """

    __slots__ = ("_combined", "holder", "idle", "watermark")

    def __init__(self, combined: "CombinedWatermark") -> None:
        self.watermark = MIN
        self.idle = False
        self.holder: Channel | None = None
        self._combined = combined

    def update_watermark(self, watermark: int, holder: Channel) -> None:
        """The input has risen to ``watermark`` (ms), held there by ``holder``; it is no longer idle."""
        self.idle = False
        self.watermark = watermark
        self.holder = holder
        self._combined.update()

    def update_status(self, idle: bool) -> None:
        """The input turned idle or active."""
        self.idle = idle
        self._combined.update()


class CombinedWatermark:
    """The minimum over the ``inputs`` that are not idle; if all are idle, the maximum over them all."""

    def __init__(self, inputs: int, on_watermark: OnWatermark, rules: FlinkRules) -> None:
        self.combined = MIN
        self._rules = rules
        self.inputs = [PartialWatermark(self) for _ in range(inputs)]
        self._on_watermark = on_watermark

    def update(self) -> None:
        """Send the combined watermark if it has risen."""
        chosen = None
        for partial in self.inputs:
            idle = partial.idle and self._rules.idle_inputs_are_left_out
            if not idle and (chosen is None or partial.watermark < chosen.watermark):
                chosen = partial
        if chosen is None:
            if not self._rules.all_idle_inputs_send_maximum:
                return
            chosen = max(self.inputs, key=_WATERMARK)
        if chosen.watermark > self.combined and chosen.holder is not None:
            self.combined = chosen.watermark
            self._on_watermark(chosen.watermark, chosen.holder)
