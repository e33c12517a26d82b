"""Packed facts are unpacked as they were, and a step has those that hold then: of runs, and of rows of any kind."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import timeline
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario import load
from tidemark.simulator.timeline.facts import is_true
from tidemark.ui.catalogue.walkable import walked
from tidemark.ui.payload.columns import Strings, by_columns, for_browser

from tests.js.node import answering, as_read, needs_node

pytestmark = needs_node

ROOT = Path(__file__).resolve().parents[2]
FILES = [*sorted((ROOT / "scenarios").glob("*.yaml"))[::3], *sorted((ROOT / "tests" / "golden").glob("*.yaml"))[::9]]

VALUES = [
    None, True, False, 0, 7, -3, 10**9, 2**53, 2**60, MAX, MIN, 1.5, 3.0, "", "a", "007", "at 12.050 s",
    "\x00", "\x01a", "7" * 16, "0" * 12, "1234567890123456789", "ünï 5", [], {}, [1, [2, "x 3"]],
    {"a": 1, "b": None}, {"b": 2}, {"__proto__": 1}, {"7": {"x y": [True, {}]}},
]  # fmt: skip


def some_rows(seed: int, count: int) -> list[dict[str, Any]]:
    """Facts with columns of every kind: one value, numbers, texts, lists, objects, and a mixture of them."""
    draw = random.Random(seed)
    rows = []
    for number in range(count):
        begin = draw.randrange(200)
        rows.append({
            "from_step": begin, "until_step": draw.choice([None, begin + 1 + draw.randrange(60)]), "same": "x",
            "id": f"record:{number}", "near": 1_600_000_000_000 + 100 * number, "maybe": draw.choice([None, number]),
            "few": draw.choice(["open", "fired"]), "yes": draw.choice([True, False]), "mixed": draw.choice(VALUES),
            "text": f"Record {draw.randrange(9)} waits {draw.randrange(20)}.{draw.randrange(1000):03} s",
            "list": [draw.choice(VALUES) for _ in range(draw.randrange(3))],
            "object": {"name": draw.choice(VALUES), **({"more": number} if draw.random() < 0.5 else {})},
        })  # fmt: skip
    return sorted(rows, key=lambda row: row["from_step"])


@pytest.fixture(scope="module")
def ask() -> Iterator[Callable[..., Any]]:
    with answering() as asked:
        yield asked


def packed(tables: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    strings = Strings()
    return {"tables": {name: by_columns(rows, strings) for name, rows in tables.items()}, "strings": strings.packed()}


@pytest.mark.parametrize("count", [0, 1, 5, 400])
def test_unpacked_rows_equal_the_packed_ones(ask: Callable[..., Any], count: int) -> None:
    rows = some_rows(count, count)
    wanted = as_read(json.dumps(for_browser(rows)))
    steps = [0, 1, 70, 130, 199, 261]
    found = ask("facts", **packed({"rows": rows}), steps=steps, where=["rows", "few", "open"])
    assert found["all"]["rows"] == wanted
    for step, at, named in zip(steps, found["at"], found["where"], strict=True):
        true = [row for row in wanted if is_true(row, step)]
        assert at["rows"] == true
        assert named == [row for row in true if row["few"] == "open"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_step_has_the_facts_that_hold_then(ask: Callable[..., Any], path: Path) -> None:
    """Back and forth: a step has the same facts whatever step was looked at before it."""
    scenario, trace = walked(load(path))
    facts = timeline.build(scenario, trace)
    last = facts.number_of_steps - 1
    steps = [last, *random.Random(path.stem).sample(range(last), min(24, last)), 0, last]
    tables = {name: rows for name, rows in facts.by_name().items() if name != "steps"}
    for step, found in zip(steps, ask("facts", **packed(tables), steps=steps)["at"], strict=True):
        assert found == as_read(json.dumps(for_browser({name: facts.at(step)[name] for name in tables}))), step
