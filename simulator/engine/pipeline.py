"""One scenario, driven item by item: sources, valves, operator, clock; checkpoint and restore.

Theory of operation
-------------------
A real job runs on threads. Here everything happens in the order of the stream, and nothing happens on its own. For each
item ``run``

1. moves the clock to the item's ``at``: timers, periodic emissions and idleness probes that are due on the way run
   first, each at its own due time;
2. works on the item. A record goes to the operator first and to its source's generator second, so a record never sees
   the watermark that it causes itself;
3. runs what the item has scheduled for the past, such as a processing-time timer whose time is over.

A watermark takes one path, whether a generator, the stream or the end of the input sends it: the valve of its channel,
perhaps the combination of two valves, then ``_advance_watermark``. That moves the operator's watermark, which fires
timers, and only then forwards it: a watermark may not overtake the results that it causes.

A checkpoint holds keyed state and timers. As in Flink, watermarks, idle statuses and generators are not part of it,
but for the watermark of operators on window table functions. A restore therefore goes back to the state, starts the
sources again, and replays what they have sent since. Rows are committed exactly once: where the stream restores
anything, they wait in a ``RowBuffer``, and a restore withdraws those that came after its checkpoint.

Source: ``AbstractStreamOperator.processWatermark`` and ``StreamOperatorStateHandler``. The clock and the three phases
of an item are those of the driver under which Flink's own operators were recorded (docs/maintainers/ARCHITECTURE.md).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tidemark.simulator.engine.operators.base import Operator, OperatorRuntime, Output, PaneNumbers
from tidemark.simulator.engine.operators.valve import Channel, CombinedWatermark, OnWatermark, StatusWatermarkValve
from tidemark.simulator.engine.source import ChannelSource, Condition
from tidemark.simulator.engine.state import Entry, KeyedStateBackend
from tidemark.simulator.engine.timers import ProcessingTimeService, Timer
from tidemark.simulator.engine.trace.events import (
    CheckpointTaken,
    OperatorFailed,
    RecordArrived,
    Restored,
    RowFiltered,
    RowsWithdrawn,
    Rule,
    WatermarkBehindRestored,
    WatermarkCombined,
    WatermarkEmitted,
    WatermarkForwarded,
    WatermarkRestored,
)
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.items import (
    FILTERED,
    UPSERT,
    Advance,
    Checkpoint,
    End,
    Item,
    Key,
    Record,
    Restore,
    Status,
    Watermark,
    key_of,
)
from tidemark.simulator.engine.values.rows import FlinkRow, error_row, watermark_row
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.engine.values.versions import NEWEST_RULES, FlinkRules


class Sender(NamedTuple):
    """What the source of a channel does about a record: before it goes downstream, and when it has gone.

    ``follow`` takes its timestamp (ms), ``MIN`` if it has none.
    """

    before_record: Callable[[Record], None] | None
    follow: Callable[[int], None]


class ItemLoop:
    """Works on items, one after another. ``control`` takes the index and the item of all that are no records.

    A stream may have hundreds of millions of records, so nothing is called here that could be spared.

    ``senders`` are those of the channels by (input, number), and ``records`` counts the records. ``takes`` says of
    which keys the operator works on the records; None for all. ``filters``: those of the inputs, for the trace.
    """

    def __init__(
        self,
        clock: ProcessingTimeService,
        output: Output,
        operator: Operator,
        control: Callable[[int, Item], None],
        trace: Trace | None,
        *,
        takes: Callable[[Key], bool] | None,
        filters: Mapping[str, "Filter"],
    ) -> None:
        self.senders: dict[tuple[str, int], Sender] = {}
        self.records = 0
        self._filters = filters
        self._clock = clock
        self._output = output
        self._operator = operator
        self._control = control
        self._trace = trace
        self._takes = takes

    def run(self, numbered: Iterable[tuple[int, Item]], after_item: Callable[[int], None] | None = None) -> None:
        """Work on items with their indexes; ``after_item`` is called with each index.

        Raises ``EngineFailure`` when the operator fails: the run is over then.
        """
        # Local names, since a restore replaces none of these objects, nor do they change otherwise.
        clock, output, trace, takes = self._clock, self._output, self._trace, self._takes
        scheduled, senders, operator = clock.calls, self.senders, self._operator
        process_element = operator.process_element
        of_input, of_channel, place = "", -1, f"{type(operator).__name__}.process_element"
        since = 0  # records that ``records`` does not count yet: a local number is counted up faster
        try:
            for index, item in numbered:
                # The index first: what the clock fires on the way to this item carries the item's index already.
                output.item = index
                if trace is not None:
                    trace.item = index
                if type(item) is Record:
                    written_key, ts, value, input, channel, at, op = item
                    if at is not None and at > clock.now:
                        if scheduled or trace is not None:
                            clock.advance_to(at)
                        else:
                            clock.now = at  # nothing is due on the way
                    if channel != of_channel or input != of_input:
                        of_input, of_channel = input, channel
                        before_record, follow = senders[input, channel]
                    key = key_of(written_key) if written_key is True or written_key is False else written_key
                    since += 1
                    # In the table runtime a record makes its idle channel active before it goes downstream.
                    if before_record is not None:
                        before_record(item)
                    if trace is not None:
                        trace.add(RecordArrived(place, input, channel, key, ts, value))
                    # Operator, then generator. With the other order a record could be late by the watermark that it
                    # causes itself.
                    if takes is None or takes(key):
                        if op == UPSERT:
                            process_element(input, key, ts, value)
                        elif op == FILTERED:
                            output.filtered += 1
                            if trace is not None:
                                trace.add(self._filters[input].dropped(input, key, ts, value))
                        else:
                            operator.process_delete(input, key, ts, value)
                    follow(MIN if ts is None else ts)
                else:
                    if item.at is not None:
                        clock.advance_to(item.at)
                    self.records += since
                    since = 0
                    self._control(index, item)
                    of_channel = -1  # a restore makes new senders
                if scheduled:
                    clock.run_due()
                if after_item is not None:
                    self.records += since
                    since = 0
                    after_item(index)
        finally:
            self.records += since


@dataclass(frozen=True, slots=True)
class Filter(Condition):
    """The filter of an input, which drops a record for which it is not TRUE.

    It stands behind what generates watermarks. Source: ``StreamExecCalc`` behind ``StreamExecWatermarkAssigner``.
    """

    def dropped(self, input: str, key: Key, ts: int | None, value: Mapping[str, Any]) -> RowFiltered:
        """The event that it drops a record."""
        return RowFiltered("StreamExecCalc.process_element", input, key, ts, value, *self.looked_at(value))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a checkpoint holds: keyed state and timers, and how far the run had come when it was taken.

    ``item`` is the index of the checkpoint's own stream item, ``rows`` the number of rows emitted by then, ``step`` the
    trace step of ``CheckpointTaken``, None without a trace. ``watermark`` (ms) counts for operators that keep it.
    """

    item: int
    state: dict[str, dict[Entry, Any]]
    timers: tuple[list[Timer], list[Timer]]
    panes: Any
    watermark: int
    counters: dict[str, int]
    records: int
    rows: int
    step: int | None


class RowBuffer:
    """A sink that keeps rows back, so that a restore can withdraw those emitted since its checkpoint.

    Without ``holds_back``, for a stream that restores nothing, rows pass through at once. ``step`` returns the number
    of the trace step that emits the current row; None without a trace.
    """

    def __init__(self, sink: Callable[[FlinkRow], None], *, holds_back: bool) -> None:
        self._sink = sink
        self._rows: list[tuple[FlinkRow, int | None]] = []
        self.emit: Callable[[FlinkRow], None] = self._keep if holds_back else sink
        self.step: Callable[[], int] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def withdraw(self, keep: int) -> tuple[int, ...]:
        """Discard all rows but the first ``keep``; returns the trace steps that had emitted them, each once."""
        withdrawn = self._rows[keep:]
        del self._rows[keep:]
        return tuple(dict.fromkeys(step for _, step in withdrawn if step is not None))

    def flush(self) -> None:
        """Pass on what was kept back, since the stream is over."""
        for row, _ in self._rows:
            self._sink(row)
        self._rows.clear()

    def _keep(self, row: FlinkRow) -> None:
        self._rows.append((row, None if self.step is None else self.step()))


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
        rules: FlinkRules,
    ) -> None:
        by_input = {name: [Channel(name, number) for number in range(count)] for name, count in channels.items()}
        self.channels = [channel for each in by_input.values() for channel in each]
        self._valves: dict[str, StatusWatermarkValve] = {}
        if not valve_per_input:
            valve = StatusWatermarkValve(self.channels, on_watermark, trace)
            self._valves = dict.fromkeys(by_input, valve)
            return
        combined = CombinedWatermark(len(by_input), on_watermark, rules)
        for partial, (name, own) in zip(combined.inputs, by_input.items(), strict=True):
            self._valves[name] = StatusWatermarkValve(own, partial.update_watermark, trace, partial.update_status)

    def valve_of(self, channel: Channel) -> StatusWatermarkValve:
        """The valve to which the watermarks and statuses of ``channel`` go."""
        return self._valves[channel.input]


@dataclass(frozen=True, slots=True)
class PipelinePlan:
    """How to build a pipeline.

    ``channels`` is the number of channels of each input, in order; ``start`` the clock at the beginning (ms).
    ``make_source`` takes a channel, its valve and the trace, ``make_operator`` the runtime. With ``valve_per_input``
    each input has a valve of its own and the operator combines them; otherwise one valve serves all channels.
    ``restores`` are the names of the checkpoints that the stream restores. ``takes`` says of which keys the operator
    works on the records; those of all others move only the clock and the watermark. ``filters``: of the inputs that
    have one. ``rules``: those of the version of Flink.
    """

    channels: Mapping[str, int]
    start: int
    make_source: Callable[[Channel, StatusWatermarkValve, Trace | None], ChannelSource]
    make_operator: Callable[[OperatorRuntime], Operator]
    valve_per_input: bool = False
    restores: frozenset[str] = frozenset()
    takes: Callable[[Key], bool] | None = None
    filters: Mapping[str, Filter] = field(default_factory=dict)
    rules: FlinkRules = NEWEST_RULES


class Pipeline:
    """Runs the items of one stream. Rows go to ``sink`` in order of emission."""

    def __init__(self, plan: PipelinePlan, sink: Callable[[FlinkRow], None], trace: Trace | None = None) -> None:
        if trace is not None:
            trace.at = plan.start
        self.plan = plan
        self.trace = trace
        self.clock = ProcessingTimeService(plan.start, trace)
        self.state = KeyedStateBackend()
        self.rows = RowBuffer(sink, holds_back=bool(plan.restores))
        if trace is not None:
            self.rows.step = lambda: len(trace) - 1
        self.output = Output(self.rows.emit, self.clock, filters=bool(plan.filters))
        self.panes = PaneNumbers(forgets=not plan.restores)
        self.sources: dict[tuple[str, int], ChannelSource] = {}
        restores = bool(plan.restores)
        runtime = OperatorRuntime(self.clock, self.state, self.output, self.panes, trace, restores, plan.rules)
        self.operator = plan.make_operator(runtime)
        self._timers = self.operator.timers
        self.loop = ItemLoop(
            self.clock, self.output, self.operator, self._control, trace, takes=plan.takes, filters=plan.filters
        )
        self._open_inputs()
        self._snapshots: dict[str, Snapshot] = {}
        self._since_checkpoint: list[tuple[int, Item]] = []

    def run(self, items: Iterable[Item], after_item: Callable[[int], None] | None = None) -> None:
        """Work on all ``items``; a failure of the operator ends the run. ``after_item`` is called with each index."""
        self.run_numbered(enumerate(items), after_item)

    def run_numbered(
        self, numbered: Iterable[tuple[int, Item]], after_item: Callable[[int], None] | None = None
    ) -> None:
        """The same for items with their indexes, which may leave out some that would change nothing."""
        try:
            self.loop.run(self._remembered(numbered) if self.plan.restores else numbered, after_item)
        except EngineFailure as failure:
            self._fail(failure)
        self.rows.flush()

    def _remembered(self, numbered: Iterable[tuple[int, Item]]) -> Iterator[tuple[int, Item]]:
        """The same, keeping each item for a restore, once it is done with."""
        for each in numbered:
            yield each
            if self._snapshots:
                self._since_checkpoint.append(each)

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
        """A watermark, a status or the end, as written in the stream."""
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
                # One channel after another, as their end reaches a valve: each may raise the minimum on its own.
                for source in self.sources.values():
                    source.end()
            case _:
                raise TypeError(f"no such item here: {item!r}")

    @property
    def _keeps_watermark(self) -> bool:
        """Whether the operator's watermark is in a checkpoint."""
        return self.operator.keeps_watermark and self.plan.rules.functions_keep_watermark

    def _open_inputs(self) -> None:
        """Make new channels, valves and sources, and schedule their first ticks."""
        plan = self.plan
        plainly = self.trace is None and not self.operator.buffers
        advance = self._plain_advance() if plainly else self._advance_watermark
        if plan.restores and self._keeps_watermark:
            advance = self._advance_kept
        self.inputs = Inputs(plan.channels, advance, self.trace, valve_per_input=plan.valve_per_input, rules=plan.rules)
        for channel in self.inputs.channels:
            source = plan.make_source(channel, self.inputs.valve_of(channel), self.trace)
            self.sources[channel.input, channel.number] = source
            self.loop.senders[channel.input, channel.number] = Sender(source.before_record, source.follow)
        for source in self.sources.values():
            source.open(self.clock)

    def _advance_watermark(self, watermark: int, holder: Channel) -> None:
        """The combined watermark rose: the operator fires what is due, then the watermark is forwarded.

        ``holder`` is the channel that holds the watermark there. Source: ``AbstractStreamOperator.processWatermark``.
        """
        trace = self.trace
        if trace is not None:
            before = self.operator.timers.current_watermark
            trace.watermark = watermark  # every step from here on is under the new watermark
            numbers = (("minimum", watermark), ("last_watermark", before))
            rule = Rule("minimum-raised", "minimum > last_watermark", numbers, True)
            place = "StatusWatermarkValve.find_and_output_new_min_watermark"
            last = None if before == MIN else before
            trace.add(WatermarkCombined(place, last, watermark, holder.input, holder.number, rule))
        if self.operator.buffers:
            self.operator.advance_progress(watermark)
        self._timers.advance_watermark(watermark)
        # Forwarded last: every result that it fired stands before it in the output.
        if trace is not None:
            trace.add(WatermarkForwarded("AbstractStreamOperator.process_watermark", watermark))
        output = self.output
        output.sink(watermark_row(watermark, self.clock.now, output.item))

    def _advance_kept(self, watermark: int, holder: Channel) -> None:
        """``_advance_watermark`` where a restore brings the watermark back: one that is not above it changes nothing.

        The operator's own watermark is forwarded again then. Source: ``WindowAggOperator.processWatermark``.
        """
        kept, output = self._timers.current_watermark, self.output
        if watermark > kept:
            self._advance_watermark(watermark, holder)
            return
        place = "WindowAggOperator.process_watermark"
        if self.trace is not None:
            rule = Rule(
                "not-above-restored",
                "minimum <= last_watermark",
                (("minimum", watermark), ("last_watermark", kept)),
                True,
            )
            self.trace.add(WatermarkBehindRestored(place, watermark, kept, holder.input, holder.number, rule))
        self._timers.advance_watermark(kept)
        if self.trace is not None:
            self.trace.add(WatermarkForwarded(place, kept))
        output.sink(watermark_row(kept, self.clock.now, output.item))

    def _plain_advance(self) -> Callable[[int, Channel], None]:
        """``_advance_watermark`` for a run without a trace, of an operator that buffers nothing.

        Many streams send a watermark after each record, and most fire nothing. So this one keeps at hand what it needs.
        """
        timers, output, clock = self._timers, self.output, self.clock
        waiting = timers.event_timers

        def advance(watermark: int, holder: Channel) -> None:
            if watermark < waiting.earliest:
                timers.current_watermark = watermark
            else:
                timers.advance_watermark(watermark)
            sink = output.sink
            sink(watermark_row(watermark, clock.now, output.item))

        return advance

    def _take_checkpoint(self, index: int, name: str) -> None:
        self.operator.prepare_checkpoint()
        state = self.state.snapshot()
        step = None
        if self.trace is not None:
            step = len(self.trace)
            entries = sum(map(len, state.values()))
            place = "StreamOperatorStateHandler.snapshot_state"
            self.trace.add(CheckpointTaken(place, name, entries, self.operator.timers.waiting))
        if name not in self.plan.restores:
            return  # nothing restores it, and thousands of snapshots would take much memory
        timers = self.operator.timers.snapshot()
        panes, counters = self.panes.snapshot(), self.output.counters()
        rows = len(self.rows)
        self._snapshots[name] = Snapshot(
            index, state, timers, panes, self._timers.current_watermark, counters, self.loop.records, rows, step
        )

    def _restore(self, index: int, name: str) -> None:
        """Go back to a checkpoint, then replay what the sources have sent since."""
        snapshot = self._snapshots[name]
        withdrawn = self.rows.withdraw(snapshot.rows)
        # Checkpoints taken after this one belong to a past that no longer counts.
        self._snapshots = {each: kept for each, kept in self._snapshots.items() if kept.item <= snapshot.item}
        self.state.restore(snapshot.state)
        self.panes.restore(snapshot.panes)
        self.output.set_counters(snapshot.counters)
        self.loop.records = snapshot.records
        if self.trace is not None and snapshot.step is not None:
            self.trace.watermark = MIN
            place = "StreamOperatorStateHandler.initialize_operator_state"
            self.trace.add(Restored(place, name, snapshot.step))
            if withdrawn:
                self.trace.add(RowsWithdrawn("TwoPhaseCommitSink.abort", withdrawn))
        # First clear the clock, for it still holds the ticks of the old sources. Then timers before sources: of what is
        # due in the same millisecond the one scheduled first runs first, and at a restore that is the physical timer.
        # Then run what is due already, before anything is replayed.
        self.clock.clear()
        self._timers.restore(snapshot.timers)
        self.operator.restored()
        if self._keeps_watermark and snapshot.watermark != MIN:
            self._restore_watermark(snapshot.watermark)
        self._open_inputs()
        self.clock.run_due()
        # Work on the items since once more, under their own indexes and at the clock of the restore.
        replayed = [(each, item) for each, item in self._since_checkpoint if snapshot.item < each < index]
        self.loop.run((each, _without_clock(item)) for each, item in replayed if _comes_from_source(item))
        self.output.item = index
        if self.trace is not None:
            self.trace.item = index

    def _restore_watermark(self, watermark: int) -> None:
        """The watermark was in the checkpoint. Source: ``WindowAggOperator.initializeState``."""
        self._timers.current_watermark = watermark
        self._timers.have_watermark = not self.plan.rules.timers_lag
        self.operator.watermark_restored(watermark)
        if self.trace is not None:
            self.trace.watermark = watermark
            self.trace.add(WatermarkRestored("WindowAggOperator.initialize_state", watermark))

    def _fail(self, failure: EngineFailure) -> None:
        """End the run with an ``error`` row; the rows before it stand."""
        if self.trace is not None:
            place = failure.place or type(self.operator).__name__
            self.trace.add(OperatorFailed(place, failure.java_type, failure.message))
        self.output.sink(error_row(failure.java_type, failure.message, self.output.item))

    def snapshot(self) -> dict[str, Any]:
        """Everything that can be seen of the run now; the tests rebuild the same from the trace alone."""
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
            "counters": {"records": self.loop.records, **self.output.counters()},
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


def _comes_from_source(item: Item) -> bool:
    """Whether a restore replays it: the clock does not go back, and checkpoints are not taken twice."""
    return not isinstance(item, Advance | Checkpoint | Restore)


def _without_clock(item: Item) -> Item:
    if isinstance(item, Record):
        return item._replace(at=None)
    dated: Any = item
    still: Item = replace(dated, at=None)
    return still
