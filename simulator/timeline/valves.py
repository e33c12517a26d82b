"""The table ``valves``: where the watermarks of several channels become one; in an interval join, one for each input.

Each valve forwards the minimum of the channels that count, as ``StatusWatermarkValve`` does; the operator's watermark
is the minimum over the inputs that are not idle. No event says what the valve of one input forwards, so it is computed
here from the channels; ``tests/timeline`` compare it with the engine's own.
"""

from dataclasses import dataclass

from tidemark.simulator.engine.trace.events import ChannelActive, ChannelAdvanced, ChannelIdle, Restored
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario.model import TwoInputs
from tidemark.simulator.timeline.channels import holder_of, watermark_of
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.folding import Folding, Handlers
from tidemark.simulator.timeline.ids import channel_id, valve_id

ALL_INPUTS = ""


@dataclass(slots=True)
class _Valve:
    """``sent``: the last watermark that it forwarded (ms)."""

    input: str
    channels: list[str]
    sent: int = MIN
    idle: bool = False


class ValveFacts:
    """One valve over all channels; in an interval join, one for each input."""

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        inputs = folding.scenario.inputs
        own = {each.name: [channel_id(each.name, number) for number in range(each.channels)] for each in inputs}
        if isinstance(folding.scenario.operator, TwoInputs):
            self._valves = [_Valve(name, channels) for name, channels in own.items()]
        else:
            self._valves = [_Valve(ALL_INPUTS, [id for channels in own.values() for id in channels])]
        self._of = {id: valve for valve in self._valves for id in valve.channels}
        self._show()

    def handlers(self) -> Handlers:
        """The events that this group handles, after the channels have: it reads their rows."""
        return {
            ChannelAdvanced: self._advanced,
            ChannelIdle: self._channel_idle,
            ChannelActive: self._channel_active,
            Restored: self._restored,
        }

    def _advanced(self, step: Step, event: ChannelAdvanced) -> None:
        valve = self._of[channel_id(event.input, event.channel)]
        self._send_minimum(valve)
        self._show()

    def _channel_idle(self, step: Step, event: ChannelIdle) -> None:
        """When the last active channel turns idle, and it held the valve, the furthest watermark is forwarded."""
        id = channel_id(event.input, event.channel)
        valve = self._of[id]
        held_back = watermark_of(self._facts, id) == valve.sent
        active = any(self._row(each)["status"] == "active" for each in valve.channels)
        if active and held_back:
            self._send_minimum(valve)
        elif not active:
            if held_back:
                valve.sent = max(valve.sent, *(watermark_of(self._facts, each) for each in valve.channels))
            valve.idle = True
        self._show()

    def _channel_active(self, step: Step, event: ChannelActive) -> None:
        self._of[channel_id(event.input, event.channel)].idle = False
        self._show()

    def _restored(self, step: Step, event: Restored) -> None:
        for valve in self._valves:
            valve.sent, valve.idle = MIN, False
        self._show()

    def _send_minimum(self, valve: _Valve) -> None:
        holder = holder_of(self._facts, valve.channels)
        if holder is not None:
            valve.sent = max(valve.sent, watermark_of(self._facts, holder))

    def _show(self) -> None:
        awake = [valve for valve in self._valves if not valve.idle]
        held_by = min(awake, key=lambda valve: valve.sent, default=None)
        for valve in self._valves:
            holder = holder_of(self._facts, valve.channels)
            id = valve_id(valve.input)
            columns = {
                "input": valve.input or None,
                "minimum": None if holder is None else _told(watermark_of(self._facts, holder)),
                "holder": holder,
                "watermark": _told(valve.sent),
                "idle": valve.idle,
                "holds": valve is held_by,
            }
            before = self._facts.get(id)
            if before is None or any(before[name] != value for name, value in columns.items()):
                self._facts.put("valves", id, **columns)

    def _row(self, id: str) -> Row:
        row = self._facts.get(id)
        assert row is not None
        return row


def _told(watermark: int) -> int | None:
    return None if watermark == MIN else watermark
