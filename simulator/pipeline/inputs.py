"""The inputs of the operator: their channels, and the valves that combine these into one watermark."""

from collections.abc import Mapping

from tidemark.simulator.operators.combined_watermark import CombinedWatermark
from tidemark.simulator.operators.valve import Channel, OnWatermark, StatusWatermarkValve
from tidemark.simulator.trace.trace import Trace


class Inputs:
    """Either one valve over the channels of all inputs, or one valve for each input and a combination of these.

    A window join reads the union of its inputs, so a single valve serves all channels. An interval join is a two-input
    operator (``valve_per_input``): each input has a valve, and the operator combines the two.
    """

    def __init__(
        self,
        channels: Mapping[str, int],
        on_watermark: OnWatermark,
        trace: Trace | None,
        *,
        valve_per_input: bool,
    ) -> None:
        by_input = {name: [Channel(name, number) for number in range(count)] for name, count in channels.items()}
        self.channels = [channel for each in by_input.values() for channel in each]
        self._valves: dict[str, StatusWatermarkValve] = {}
        if not valve_per_input:
            valve = StatusWatermarkValve(self.channels, on_watermark, trace)
            self._valves = dict.fromkeys(by_input, valve)
            return
        combined = CombinedWatermark(len(by_input), on_watermark)
        for partial, (name, own) in zip(combined.inputs, by_input.items(), strict=True):
            self._valves[name] = StatusWatermarkValve(own, partial.update_watermark, trace, partial.update_status)

    def valve_of(self, channel: Channel) -> StatusWatermarkValve:
        """The valve to which the watermarks and statuses of ``channel`` go."""
        return self._valves[channel.input]
