"""One scenario, driven item by item: sources, valves, operator, clock; checkpoint and restore.

Per item: the clock moves to the item's time, firing what is due; the item itself is worked on (a record reaches the
operator, then its generator may send a watermark); then runs what the item scheduled for the past.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from simulator.operators.base import Operator
from simulator.operators.pane_numbers import PaneNumbers
from simulator.operators.runtime import OperatorRuntime, Output, Row
from simulator.operators.valve import Channel, StatusWatermarkValve
from simulator.pipeline.checkpoints import RowBuffer, Snapshot
from simulator.pipeline.inputs import Inputs
from simulator.pipeline.source import Source
from simulator.state.keyed_state import KeyedStateBackend
from simulator.timers.processing_time import ProcessingTimeService
from simulator.trace.events import (
    CheckpointTaken,
    OperatorFailed,
    RecordArrived,
    Restored,
    RowsWithdrawn,
    Rule,
    WatermarkCombined,
    WatermarkEmitted,
    WatermarkForwarded,
)
from simulator.trace.trace import Trace
from simulator.values.errors import EngineFailure
from simulator.values.items import Advance, Checkpoint, End, Item, Record, Restore, Status, Watermark
from simulator.values.key import key_of
from simulator.values.time import MIN


@dataclass(frozen=True, slots=True)
class PipelinePlan:
    """How to build a pipeline.

    ``channels`` counts them by input, in order; ``valve_per_input``: each input has a valve of its own and the operator
    combines them, otherwise one valve stands over all channels. ``restores``: the checkpoints that the stream restores.
    ``make_source`` gets the channel, its valve and the trace, ``make_operator`` the runtime.
    """

    channels: Mapping[str, int]
    start: int
    make_source: Callable[[Channel, StatusWatermarkValve, Trace | None], Source]
    make_operator: Callable[[OperatorRuntime], Operator]
    valve_per_input: bool = False
    restores: frozenset[str] = frozenset()


class Pipeline:
    """Runs the items of one stream. Rows go to ``sink`` in order of emission."""

    def __init__(self, plan: PipelinePlan, sink: Callable[[Row], None], trace: Trace | None = None) -> None:
        if trace is not None:
            trace.at = plan.start
        self.plan = plan
        self.trace = trace
        self.clock = ProcessingTimeService(plan.start, trace)
        self.state = KeyedStateBackend()
        self.rows = RowBuffer(sink, holds_back=bool(plan.restores))
        if trace is not None:
            self.rows.step = lambda: len(trace) - 1
        self.output = Output(self.rows.emit, self.clock)
        self.panes = PaneNumbers(forgets=not plan.restores)
        self.records = 0
        self.operator = plan.make_operator(OperatorRuntime(self.clock, self.state, self.output, self.panes, trace))
        self._open_inputs()
        self._snapshots: dict[str, Snapshot] = {}
        self._since_checkpoint: list[tuple[int, Item]] = []

    def run(self, items: Iterable[Item], after_item: Callable[[int], None] | None = None) -> None:
        """Work on all ``items``; ends early when the operator fails. ``after_item`` is called with each index."""
        try:
            for index, item in enumerate(items):
                self.process(index, item)
                if after_item is not None:
                    after_item(index)
        except EngineFailure as failure:
            self._fail(failure)
        self.rows.flush()

    def process(self, index: int, item: Item) -> None:
        """Work on one item. Raises ``EngineFailure`` when the operator fails: the run is over then."""
        self.output.item = index
        if self.trace is not None:
            self.trace.item = index
        clock, at = self.clock, item.at
        if at is not None and at > clock.now:
            clock.advance_to(at)
        if isinstance(item, Record):
            self._record(item)
        else:
            self._control(index, item)
        if clock.calls:
            clock.run_due()
        if self._snapshots:
            self._since_checkpoint.append((index, item))

    def _begin(self, index: int) -> None:
        self.output.item = index
        if self.trace is not None:
            self.trace.item = index

    def _record(self, record: Record) -> None:
        written_key, ts, value, input, channel, _ = record
        source = self.sources[input, channel]
        key = key_of(written_key) if written_key is True or written_key is False else written_key
        self.records += 1
        if source.before_record is not None:
            source.before_record(ts)
        if self.trace is not None:
            place = f"{type(self.operator).__name__}.process_element"
            self.trace.add(RecordArrived(place, input, channel, key, ts, value))
        self.operator.process_element(input, key, ts, value)
        source.after_record(MIN if ts is None else ts)

    def _control(self, index: int, item: Item) -> None:
        match item:
            case Advance():
                self.clock.advance_to(self.clock.now + item.by)
            case Checkpoint():
                self._take_checkpoint(index, item.name)
            case Restore():
                self._restore(index, item.name)
            case _:
                self._input_item(item)

    def _input_item(self, item: Item) -> None:
        """A watermark, status or end that stands in the stream itself."""
        match item:
            case Watermark():
                channel = self.sources[item.input, item.channel].channel
                if self.trace is not None:
                    place = "Input.process_watermark"
                    self.trace.add(WatermarkEmitted(place, item.input, item.channel, item.ts, "stream"))
                self.inputs.valve_of(channel).input_watermark(item.ts, channel)
            case Status():
                channel = self.sources[item.input, item.channel].channel
                valve = self.inputs.valve_of(channel)
                if item.status == "idle":
                    valve.input_idle(channel, "stream")
                else:
                    valve.input_active(channel, "stream")
            case End():
                for source in self.sources.values():
                    source.end()
            case _:
                raise TypeError(f"no such item here: {item!r}")

    def _open_inputs(self) -> None:
        """Channels, valves and sources, as new."""
        plan = self.plan
        self.inputs = Inputs(plan.channels, self._advance_watermark, self.trace, valve_per_input=plan.valve_per_input)
        self.sources = {
            (channel.input, channel.number): plan.make_source(channel, self.inputs.valve_of(channel), self.trace)
            for channel in self.inputs.channels
        }
        for source in self.sources.values():
            source.open(self.clock)

    def _advance_watermark(self, watermark: int, holder: Channel) -> None:
        """The combined minimum moved: the operator fires what is due, then the watermark goes on."""
        trace = self.trace
        if trace is not None:
            before = self.operator.timers.current_watermark
            trace.watermark = watermark
            numbers = (("minimum", watermark), ("last_watermark", before))
            rule = Rule("minimum-raised", "minimum > last_watermark", numbers, True)
            place = "StatusWatermarkValve.find_and_output_new_min_watermark"
            last = None if before == MIN else before
            trace.add(WatermarkCombined(place, last, watermark, holder.input, holder.number, rule))
        self.operator.timers.advance_watermark(watermark)
        if trace is not None:
            trace.add(WatermarkForwarded("AbstractStreamOperator.process_watermark", watermark))
        row = {"row": "watermark", "ts": watermark, "at": self.clock.now, "item": self.output.item}
        self.output.sink(row)

    def _take_checkpoint(self, index: int, name: str) -> None:
        state = self.state.snapshot()
        step = None
        if self.trace is not None:
            step = len(self.trace)
            entries = sum(map(len, state.values()))
            place = "StreamOperatorStateHandler.snapshot_state"
            self.trace.add(CheckpointTaken(place, name, entries, self.operator.timers.waiting))
        if name not in self.plan.restores:
            return  # nobody will ask for what it holds, and thousands of them would hold much
        timers = self.operator.timers.snapshot()
        panes, counters = self.panes.snapshot(), self.output.counters()
        rows = len(self.rows)
        self._snapshots[name] = Snapshot(index, state, timers, panes, counters, self.records, rows, step)

    def _restore(self, index: int, name: str) -> None:
        """Go back to a checkpoint, then take in again what the source has sent since."""
        snapshot = self._snapshots[name]
        withdrawn = self.rows.withdraw(snapshot.rows)
        self._snapshots = {each: kept for each, kept in self._snapshots.items() if kept.item <= snapshot.item}
        self.state.restore(snapshot.state)
        self.panes.restore(snapshot.panes)
        self.output.set_counters(snapshot.counters)
        self.records = snapshot.records
        if self.trace is not None and snapshot.step is not None:
            self.trace.watermark = MIN
            place = "StreamOperatorStateHandler.initialize_operator_state"
            self.trace.add(Restored(place, name, snapshot.step))
            if withdrawn:
                self.trace.add(RowsWithdrawn("TwoPhaseCommitSink.abort", withdrawn))
        self.clock.clear()
        self.operator.timers.restore(snapshot.timers)
        self._open_inputs()
        self.clock.run_due()
        for replayed, item in self._since_checkpoint:
            if snapshot.item < replayed < index:
                self._replay(replayed, item)
        self._begin(index)

    def _replay(self, index: int, item: Item) -> None:
        if isinstance(item, Advance | Checkpoint | Restore):
            return
        self._begin(index)
        if isinstance(item, Record):
            self._record(item)
        else:
            self._input_item(item)
        self.clock.run_due()

    def _fail(self, failure: EngineFailure) -> None:
        if self.trace is not None:
            self.trace.add(OperatorFailed(type(self.operator).__name__, failure.java_type, failure.message))
        row = {"row": "error", "type": failure.java_type, "message": failure.message, "item": self.output.item}
        self.output.sink(row)

    def snapshot(self) -> dict[str, Any]:
        """Everything that can be seen of the run right now; the same shape as ``simulator.timeline.rebuild`` gives."""
        watermark = self.operator.timers.current_watermark
        event_timers, processing_timers = self.operator.timers.snapshot()
        return {
            "clock": self.clock.now,
            "watermark": None if watermark == MIN else watermark,
            "channels": {
                f"{channel.input}:{channel.number}": self._channel_snapshot(channel) for channel in self.inputs.channels
            },
            "state": self.operator.visible_state(),
            "timers": {"event": event_timers, "processing": processing_timers},
            "counters": {"records": self.records, **self.output.counters()},
        }

    def _channel_snapshot(self, channel: Channel) -> dict[str, Any]:
        source = self.sources[channel.input, channel.number]
        return {
            "watermark": None if channel.watermark == MIN else channel.watermark,
            "status": "active" if channel.active else "idle",
            "aligned": channel.aligned,
            "max_timestamp": source.generator.max_timestamp if source.generator is not None else None,
            "emitted": source.emitted,
        }
