"""The tables ``clock``, ``watermark``, ``channels`` and ``valves``: time as the operator receives it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidemark.simulator.engine.trace.events import (
    ChannelActive,
    ChannelAdvanced,
    ChannelIdle,
    ClockAdvanced,
    InputWatermarkMoved,
    MaxTimestampRaised,
    Restored,
    WatermarkCombined,
    WatermarkEmitted,
    WatermarkKept,
    WatermarkMoved,
    WatermarkRestored,
)
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.timeline.facts import Facts, Folding, Handlers
from tidemark.simulator.timeline.ids import channel_id, valve_id


class _ChannelRows:
    """What the channels of both engines have in common: their rows, and which of them decides the watermark."""

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._arrival = folding.arrival
        self._facts.put("clock", "clock", value=folding.scenario.origin)

    def _put_channel(self, input: str, number: int, *, watermark: int | None, aligned: bool, holds: bool) -> None:
        """The channel as it is before its first record."""
        self._facts.put(
            "channels",
            channel_id(input, number),
            input=input,
            channel=number,
            watermark=watermark,
            status="active",
            aligned=aligned,
            max_timestamp=None,
            max_item=None,
            max_step=None,
            max_at=None,
            emitted=None,
            watermark_step=None,
            watermark_at=None,
            holds=holds,
        )

    def _max_timestamp_raised(self, step: Step, event: MaxTimestampRaised) -> None:
        where = {"max_item": step.item, "max_step": step.step, "max_at": step.at}
        self._facts.change("channels", channel_id(event.input, event.channel), max_timestamp=event.after, **where)

    def _mark(self, holder: str | None) -> None:
        """Mark the channel that holds the watermark."""
        for id, row in self._facts.save(("channels",)).items():
            if row["holds"] != (id == holder):
                self._facts.change("channels", id, holds=id == holder)


class ChannelFacts(_ChannelRows):
    """Time as the operator receives it: the clock, each channel's watermark, and the operator's own."""

    def __init__(self, folding: Folding) -> None:
        super().__init__(folding)
        inputs = folding.scenario.inputs
        self._makes_watermarks = {each.name: each.watermark.makes_watermarks for each in inputs}
        self._channels = [channel_id(each.name, number) for each in inputs for number in range(each.channels)]
        self._inputs = inputs
        self._begin(None)

    def _begin(self, arrival: int | None) -> None:
        """No watermark yet, all channels active: how a run starts, and how it starts again after a restore."""
        self._facts.put("watermark", "watermark", value=None, arrival=arrival, before=None)
        for each in self._inputs:
            for number in range(each.channels):
                self._put_channel(each.name, number, watermark=None, aligned=True, holds=False)
        self._mark_holder()

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            ClockAdvanced: self._clock_advanced,
            WatermarkCombined: self._combined,
            MaxTimestampRaised: self._max_timestamp_raised,
            WatermarkEmitted: self._emitted,
            ChannelAdvanced: self._advanced,
            ChannelIdle: self._idle,
            ChannelActive: self._active,
            Restored: lambda step, event: self._begin(self._arrival(step)),
            WatermarkRestored: self._watermark_restored,
        }

    def _clock_advanced(self, step: Step, event: ClockAdvanced) -> None:
        self._facts.put("clock", "clock", value=event.after)

    def _combined(self, step: Step, event: WatermarkCombined) -> None:
        self._facts.put("watermark", "watermark", value=event.ts, arrival=self._arrival(step), before=event.before)

    def _watermark_restored(self, step: Step, event: WatermarkRestored) -> None:
        self._facts.put("watermark", "watermark", value=event.ts, arrival=self._arrival(step), before=None)

    def _emitted(self, step: Step, event: WatermarkEmitted) -> None:
        if event.source == "stream" or not self._makes_watermarks[event.input]:
            return  # written in the stream: it bypasses the generator
        self._facts.change("channels", channel_id(event.input, event.channel), emitted=event.ts)

    def _advanced(self, step: Step, event: ChannelAdvanced) -> None:
        id = channel_id(event.input, event.channel)
        columns = {"watermark_step": step.step, "watermark_at": step.at}
        self._facts.change("channels", id, watermark=event.ts, aligned=event.aligned, **columns)
        self._mark_holder()

    def _idle(self, step: Step, event: ChannelIdle) -> None:
        self._facts.change("channels", channel_id(event.input, event.channel), status="idle", aligned=False)
        self._mark_holder()

    def _active(self, step: Step, event: ChannelActive) -> None:
        id = channel_id(event.input, event.channel)
        self._facts.change("channels", id, status="active", aligned=event.aligned)
        self._mark_holder()

    def _mark_holder(self) -> None:
        """Mark the channel that holds the watermark: the first at the minimum of those that count."""
        self._mark(holder_of(self._facts, self._channels))


def holder_of(facts: Facts, channels: Sequence[str]) -> str | None:
    """The first of ``channels`` at the minimum of those that count, which are the aligned ones; None if none counts."""
    counting = [id for id in channels if facts.row(id)["aligned"]]
    return min(counting, key=lambda id: watermark_of(facts, id), default=None)


def watermark_of(facts: Facts, channel: str) -> int:
    """The channel's watermark (ms); ``Long.MIN_VALUE`` while it has none, as in ``StatusWatermarkValve``."""
    watermark: int | None = facts.row(channel)["watermark"]
    return MIN if watermark is None else watermark


# The table ``valves``: where the watermarks of several channels become one; in an interval join, one for each
# input.
#
# Each valve forwards the minimum of the channels that count, as ``StatusWatermarkValve`` does; the operator's
# watermark is the minimum over the inputs that are not idle. No event says what the valve of one input forwards, so
# it is computed here from the channels; ``tests/timeline`` compare it with the engine's own.

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
        if folding.scenario.operator.combines_watermarks:
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
        active = any(self._facts.row(each)["status"] == "active" for each in valve.channels)
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
                "minimum": None if holder is None else _or_none(watermark_of(self._facts, holder)),
                "holder": holder,
                "watermark": _or_none(valve.sent),
                "idle": valve.idle,
                "holds": valve is held_by,
            }
            before = self._facts.get(id)
            if before is None or any(before[name] != value for name, value in columns.items()):
                self._facts.put("valves", id, **columns)


def _or_none(watermark: int) -> int | None:
    return None if watermark == MIN else watermark


VALVE: Final = valve_id("")


class InputFacts(_ChannelRows):
    """An input has one channel. ``watermark`` is its own; None if the input has none, and then none of it is late."""

    def __init__(self, folding: Folding) -> None:
        super().__init__(folding)
        self._facts.put("watermark", "watermark", value=0, arrival=None, before=None)
        inputs = folding.scenario.inputs
        first = next((each.name for each in inputs if each.delay is not None), None)
        for each in inputs:
            marked = each.delay is not None
            watermark = 0 if marked else None
            self._put_channel(each.name, 0, watermark=watermark, aligned=marked, holds=each.name == first)
        holder = None if first is None else channel_id(first, 0)
        self._facts.put(
            "valves", VALVE, input=None, minimum=None, holder=holder, watermark=None, idle=False, holds=True
        )

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            MaxTimestampRaised: self._max_timestamp_raised,
            InputWatermarkMoved: self._input_moved,
            WatermarkMoved: self._moved,
            WatermarkKept: self._kept,
        }

    def _input_moved(self, step: Step, event: InputWatermarkMoved) -> None:
        columns = {"emitted": event.ts, "watermark_step": step.step, "watermark_at": step.at}
        self._facts.change("channels", channel_id(event.input, 0), watermark=event.ts, **columns)

    def _moved(self, step: Step, event: WatermarkMoved) -> None:
        self._facts.put("watermark", "watermark", value=event.ts, arrival=self._arrival(step), before=event.before)
        self._hold(event.input, event.ts)

    def _kept(self, step: Step, event: WatermarkKept) -> None:
        self._hold(event.input, event.ts)

    def _hold(self, input: str, watermark: int) -> None:
        """Mark ``input`` as the one that decides the watermark under the policy."""
        holder = channel_id(input, 0)
        self._mark(holder)
        own, before = self._facts.row(holder), self._facts.row(VALVE)
        columns = {"minimum": own["watermark"], "holder": holder, "watermark": watermark}
        if any(before[name] != value for name, value in columns.items()):
            self._facts.change("valves", VALVE, **columns)
