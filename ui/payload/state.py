"""What the state drawer needs besides the facts: key groups, lifetimes, and the watermark generators."""

from typing import Any

from tidemark.simulator.scenario.model import InputSpec, Scenario
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.timeline.hashes import KEY_GROUPS, key_hashes
from tidemark.simulator.timeline.lifetime import lifetimes
from tidemark.simulator.words import section, words


def state_part(scenario: Scenario, facts: Timeline) -> dict[str, Any]:
    """Static lists; what changes from step to step is in the tables. ``key_groups``: 0 where there are none (Spark)."""
    return {
        "key_groups": KEY_GROUPS if scenario.engine == "flink" else 0,
        "hashes": key_hashes(facts),
        "lifetimes": lifetimes(facts),
        "generators": {each.name: _generator(scenario, each) for each in scenario.inputs},
        "lateness": getattr(scenario.operator, "allowed_lateness", 0),
    }


def _generator(scenario: Scenario, input: InputSpec) -> dict[str, Any]:
    """Its kind, what the drawer ``says`` of it, and the lengths of time (ms) that it takes off the largest timestamp.

    Spark has none: there it is ``delay``, or ``without`` for an input that has no watermark.
    """
    spec = input.watermark
    if scenario.engine == "spark":
        kind, delay = ("without", []) if input.delay is None else ("delay", [input.delay])
        says = words(f"player.state.watermark.batch.{kind}")
        return {"kind": kind, "says": says, "minus": delay, "emit": 0, "idle_timeout": 0}
    says = section(f"generators.{spec.type}")["state"]
    minus = list(spec.takes_off)
    return {"kind": spec.type, "says": says, "minus": minus, "emit": spec.emit, "idle_timeout": spec.idle_timeout}
