"""The documentation lists what is not covered, with the reasons that the program gives."""

from pathlib import Path

from simulator.words import section
from spark_bridge import GAPS, LIMITS, STREAMING_GAPS, STREAMING_LIMITS

SPARK_MD = Path(__file__).parent.parent.parent / "docs" / "SPARK.md"


def test_every_gap_stands_in_the_documentation() -> None:
    lines = SPARK_MD.read_text(encoding="utf-8").splitlines()
    second_cells = [line.strip("| ").split(" | ")[-1] for line in lines if line.startswith("| ")]
    gaps = GAPS + LIMITS + STREAMING_GAPS + STREAMING_LIMITS
    reasons = [gap.reason for gap in gaps]
    assert [cell for cell in second_cells if cell in reasons] == reasons
    assert list(section("spark")["gaps"]) == [gap.name for gap in gaps]
