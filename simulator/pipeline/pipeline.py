"""One scenario, driven item by item: sources, valve, operator, clock.

Per item: the clock moves to the item's time, firing what is due; the item itself is worked on (a record reaches the
operator, then its generator may send a watermark); then runs what the item scheduled for the past.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from simulator.operators.base import Operator
from simulator.operators.runtime import OperatorRuntime, Output, Row
from simulator.operators.valve import Channel, StatusWatermarkValve
from simulator.pipeline.source import Source
from simulator.state.keyed_state import KeyedStateBackend
from simulator.timers.processing_time import ProcessingTimeService
from simulator.trace.events import (
    OperatorFailed,
    RecordArrived,
    Rule,
    WatermarkCombined,
    WatermarkEmitted,
    WatermarkForwarded,
)
from simulator.trace.trace import Trace
from simulator.values.errors import EngineFailure
from simulator.values.items import Advance, End, Item, Record, Status, Watermark
from simulator.values.key import key_of
from simulator.values.time import MIN


@dataclass(frozen=True, slots=True)
class PipelinePlan:
    """How to build a pipeline: ``channels`` counts them by input, in order; the two functions make the parts.

    ``make_source`` gets the channel, the valve and the trace; ``make_operator`` the runtime.
    """

    channels: Mapping[str, int]
    start: int
    make_source: Callable[[Channel, StatusWatermarkValve, Trace | None], Source]
    make_operator: Callable[[OperatorRuntime], Operator]


class Pipeline:
    """Runs the items of one stream. Rows go to ``sink`` in order of emission."""

    def __init__(self, plan: PipelinePlan, sink: Callable[[Row], None], trace: Trace | None = None) -> None:
        if trace is not None:
            trace.at = plan.start
        self.trace = trace
        self.clock = ProcessingTimeService(plan.start, trace)
        self.state = KeyedStateBackend()
        self.output = Output(sink, self.clock)
        self.records = 0
        self.operator = plan.make_operator(OperatorRuntime(self.clock, self.state, self.output, trace))
        channels = [Channel(name, number) for name, count in plan.channels.items() for number in range(count)]
        self.valve = StatusWatermarkValve(channels, self._advance_watermark, trace)
        self.sources = {
            (channel.input, channel.number): plan.make_source(channel, self.valve, trace) for channel in channels
        }
        for source in self.sources.values():
            source.open(self.clock)

    def run(self, items: Iterable[Item], after_item: Callable[[int], None] | None = None) -> None:
        """Work on all ``items``; ends early when the operator fails. ``after_item`` is called with each index."""
        for index, item in enumerate(items):
            if not self.process(index, item):
                return
            if after_item is not None:
                after_item(index)

    def process(self, index: int, item: Item) -> bool:
        """Work on one item; False when the operator failed and the run is over."""
        self.output.item = index
        if self.trace is not None:
            self.trace.item = index
        try:
            self._process(item)
        except EngineFailure as failure:
            self._fail(failure)
            return False
        return True

    def _process(self, item: Item) -> None:
        clock = self.clock
        if isinstance(item, Record):
            if item.at is not None and item.at > clock.now:
                clock.advance_to(item.at)
            self._record(item)
        else:
            self._control(item)
        clock.run_due()

    def _record(self, record: Record) -> None:
        source = self.sources[record.input, record.channel]
        key = key_of(record.key)
        timestamp = MIN if record.ts is None else record.ts
        self.records += 1
        source.before_record()
        if self.trace is not None:
            place = f"{type(self.operator).__name__}.process_element"
            self.trace.add(
                RecordArrived(place, record.input, record.channel, key, record.ts, record.value)
            )
        self.operator.process_element(record.input, key, timestamp, record.value)
        source.after_record(timestamp)

    def _control(self, item: Item) -> None:
        match item:
            case Watermark():
                self._move_clock(item.at)
                channel = self.sources[item.input, item.channel].channel
                if self.trace is not None:
                    place = "Input.process_watermark"
                    self.trace.add(WatermarkEmitted(place, item.input, item.channel, item.ts, "stream"))
                self.valve.input_watermark(item.ts, channel)
            case Status():
                self._move_clock(item.at)
                channel = self.sources[item.input, item.channel].channel
                if item.status == "idle":
                    self.valve.input_idle(channel, "stream")
                else:
                    self.valve.input_active(channel, "stream")
            case Advance():
                self._move_clock(item.at)
                self.clock.advance_to(self.clock.now + item.by)
            case End():
                self._move_clock(item.at)
                for source in self.sources.values():
                    source.end()
            case _:
                raise TypeError(f"no such item here: {item!r}")

    def _move_clock(self, at: int | None) -> None:
        if at is not None:
            self.clock.advance_to(at)

    def _advance_watermark(self, watermark: int, holder: Channel) -> None:
        """The valve's minimum moved: the operator fires what is due, then the watermark goes on."""
        trace = self.trace
        if trace is not None:
            before = self.operator.timers.current_watermark
            trace.watermark = watermark
            numbers = (("minimum", watermark), ("last_watermark", before))
            rule = Rule("minimum-raised", "minimum > last_watermark", numbers, True)
            place = "StatusWatermarkValve.find_and_output_new_min_watermark"
            last = None if before == MIN else before
            trace.add(WatermarkCombined(place, last, watermark, holder.input, holder.number, rule))
        self.operator.process_watermark(watermark)
        if trace is not None:
            trace.add(WatermarkForwarded("AbstractStreamOperator.process_watermark", watermark))
        row = {"row": "watermark", "ts": watermark, "at": self.clock.now, "item": self.output.item}
        self.output.sink(row)

    def _fail(self, failure: EngineFailure) -> None:
        if self.trace is not None:
            place = f"{type(self.operator).__name__}"
            self.trace.add(OperatorFailed(place, failure.java_type, failure.message))
        row = {"row": "error", "type": failure.java_type, "message": failure.message, "item": self.output.item}
        self.output.sink(row)

    def snapshot(self) -> dict[str, Any]:
        """Everything that can be seen of the run right now; the same shape as ``simulator.timeline.rebuild`` gives."""
        operator = self.operator
        watermark = operator.timers.current_watermark
        return {
            "clock": self.clock.now,
            "watermark": None if watermark == MIN else watermark,
            "channels": {
                f"{channel.input}:{channel.number}": self._channel_snapshot(channel) for channel in self.valve.channels
            },
            "state": operator.visible_state(),
            "timers": {
                "event": operator.timers.event_timers.in_order(),
                "processing": operator.timers.processing_timers.in_order(),
            },
            "counters": {
                "records": self.records,
                "panes": self.output.panes,
                "late": self.output.late,
                "dropped": self.output.dropped,
                "skipped": self.output.skipped,
            },
        }

    def _channel_snapshot(self, channel: Channel) -> dict[str, Any]:
        source = self.sources[channel.input, channel.number]
        return {
            "watermark": None if channel.watermark == MIN else channel.watermark,
            "status": "active" if channel.active else "idle",
            "aligned": channel.aligned,
            "max_timestamp": source.generator.max_timestamp if source.generator is not None else None,
            "emitted": None if source.last_emitted == MIN else source.last_emitted,
        }


