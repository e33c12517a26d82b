"""docs/TIMELINE.md names every table and exactly the columns that the rows have."""

import re
from pathlib import Path

from simulator import run_traced
from simulator.scenario import load
from simulator.timeline import build
from simulator.timeline.facts import TABLES

TESTS = Path(__file__).parents[1]
REFERENCE = (TESTS.parent / "docs" / "TIMELINE.md").read_text(encoding="utf-8")
EVERYTHING = (
    "golden/tumbling-allowed-lateness",
    "golden/tumbling-process-collect",
    "golden/event-sort-steps",
    "golden/interval-join-basic",
    "golden/checkpoint-count-trigger",
    "golden_spark/session-bridge",
    "golden_spark/join-bounds",
)
"""Golden runs that together have rows in every table."""


def documented() -> dict[str, set[str]]:
    """The words in code marks of each table's line, but for its own name."""
    lines = re.findall(r"^\| `(\w+)` \| (.*) \|$", REFERENCE, flags=re.MULTILINE)
    return {table: set(re.findall(r"`(\w+)`", text)) for table, text in lines}


def test_every_table_and_column_is_documented() -> None:
    columns: dict[str, set[str]] = {table: set() for table in TABLES}
    for name in EVERYTHING:
        scenario = load(TESTS / f"{name}.yaml")
        for table, rows in build(scenario, run_traced(scenario)[1]).tables.items():
            for row in rows:
                columns[table] |= set(row) - {"from_step", "until_step"}
    assert set(documented()) == set(columns)
    for table, names in columns.items():
        assert names
        assert names <= documented()[table], table
