"""For every scenario in ``tests/golden_spark``, our rows equal those of a real query in Spark 4.3, batch by batch.

A recording holds what Spark reports: the results, and each batch's watermark and progress metrics. Its ``dropped`` is
Spark's metric, which counts each key and window once per batch; in a join it counts records.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import run_rows
from tidemark.simulator.scenario import load

FOLDER = Path(__file__).parents[1] / "golden_spark"
FILES = sorted(FOLDER.glob("*.yaml"))
ROUNDED = 2**53

Rows = list[dict[str, Any]]


def recorded(file: Path) -> Rows:
    return [json.loads(line) for line in file.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()]


def as_spark_reports(rows: Rows) -> Rows:
    """Our rows, reduced to what Spark reports."""
    reported: Rows = []
    dropped: list[str] = []
    for row in rows:
        match row["row"]:
            case "dropped":
                window = (row["start"], row["end"]) if row["end"] is not None else len(dropped)
                dropped.append(json.dumps([row["key"], window]))
            case "batch":
                row = {name: value for name, value in row.items() if name != "late_watermark"}
                reported.append(row | {"dropped": len(set(dropped))})
                dropped = []
            case "error":
                reported.append({"row": "error", "type": row["type"]})
            case _:
                reported.append(row)
    return reported


def counted(rows: Rows) -> Counter[str]:
    return Counter(json.dumps(same_numbers(row), sort_keys=True) for row in rows)


def same_numbers(value: Any) -> Any:
    """``value`` in a form in which 3 equals 3.0, and doubles are equal within a relative error of 1e-9."""
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
    ours, theirs = as_spark_reports(run_rows(load(file))), recorded(file)
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
    assert counted(as_spark_reports(run_rows(load(file)))) != counted(spoiled)
