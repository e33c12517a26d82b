"""The documentation lists what is not covered, with the reasons that the program gives."""

from pathlib import Path

from simulator.words import section
from spark_bridge import GAPS, LIMITS

SPARK_MD = Path(__file__).parent.parent.parent / "docs" / "SPARK.md"


def test_every_gap_stands_in_the_documentation() -> None:
    rows = [line for line in SPARK_MD.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    reasons = [gap.reason for gap in GAPS + LIMITS]
    assert [row.split(" | ")[1].removesuffix(" |") for row in rows if row.endswith(tuple(f"| {each} |" for each in reasons))
            ] == reasons  # fmt: skip
    assert list(section("spark")["gaps"]) == ["streaming", *(gap.name for gap in GAPS + LIMITS)]
