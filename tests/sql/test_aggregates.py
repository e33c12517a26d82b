"""Aggregate functions: what they compute is what Flink 2.3.0 computed over the same rows, digit for digit.

``aggregates.jsonl`` was recorded from Flink: the columns, the rows in order of time, and of each call the results in
tumbling windows of an hour, in a frame of three rows, and in one without a beginning.
"""

import json
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator.engine.functions import AggregateFunction, FrameFunction
from tidemark.simulator.sql.aggregate_functions import SqlAggregate, compiled_aggregate, several
from tidemark.simulator.sql.parsing import expression
from tidemark.simulator.sql.syntax import Call, SqlProblem
from tidemark.simulator.sql.types import column, type_of

from tests.each import for_each

LINES = [json.loads(line) for line in (Path(__file__).parent / "aggregates.jsonl").read_text("utf-8").splitlines()]
ROWS = [line["row"] for line in LINES if "row" in line]
CALLS = [line for line in LINES if "call" in line]
COLUMNS = {name: column(name, type_of(text)) for name, text in LINES[0]["columns"].items()}


@lru_cache
def aggregate(text: str) -> SqlAggregate:
    call = expression(text)
    assert isinstance(call, Call)
    return compiled_aggregate(call, COLUMNS, "UTC")


def functions(*texts: str) -> tuple[AggregateFunction, FrameFunction]:
    return several({text: aggregate(text) for text in texts})


def over_windows(*texts: str) -> list[Any]:
    function, _ = functions(*texts)
    found = []
    for _, rows in groupby(ROWS, key=lambda row: row["ts"][:13]):
        accumulator = function.create_accumulator()
        for row in rows:
            accumulator = function.add(accumulator, row)
        json.dumps(accumulator, allow_nan=False)  # state is plain
        found.append(function.result(accumulator)[texts[0]])
    return found


def over_frames(text: str, size: int) -> list[Any]:
    _, function = functions(text)
    found, held, accumulator = [], list[Any](), function.create()
    for row in ROWS:
        if len(held) == size:
            accumulator = function.retract(accumulator, held[0], held[1:])
            held = held[1:]
        accumulator = function.add(accumulator, row)
        held.append(row)
        found.append(function.result(accumulator)[text])
    return found


@for_each(CALLS, lambda each: f"{each['place']}: {each['call']}")
def test_a_call_computes_what_flink_computes(recorded: dict[str, Any]) -> None:
    text = recorded["call"]
    if "refused" in recorded:
        with pytest.raises(SqlProblem):
            aggregate(text)
        return
    match recorded["place"]:
        case "window":
            found = over_windows(text)
        case "beside a deviation":
            found = over_windows(text, "STDDEV_POP(d)")
        case "rows":
            found = over_frames(text, 3)
        case _:
            found = over_frames(text, len(ROWS))
    assert repr(found) == repr(recorded["results"])
    assert str(aggregate(text).type) == recorded["type"]


# Laws. Whole numbers and texts, whose results do not depend on an order of rounding.

EXACT = (
    "COUNT(*)", "COUNT(i)", "COUNT(DISTINCT i)", "SUM(i)", "SUM(DISTINCT i)", "AVG(i)", "MIN(i)", "MAX(s)",
    "FIRST_VALUE(s)", "LAST_VALUE(s)", "LISTAGG(s)", "LISTAGG(DISTINCT s)", "ARRAY_AGG(i)", "SUM(dc)", "AVG(dc)",
    "VAR_SAMP(i)",
)  # fmt: skip
SOME_ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "i": st.none() | st.integers(-3, 3),
            "s": st.none() | st.sampled_from("abc"),
            "dc": st.none() | st.sampled_from(["1.50", "-0.25"]),
        }
    ),
    max_size=6,
)


@given(SOME_ROWS, SOME_ROWS)
def test_two_accumulators_merged_are_that_of_all_rows(one: list[Any], two: list[Any]) -> None:
    function, _ = functions(*EXACT[:-1])
    parts = []
    for rows in (one, two, one + two):
        accumulator = function.create_accumulator()
        for row in rows:
            accumulator = function.add(accumulator, row)
        parts.append(accumulator)
    assert function.result(function.merge(parts[0], parts[1])) == function.result(parts[2])


@given(SOME_ROWS, SOME_ROWS)
def test_what_is_taken_back_was_never_there(gone: list[Any], stays: list[Any]) -> None:
    # A text that comes twice keeps its first place in LISTAGG(DISTINCT …), in Flink as well, when the first is gone.
    _, function = functions(*(each for each in EXACT if each != "LISTAGG(DISTINCT s)"))
    moved = only = function.create()
    for row in gone + stays:
        moved = function.add(moved, row)
    for place in range(len(gone)):
        moved = function.retract(moved, gone[place], (gone + stays)[place + 1 :])
    for row in stays:
        only = function.add(only, row)
    assert function.result(moved) == function.result(only)


@given(SOME_ROWS)
def test_a_filter_that_all_rows_pass_changes_nothing(rows: list[Any]) -> None:
    for text in ("COUNT(*)", "SUM(i)", "LISTAGG(DISTINCT s)"):
        results = []
        for each in (text, f"{text} FILTER (WHERE TRUE)"):
            function, _ = functions(each)
            accumulator = function.create_accumulator()
            for row in rows:
                accumulator = function.add(accumulator, row)
            results.append(function.result(accumulator)[each])
        assert results[0] == results[1]
