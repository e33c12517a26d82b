"""The documentation lists what is not covered, with the same reasons as the program."""

from pathlib import Path

from tidemark.simulator.words import section
from tidemark.spark_bridge import GAPS, LIMITS, STREAMING_GAPS, STREAMING_LIMITS, Fault, ways

SPARK_MD = Path(__file__).parent.parent.parent / "docs" / "SPARK.md"


def test_every_gap_is_documented() -> None:
    lines = SPARK_MD.read_text(encoding="utf-8").splitlines()
    second_cells = [line.strip("| ").split(" | ")[-1] for line in lines if line.startswith("| ")]
    gaps = GAPS + LIMITS + STREAMING_GAPS + STREAMING_LIMITS
    reasons = [gap.reason for gap in gaps]
    assert [cell for cell in second_cells if cell in reasons] == reasons
    assert list(section("spark")["gaps"]) == [gap.name for gap in gaps]


def test_the_table_in_the_app_lists_everything_once() -> None:
    """Everything that is covered and every gap with its reason."""
    table = ways()
    assert [row.reason for row in table if not row.covered] == [
        gap.reason for gap in GAPS + STREAMING_GAPS + LIMITS + STREAMING_LIMITS
    ]
    assert len({row.what for row in table}) == len(table)
    assert {row.way for row in table} == {"native", "keyed", "ordered", "micro-batch", ""}


def test_every_planted_fault_is_documented() -> None:
    text = SPARK_MD.read_text(encoding="utf-8")
    assert [fault for fault in Fault if f"`{fault}`" not in text] == []
    assert set(section("pages.spark.faults")) == {"none", *Fault}
