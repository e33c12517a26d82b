"""From a scenario to a pipeline: where the families meet."""

from collections.abc import Callable
from typing import Any

from simulator.assigners.base import WindowAssigner
from simulator.assigners.global_windows import GlobalWindows
from simulator.assigners.session import DynamicEventTimeSessionWindows, EventTimeSessionWindows
from simulator.assigners.sliding import SlidingEventTimeWindows
from simulator.assigners.tumbling import TumblingEventTimeWindows
from simulator.functions.aggregate import Aggregate
from simulator.functions.base import WindowFunction
from simulator.functions.process import Process
from simulator.functions.reduce import Reduce
from simulator.generators.base import WatermarkGenerator
from simulator.generators.bounded_out_of_orderness import BoundedOutOfOrdernessWatermarks
from simulator.generators.idleness import IdlenessTimer
from simulator.generators.punctuated import PunctuatedWatermarks
from simulator.operators.base import Operator
from simulator.operators.event_sort import EventSortOperator
from simulator.operators.merging_window_operator import MergingWindowOperator
from simulator.operators.pane_numbers import PaneNumbers
from simulator.operators.runtime import OperatorRuntime
from simulator.operators.valve import Channel, StatusWatermarkValve
from simulator.operators.window_operator import WindowOperator
from simulator.pipeline.pipeline import PipelinePlan
from simulator.pipeline.source import Source
from simulator.scenario import model
from simulator.trace.trace import Trace
from simulator.triggers.base import Trigger
from simulator.triggers.count import CountTrigger
from simulator.triggers.event_time import EventTimeTrigger
from simulator.triggers.never import NeverTrigger
from simulator.triggers.purging import PurgingTrigger
from simulator.values.errors import Problem, ScenarioError
from simulator.values.items import Checkpoint, Restore
from simulator.words import words

ASSIGNERS: dict[type, Callable[[Any], WindowAssigner]] = {
    model.Tumbling: lambda spec: TumblingEventTimeWindows(spec.size, spec.offset),
    model.Sliding: lambda spec: SlidingEventTimeWindows(spec.size, spec.slide, spec.offset),
    model.Session: lambda spec: EventTimeSessionWindows(spec.gap),
    model.DynamicSession: lambda spec: DynamicEventTimeSessionWindows(spec.gap_field),
    model.Global: lambda spec: GlobalWindows(),
}

TRIGGERS: dict[type, Callable[[Any], Trigger]] = {
    model.EventTime: lambda spec: EventTimeTrigger(),
    model.Count: lambda spec: CountTrigger(spec.max),
    model.Purging: lambda spec: PurgingTrigger(_trigger(spec.inner)),
    model.Never: lambda spec: NeverTrigger(),
}

FUNCTIONS: dict[str, Callable[[str], WindowFunction]] = {"reduce": Reduce, "aggregate": Aggregate, "process": Process}


class _NotBuilt(Exception):
    """The engine does not run this yet; the argument names it."""


def plan(scenario: model.Scenario) -> PipelinePlan:
    """How to build the scenario's pipeline. Raises ``ScenarioError`` for what the engine does not run."""
    try:
        make_operator = _operator(scenario)
    except _NotBuilt as missing:
        line, column = scenario.marks.get(("operator",), (1, 1))
        text = words("problems.not_built", what=missing.args[0])
        raise ScenarioError([Problem(scenario.file, line, column, text)]) from None
    specs = {each.name: each.watermark for each in scenario.inputs}

    def make_source(channel: Channel, valve: StatusWatermarkValve, trace: Trace | None) -> Source:
        spec = specs[channel.input]
        idleness = None
        if spec.idle_timeout:
            idleness = IdlenessTimer(channel.input, channel.number, spec.idle_timeout, trace)
        generator = _generator(spec, channel, trace)
        return Source(channel, valve, generator, emit_interval=spec.emit, idleness=idleness, trace=trace)

    channels = {each.name: each.channels for each in scenario.inputs}
    return PipelinePlan(channels, scenario.origin, make_source, make_operator)


def _generator(spec: model.WatermarkSpec, channel: Channel, trace: Trace | None) -> WatermarkGenerator | None:
    match spec.generator:
        case "bounded-out-of-orderness" | "monotonous":
            return BoundedOutOfOrdernessWatermarks(channel.input, channel.number, spec.bound, trace)
        case "punctuated":
            return PunctuatedWatermarks(channel.input, channel.number, spec.bound, trace)
        case _:
            return None


def _operator(scenario: model.Scenario) -> Callable[[OperatorRuntime], Operator]:
    if scenario.engine != "flink":
        raise _NotBuilt(f"engine: {scenario.engine}")
    if any(each.watermark.generator == "sql" for each in scenario.inputs):
        raise _NotBuilt("generator: sql")
    if isinstance(scenario.stream, tuple):
        for item in scenario.stream:
            if isinstance(item, Checkpoint | Restore):
                raise _NotBuilt(type(item).__name__.lower())
    match scenario.operator:
        case model.Window() as window:
            return _window_operator(window)
        case model.Process():
            return EventSortOperator
        case other:
            raise _NotBuilt(f"type: {other.type}")


def _window_operator(spec: model.Window) -> Callable[[OperatorRuntime], Operator]:
    if spec.api != "datastream":
        raise _NotBuilt(f"api: {spec.api}")
    if spec.time != "event":
        raise _NotBuilt(f"time: {spec.time}")
    if spec.evictor is not None:
        raise _NotBuilt("evictor")
    assigner = _built(ASSIGNERS, spec.assigner)
    trigger = _trigger(spec.trigger)
    function = FUNCTIONS[spec.function.call](spec.function.compute or "")
    operator = MergingWindowOperator if assigner.is_merging else WindowOperator

    def make(runtime: OperatorRuntime) -> Operator:
        return operator(
            runtime,
            assigner,
            trigger,
            function,
            allowed_lateness=spec.allowed_lateness,
            side_output=spec.late_output == "side",
            panes=PaneNumbers(forgets=True),
        )

    return make


def _trigger(spec: model.Trigger) -> Trigger:
    return _built(TRIGGERS, spec)


def _built(registry: dict[type, Callable[[Any], Any]], spec: Any) -> Any:
    make = registry.get(type(spec))
    if make is None:
        raise _NotBuilt(f"type: {spec.type}")
    return make(spec)
