"""Builds the SQL operators that work row by row: the temporal join, OVER and deduplication."""

from collections.abc import Callable

from tidemark.simulator.functions.retracting import RetractingAggregate
from tidemark.simulator.operators.base import Operator
from tidemark.simulator.operators.runtime import OperatorRuntime
from tidemark.simulator.operators.sql.deduplicate import KeepFirstOperator, KeepLastOperator
from tidemark.simulator.operators.sql.over import RangeOverOperator, RowsOverOperator, UnboundedOverOperator
from tidemark.simulator.operators.sql.temporal_join import TemporalJoinOperator
from tidemark.simulator.scenario.model import UNBOUNDED, Deduplicate, Over, TemporalJoin


def row_operator(spec: TemporalJoin | Over | Deduplicate) -> Callable[[OperatorRuntime], Operator]:
    """A function that makes the operator."""
    match spec:
        case TemporalJoin(kind=kind):
            return lambda runtime: TemporalJoinOperator(runtime, outer=kind == "left")
        case Deduplicate(keep=keep):
            return KeepFirstOperator if keep == "first" else KeepLastOperator
        case Over():
            return _over(spec)


def _over(spec: Over) -> Callable[[OperatorRuntime], Operator]:
    function, frame = RetractingAggregate(spec.function.compute or ""), spec.frame
    if UNBOUNDED in (frame.rows, frame.range):
        peers = frame.rows is None
        return lambda runtime: UnboundedOverOperator(runtime, function, peers=peers)
    if frame.rows is not None:
        preceding = int(frame.rows)
        return lambda runtime: RowsOverOperator(runtime, function, preceding)
    assert frame.range is not None
    span = int(frame.range)
    return lambda runtime: RangeOverOperator(runtime, function, span)
