"""The rows that real Flink 2.3 operators gave for the scenarios in ``tests/golden`` are the rows that we give.

Rows of one stream item compare as a multiset, since Flink leaves the order of equal timers open; lists in values
compare as multisets where sessions may have merged; of an error row its type and its item count.
"""

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

import simulator
from simulator.scenario import load, model
from simulator.values.time import MAX, MIN

GOLDEN = Path(__file__).parent.parent / "golden"
FILES = sorted(GOLDEN.glob("*.yaml"))


def by_item(rows: list[dict[str, Any]], *, loose_lists: bool) -> dict[int, Counter[str]]:
    """The rows of each item, as texts that are equal where the rows are."""
    counted: dict[int, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counted[row["item"]][json.dumps(comparable(row, loose_lists=loose_lists), sort_keys=True)] += 1
    return counted


def comparable(row: dict[str, Any], *, loose_lists: bool) -> dict[str, Any]:
    if row["row"] == "error":
        return {"row": "error", "type": row["type"].rsplit(".", 1)[-1], "item": row["item"]}
    made = dict(row)
    for name in ("value", "left", "right"):
        value = made.get(name)
        if loose_lists and isinstance(value, list):
            made[name] = sorted(value, key=json.dumps)
        if isinstance(value, float) and value.is_integer():
            made[name] = int(value)
    return made


def recorded(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.with_suffix(".jsonl").read_text().splitlines()]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_our_rows_are_flinks_rows(file: Path) -> None:
    scenario = load(file)
    assigner = getattr(scenario.operator, "assigner", None)
    loose = isinstance(assigner, model.Session | model.DynamicSession)
    ours = json.loads(json.dumps(simulator.run_rows(scenario)))
    assert by_item(ours, loose_lists=loose) == by_item(recorded(file), loose_lists=loose)


def test_there_are_recordings() -> None:
    assert len(FILES) >= 129


@pytest.mark.parametrize("change", ["value", "end", "watermark"])
def test_the_comparison_can_fail(change: str) -> None:
    rows = recorded(GOLDEN / "tumbling-allowed-lateness.yaml")
    spoiled = [dict(row) for row in rows]
    pane = next(row for row in spoiled if row["row"] == "pane")
    pane[change] = MIN if pane[change] == MAX else pane[change] + 1
    assert by_item(spoiled, loose_lists=False) != by_item(rows, loose_lists=False)
