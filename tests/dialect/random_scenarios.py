"""Random scenarios of the Spark dialect: small times, so that ends, bounds and watermarks meet exactly."""

import json
from random import Random
from typing import Any

from hypothesis import strategies as st

from simulator.scenario import parse
from simulator.scenario.model import Scenario

KEYS = ("a", "b", 1, "1", True, -7)
VALUES = (1, 2, -3, 5, 0, 2.5, -0.25, 10)


def random_document(random: Random, kind: str | None = None) -> dict[str, Any]:
    """A whole scenario as JSON has it. ``kind``: tumbling, sliding, session or join; any if it is None."""
    kind = kind or random.choice(("tumbling", "sliding", "session", "join"))
    joins = kind == "join"
    base = {"scenario": 1, "name": "random", "engine": "spark"}
    keys = random.sample(KEYS, random.choice((1, 2, 2, 3)))
    whole = joins or random.random() < 0.7
    stream = _stream(random, keys, joins=joins, whole=whole)
    if joins:
        return base | {"inputs": _two_inputs(random), "operator": _join(random), "stream": stream}
    operator = {
        "type": "window",
        "assigner": _assigner(random, kind),
        "function": {"call": "aggregate", "compute": random.choice(("sum", "sum", "count", "min", "max", "avg"))},
    }
    mode = random.choice(("append", "append", "complete") if kind == "session" else ("append", "update", "complete"))
    if mode != "append" or random.random() < 0.5:
        operator["output_mode"] = mode
    document = base | {"operator": operator, "stream": stream}
    if mode == "append" or random.random() < 0.7:
        document["inputs"] = {"events": {"watermark": {"delay": random.choice((0, 1, 5, 20))}}}
    return document


def _assigner(random: Random, kind: str) -> dict[str, Any]:
    if kind == "session":
        return {"type": kind, "gap": random.choice((1, 3, 10, 15))}
    if kind == "tumbling":
        size = random.choice((1, 5, 10, 7))
        return {"type": kind, "size": size} | _offset(random, size)
    size, slide = random.choice(((10, 5), (10, 10), (10, 4), (7, 3), (15, 5), (5, 1)))
    return {"type": kind, "size": size, "slide": slide} | _offset(random, slide)


def _offset(random: Random, grid: int) -> dict[str, int]:
    return {"offset": random.randint(1 - grid, grid - 1)} if random.random() < 0.3 else {}


def _two_inputs(random: Random) -> dict[str, Any]:
    return {
        side: {"watermark": {"delay": random.choice((0, 1, 5, 20))}} if random.random() < 0.85 else {}
        for side in ("left", "right")
    }


def _join(random: Random) -> dict[str, Any]:
    operator: dict[str, Any] = {"type": "stream-join"}
    if random.random() < 0.85:
        operator["lower"], operator["upper"] = random.choice(((-5, 5), (0, 0), (-10, 0), (2, 8), (-8, -2), (0, 20)))
    if random.random() < 0.7:
        operator["watermark_policy"] = random.choice(("min", "max"))
    return operator


def _stream(random: Random, keys: list[Any], *, joins: bool, whole: bool) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    time = random.choice((0, 0, 10, -30, 100))
    for _ in range(random.randint(0, 22)):
        if random.random() < 0.22:
            items.append({"batch": "end"})
            continue
        time += random.choice((0, 1, 1, 2, 5, 12))
        ts = time - random.choice((0, 0, 0, 1, 3, 10, 25))
        value = random.choice(VALUES[:5] if whole else VALUES)
        record: dict[str, Any] = {"ts": ts, "key": random.choice(keys), "value": value}
        if joins:
            record["in"] = random.choice(("left", "right"))
        items.append(record)
    return items


def scenario_of(document: dict[str, Any]) -> Scenario:
    """The document as a scenario."""
    return parse(json.dumps(document), "random.json", json=True)


def scenarios(kind: str | None = None) -> st.SearchStrategy[Scenario]:
    """Scenarios of the dialect, of one kind or of any."""
    return st.randoms(use_true_random=False).map(lambda random: scenario_of(random_document(random, kind)))
