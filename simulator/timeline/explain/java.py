"""What an event names, as Flink's own classes write it: for those who read the source beside the picture."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from tidemark.simulator.engine.trace.event import TraceEvent
from tidemark.simulator.engine.trace.events import (
    StateAdded,
    StateMerged,
    StateUpdated,
    TriggerEvaluated,
    TriggerStateChanged,
)
from tidemark.simulator.engine.triggers.base import table_triggers
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.window import GlobalWindow, SideNamespace, TimeWindow
from tidemark.simulator.scenario.model import Scenario

SIDES: Final = {"left": "CLEANUP_LEFT", "right": "CLEANUP_RIGHT"}
"""The namespaces of an interval join's timers (``IntervalJoinOperator.CLEANUP_NAMESPACE_LEFT``)."""

TABLE_TRIGGERS: Final = {each.__name__: each.flink for each in table_triggers()}
"""Flink's names of the table runtime's triggers, which are inner classes there and answer true or false."""

OWNERS: Final = {
    **TABLE_TRIGGERS,
    "MergingWindowOperator": "WindowOperator",
    "TableWindowOperator": "WindowOperator",
    "SliceWindowOperator": "WindowAggOperator",
    "SessionWindowOperator": "WindowAggOperator",
    "SessionFunction": "MergingWindowProcessFunction",
    "WindowRankOperator": "WindowAggOperator",
    "EventSortOperator": "SortFunction",
    "TemporalJoinOperator": "TemporalRowTimeJoinOperator",
    "RowsOverOperator": "RowTimeRowsBoundedPrecedingFunction",
    "RangeOverOperator": "RowTimeRangeBoundedPrecedingFunction",
    "UnboundedOverOperator": "RowTimeUnboundedPrecedingOverFunctionV2",
    "KeepFirstOperator": "RowTimeDeduplicateKeepFirstRowFunction",
    "KeepLastOperator": "RowTimeDeduplicateFunction",
    "GeneralFunction": "GeneralWindowProcessFunction",
    "PanedFunction": "PanedWindowProcessFunction",
    "MergingFunction": "MergingWindowProcessFunction",
    "WatermarksWithIdleness": "WatermarksWithIdleness.IdlenessTimer",
}
"""Flink's name of a class where the simulator's is another."""

DOMAINS: Final = {"event": "EventTime", "processing": "ProcessingTime"}
"""What Java calls the two clocks, as part of a method's name."""

_NO_TIME: Final = (StateAdded, StateUpdated, StateMerged, TriggerStateChanged)
"""Events whose ``after`` is no time."""


def constants(scenario: Scenario) -> dict[str, str]:
    """What the scenario alone decides. ``drops``: what becomes of a late record; ``combiner``: who makes one watermark
    of several.
    """
    drops = "numLateRecordsDropped.inc()" if scenario.operator.counts_late else "return"
    two_inputs = scenario.operator.combines_watermarks
    return {"drops": drops, "combiner": "IndexedCombinedWatermarkStatus" if two_inputs else "StatusWatermarkValve"}


def of_event(event: TraceEvent) -> dict[str, Any]:
    """``ns``: the window or namespace; ``ms``: the event's time; ``Domain``: the clock of a timer."""
    domain = getattr(event, "domain", None)
    return {
        "ns": _namespace(_first(event, "window", "namespace", "target", "result")),
        "ms": None if isinstance(event, _NO_TIME) else _first(event, "timestamp", "ts", "after"),
        "Domain": DOMAINS.get(domain, "") if domain is not None else "",
    }


def _namespace(namespace: Any) -> Any:
    """What ``namespace_text`` writes."""
    match namespace:
        case TimeWindow() | GlobalWindow():
            return {"start": namespace.start, "end": namespace.end}
        case SideNamespace():
            return {"side": namespace.side}
        case _:
            return {}


def answer(event: TriggerEvaluated) -> str:
    """What a trigger returned: a result, or in the table runtime true or false."""
    if event.trigger in TABLE_TRIGGERS:
        return "true" if event.result == "FIRE" else "false"
    return event.result


def result_text(text: str) -> str:
    """An ``answer`` as it stands in Java."""
    return text if text in ("true", "false") else f"TriggerResult.{text}"


def _first(event: TraceEvent, *names: str) -> Any:
    return next((getattr(event, name) for name in names if hasattr(event, name)), None)


def namespace_text(namespace: Mapping[str, Any]) -> str:
    """As its ``toString`` returns it: a window, the namespace of a side of a join, or none."""
    if "side" in namespace:
        return SIDES[namespace["side"]]
    if "start" not in namespace:
        return "VoidNamespace"
    if namespace["start"] is None:
        return "GlobalWindow"
    return f"TimeWindow{{start={namespace['start']}, end={namespace['end']}}}"


def long_text(number: int | None) -> str:
    """A ``long``; its ends by their names. None, no time yet, is the least."""
    if number is None or number == MIN:
        return "Long.MIN_VALUE"
    return "Long.MAX_VALUE" if number == MAX else str(number)


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
