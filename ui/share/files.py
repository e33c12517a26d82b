"""Rows and trace of a run as files: CSV for a spreadsheet, JSON Lines as the command line prints them, Parquet.

Numbers stay exact: 64-bit integers are digits in CSV and ``int64`` in Parquet. A member that is not a plain value (a
list, the two sides of a join) becomes JSON text; so does a column with values of several types.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
from pyarrow import parquet

import simulator
from simulator.scenario.model import Scenario
from simulator.trace.trace import step_as_json
from ui.share.cells import text_cell
from ui.walkable import walked

Row = Mapping[str, Any]

FORMS: Final = {"csv": "text/csv", "jsonl": "application/x-ndjson", "parquet": "application/vnd.apache.parquet"}
"""Suffixes of the files, and their media types."""

AS_JSON: Final = {b"tidemark": b"json"}
"""Metadata of a Parquet column whose text is JSON."""


def rows_of(scenario: Scenario) -> list[Row]:
    """The output rows as ``python -m simulator run`` prints them, of as much of the stream as can be walked through."""
    return list(simulator.run_rows(walked(scenario)[0]))


def trace_of(scenario: Scenario) -> list[Row]:
    """The micro-steps as ``python -m simulator trace`` prints them, of as much as can be walked through."""
    return [step_as_json(step) for step in walked(scenario)[1]]


def written(rows: Sequence[Row], form: str) -> bytes:
    """``rows`` as a file in ``form``, one of ``FORMS``."""
    return {"csv": _csv, "jsonl": _json_lines, "parquet": _parquet}[form](rows)


def _json_lines(rows: Iterable[Row]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def _columns(rows: Iterable[Row]) -> list[str]:
    """Every member of any row, in order of first appearance."""
    return list(dict.fromkeys(name for row in rows for name in row))


def _csv(rows: Sequence[Row]) -> bytes:
    columns = _columns(rows)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return out.getvalue().encode("utf-8-sig", "backslashreplace")


def _cell(value: Any) -> str:
    """A value as a cell; a text that a spreadsheet would take for a formula gets an apostrophe in front."""
    match value:
        case None:
            return ""
        case str():
            return text_cell(value)
        case _:
            return json.dumps(value)


def _parquet(rows: Sequence[Row]) -> bytes:
    fields, arrays = [], []
    for name in _columns(rows):
        values = [row.get(name) for row in rows]
        kind = _kind(values)
        as_json = kind is None
        if as_json:
            values = [None if each is None else json.dumps(each) for each in values]
        arrays.append(pa.array(values, kind or pa.string()))
        fields.append(pa.field(name, kind or pa.string(), metadata=AS_JSON if as_json else None))
    out = io.BytesIO()
    parquet.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), out)
    return out.getvalue()


def _kind(values: Iterable[Any]) -> pa.DataType | None:
    """The plain type that all values share; None if there is none."""
    kinds = {type(each) for each in values if each is not None}
    plain = {int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string()}
    return plain.get(kinds.pop()) if len(kinds) == 1 else None
