"""What an event names, as Flink's own classes write it: for those who read the source beside the picture."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from simulator.scenario.model import IntervalJoin, Scenario, Window, WindowJoin
from simulator.scenario.running import table_triggers
from simulator.trace.event import TraceEvent
from simulator.trace.events import StateAdded, StateMerged, StateUpdated, TriggerEvaluated, TriggerStateChanged
from simulator.trace.trace import Step
from simulator.values.time import MAX, MIN
from simulator.values.window import GlobalWindow, SideNamespace, TimeWindow

SIDES: Final = {"left": "CLEANUP_LEFT", "right": "CLEANUP_RIGHT"}
"""The namespaces of an interval join's timers (``IntervalJoinOperator.CLEANUP_NAMESPACE_LEFT``)."""

TABLE_TRIGGERS: Final = {each.__name__: each.flink for each in table_triggers()}
"""Flink's names of the table runtime's triggers, which are inner classes there and answer true or false."""

OWNERS: Final = {
    **TABLE_TRIGGERS,
    "MergingWindowOperator": "WindowOperator",
    "TableWindowOperator": "WindowOperator",
    "EventSortOperator": "SortFunction",
    "GeneralFunction": "GeneralWindowProcessFunction",
    "PanedFunction": "PanedWindowProcessFunction",
    "MergingFunction": "MergingWindowProcessFunction",
    "WatermarksWithIdleness": "WatermarksWithIdleness.IdlenessTimer",
}
"""Flink's name of a class where the simulator's is another."""

_NO_TIME: Final = (StateAdded, StateUpdated, StateMerged, TriggerStateChanged)
"""Events whose ``after`` is no time."""


JavaField = Callable[[Step], str]
"""Gives one field of a step."""


def java_fields(scenario: Scenario) -> dict[str, JavaField]:
    """``ns``: the window or namespace (``TimeWindow{start=0, end=5000}``); ``ms``: the event's time in ms;
    ``place``: class and method as Java spells them; ``Domain``: ``EventTime`` or ``ProcessingTime``; ``wm``: the
    operator's watermark in ms; ``returned``: a trigger's answer; ``drops``: what becomes of a late record;
    ``combiner``: who makes one watermark of several.
    """
    evicts = getattr(scenario.operator, "evictor", None) is not None
    drops = "numLateRecordsDropped.inc()" if isinstance(scenario.operator, Window | WindowJoin) else "return"
    two_inputs = isinstance(scenario.operator, IntervalJoin)
    combiner = "IndexedCombinedWatermarkStatus" if two_inputs else "StatusWatermarkValve"
    return {
        "ns": lambda step: namespace_text(_first(step.event, "window", "namespace", "target", "result")),
        "ms": _time,
        "place": lambda step: java_place(step.event.place, evicts=evicts),
        "Domain": lambda step: {"event": "EventTime", "processing": "ProcessingTime"}[_first(step.event, "domain")],
        "wm": lambda step: long_text(MIN if step.watermark is None else step.watermark),
        "returned": lambda step: _returned(step.event),
        "drops": lambda step: drops,
        "combiner": lambda step: combiner,
    }


def _time(step: Step) -> str:
    time = None if isinstance(step.event, _NO_TIME) else _first(step.event, "timestamp", "ts", "after")
    return long_text(MIN if time is None else time)


def answer(event: TriggerEvaluated) -> str:
    """What a trigger returned: a result, or in the table runtime true or false."""
    if event.trigger in TABLE_TRIGGERS:
        return "true" if event.result == "FIRE" else "false"
    return event.result


def _returned(event: TraceEvent) -> str:
    assert isinstance(event, TriggerEvaluated)
    return answer(event) if event.trigger in TABLE_TRIGGERS else f"TriggerResult.{event.result}"


def _first(event: TraceEvent, *names: str) -> Any:
    return next((getattr(event, name) for name in names if hasattr(event, name)), None)


def namespace_text(namespace: Any) -> str:
    """As its ``toString`` gives it."""
    match namespace:
        case TimeWindow():
            return f"TimeWindow{{start={namespace.start}, end={namespace.end}}}"
        case GlobalWindow():
            return "GlobalWindow"
        case SideNamespace():
            return SIDES[namespace.side]
        case _:
            return "VoidNamespace"


def long_text(number: int) -> str:
    """A ``long``; its ends by their names."""
    return "Long.MAX_VALUE" if number == MAX else "Long.MIN_VALUE" if number == MIN else str(number)


@cache
def java_place(place: str, *, evicts: bool = False) -> str:
    """``WindowOperator.process_element`` as ``WindowOperator.processElement``; evictors have their own operator."""
    owner, dot, method = place.rpartition(".")
    if not dot:
        return OWNERS.get(place, place)
    first, *rest = method.split("_")
    name = first + "".join(word.capitalize() for word in rest)
    if evicts and name == "emitWindowContents":
        owner = f"Evicting{owner}"
    return f"{OWNERS.get(owner, owner)}.{name}"
