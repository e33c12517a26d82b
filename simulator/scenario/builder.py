"""Builds the pipeline of a scenario: here the families meet."""

from collections.abc import Callable
from typing import Any

from tidemark.simulator.assigners.base import WindowAssigner
from tidemark.simulator.assigners.global_windows import GlobalWindows
from tidemark.simulator.assigners.session import (
    DynamicEventTimeSessionWindows,
    DynamicProcessingTimeSessionWindows,
    EventTimeSessionWindows,
    ProcessingTimeSessionWindows,
)
from tidemark.simulator.assigners.sliding import SlidingEventTimeWindows, SlidingProcessingTimeWindows
from tidemark.simulator.assigners.tumbling import TumblingEventTimeWindows, TumblingProcessingTimeWindows
from tidemark.simulator.functions.aggregate import Aggregate
from tidemark.simulator.functions.base import WindowFunction
from tidemark.simulator.functions.process import Process
from tidemark.simulator.functions.reduce import Reduce
from tidemark.simulator.generators.idleness import IdlenessTimer
from tidemark.simulator.generators.sql import SqlWatermarks
from tidemark.simulator.operators.base import Operator
from tidemark.simulator.operators.event_sort import EventSortOperator
from tidemark.simulator.operators.firing import EvictingFiring, Firing, PaneFiring
from tidemark.simulator.operators.interval_join import IntervalJoinOperator
from tidemark.simulator.operators.join_firing import CoGroupFiring, JoinFiring
from tidemark.simulator.operators.merging_window_operator import MergingWindowOperator
from tidemark.simulator.operators.runtime import OperatorRuntime
from tidemark.simulator.operators.valve import Channel, StatusWatermarkValve
from tidemark.simulator.operators.window_operator import WindowOperator
from tidemark.simulator.pipeline.pipeline import PipelinePlan
from tidemark.simulator.pipeline.source import ChannelSource
from tidemark.simulator.pipeline.sql_source import SqlChannelSource
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.row_builder import row_operator
from tidemark.simulator.scenario.table_builder import table_window_operator, tvf_window_operator, window_rank_operator
from tidemark.simulator.timers.timer_service import InternalTimerService
from tidemark.simulator.trace.trace import Trace
from tidemark.simulator.triggers.base import Trigger
from tidemark.simulator.values.errors import Problem, ScenarioError
from tidemark.simulator.values.items import Restore
from tidemark.simulator.values.time import wrap
from tidemark.simulator.values.window import Grid
from tidemark.simulator.words import words

EVENT_TIME_ASSIGNERS: dict[type, Callable[[Any], WindowAssigner]] = {
    model.Tumbling: lambda spec: TumblingEventTimeWindows(Grid(spec.size, spec.size, spec.offset)),
    model.Sliding: lambda spec: SlidingEventTimeWindows(Grid(spec.size, spec.slide, spec.offset)),
    model.Session: lambda spec: EventTimeSessionWindows(spec.gap),
    model.DynamicSession: lambda spec: DynamicEventTimeSessionWindows(spec.gap_field),
    model.Global: lambda spec: GlobalWindows(),
}

PROCESSING_TIME_ASSIGNERS: dict[type, Callable[[Any], WindowAssigner]] = {
    model.Tumbling: lambda spec: TumblingProcessingTimeWindows(Grid(spec.size, spec.size, spec.offset)),
    model.Sliding: lambda spec: SlidingProcessingTimeWindows(Grid(spec.size, spec.slide, spec.offset)),
    model.Session: lambda spec: ProcessingTimeSessionWindows(spec.gap),
    model.DynamicSession: lambda spec: DynamicProcessingTimeSessionWindows(spec.gap_field),
    model.Global: lambda spec: GlobalWindows(),
}

FUNCTIONS: dict[str, Callable[[str], WindowFunction]] = {"reduce": Reduce, "aggregate": Aggregate, "process": Process}


class _NotBuilt(Exception):
    """The engine does not run this; the argument names it."""


def plan(scenario: model.Scenario) -> PipelinePlan:
    """A function that builds the scenario's pipeline. Raises ``ScenarioError`` for what the engine does not run."""
    try:
        make_operator = _operator(scenario)
    except _NotBuilt as missing:
        line, column = scenario.marks.get(("operator",), (1, 1))
        text = words("problems.not_built", what=missing.args[0])
        raise ScenarioError([Problem(scenario.file, line, column, text)]) from None
    specs = {each.name: each.watermark for each in scenario.inputs}

    def make_source(channel: Channel, valve: StatusWatermarkValve, trace: Trace | None) -> ChannelSource:
        spec = specs[channel.input]
        generator = spec.create(channel.input, channel.number, trace)
        if isinstance(generator, SqlWatermarks):
            interval, timeout = spec.emit, spec.idle_timeout
            return SqlChannelSource(
                channel, valve, generator, emit_interval=interval, idle_timeout=timeout, trace=trace
            )
        idleness = None
        if spec.idle_timeout:
            idleness = IdlenessTimer(channel.input, channel.number, spec.idle_timeout, trace)
        return ChannelSource(channel, valve, generator, emit_interval=spec.emit, idleness=idleness, trace=trace)

    channels = {each.name: each.channels for each in scenario.inputs}
    written = scenario.stream if isinstance(scenario.stream, tuple) else ()
    restores = frozenset(item.name for item in written if isinstance(item, Restore))
    return PipelinePlan(
        channels,
        scenario.origin,
        make_source,
        make_operator,
        valve_per_input=isinstance(scenario.operator, model.TwoInputs),
        restores=restores,
    )


def _operator(scenario: model.Scenario) -> Callable[[OperatorRuntime], Operator]:
    if scenario.engine != "flink":
        raise _NotBuilt(f"engine: {scenario.engine}")
    stamped = frozenset(each.name for each in scenario.inputs if each.watermark.makes_watermarks)
    match scenario.operator:
        case model.Window() as window:
            return _window_operator(window, stamped)
        case model.WindowJoin() as join:
            return _join_operator(join, stamped)
        case model.WindowTopN() as ranked:
            return window_rank_operator(ranked)
        case model.IntervalJoin() as join:
            return _interval_join_operator(join)
        case model.Process():
            return EventSortOperator
        case model.TemporalJoin() | model.Over() | model.Deduplicate() as other:
            return row_operator(other)
        case other:
            raise _NotBuilt(f"type: {other.type}")


def _window_operator(spec: model.Window, stamped: frozenset[str]) -> Callable[[OperatorRuntime], Operator]:
    if spec.api == "sql":
        return table_window_operator(spec)
    if spec.api == "tvf":
        return tvf_window_operator(spec)
    function = FUNCTIONS[spec.function.call](spec.function.compute or "")
    is_event_time = _assigner(spec).is_event_time

    def make_firing(runtime: OperatorRuntime, timers: InternalTimerService) -> PaneFiring:
        return PaneFiring(runtime, timers, function, is_event_time=is_event_time)

    return _datastream_operator(spec, make_firing, stamped, side_output=spec.late_output == "side")


def _join_operator(spec: model.WindowJoin, stamped: frozenset[str]) -> Callable[[OperatorRuntime], Operator]:
    def make_firing(runtime: OperatorRuntime, timers: InternalTimerService) -> JoinFiring | CoGroupFiring:
        if spec.type == "window-join":
            return JoinFiring(runtime, timers)
        return CoGroupFiring(runtime, timers, spec.join)

    return _datastream_operator(spec, make_firing, stamped, side_output=False)


def _interval_join_operator(spec: model.IntervalJoin) -> Callable[[OperatorRuntime], Operator]:
    lower = wrap(spec.lower + spec.lower_exclusive)
    upper = wrap(spec.upper - spec.upper_exclusive)

    def make(runtime: OperatorRuntime) -> Operator:
        return IntervalJoinOperator(runtime, lower, upper, side_output=spec.late_output == "side")

    return make


def _datastream_operator(
    spec: model.Window | model.WindowJoin,
    make_firing: Callable[[OperatorRuntime, InternalTimerService], PaneFiring | JoinFiring | CoGroupFiring],
    stamped: frozenset[str],
    *,
    side_output: bool,
) -> Callable[[OperatorRuntime], Operator]:
    assigner = _assigner(spec)
    trigger, evictor = spec.trigger, spec.evictor
    assert isinstance(trigger, Trigger)
    operator = MergingWindowOperator if assigner.is_merging else WindowOperator

    def make_evicting(runtime: OperatorRuntime, timers: InternalTimerService) -> Firing:
        firing = make_firing(runtime, timers)
        return firing if evictor is None else EvictingFiring(runtime, firing, evictor, stamped)

    def make(runtime: OperatorRuntime) -> Operator:
        lateness = spec.allowed_lateness
        return operator(runtime, assigner, trigger, make_evicting, allowed_lateness=lateness, side_output=side_output)

    return make


def _assigner(spec: model.Window | model.WindowJoin) -> WindowAssigner:
    registry = EVENT_TIME_ASSIGNERS if spec.time == "event" else PROCESSING_TIME_ASSIGNERS
    built: WindowAssigner = _built(registry, spec.assigner)
    return built


def _built(registry: dict[type, Callable[[Any], Any]], spec: Any) -> Any:
    make = registry.get(type(spec))
    if make is None:
        raise _NotBuilt(f"type: {spec.type}")
    return make(spec)
