"""The tables ``clock``, ``watermark`` and ``channels``."""

from collections.abc import Sequence

from tidemark.simulator.engine.trace.events import (
    ChannelActive,
    ChannelAdvanced,
    ChannelIdle,
    ClockAdvanced,
    MaxTimestampRaised,
    Restored,
    WatermarkCombined,
    WatermarkEmitted,
    WatermarkRestored,
)
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.timeline.facts import Facts, Row
from tidemark.simulator.timeline.folding import Folding, Handlers
from tidemark.simulator.timeline.ids import channel_id


class ChannelFacts:
    """Time as the operator receives it: the clock, each channel's watermark, and the operator's own."""

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._arrival = folding.arrival
        inputs = folding.scenario.inputs
        self._makes_watermarks = {each.name: each.watermark.makes_watermarks for each in inputs}
        self._channels = [channel_id(each.name, number) for each in inputs for number in range(each.channels)]
        self._facts.put("clock", "clock", value=folding.scenario.origin)
        self._inputs = inputs
        self._begin(None)

    def _begin(self, arrival: int | None) -> None:
        """No watermark yet, all channels active: how a run starts, and how it starts again after a restore."""
        self._facts.put("watermark", "watermark", value=None, arrival=arrival, before=None)
        for each in self._inputs:
            for number in range(each.channels):
                self._facts.put(
                    "channels",
                    channel_id(each.name, number),
                    input=each.name,
                    channel=number,
                    watermark=None,
                    status="active",
                    aligned=True,
                    max_timestamp=None,
                    max_item=None,
                    max_step=None,
                    max_at=None,
                    emitted=None,
                    watermark_step=None,
                    watermark_at=None,
                    holds=False,
                )
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

    def _max_timestamp_raised(self, step: Step, event: MaxTimestampRaised) -> None:
        self._facts.change(
            "channels",
            channel_id(event.input, event.channel),
            max_timestamp=event.after,
            max_item=step.item,
            max_step=step.step,
            max_at=step.at,
        )

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
        holder = holder_of(self._facts, self._channels)
        for id in self._channels:
            row = self._facts.get(id)
            assert row is not None
            if row["holds"] != (id == holder):
                self._facts.change("channels", id, holds=id == holder)


def holder_of(facts: Facts, channels: Sequence[str]) -> str | None:
    """The first of ``channels`` at the minimum of those that count, which are the aligned ones; None if none counts."""
    counting = [id for id in channels if _row(facts, id)["aligned"]]
    return min(counting, key=lambda id: watermark_of(facts, id), default=None)


def watermark_of(facts: Facts, channel: str) -> int:
    """The channel's watermark (ms); ``Long.MIN_VALUE`` while it has none, as in ``StatusWatermarkValve``."""
    watermark: int | None = _row(facts, channel)["watermark"]
    return MIN if watermark is None else watermark


def _row(facts: Facts, id: str) -> Row:
    row = facts.get(id)
    assert row is not None
    return row
