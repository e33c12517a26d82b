"""The comparison inside Spark: what counts as equal, and how differences are shown."""

from typing import Any

import pytest
from tidemark.spark_bridge.results.canonical import COLUMNS, columns_of
from tidemark.spark_bridge.results.digests import Digests
from tidemark.spark_bridge.results.report import Difference, Report

from tests.spark.spark_sides import outcome_of

pytestmark = pytest.mark.spark

PANE = {
    "row": "pane", "key": "a", "start": 0, "end": 5000, "timing": "on-time", "pane": 0, "value": 7,
    "timestamp": 4999, "watermark": 4999, "at": 0, "item": 3,
}  # fmt: skip
DROPPED = {
    "row": "dropped", "input": "events", "key": True, "ts": -1, "value": None, "watermark": None, "at": 0, "item": 5,
}  # fmt: skip


def outcome(spark: Any, simulator: list[dict[str, Any]], other: list[dict[str, Any]]) -> Any:
    """The outcome of comparing two lists of rows."""
    return outcome_of(spark, list(map(columns_of, simulator)), list(map(columns_of, other)))


EQUAL = [
    ([PANE, PANE, DROPPED], [DROPPED, PANE, PANE]),
    ([PANE | {"value": 3}], [PANE | {"value": 3.0}]),
    ([PANE | {"value": 0.1 + 0.2}], [PANE | {"value": 0.3}]),
    ([PANE | {"value": 2**53 + 1}], [PANE | {"value": float(2**53)}]),
    ([PANE | {"value": -1e300}], [PANE | {"value": -1e300 * (1 + 1e-10)}]),
    ([PANE | {"value": [1, {"b": 1.0, "a": None}]}], [PANE | {"value": [1.0, {"a": None, "b": 1}]}]),
    ([PANE | {"value": 0.5}, PANE | {"value": 0.25}], [PANE | {"value": 0.25}, PANE | {"value": 0.5 + 1e-12}]),
]

NOT_EQUAL = [
    ([PANE], [PANE | {"value": 8}], ["value"]),
    ([PANE], [PANE | {"value": "7"}], ["value"]),
    ([PANE], [PANE | {"value": None}], ["value"]),
    ([PANE], [PANE | {"key": 1}], ["key"]),
    ([PANE | {"key": 1}], [PANE | {"key": "1"}], ["key"]),
    ([PANE | {"value": 2**62}], [PANE | {"value": 2**62 + 1}], ["value"]),
    ([PANE | {"value": 0.3}], [PANE | {"value": 0.3000001}], ["value"]),
    ([DROPPED], [DROPPED | {"watermark": 0}], ["watermark"]),
    ([PANE, PANE], [PANE], []),
]


def at_items(cases: list[Any], side: int) -> list[dict[str, Any]]:
    """One side's rows of all cases; item and time of a row are those of its case."""
    times = ("start", "end", "timestamp", "ts")
    return [
        row | {"item": number} | {name: row[name] + number * 5000 for name in times if name in row}
        for number, case in enumerate(cases)
        for row in case[side]
    ]


def test_digests_equal_those_of_spark(spark: Any) -> None:
    """Python computes Spark's own hash, so the rows of the two sides need not be brought together."""
    from tidemark.spark_bridge.execution.compare import digests_of
    from tidemark.spark_bridge.execution.rows import SCHEMA

    values = (7, -1, 2.5, -1e300, None, "ü x", [1, {"b": 0.1}], 2**62)
    rows = [columns_of(row | {"value": value}) for value in values for row in (PANE, DROPPED, PANE | {"key": "é"})]
    digests = Digests()
    for row in rows + rows[:3]:
        digests.add(row)
    assert digests.found() == digests_of(spark.createDataFrame(rows + rows[:3], SCHEMA))


def test_equal(spark: Any) -> None:
    found = outcome(spark, at_items(EQUAL, 0), at_items(EQUAL, 1))
    assert found.differences == ()
    assert found.differing == 0
    assert found.counts["spark"] == found.counts["simulator"] == {"pane": 9, "dropped": 1}


@pytest.mark.journey
def test_not_equal(spark: Any) -> None:
    found = outcome(spark, at_items(NOT_EQUAL, 0), at_items(NOT_EQUAL, 1))
    assert [each.members for each in found.differences] == [members for _, _, members in NOT_EQUAL]
    assert [each.simulator["item"] for each in found.differences] == list(range(len(NOT_EQUAL)))
    assert found.differing == len(NOT_EQUAL)


def test_no_rows_equal_only_no_rows(spark: Any) -> None:
    assert outcome(spark, [], []).differing == 0
    assert outcome(spark, [], [DROPPED]).differing == 1


def test_shows_a_bounded_number_of_differences(spark: Any) -> None:
    """A thousand wrong panes are counted; the first hundred, by item, reach the driver."""
    left = [PANE | {"item": item} for item in range(1000)]
    found = outcome(spark, left, [row | {"value": 8} for row in left])
    assert found.differing == 1000
    assert [difference.simulator["item"] for difference in found.differences] == list(range(100))


def test_unmatched_rows_are_paired_with_similar_ones(spark: Any) -> None:
    """Each of two panes with a wrong end is shown beside its own correct row."""
    left = [PANE, PANE | {"key": "b"}]
    found = outcome(spark, left, [row | {"end": 5001} for row in left])
    assert [(each.simulator["key"], each.spark["key"], each.members) for each in found.differences] == [
        ("a", "a", ["end"]),
        ("b", "b", ["end"]),
    ]


def test_rows_of_one_key_window_and_pane_are_paired_before_the_first_hundred_are_chosen(spark: Any) -> None:
    """Every pane of two hundred keys is fired by another watermark, and later, so that the last ones come first."""
    left = [PANE | {"key": f"k{number}", "item": number} for number in range(200)]
    right = [row | {"watermark": 4998, "item": 999 - row["item"]} for row in left]
    found = outcome(spark, left, right)
    assert found.differing == 200
    assert [(each.simulator["key"], each.spark["key"]) for each in found.differences] == [
        (f"k{number}", f"k{number}") for number in range(100)
    ]


def test_report_shows_both_sides() -> None:
    difference = Difference(PANE, PANE | {"value": 8})
    report = Report("x", "batch", "native", 3, 1, 1, (difference,), 0.5, "4", "17")
    assert not report.equal
    assert report.as_json()["first_difference"] == {"simulator": PANE, "spark": PANE | {"value": 8}}
    assert "differs in:  value" in report.as_text()


def test_rows_survive_the_way_to_columns_and_back() -> None:
    """No member of a row is lost on the way."""
    from tidemark.spark_bridge.results.canonical import row_of

    assert row_of(columns_of(PANE)) == PANE
    assert row_of(columns_of(DROPPED)) == DROPPED
    assert len(columns_of(PANE)) == len(COLUMNS)
