"""The comparison inside Spark: what counts as equal, and what is shown of what is not."""

from typing import Any

import pytest

from spark_bridge.canonical import COLUMNS, columns_of
from spark_bridge.report import Difference, Report

pytestmark = pytest.mark.spark

PANE = {
    "row": "pane", "key": "a", "start": 0, "end": 5000, "timing": "on-time", "pane": 0, "value": 7,
    "timestamp": 4999, "watermark": 4999, "at": 0, "item": 3,
}  # fmt: skip
DROPPED = {
    "row": "dropped", "input": "events", "key": True, "ts": -1, "value": None, "watermark": None, "at": 0, "item": 5,
}  # fmt: skip


def outcome(spark: Any, simulator: list[dict[str, Any]], other: list[dict[str, Any]]) -> Any:
    """What comparing two lists of rows gives."""
    from spark_bridge.execution.compare import compare
    from spark_bridge.execution.rows import SCHEMA

    return compare(*(spark.createDataFrame([columns_of(row) for row in rows], SCHEMA) for rows in (simulator, other)))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([], []),
        ([PANE, PANE, DROPPED], [DROPPED, PANE, PANE]),
        ([PANE | {"value": 3}], [PANE | {"value": 3.0}]),
        ([PANE | {"value": 0.1 + 0.2}], [PANE | {"value": 0.3}]),
        ([PANE | {"value": 2**53 + 1}], [PANE | {"value": float(2**53)}]),
        ([PANE | {"value": -1e300}], [PANE | {"value": -1e300 * (1 + 1e-10)}]),
        ([PANE | {"value": [1, {"b": 1.0, "a": None}]}], [PANE | {"value": [1.0, {"a": None, "b": 1}]}]),
        ([PANE | {"value": 0.5}, PANE | {"value": 0.25}], [PANE | {"value": 0.25}, PANE | {"value": 0.5 + 1e-12}]),
    ],
)
def test_equal(left: list[dict[str, Any]], right: list[dict[str, Any]], spark: Any) -> None:
    found = outcome(spark, left, right)
    assert (found.differing, found.differences) == (0, ())
    assert sum(found.counts["spark"].values()) == len(right)


@pytest.mark.parametrize(
    ("left", "right", "differing"),
    [
        ([PANE], [], 1),
        ([], [DROPPED], 1),
        ([PANE, PANE], [PANE], 1),
        ([PANE], [PANE | {"value": 8}], 1),
        ([PANE], [PANE | {"value": "7"}], 1),
        ([PANE], [PANE | {"value": None}], 1),
        ([PANE], [PANE | {"key": 1}], 1),
        ([PANE | {"key": 1}], [PANE | {"key": "1"}], 1),
        ([PANE | {"value": 2**62}], [PANE | {"value": 2**62 + 1}], 1),
        ([PANE | {"value": 0.3}], [PANE | {"value": 0.3000001}], 1),
        ([DROPPED], [DROPPED | {"watermark": 0}], 1),
        ([PANE | {"item": item} for item in range(300)], [PANE | {"item": item} for item in range(1, 302)], 2),
    ],
)
def test_not_equal(left: list[dict[str, Any]], right: list[dict[str, Any]], differing: int, spark: Any) -> None:
    found = outcome(spark, left, right)
    assert found.differing == differing
    assert len(found.differences) == differing


def test_shows_a_bounded_number_of_differences(spark: Any) -> None:
    """A thousand wrong panes are counted; the first hundred, by item, come to the driver."""
    left = [PANE | {"item": item} for item in range(1000)]
    found = outcome(spark, left, [row | {"value": 8} for row in left])
    assert found.differing == 1000
    assert [difference.simulator["item"] for difference in found.differences] == list(range(100))


def test_rows_of_one_side_only_are_put_beside_their_likes(spark: Any) -> None:
    """Two panes with a wrong end each: each is shown beside its own right one."""
    left = [PANE, PANE | {"key": "b"}]
    found = outcome(spark, left, [row | {"end": 5001} for row in left])
    assert [(each.simulator["key"], each.spark["key"], each.members) for each in found.differences] == [
        ("a", "a", ["end"]),
        ("b", "b", ["end"]),
    ]


def test_report_shows_both_sides() -> None:
    difference = Difference(PANE, PANE | {"value": 8})
    report = Report("x", "batch", "native", 3, 1, 1, (difference,), 0.5, "4", "17")
    assert not report.equal
    assert report.as_json()["first_difference"] == {"simulator": PANE, "spark": PANE | {"value": 8}}
    assert "differs in:  value" in report.as_text()


def test_every_column_tells_rows_apart() -> None:
    """No member of a row is lost on the way to its columns, and back."""
    from spark_bridge.canonical import row_of

    assert row_of(columns_of(PANE)) == PANE
    assert row_of(columns_of(DROPPED)) == DROPPED
    assert len(columns_of(PANE)) == len(COLUMNS)
