"""Builds the run of a scenario with ``engine: spark``."""

from tidemark.simulator.scenario import model
from tidemark.simulator.spark_dialect.accumulators import aggregate
from tidemark.simulator.spark_dialect.aggregation import WindowAggregation, Windows
from tidemark.simulator.spark_dialect.base import StatefulOperator
from tidemark.simulator.spark_dialect.micro_batches import DialectPlan
from tidemark.simulator.spark_dialect.sessions import SessionAggregation
from tidemark.simulator.spark_dialect.stream_join import Bounds, StreamJoin
from tidemark.simulator.values.items import Record
from tidemark.simulator.values.window import TimeWindow, sliding_windows, tumbling_windows


def dialect_plan(scenario: model.Scenario) -> DialectPlan:
    """A function that builds the run of ``scenario``, whose engine is Spark."""
    delays = {each.name: each.delay for each in scenario.inputs if each.delay is not None}
    operator = scenario.operator
    policy = "min"
    if isinstance(operator, model.SparkJoin):
        policy = operator.watermark_policy
    listed = isinstance(scenario.stream, tuple)
    return DialectPlan(lambda: _operator(scenario, delays), delays, policy, scenario.origin, listed)


def _operator(scenario: model.Scenario, delays: dict[str, int]) -> StatefulOperator:
    operator = scenario.operator
    if isinstance(operator, model.SparkJoin):
        bounds = None
        if operator.lower is not None and operator.upper is not None:
            bounds = Bounds(operator.lower, operator.upper)
        return StreamJoin(bounds, frozenset(delays))
    assert isinstance(operator, model.SparkWindow)
    function = aggregate(operator.function.compute or "", doubles=_has_doubles(scenario.stream))
    mode = operator.output_mode
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


def _windows(assigner: model.Assigner) -> Windows:
    match assigner:
        case model.Tumbling(size, offset):
            return lambda ts: tumbling_windows(ts, size, offset)
        case model.Sliding(size, slide, offset):
            return lambda ts: tuple(sliding_windows(ts, size, slide, offset))
        case model.Session(gap):
            return lambda ts: (TimeWindow(ts, ts + gap),)
        case other:
            raise TypeError(other)
