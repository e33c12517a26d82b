"""What the state drawer needs beside the facts: key groups of the keys, lifetimes, and what makes the watermarks."""

from typing import Any

from simulator.scenario.model import InputSpec, Scenario
from simulator.timeline.facts import Timeline
from simulator.timeline.hashes import KEY_GROUPS, key_hashes
from simulator.timeline.lifetime import lifetimes


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
    """Its kind, and the lengths of time (ms) that it takes off the largest timestamp.

    Spark has none: there it is ``delay``, or ``without`` for an input that has no watermark.
    """
    spec = input.watermark
    if scenario.engine == "spark":
        kind, delay = ("without", []) if input.delay is None else ("delay", [input.delay])
        return {"kind": kind, "minus": delay, "emit": 0, "idle_timeout": 0}
    minus: list[int] = []
    if spec.generator in ("bounded-out-of-orderness", "punctuated", "sql"):
        minus.append(spec.bound)
    if spec.generator in ("bounded-out-of-orderness", "monotonous"):
        minus.append(1)
    return {"kind": spec.generator, "minus": minus, "emit": spec.emit, "idle_timeout": spec.idle_timeout}
