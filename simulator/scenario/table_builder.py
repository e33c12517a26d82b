"""Builds the window operators of the table runtime from a scenario: group windows, and window table functions."""

from collections.abc import Callable
from typing import Any

from tidemark.simulator.functions.aggregate import AGGREGATES
from tidemark.simulator.operators.base import Operator
from tidemark.simulator.operators.runtime import OperatorRuntime
from tidemark.simulator.operators.table.local_functions import (
    LocalGeneralFunction,
    LocalMergingFunction,
    LocalPanedFunction,
)
from tidemark.simulator.operators.table.merging_function import MergingFunction
from tidemark.simulator.operators.table.window_function import GeneralFunction, PanedFunction, WindowProcessFunction
from tidemark.simulator.operators.table.window_operator import TableWindowOperator
from tidemark.simulator.operators.tvf.local_slice_operator import LocalSliceOperator
from tidemark.simulator.operators.tvf.session_operator import SessionFunction, SessionWindowOperator
from tidemark.simulator.operators.tvf.slice_window_operator import SliceWindowOperator
from tidemark.simulator.operators.tvf.window_rank_operator import WindowRankOperator
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.running import running_trigger
from tidemark.simulator.scenario.zones import zone_of
from tidemark.simulator.table_assigners.base import SliceAssigner
from tidemark.simulator.table_assigners.cumulative import CumulativeWindowAssigner
from tidemark.simulator.table_assigners.local import LocalPanes, LocalSlices, LocalWindows
from tidemark.simulator.table_assigners.session import SessionWindowAssigner
from tidemark.simulator.table_assigners.slices import CumulativeSlices, HoppingSlices, TumblingSlices
from tidemark.simulator.table_assigners.sliding import SlidingWindowAssigner
from tidemark.simulator.table_assigners.tumbling import TumblingWindowAssigner
from tidemark.simulator.table_triggers.base import TableTrigger
from tidemark.simulator.timers.timer_service import InternalTimerService
from tidemark.simulator.values.window import Grid
from tidemark.simulator.values.zone import SessionZone


def table_window_operator(spec: model.Window) -> Callable[[OperatorRuntime], Operator]:
    """Makes the operator of an ``api: sql`` window."""
    zone = zone_of(spec)
    function = _function(spec.assigner) if zone is None else _local_function(spec.assigner, zone)
    return _group_windows(spec, *function, TableWindowOperator)


def tvf_window_operator(spec: model.Window) -> Callable[[OperatorRuntime], Operator]:
    """Makes the operator of an ``api: tvf`` window."""
    zone = zone_of(spec)
    if isinstance(spec.assigner, model.Session):
        sessions = SessionWindowAssigner(spec.assigner.gap)
        assigner = sessions if zone is None else LocalWindows(sessions, zone)
        return _group_windows(spec, SessionFunction, assigner, SessionWindowOperator)
    slices, aggregate = slices_of(spec), AGGREGATES[spec.function.compute or ""]

    def make(runtime: OperatorRuntime) -> Operator:
        is_event_time = spec.time == "event"
        if zone is None:
            return SliceWindowOperator(runtime, slices, aggregate, is_event_time=is_event_time)
        return LocalSliceOperator(runtime, slices, aggregate, zone, is_event_time=is_event_time)

    return make


def window_rank_operator(spec: model.WindowTopN) -> Callable[[OperatorRuntime], Operator]:
    """Makes the operator of ``type: window-top-n``."""
    _, assigner = _function(spec.assigner)

    def make(runtime: OperatorRuntime) -> Operator:
        return WindowRankOperator(runtime, assigner, spec.n, descending=spec.order == "desc")

    return make


def _group_windows(
    spec: model.Window, function: Callable[..., Any], assigner: Any, operator: type[TableWindowOperator]
) -> Callable[[OperatorRuntime], Operator]:
    trigger = running_trigger(spec)
    assert isinstance(trigger, TableTrigger)
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
        return operator(runtime, trigger, make_function, updates=spec.updates)

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


def _local_function(spec: model.Assigner, zone: SessionZone) -> tuple[Callable[..., Any], Any]:
    function, assigner = _function(spec)
    if function is PanedFunction:
        return LocalPanedFunction, LocalPanes(assigner, zone)
    return LocalMergingFunction if function is MergingFunction else LocalGeneralFunction, LocalWindows(assigner, zone)


def slices_of(spec: model.Window) -> SliceAssigner:
    """The slices of a window table function, in local time if it has a session zone."""
    slices, zone = _slices(spec.assigner), zone_of(spec)
    return slices if zone is None else LocalSlices(slices, zone)


def _slices(spec: model.Assigner) -> SliceAssigner:
    match spec:
        case model.Tumbling():
            return TumblingSlices(spec.size, spec.offset)
        case model.Sliding():
            return HoppingSlices(spec.size, spec.slide, spec.offset)
        case model.Cumulative():
            return CumulativeSlices(spec.max_size, spec.step, spec.offset)
        case _:
            raise TypeError(f"no slices: {spec!r}")
