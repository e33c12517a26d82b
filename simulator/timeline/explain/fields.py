"""What the fields of a sentence are: a closed vocabulary of kinds, and for each name the kind it has everywhere.

A step carries its fields raw: a time as integer ms, a key, value or window as JSON. The kind says how such a value is
written when the sentence is put into words (``simulator/timeline/wording.py``, ``ui/player/base/telling.ts``). A name
means the same in every sentence, so the kinds go to the browser once, not with each step.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

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
