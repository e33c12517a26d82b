"""What the state drawer needs beside the facts: key groups of the keys, lifetimes, and what makes the watermarks."""

from typing import Any

from simulator.scenario.model import InputSpec, Scenario
from simulator.state.key_groups import DEFAULT_MAX_PARALLELISM, java_hash_code, key_group, murmur_hash
from simulator.timeline.facts import Timeline
from simulator.timeline.lifetime import lifetimes
from simulator.values.key import key_of


def state_part(scenario: Scenario, facts: Timeline) -> dict[str, Any]:
    """Static lists; what changes from step to step is in the tables."""
    return {
        "key_groups": DEFAULT_MAX_PARALLELISM,
        "hashes": _hashes(facts),
        "lifetimes": lifetimes(facts),
        "generators": {each.name: _generator(each) for each in scenario.inputs},
        "lateness": getattr(scenario.operator, "allowed_lateness", 0),
    }


def _hashes(facts: Timeline) -> dict[str, list[dict[str, Any]]]:
    """How the key group of each key comes about, by group: the hash code and its murmur hash of the keys in it."""
    found: dict[str, list[dict[str, Any]]] = {}
    seen = set()
    for row in facts.tables["state"]:
        token = type(row["key"]).__name__, row["key"]
        if token in seen:
            continue
        seen.add(token)
        key = key_of(row["key"])
        code = java_hash_code(key)
        told = {"key": row["key"], "code": code, "murmur": murmur_hash(code)}
        found.setdefault(str(key_group(key)), []).append(told)
    return found


def _generator(input: InputSpec) -> dict[str, Any]:
    """Its kind, and the lengths of time (ms) that it takes off the largest timestamp."""
    spec = input.watermark
    minus: list[int] = []
    if spec.generator in ("bounded-out-of-orderness", "punctuated", "sql"):
        minus.append(spec.bound)
    if spec.generator in ("bounded-out-of-orderness", "monotonous"):
        minus.append(1)
    return {"kind": spec.generator, "minus": minus, "emit": spec.emit, "idle_timeout": spec.idle_timeout}
