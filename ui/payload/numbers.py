"""The numbers of a scenario that a reader may change where they stand: in the sentence of the player."""

from typing import Any

from tidemark.simulator.explore.settings import BOUND, LATENESS
from tidemark.simulator.scenario.model import Global, Scenario
from tidemark.simulator.timeline.format import duration
from tidemark.simulator.words import words

SPANS = ("size", "slide", "max_size", "step", "gap")
"""The lengths of time that an assigner may have."""


def numbers(scenario: Scenario) -> list[dict[str, Any]]:
    """Each number as {name, label, value, text}, in the order of the sentence.

    ``name`` is that of its control on the Author page, ``value`` a length of time in words, ``text`` what stands for it
    in the sentence: the value, or a clause where 0 is not written.
    """
    if scenario.engine != "flink":
        return []
    assigner = getattr(scenario.operator, "assigner", None)
    found = [_number(name, getattr(assigner, name)) for name in SPANS if hasattr(assigner, name)]
    if getattr(scenario.operator, "time", "event") == "processing":
        return found
    bound = BOUND.read(scenario)
    if bound is not None and len({each.watermark for each in scenario.inputs}) == 1:
        found.append(_number("bound", bound))
    lateness = LATENESS.read(scenario)
    if lateness is not None and not isinstance(assigner, Global):
        side = getattr(scenario.operator, "late_output", "drop") == "side"
        clause = words(f"player.sentence.{'late_side' if side else 'late_dropped'}")
        found.append(_number("lateness", lateness) | ({} if lateness else {"text": clause}))
    return found


def _number(name: str, ms: int) -> dict[str, Any]:
    value = duration(ms)
    return {"name": name, "label": words(f"author.controls.{name}"), "value": value, "text": value}
