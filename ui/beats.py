"""The beats of a walkthrough: the steps at which its author has something to say."""

from importlib.util import find_spec
from typing import Any

from simulator.scenario.model import Scenario
from simulator.trace.trace import Trace


def beats(scenario: Scenario, trace: Trace) -> list[dict[str, Any]]:
    """``{"step", "say"}`` of each beat in order of steps; ``say`` is "" for a question."""
    if not scenario.walkthrough or find_spec("simulator.scenario.walkthrough") is None:
        return []
    from simulator.scenario.walkthrough import resolve_beats

    found = [{"step": each.step, "say": getattr(each, "say", None) or ""} for each in resolve_beats(scenario, trace)]
    return sorted(found, key=lambda beat: beat["step"])
