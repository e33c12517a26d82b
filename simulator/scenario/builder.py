"""Builds the run of a scenario, by Flink's rules or Spark's: here the families meet."""

from collections.abc import Callable
from typing import Any

from tidemark.simulator.engine.assigners.base import SliceAssigner, WindowAssigner
from tidemark.simulator.engine.assigners.datastream import (
    DynamicEventTimeSessionWindows,
    DynamicProcessingTimeSessionWindows,
    EventTimeSessionWindows,
    GlobalWindows,
    ProcessingTimeSessionWindows,
    SlidingEventTimeWindows,
    SlidingProcessingTimeWindows,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)
from tidemark.simulator.engine.assigners.table import (
    CumulativeSlices,
    CumulativeWindowAssigner,
    HoppingSlices,
    LocalPanes,
    LocalSlices,
    LocalWindows,
    SessionWindowAssigner,
    SlidingWindowAssigner,
    TumblingSlices,
    TumblingWindowAssigner,
)
from tidemark.simulator.engine.functions import (
    AGGREGATES,
    Aggregate,
    AggregateFunction,
    CountsFirings,
    Process,
    Reduce,
    RetractingAggregate,
    WindowFunction,
    WithWindowEnd,
)
from tidemark.simulator.engine.generators import IdlenessTimer, SqlWatermarks
from tidemark.simulator.engine.operators.base import Operator, OperatorRuntime
from tidemark.simulator.engine.operators.deduplicate import (
    FirstSoFarOperator,
    KeepFirstOperator,
    KeepLastOperator,
)
from tidemark.simulator.engine.operators.event_sort import EventSortOperator
from tidemark.simulator.engine.operators.firing import CoGroupFiring, EvictingFiring, Firing, JoinFiring, PaneFiring
from tidemark.simulator.engine.operators.group_window_functions import (
    GeneralFunction,
    LocalGeneralFunction,
    LocalMergingFunction,
    LocalPanedFunction,
    MergingFunction,
    PanedFunction,
    WindowProcessFunction,
)
from tidemark.simulator.engine.operators.group_window_operator import TableWindowOperator
from tidemark.simulator.engine.operators.interval_join import IntervalJoinOperator
from tidemark.simulator.engine.operators.merging_window_operator import MergingWindowOperator
from tidemark.simulator.engine.operators.over import RangeOverOperator, RowsOverOperator, UnboundedOverOperator
from tidemark.simulator.engine.operators.temporal_join import TemporalJoinOperator
from tidemark.simulator.engine.operators.valve import Channel, StatusWatermarkValve
from tidemark.simulator.engine.operators.window_aggregate import (
    LocalSliceOperator,
    SessionFunction,
    SessionWindowOperator,
    SliceWindowOperator,
    WindowRankOperator,
)
from tidemark.simulator.engine.operators.window_operator import WindowOperator
from tidemark.simulator.engine.pipeline import Filter, PipelinePlan
from tidemark.simulator.engine.source import ChannelSource, Condition, SqlChannelSource
from tidemark.simulator.engine.timers import InternalTimerService
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.triggers.base import TableTrigger, Trigger
from tidemark.simulator.engine.values.errors import Problem, ScenarioError
from tidemark.simulator.engine.values.items import Record, Restore
from tidemark.simulator.engine.values.time import WindowStart, wrap
from tidemark.simulator.engine.values.versions import rules_of
from tidemark.simulator.engine.values.window import Grid, TimeWindow, sliding_windows, tumbling_windows
from tidemark.simulator.engine.values.zone import SessionZone
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.calc import places_of, several_of
from tidemark.simulator.scenario.zones import session_zone, zone_of
from tidemark.simulator.spark_rules.aggregation import SessionAggregation, WindowAggregation, Windows, aggregate
from tidemark.simulator.spark_rules.micro_batches import DialectPlan, StatefulOperator
from tidemark.simulator.spark_rules.stream_join import Bounds, StreamJoin
from tidemark.simulator.words import words

# Builds the window operators of the table runtime from a scenario: group windows, and window table functions.


def table_window_operator(spec: model.Window, aggregate: AggregateFunction) -> Callable[[OperatorRuntime], Operator]:
    """Makes the operator of an ``api: sql`` window."""
    zone = zone_of(spec)
    function = _function(spec) if zone is None else _local_function(spec, zone)
    return _group_windows(spec, *function, TableWindowOperator, aggregate)


def tvf_window_operator(spec: model.Window, aggregate: AggregateFunction) -> Callable[[OperatorRuntime], Operator]:
    """Makes the operator of an ``api: tvf`` window."""
    zone = zone_of(spec)
    if isinstance(spec.assigner, model.Session):
        sessions = SessionWindowAssigner(spec.assigner.gap)
        assigner = sessions if zone is None else LocalWindows(sessions, zone)
        return _group_windows(spec, SessionFunction, assigner, SessionWindowOperator, aggregate)
    slices = slices_of(spec)

    def make(runtime: OperatorRuntime) -> Operator:
        is_event_time = spec.time == "event"
        if not spec.by_rules(runtime.rules.of_run(restores=runtime.restores)).buffers_rows:
            return SliceWindowOperator(runtime, slices, aggregate, is_event_time=is_event_time)
        return LocalSliceOperator(runtime, slices, aggregate, zone or session_zone("UTC"), is_event_time=is_event_time)

    return make


def window_rank_operator(
    spec: model.WindowTopN, inputs: tuple[model.InputSpec, ...]
) -> Callable[[OperatorRuntime], Operator]:
    """Makes the operator of ``type: window-top-n``."""
    _, assigner = _function(spec)
    (rows,) = inputs
    order: list[tuple[Callable[[Any], Any], bool]] = [(lambda value: value, spec.order == "desc")]
    if spec.by is not None:
        order = places_of(spec.by, spec.order, rows.columns, rows.select)

    def make(runtime: OperatorRuntime) -> Operator:
        return WindowRankOperator(runtime, assigner, spec.n, order, last_of_equal=spec.ties == "last")

    return make


def _group_windows(
    spec: model.Window,
    function: Callable[..., Any],
    assigner: Any,
    operator: type[TableWindowOperator],
    aggregate: AggregateFunction,
) -> Callable[[OperatorRuntime], Operator]:
    trigger = spec.running_trigger
    assert isinstance(trigger, TableTrigger)
    is_event_time = spec.time == "event"

    def make_function(runtime: OperatorRuntime, timers: InternalTimerService) -> WindowProcessFunction:
        made: WindowProcessFunction = function(
            assigner,
            runtime,
            timers,
            trigger,
            aggregate,
            is_event_time=is_event_time,
            allowed_lateness=spec.allowed_lateness,
        )
        return made

    def make(runtime: OperatorRuntime) -> Operator:
        return operator(runtime, trigger, make_function, updates=spec.updates)

    return make


def _function(operator: model.Window | model.WindowTopN) -> tuple[Callable[..., Any], Any]:
    spec, start_of = operator.assigner, operator.start_of
    match spec:
        case model.Tumbling():
            return GeneralFunction, TumblingWindowAssigner(Grid(spec.size, spec.size, spec.offset, start_of))
        case model.Sliding():
            return PanedFunction, SlidingWindowAssigner(spec.size, spec.slide, spec.offset, start_of)
        case model.Cumulative():
            return PanedFunction, CumulativeWindowAssigner(spec.max_size, spec.step, spec.offset, start_of)
        case model.Session():
            return MergingFunction, SessionWindowAssigner(spec.gap)
        case _:
            raise TypeError(f"no assigner of the table runtime: {spec!r}")


def _local_function(spec: model.Window, zone: SessionZone) -> tuple[Callable[..., Any], Any]:
    function, assigner = _function(spec)
    if function is PanedFunction:
        return LocalPanedFunction, LocalPanes(assigner, zone)
    return LocalMergingFunction if function is MergingFunction else LocalGeneralFunction, LocalWindows(assigner, zone)


def slices_of(spec: model.Operator) -> SliceAssigner:
    """The slices of a window table function, in local time if it has a session zone."""
    slices, zone = _slices(spec), zone_of(spec)
    return slices if zone is None else LocalSlices(slices, zone)


def _slices(operator: model.Operator) -> SliceAssigner:
    spec, start_of = operator.assigner, operator.start_of
    match spec:
        case model.Tumbling():
            return TumblingSlices(spec.size, spec.offset, start_of)
        case model.Sliding():
            return HoppingSlices(spec.size, spec.slide, spec.offset, start_of)
        case model.Cumulative():
            return CumulativeSlices(spec.max_size, spec.step, spec.offset, start_of)
        case _:
            raise TypeError(f"no slices: {spec!r}")


EVENT_TIME_ASSIGNERS: dict[type, Callable[[Any, WindowStart], WindowAssigner]] = {
    model.Tumbling: lambda spec, start_of: TumblingEventTimeWindows(Grid(spec.size, spec.size, spec.offset, start_of)),
    model.Sliding: lambda spec, start_of: SlidingEventTimeWindows(
        Grid(spec.size, spec.slide, spec.offset, start_of, slides=True)
    ),
    model.Session: lambda spec, start_of: EventTimeSessionWindows(spec.gap),
    model.DynamicSession: lambda spec, start_of: DynamicEventTimeSessionWindows(spec.gap_field),
    model.Global: lambda spec, start_of: GlobalWindows(),
}

PROCESSING_TIME_ASSIGNERS: dict[type, Callable[[Any, WindowStart], WindowAssigner]] = {
    model.Tumbling: lambda spec, start_of: TumblingProcessingTimeWindows(
        Grid(spec.size, spec.size, spec.offset, start_of)
    ),
    model.Sliding: lambda spec, start_of: SlidingProcessingTimeWindows(
        Grid(spec.size, spec.slide, spec.offset, start_of, slides=True)
    ),
    model.Session: lambda spec, start_of: ProcessingTimeSessionWindows(spec.gap),
    model.DynamicSession: lambda spec, start_of: DynamicProcessingTimeSessionWindows(spec.gap_field),
    model.Global: lambda spec, start_of: GlobalWindows(),
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
    zone = scenario.operator.session_zone or "UTC"
    conditions = {each.name: _when(each, zone) for each in scenario.inputs if each.watermark.is_conditional}

    def make_source(channel: Channel, valve: StatusWatermarkValve, trace: Trace | None) -> ChannelSource:
        spec = specs[channel.input]
        generator = spec.create(channel.input, channel.number, trace)
        if isinstance(generator, SqlWatermarks):
            interval, timeout, when = spec.emit, spec.idle_timeout, conditions.get(channel.input)
            return SqlChannelSource(
                channel, valve, generator, emit_interval=interval, idle_timeout=timeout, when=when, rules=rules,
                trace=trace,
            )  # fmt: skip
        idleness = None
        if spec.idle_timeout:
            idleness = IdlenessTimer(channel.input, channel.number, spec.idle_timeout, trace)
        return ChannelSource(channel, valve, generator, emit_interval=spec.emit, idleness=idleness, trace=trace)

    rules = rules_of(scenario.flink)
    channels = {each.name: each.channels for each in scenario.inputs}
    written = scenario.stream if isinstance(scenario.stream, tuple) else ()
    restores = frozenset(item.name for item in written if isinstance(item, Restore))
    filters = {each.name: _filter(each, zone) for each in scenario.inputs if each.where is not None}
    return PipelinePlan(
        channels,
        scenario.origin,
        make_source,
        make_operator,
        valve_per_input=scenario.operator.combines_watermarks,
        restores=restores,
        filters=filters,
        rules=rules,
    )


def _when(spec: model.InputSpec, zone: str) -> Condition:
    calc = spec.calc(zone)
    assert isinstance(spec.watermark, model.SqlWatermark)
    assert calc.when is not None
    return Condition(spec.watermark.when or "", calc.when_columns, calc.when)


def _filter(spec: model.InputSpec, zone: str) -> Filter:
    calc = spec.calc(zone)
    assert spec.where is not None
    assert calc.where is not None
    return Filter(spec.where, calc.where_columns, calc.where)


def _operator(scenario: model.Scenario) -> Callable[[OperatorRuntime], Operator]:
    if scenario.engine != "flink":
        raise _NotBuilt(f"engine: {scenario.engine}")
    stamped = frozenset(each.name for each in scenario.inputs if each.watermark.makes_watermarks)
    match scenario.operator:
        case model.Window() as window:
            return _window_operator(window, stamped, scenario.inputs)
        case model.WindowJoin() as join:
            return _join_operator(join, stamped)
        case model.WindowTopN() as ranked:
            return window_rank_operator(ranked, scenario.inputs)
        case model.IntervalJoin() as join:
            return _interval_join_operator(join)
        case model.Process():
            return EventSortOperator
        case model.TemporalJoin(kind=kind):
            return lambda runtime: TemporalJoinOperator(runtime, outer=kind == "left")
        case model.Deduplicate(keep="first") as first:
            return FirstSoFarOperator if first.emits_at_once else KeepFirstOperator
        case model.Deduplicate(state_ttl=ttl):
            return lambda runtime: KeepLastOperator(runtime, ttl)
        case model.Over() as over:
            return _over(over, scenario.inputs)
        case other:
            raise _NotBuilt(f"type: {other.type}")


def _window_operator(
    spec: model.Window, stamped: frozenset[str], inputs: tuple[model.InputSpec, ...]
) -> Callable[[OperatorRuntime], Operator]:
    if spec.in_sql:
        make = table_window_operator if spec.api == "sql" else tvf_window_operator
        several = several_of(spec, inputs)
        return make(spec, several[0] if several else AGGREGATES[spec.function.compute or ""])
    function = FUNCTIONS[spec.function.keeps](spec.function.compute or "")
    is_event_time = _assigner(spec).is_event_time

    def make_firing(runtime: OperatorRuntime, timers: InternalTimerService) -> PaneFiring:
        process = _process_function(spec, runtime)
        return PaneFiring(runtime, timers, function, process, is_event_time=is_event_time)

    return _datastream_operator(spec, make_firing, stamped, side_output=spec.late_output == "side")


def _process_function(spec: model.Window, runtime: OperatorRuntime) -> WithWindowEnd | None:
    if (counts := spec.function.firings) is not None:
        clears, merging = counts == "cleared", spec.assigner.merges
        return CountsFirings(runtime.state, runtime.trace, clears=clears, merging=merging)
    return WithWindowEnd() if spec.function.sees_window else None


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


def _over(spec: model.Over, inputs: tuple[model.InputSpec, ...]) -> Callable[[OperatorRuntime], Operator]:
    several, frame = several_of(spec, inputs), spec.frame
    function = several[1] if several else RetractingAggregate(spec.function.compute or "")
    if frame.is_unbounded:
        peers = frame.rows is None
        return lambda runtime: UnboundedOverOperator(runtime, function, peers=peers)
    if frame.rows is not None:
        preceding = int(frame.rows)
        return lambda runtime: RowsOverOperator(runtime, function, preceding)
    assert frame.range is not None
    span = int(frame.range)
    return lambda runtime: RangeOverOperator(runtime, function, span)


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
    make = registry.get(type(spec.assigner))
    if make is None:
        raise _NotBuilt(f"type: {spec.assigner.type}")
    return make(spec.assigner, spec.start_of)


# Builds the run of a scenario with ``engine: spark``.


def dialect_plan(scenario: model.Scenario) -> DialectPlan:
    """A function that builds the run of ``scenario``, whose engine is Spark."""
    delays = {each.name: each.delay for each in scenario.inputs if each.delay is not None}
    operator = scenario.operator
    policy = operator.watermark_policy or "min"
    listed = isinstance(scenario.stream, tuple)
    return DialectPlan(lambda: _stateful_operator(scenario, delays), delays, policy, scenario.origin, listed)


def _stateful_operator(scenario: model.Scenario, delays: dict[str, int]) -> StatefulOperator:
    operator = scenario.operator
    if operator.is_join:
        return StreamJoin(None if operator.bounds is None else Bounds(*operator.bounds), frozenset(delays))
    function = aggregate(operator.compute or "", doubles=_has_doubles(scenario.stream))
    mode = operator.output_mode or ""
    has_watermark, keeps_all = bool(delays), mode == "complete"
    if isinstance(operator.assigner, model.Session):
        # Sessions are filtered before they are merged, whatever the output mode.
        return SessionAggregation(
            _windows(operator.assigner), function, mode, filters=has_watermark, evicts=has_watermark and not keeps_all
        )
    heeds = has_watermark and not keeps_all
    return WindowAggregation(_windows(operator.assigner), function, mode, filters=heeds, evicts=heeds)


def _has_doubles(stream: model.Stream) -> bool:
    """Whether the column of values has type double: a single double anywhere in the stream makes it so."""
    if isinstance(stream, model.Generated):
        return False
    return any(isinstance(item, Record) and isinstance(item.value, float) for item in stream)


def _windows(assigner: model.Assigner | None) -> Windows:
    match assigner:
        case model.Tumbling(size, offset):
            return lambda ts: tumbling_windows(ts, size, offset)
        case model.Sliding(size, slide, offset):
            return lambda ts: tuple(sliding_windows(ts, size, slide, offset))
        case model.Session(gap):
            return lambda ts: (TimeWindow(ts, ts + gap),)
        case other:
            raise TypeError(other)
