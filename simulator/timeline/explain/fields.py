"""What the fields of a sentence are: a closed vocabulary of kinds, and for each name the kind it has everywhere.

A step carries its fields raw: a time as integer ms, a key, value or window as JSON. The kind says how such a value is
written when the sentence is put into words (``simulator/timeline/wording.py``, ``ui/player/base/telling.ts``). A name
means the same in every sentence, so the kinds go to the browser once, not with each step.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Literal, NamedTuple

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

Kind = Literal[
    "number",  # a count or an item: as it is
    "text",  # a name that is the same in every language: as it is
    "exact",  # a watermark or a timer (ms), to the millisecond
    "record_time",  # the time of a record or of the clock (ms)
    "duration",  # a length of time (ms)
    "span",  # a length of time (ms) within a formula, to the millisecond
    "value",  # a key, a value or a result: any JSON
    "kept",  # the same as trigger state: null is a dash
    "values",  # a list of values, as a phrase
    "value_at",  # {value, ts}: a value and the time of its record, null for none
    "value_of",  # of a value_at the value alone
    "length",  # of a list how many it has
    "record",  # {key, ts, value}; ts and value may be null
    "window_of_key",  # {key, start, end}; {key} outside windows, {key, side} in a buffer of a join
    "bounds",  # of {start, end}: "[0, 5)", "" for the global window and outside windows
    "bounds_list",  # a list of {start, end}, as a phrase
    "windows",  # a list of {start, end}, as a phrase, each with the word for window
    "first_window",  # of such a list the first, and how many more there are
    "channel",  # {input, channel}; each null where it needs no mention
    "side",  # left or right, an input of a join
    "join_side",  # the same as a phrase
    "compute",  # what a window computes: sum, count, min, max, avg
    "given",  # what a join gives: window_join, co_group
    "memory",  # what a trigger's state is for
    "records",  # a number of records, as a phrase
    "results",  # a number of results, as a phrase
    "stands",  # where a watermark (ms or null) is, as a clause
    "java_place",  # class and method of the simulator as Flink's Java spells them
    "java_namespace",  # of {start, end, side} what Java's toString gives
    "java_time",  # a time (ms or null) as a Java long
    "java_result",  # a trigger's answer as Java spells it
    "step",  # the number of an earlier step, whose rule the sentence speaks of; never written
]
"""How a raw value is written."""

KINDS: Final[Mapping[str, Kind]] = {
    **dict.fromkeys(
        ("item", "count", "pane", "entries", "timers", "remaining", "batch", "state_rows", "rank"), "number"
    ),
    **dict.fromkeys(("was", "now"), "number"),
    **dict.fromkeys(("evictor", "trigger", "state", "name", "type", "message", "answer"), "text"),
    **dict.fromkeys(("condition", "outcome"), "text"),
    **dict.fromkeys(("Domain", "side"), "text"),
    **dict.fromkeys(("time", "watermark", "late_watermark", "before", "until"), "exact"),
    **dict.fromkeys(("ts", "clock", "old_clock", "newest"), "record_time"),
    **dict.fromkeys(("size", "slide", "max_size", "step", "gap", "lateness"), "duration"),
    **dict.fromkeys(("key", "value", "unchanged", "lefts", "rights"), "value"),
    **dict.fromkeys(("evicted", "values"), "values"),
    **dict.fromkeys(("left", "right"), "value_at"),
    **dict.fromkeys(("late", "merged", "parts"), "bounds_list"),
    **dict.fromkeys(("which", "empty"), "side"),
    **dict.fromkeys(("records", "read"), "records"),
    "old": "kept",
    "record": "record",
    "window": "window_of_key",
    "windows": "windows",
    "result": "bounds",
    "bounds": "bounds",
    "channel": "channel",
    "of_side": "join_side",
    "compute": "compute",
    "given": "given",
    "memory": "memory",
    "results": "results",
    "ns": "java_namespace",
    "ms": "java_time",
    "decided": "step",
}
"""The kind of each field that a step carries."""


class Derived(NamedTuple):
    """A field that is another one, maybe written in another way: the first of ``sources`` that the step carries.

    ``step.watermark`` is a column of the step itself, ``record.ts`` a member of the field ``record``.
    """

    kind: Kind
    sources: tuple[str, ...]


DERIVED: Final[Mapping[str, Derived]] = {
    "item": Derived("number", ("step.item",)),
    "watermark": Derived("exact", ("step.watermark",)),
    "place": Derived("java_place", ("step.place",)),
    "ns": Derived("java_namespace", ("window",)),
    "ms": Derived("java_time", ("time", "watermark", "ts", "clock", "record.ts", "step.watermark")),
    "wm": Derived("java_time", ("step.watermark",)),
    "stands": Derived("stands", ("step.watermark",)),
    "returned": Derived("java_result", ("answer",)),
    "bounds": Derived("bounds", ("window",)),
    "first_window": Derived("first_window", ("windows",)),
    "kept": Derived("kept", ("value",)),
    "left_value": Derived("value_of", ("left",)),
    "right_value": Derived("value_of", ("right",)),
    "left_count": Derived("length", ("lefts",)),
    "right_count": Derived("length", ("rights",)),
    "rows_in": Derived("number", ("read",)),
    "rows_out": Derived("number", ("results",)),
}
"""Fields that are not carried where another has the same value already."""


MISSING: Final = object()
"""Stands for a value that is not there."""


def value_at(source: str, fields: Mapping[str, Any], row: Mapping[str, Any]) -> Any:
    """What ``source`` names for the step of ``row``, of its ``fields``; ``MISSING`` where there is none."""
    of, dot, name = source.partition(".")
    if not dot:
        return fields.get(source, MISSING)
    if of == "step":
        return row[name]
    return fields[of][name] if of in fields else MISSING


DURATIONS: Final = (
    "allowed_lateness",
    "bound",
    "idle_timeout",
    "state_ttl",
    "interval",
    "timeout",
    "gap",
    "lower",
    "upper",
    "delay",
)
"""Numbers of a rule that are lengths of time."""

COUNTS: Final = ("count", "max", "value", "threshold")
"""A rule with one of these numbers is not about time at all; other numbers are points in time."""

NUMBER_KINDS: Final[Mapping[str, Kind]] = {**dict.fromkeys(DURATIONS, "duration"), **dict.fromkeys(COUNTS, "value")}
"""The kind of each number of a rule; the others are ``exact``, and all are ``value`` where one is."""


# What an event names, as Flink's own classes write it: for those who read the source beside the picture.

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
    "FirstSoFarOperator": "RowTimeDeduplicateFunction",
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
