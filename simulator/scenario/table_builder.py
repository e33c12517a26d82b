"""Builds the window operator of the table runtime from a scenario."""

from collections.abc import Callable
from typing import Any

from simulator.functions.aggregate import AGGREGATES
from simulator.operators.base import Operator
from simulator.operators.runtime import OperatorRuntime
from simulator.operators.table.merging_function import MergingFunction
from simulator.operators.table.window_function import GeneralFunction, PanedFunction, WindowProcessFunction
from simulator.operators.table.window_operator import TableWindowOperator
from simulator.scenario import model
from simulator.scenario.running import running_trigger
from simulator.table_assigners.cumulative import CumulativeWindowAssigner
from simulator.table_assigners.session import SessionWindowAssigner
from simulator.table_assigners.sliding import SlidingWindowAssigner
from simulator.table_assigners.tumbling import TumblingWindowAssigner
from simulator.table_triggers.base import TableTrigger
from simulator.timers.timer_service import InternalTimerService
from simulator.values.window import Grid


def table_window_operator(spec: model.Window) -> Callable[[OperatorRuntime], Operator]:
    """Makes the operator of an ``api: sql`` window."""
    trigger = running_trigger(spec)
    assert isinstance(trigger, TableTrigger)
    function, assigner = _function(spec.assigner)
    aggregate = AGGREGATES[spec.function.compute or ""]
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
        return TableWindowOperator(runtime, trigger, make_function, updates=spec.updates)

    return make


def _function(spec: model.Assigner) -> tuple[Callable[..., Any], Any]:
    match spec:
        case model.Tumbling():
            return GeneralFunction, TumblingWindowAssigner(Grid(spec.size, spec.size, spec.offset))
        case model.Sliding():
            return PanedFunction, SlidingWindowAssigner(spec.size, spec.slide, spec.offset)
        case model.Cumulative():
            return PanedFunction, CumulativeWindowAssigner(spec.max_size, spec.step, spec.offset)
        case model.Session():
            return MergingFunction, SessionWindowAssigner(spec.gap)
        case _:
            raise TypeError(f"no assigner of the table runtime: {spec!r}")
