"""Interval literals: their length, and which the planner refuses."""

import pytest
from tidemark.simulator.sql.syntax import SqlProblem
from tidemark.simulator.sql.times import milliseconds

from tests.sql.test_expressions import expression_of

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("INTERVAL '5' SECOND", 5000),
        ("INTERVAL '0.0019' SECOND", 1),
        ("INTERVAL -'5' SECOND", -5000),
        ("INTERVAL '-5' SECOND", -5000),
        ("INTERVAL -'-5' SECOND", 5000),
        ("INTERVAL '+5' SECOND", 5000),
        ("- INTERVAL '5' SECOND", -5000),
        ("INTERVAL '99' DAY", 99 * DAY),
        ("INTERVAL '100' DAY(3)", 100 * DAY),
        ("INTERVAL '90' MINUTE", 90 * MINUTE),
        ("INTERVAL '10:59' MINUTE TO SECOND", 10 * MINUTE + 59_000),
        ("INTERVAL '10:59.999' MINUTE TO SECOND", 10 * MINUTE + 59_999),
        ("INTERVAL '1 23:59' DAY TO MINUTE", 2 * DAY - MINUTE),
        ("INTERVAL '99:59' HOUR TO MINUTE", 100 * HOUR - MINUTE),
    ],
)
def test_the_length(text: str, length: int) -> None:
    assert milliseconds(expression_of(text)) == length


@pytest.mark.parametrize(
    "text",
    [
        "INTERVAL '10:60' MINUTE TO SECOND",
        "INTERVAL '1:60' HOUR TO MINUTE",
        "INTERVAL '1 24:00' DAY TO MINUTE",
        "INTERVAL '100' SECOND",
        "INTERVAL '1000' DAY(4)",
        "INTERVAL '1:2:3' MINUTE TO SECOND",
        "INTERVAL 'x' SECOND",
        "INTERVAL 5 SECOND",
        "INTERVAL '1' MONTH",
    ],
)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(SqlProblem):
        milliseconds(expression_of(text))
