"""From a scenario to the window operator of the table runtime."""

from collections.abc import Callable
from typing import Any

from simulator.functions.aggregate import AGGREGATES
from simulator.operators.base import Operator
from simulator.operators.runtime import OperatorRuntime
from simulator.operators.table.merging_function import MergingFunction
from simulator.operators.table.window_function import GeneralFunction, PanedFunction, WindowProcessFunction
from simulator.operators.table.window_operator import TableWindowOperator
from simulator.scenario import model
from simulator.table_assigners.cumulative import CumulativeWindowAssigner
from simulator.table_assigners.session import SessionWindowAssigner
from simulator.table_assigners.sliding import SlidingWindowAssigner
from simulator.table_assigners.tumbling import TumblingWindowAssigner
from simulator.table_triggers.after_end_of_window import EventTimeAfterEndOfWindow, ProcessingTimeAfterEndOfWindow
from simulator.table_triggers.base import TableTrigger
from simulator.table_triggers.element import CountElement, EveryElement
from simulator.table_triggers.processing_time_every import ProcessingTimeEvery
from simulator.timers.timer_service import InternalTimerService


def table_window_operator(spec: model.Window) -> Callable[[OperatorRuntime], Operator]:
    """Makes the operator of an ``api: sql`` window."""
    trigger = _trigger(spec.trigger, spec.time)
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
            return GeneralFunction, TumblingWindowAssigner(spec.size, spec.offset)
        case model.Sliding():
            return PanedFunction, SlidingWindowAssigner(spec.size, spec.slide, spec.offset)
        case model.Cumulative():
            return PanedFunction, CumulativeWindowAssigner(spec.max_size, spec.step, spec.offset)
        case model.Session():
            return MergingFunction, SessionWindowAssigner(spec.gap)
        case _:
            raise TypeError(f"no assigner of the table runtime: {spec!r}")


def _trigger(spec: model.Trigger, time: str) -> TableTrigger:
    if not isinstance(spec, model.AfterEndOfWindow):
        return _periodic(spec)
    early = None if spec.early is None else _periodic(spec.early)
    if time == "processing":
        return ProcessingTimeAfterEndOfWindow(early)
    # Late firings at every row are what the trigger does without any: Flink drops them, with the flag they need.
    late = None if spec.late is None or isinstance(spec.late, model.EveryElement) else _periodic(spec.late)
    return EventTimeAfterEndOfWindow(early, late)


def _periodic(spec: model.Trigger | model.Periodic) -> TableTrigger:
    match spec:
        case model.EveryElement():
            return EveryElement()
        case model.Count():
            return CountElement(spec.max)
        case model.ProcessingTimeEvery():
            return ProcessingTimeEvery(spec.interval)
        case _:
            raise TypeError(f"no trigger of the table runtime: {spec!r}")
