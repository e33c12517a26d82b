"""The picture of a run, with what the plane needs to draw it: for the player, and for both sides of a comparison.

The plane shows derived facts too. Those of the Why cards are not among them, and take longer than all others.
"""

from collections.abc import Mapping
from typing import Any

from tidemark.simulator.explore.settings import BOUND, LATENESS
from tidemark.simulator.scenario.model import Global, Scenario
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.timeline.wording import duration, time_format
from tidemark.simulator.words import section, words
from tidemark.ui.payload.charts import plane
from tidemark.ui.payload.charts.changes import changes, on_clock, with_range
from tidemark.ui.payload.times import TimeStyle

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]


def derived(scenario: Scenario, tables: Tables) -> dict[str, list[Row]]:
    """Tables and columns that the plane needs beside those of the timeline."""
    made = changes(scenario, tables)
    if scenario.operator.joins_by_time:
        made["buffers"] = [with_range(row, scenario.operator) for row in tables["buffers"]]
    return made


def drawn(facts: Timeline, tables: Tables) -> dict[str, Any]:
    """{style, words, steps, arrival_axis, signals, parts, sources} of a run; ``tables``: its facts with ``derived``."""
    style = TimeStyle(time_format(facts.scenario))
    by_item = facts.arrival_axis == "item"
    clock = in_processing_time(facts.scenario)
    picture = plane.plane(on_clock(tables) if clock else tables, facts.number_of_steps, style, by_item)
    return {
        "style": style.as_json(),
        "words": section("player"),
        "steps": facts.number_of_steps,
        "arrival_axis": facts.arrival_axis,
        "signals": {
            **picture["parts"][0]["signals"],
            **axis_titles(style, by_item, clock),
            "dot": plane.dot_size(len({row["id"] for row in tables["records"]})),
        },
        **picture,
    }


def plane_of(facts: Timeline) -> dict[str, Any]:
    """``drawn`` of a run that is shown without the player; its facts need no stories."""
    tables = facts.by_name()
    return drawn(facts, {**tables, **derived(facts.scenario, tables)})


def in_processing_time(scenario: Scenario) -> bool:
    """Whether the run is in processing time: its records lie at their clocks."""
    return scenario.operator.time == "processing"


def axis_titles(style: TimeStyle, by_item: bool, clock: bool) -> dict[str, str]:
    """The labels of both axes of the plane; ``clock``: the run is in processing time."""
    unit = "_s" if style.in_seconds else ""
    x = f"picture.clock_axis{unit}" if clock else f"event_time{unit}"
    y = "arrival_axis_item" if by_item else f"arrival_axis_at{unit}"
    return {"x_title": words(f"player.{x}"), "y_title": words(f"player.{y}")}


# The numbers of a scenario that a reader may change where they stand: in the sentence of the player.

SPANS = ("size", "slide", "max_size", "step", "gap")
"""The lengths of time that an assigner may have."""


def numbers(scenario: Scenario) -> list[dict[str, Any]]:
    """Each number as {name, label, value, text}, in the order of the sentence.

    ``name`` is that of its control on the Author page, ``value`` a length of time in words, ``text`` what stands for it
    in the sentence: the value, or a clause where 0 is not written.
    """
    if scenario.engine != "flink":
        return []
    assigner = scenario.operator.assigner
    found = [_number(name, getattr(assigner, name)) for name in SPANS if hasattr(assigner, name)]
    if scenario.operator.time == "processing":
        return found
    bound = BOUND.read(scenario)
    if bound is not None and len({each.watermark for each in scenario.inputs}) == 1:
        found.append(_number("bound", bound))
    lateness = LATENESS.read(scenario)
    if lateness is not None and not isinstance(assigner, Global):
        side = scenario.operator.late_output == "side"
        clause = words(f"player.sentence.{'late_side' if side else 'late_dropped'}")
        found.append(_number("lateness", lateness) | ({} if lateness else {"text": clause}))
    return found


def _number(name: str, ms: int) -> dict[str, Any]:
    value = duration(ms)
    return {"name": name, "label": words(f"author.controls.{name}"), "value": value, "text": value}
