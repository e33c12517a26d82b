"""The tables ``clock``, ``watermark``, ``channels`` and ``valves``: time, which only moves between batches."""

from typing import Final

from tidemark.simulator.engine.trace.events import (
    InputWatermarkMoved,
    MaxTimestampRaised,
    WatermarkKept,
    WatermarkMoved,
)
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.timeline.folding import Folding, Handlers
from tidemark.simulator.timeline.ids import channel_id, valve_id

VALVE: Final = valve_id("")


class InputFacts:
    """An input has one channel. ``watermark`` is its own; None if the input has none, and then none of it is late."""

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._arrival = folding.arrival
        self._facts.put("clock", "clock", value=folding.scenario.origin)
        self._facts.put("watermark", "watermark", value=0, arrival=None, before=None)
        inputs = folding.scenario.inputs
        first = next((each.name for each in inputs if each.delay is not None), None)
        for each in inputs:
            self._facts.put(
                "channels",
                channel_id(each.name, 0),
                input=each.name,
                channel=0,
                watermark=None if each.delay is None else 0,
                status="active",
                aligned=each.delay is not None,
                max_timestamp=None,
                max_item=None,
                max_step=None,
                max_at=None,
                emitted=None,
                watermark_step=None,
                watermark_at=None,
                holds=each.name == first,
            )
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

    def _max_timestamp_raised(self, step: Step, event: MaxTimestampRaised) -> None:
        where = {"max_item": step.item, "max_step": step.step, "max_at": step.at}
        self._facts.change("channels", channel_id(event.input, 0), max_timestamp=event.after, **where)

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
        for id, row in self._facts.save(("channels",)).items():
            if row["holds"] != (id == holder):
                self._facts.change("channels", id, holds=id == holder)
        own, before = self._facts.get(holder), self._facts.get(VALVE)
        assert own is not None
        assert before is not None
        columns = {"minimum": own["watermark"], "holder": holder, "watermark": watermark}
        if any(before[name] != value for name, value in columns.items()):
            self._facts.change("valves", VALVE, **columns)
