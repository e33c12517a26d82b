"""Rows and trace as files: each format contains what the command line prints, number for number."""

import contextlib
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from tidemark.simulator import scenario as scenarios
from tidemark.simulator.__main__ import main
from tidemark.ui.share import answers
from tidemark.ui.share.answers import Row
from tidemark.ui.share.parquet import AS_JSON

ROOT = Path(__file__).resolve().parents[2]
NAMES = ["late-but-allowed", "car-trace", "session-bridge"]


def printed(command: str, name: str) -> list[Row]:
    """What the command line prints; ``test_command_line.py`` starts it as a process."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main([command, str(ROOT / "scenarios" / f"{name}.yaml")]) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def without_nulls(rows: list[Row]) -> list[Row]:
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def from_parquet(data: bytes) -> list[Row]:
    table = parquet.read_table(io.BytesIO(data))
    coded = {field.name for field in table.schema if field.metadata == AS_JSON}

    def value(name: str, cell: Any) -> Any:
        return json.loads(cell) if name in coded and cell is not None else cell

    return without_nulls([{name: value(name, cell) for name, cell in row.items()} for row in table.to_pylist()])


def from_csv(data: bytes) -> list[Row]:
    def value(cell: str) -> Any:
        if cell.startswith("'"):
            return cell[1:]
        try:
            return json.loads(cell)
        except ValueError:
            return cell

    read = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    return [{name: value(cell) for name, cell in row.items() if cell != ""} for row in read]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("command", "made"), [("run", answers.rows_of), ("trace", answers.trace_of)])
def test_every_form_holds_what_the_command_prints(name: str, command: str, made: Any) -> None:
    rows = made(scenarios.load(ROOT / "scenarios" / f"{name}.yaml"))
    wanted = printed(command, name)
    lines = answers.written(rows, "jsonl").decode().splitlines()
    assert [json.loads(line) for line in lines] == wanted
    assert from_parquet(answers.written(rows, "parquet")) == without_nulls(wanted)
    assert from_csv(answers.written(rows, "csv")) == [
        {name: value for name, value in row.items() if value not in (None, "")} for row in wanted
    ]


NUMBERS = st.integers(-(2**63), 2**63 - 1)
VALUES = st.none() | st.booleans() | NUMBERS | st.text(max_size=5) | st.lists(st.integers(-9, 9))


@given(st.lists(st.fixed_dictionaries({"row": st.just("pane"), "value": VALUES, "key": VALUES}), min_size=1))
def test_parquet_keeps_every_kind_of_value(rows: list[Row]) -> None:
    assert from_parquet(answers.written(rows, "parquet")) == without_nulls(rows)


@pytest.mark.parametrize("text", ["=1+2", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1"])
def test_no_cell_is_a_formula_to_a_spreadsheet(text: str) -> None:
    row = {"row": "pane", "key": text, "value": -9223372036854775807}
    data = answers.written([row], "csv")
    cells = next(csv.reader(io.StringIO(data.decode("utf-8-sig").split("\r\n", 1)[1], newline="")))
    assert cells == ["pane", f"'{text}", "-9223372036854775807"]
    assert from_csv(data) == [row]
