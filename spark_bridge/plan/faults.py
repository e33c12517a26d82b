"""Faults planted on purpose on Spark's side: a comparison that could not fail would prove nothing.

Some change one result row (``planted``). The others change a number of the plan that Spark carries out (``broken``),
so that it computes something slightly different, as a mistake in the bridge would make it.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from tidemark.simulator.engine.values.items import Advance, Status
from tidemark.simulator.scenario.model import InputSpec, Scenario, WatermarkSpec
from tidemark.simulator.scenario.stream import borders_in
from tidemark.spark_bridge.plan.batch import BatchPlan, plan_of
from tidemark.spark_bridge.plan.operators import one_more
from tidemark.spark_bridge.results.canonical import COLUMNS, RESULTS, Columns


class Fault(StrEnum):
    """A change to one result row, or to the plan, before the sides are compared."""

    VALUE = "value"
    """Its value is one too high (what is not a number becomes another text)."""
    LESS = "less"
    """Its value, a number, is one too low: a record was not counted."""
    ORDER = "order"
    """Its value is a list with two neighbours swapped."""
    START = "start"
    """Its window begins a millisecond earlier."""
    END = "end"
    """Its window ends a millisecond later, and its timestamp moves too."""
    KEY = "key"
    """It belongs to another key."""
    WATERMARK = "watermark"
    """It was fired by a watermark that is one lower."""
    CLOCK = "clock"
    """It was fired a millisecond later."""
    TIMING = "timing"
    """An on-time pane is called late, or the other way round."""
    LOST = "lost"
    """It is missing: a late pane where there is one."""
    ON_TIME_LOST = "on-time-lost"
    """It is missing: an on-time pane."""
    TWICE = "twice"
    """It occurs twice."""
    NEXT_WINDOW = "next-window"
    """It is in the window after its own: a late pane where there is one."""
    UNREPORTED = "unreported"
    """A record that was too late is not reported."""
    BOUND = "bound"
    """Every watermark computed from records is a millisecond too low."""
    TIMER = "timer"
    """Timers of the clock fire a millisecond late."""
    WITHDRAWN = "withdrawn"
    """Rows that a restore withdraws are emitted all the same."""
    IDLE = "idle"
    """Idle channels are not left out: nothing ever falls idle."""
    CHANNELS = "channels"
    """The combined watermark is the minimum of fewer channels than there are."""
    LATENESS = "lateness"
    """State is kept a millisecond longer."""
    SIZE = "size"
    """Windows are a millisecond longer; so are the gap of sessions, the reach of an interval join and a range of OVER.

    A frame of rows has one row more."""
    OFFSET = "offset"
    """Windows are aligned a millisecond later."""


@dataclass(frozen=True, slots=True)
class Bearer:
    """The rows that can carry a fault: of these ``kinds``, of this ``timing`` (None: any), and ``fit``.

    ``late_first``: a late pane is taken where there is one.
    """

    kinds: frozenset[str] = RESULTS
    timing: str | None = None
    late_first: bool = False
    fit: Callable[[dict[str, Any]], bool] = lambda row: True


_OTHER_TIMING: Final = {"on-time": "late", "late": "on-time"}


def _is_number(row: dict[str, Any]) -> bool:
    return row["value_text"] is None or row["value_text"].lstrip("-").isdigit()


def _swapped(row: dict[str, Any]) -> list[Any] | None:
    """The row's value, if it is a list, with the first two unequal neighbours swapped; else None."""
    value = json.loads(row["value_text"]) if (row["value_text"] or "").startswith("[") else []
    for place in range(len(value) - 1):
        if value[place] != value[place + 1]:
            value[place : place + 2] = reversed(value[place : place + 2])
            return list(value)
    return None


def _has_window(row: dict[str, Any]) -> bool:
    return row["start"] is not None


BEARERS: Final = {
    Fault.VALUE: Bearer(),
    Fault.LESS: Bearer(fit=_is_number),
    Fault.ORDER: Bearer(fit=lambda row: _swapped(row) is not None),
    Fault.START: Bearer(fit=_has_window),
    Fault.END: Bearer(),
    Fault.KEY: Bearer(),
    Fault.WATERMARK: Bearer(),
    Fault.CLOCK: Bearer(),
    Fault.TIMING: Bearer(kinds=frozenset({"pane"}), fit=lambda row: row["timing"] in _OTHER_TIMING),
    Fault.LOST: Bearer(late_first=True),
    Fault.ON_TIME_LOST: Bearer(timing="on-time"),
    Fault.TWICE: Bearer(),
    Fault.NEXT_WINDOW: Bearer(late_first=True, fit=_has_window),
    Fault.UNREPORTED: Bearer(kinds=frozenset({"dropped", "late"})),
}
"""The faults of a row, and which rows can carry them; the other faults are those of the plan."""


def planted(columns: Columns, fault: Fault) -> list[Columns]:
    """What replaces the row ``columns`` (see ``canonical.COLUMNS``), which can carry ``fault``."""
    row = dict(zip(COLUMNS, columns, strict=True))
    match fault:
        case Fault.LOST | Fault.ON_TIME_LOST | Fault.UNREPORTED:
            return []
        case Fault.TWICE:
            return [columns, columns]
        case Fault.VALUE:
            row |= _other_value(row, 1)
        case Fault.LESS:
            row |= _other_value(row, -1)
        case Fault.ORDER:
            row["value_text"] = json.dumps(_swapped(row), ensure_ascii=False, separators=(",", ":"))
        case Fault.START:
            row["start"] -= 1
        case Fault.END:
            row |= {"end": None if row["end"] is None else row["end"] + 1, "time": row["time"] + 1}
        case Fault.NEXT_WINDOW:
            size = row["end"] - row["start"]
            row |= {name: row[name] + size for name in ("start", "end", "time")}
        case Fault.KEY:
            row["key"] = f'"not {row["key"].strip(chr(34))}"'
        case Fault.WATERMARK:
            row["watermark"] -= 1
        case Fault.CLOCK:
            row["at"] += 1
        case Fault.TIMING:
            row["timing"] = _OTHER_TIMING[row["timing"]]
        case _:
            raise ValueError(fault)
    return [tuple(row.values())]


def _other_value(row: dict[str, Any], more: int) -> dict[str, Any]:
    if row["value_text"] is None:
        return {"value_number": row["value_number"] * 2 + more}
    if row["value_text"].lstrip("-").isdigit():
        return {"value_text": str(int(row["value_text"]) + more)}
    return {"value_text": '"planted"' if row["value_text"] != '"planted"' else "null"}


def broken(scenario: Scenario, fault: Fault | None) -> Scenario:
    """The scenario that Spark gets: with one wrong number, if ``fault`` is one of the plan and applies to it."""
    match fault:
        case Fault.BOUND:
            return replace(scenario, inputs=tuple(map(_later, scenario.inputs)))
        case Fault.IDLE:
            return _never_idle(scenario)
        case Fault.CHANNELS:
            fewer = (replace(each, channels=max(1, each.channels - 1)) for each in scenario.inputs)
            return replace(scenario, inputs=tuple(fewer))
        case Fault.LATENESS | Fault.SIZE | Fault.OFFSET:
            return replace(scenario, operator=one_more(scenario.operator, fault.value))
        case _:
            return scenario


def faulty_plan(scenario: Scenario, fault: Fault | None) -> BatchPlan:
    """The plan that Spark carries out: of the ``broken`` scenario, or with a number of its own wrong."""
    # The stream is that of the sound scenario, also where it seeks the borders of a number that is wrong here.
    plan = replace(plan_of(broken(scenario, fault)), borders=borders_in(scenario))
    match fault:
        case Fault.TIMER:
            return replace(plan, pause=plan.pause + 1)
        case Fault.WITHDRAWN:
            return replace(plan, withdrawn=frozenset())
        case _:
            return plan


def _never_idle(scenario: Scenario) -> Scenario:
    awake = (
        replace(each, watermark=_with(each.watermark, idle_timeout=0)) if each.watermark.idle_timeout else each
        for each in scenario.inputs
    )
    stream = scenario.stream
    if isinstance(stream, tuple):
        stream = tuple(Advance(0, item.at) if isinstance(item, Status) else item for item in stream)
    return replace(scenario, inputs=tuple(awake), stream=stream)


def _later(source: InputSpec) -> InputSpec:
    if source.watermark.type in ("none", "monotonous"):
        return source
    return replace(source, watermark=_with(source.watermark, bound=source.watermark.bound + 1))


def _with(watermark: WatermarkSpec, **changed: Any) -> WatermarkSpec:
    """Only of a strategy that has these numbers."""
    return replace(watermark, **changed)
