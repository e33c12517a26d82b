"""What real queries of Spark 4.3 gave, batch by batch, for the scenarios in ``tests/golden_spark``, is what we give.

A recording holds what the engine tells: results, and for each batch its watermark and the numbers of its progress.
``dropped`` there is Spark's metric, which counts a window of a key once in a batch; in a join it counts records.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from simulator import run_rows
from simulator.scenario import load

FOLDER = Path(__file__).parents[1] / "golden_spark"
FILES = sorted(FOLDER.glob("*.yaml"))
ROUNDED = 2**53

Rows = list[dict[str, Any]]


def recorded(file: Path) -> Rows:
    return [json.loads(line) for line in file.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()]


def as_the_engine_tells(rows: Rows) -> Rows:
    """Our rows with no more in them than the engine tells."""
    told: Rows = []
    dropped: list[str] = []
    for row in rows:
        match row["row"]:
            case "dropped":
                window = (row["start"], row["end"]) if row["end"] is not None else len(dropped)
                dropped.append(json.dumps([row["key"], window]))
            case "batch":
                row = {name: value for name, value in row.items() if name != "late_watermark"}
                told.append(row | {"dropped": len(set(dropped))})
                dropped = []
            case "error":
                told.append({"row": "error", "type": row["type"]})
            case _:
                told.append(row)
    return told


def counted(rows: Rows) -> Counter[str]:
    return Counter(json.dumps(same_numbers(row), sort_keys=True) for row in rows)


def same_numbers(value: Any) -> Any:
    """3 and 3.0 are equal, and doubles within a relative 1e-9."""
    match value:
        case dict():
            return {name: same_numbers(each) for name, each in value.items()}
        case float() if value.is_integer() and abs(value) < ROUNDED:
            return int(value)
        case float():
            return float(f"{value:.9g}")
        case _:
            return value


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_our_rows_are_sparks_rows(file: Path) -> None:
    ours, theirs = as_the_engine_tells(run_rows(load(file))), recorded(file)
    assert [row["row"] for row in theirs].count("batch") or theirs[0]["row"] == "error"
    assert counted(ours) == counted(theirs)


def test_there_are_recordings_of_every_kind() -> None:
    assert len(FILES) >= 40
    kinds = Counter(row["row"] for file in FILES for row in recorded(file))
    assert kinds["pane"] > 100
    assert kinds["joined"] > 30
    assert kinds["error"] == 2
    assert sum(row["dropped"] for file in FILES for row in recorded(file) if row["row"] == "batch") > 30


@pytest.mark.parametrize(
    ("row", "member"), [("pane", "value"), ("pane", "batch"), ("batch", "dropped"), ("batch", "state_rows")]
)
def test_the_comparison_can_fail(row: str, member: str) -> None:
    file = FOLDER / "sliding-late-for-some.yaml"
    spoiled = recorded(file)
    next(each for each in spoiled if each["row"] == row)[member] += 1
    assert counted(as_the_engine_tells(run_rows(load(file)))) != counted(spoiled)
