"""The canonical form keeps every value: both sides of a check share it, so no check would notice what it loses."""

from typing import Any

import pytest
from tidemark.simulator.proof.recordings import GOLDEN
from tidemark.simulator.scenario import load
from tidemark.spark_bridge.results.canonical import COMPARED, columns_of, key_text, plain_value, row_of, value_of

from tidemark import simulator

VALUES = [
    0,
    3,
    -7,
    2**53 + 1,
    10**30,
    0.5,
    -2.25,
    1e300,
    None,
    "",
    "7",
    "é",
    True,
    [1, 2.5, "x"],
    {"a": [1], "b": None},
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    back = plain_value(*value_of(value))
    assert back == value
    assert type(back) is type(value)


def test_whole_doubles_are_integers_up_to_where_doubles_are_exact() -> None:
    assert value_of(3.0) == value_of(3) == ("3", None)
    assert value_of(2.0**53) == (None, 2.0**53)
    assert value_of(0.30000000000000004) != value_of(0.3)


def test_keys_of_different_types_differ() -> None:
    assert len({key_text(key) for key in (1, "1", True, "true")}) == 4


@pytest.mark.parametrize(
    "name", ["tumbling-allowed-lateness", "sql-late-updates", "interval-join-basic", "co-group-late"]
)
def test_a_row_comes_back_as_it_was(name: str) -> None:
    rows = [row for row in simulator.run_rows(load(GOLDEN / f"{name}.yaml")) if row["row"] in COMPARED]
    assert rows
    assert [row_of(columns_of(row)) for row in rows] == rows
