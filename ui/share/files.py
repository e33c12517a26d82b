"""Rows and trace of a run as files: CSV for a spreadsheet, JSON Lines as the command line prints them, Parquet.

Numbers stay exact: 64-bit integers are digits in CSV and ``int64`` in Parquet. A member that is not a plain value (a
list, the two sides of a join) becomes JSON text; so does a column with values of several types.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final

from tidemark.simulator.engine.trace.trace import step_as_json
from tidemark.simulator.scenario.model import Scenario
from tidemark.ui.catalogue.walkable import walked

from tidemark import simulator

# Text in the cell of a spreadsheet: it is never a formula, whatever an author or a record says.

_STARTS_A_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


def text_cell(text: str) -> str:
    """``text`` with an apostrophe in front where a spreadsheet would compute it, or where it has one already."""
    return f"'{text}" if text.startswith((*_STARTS_A_FORMULA, "'")) else text


Row = Mapping[str, Any]

FORMS: Final = {"csv": "text/csv", "jsonl": "application/x-ndjson", "parquet": "application/vnd.apache.parquet"}
"""Suffixes of the files, and their media types."""


def rows_of(scenario: Scenario) -> list[Row]:
    """The output rows as ``python -m simulator run`` prints them, of as much of the stream as can be walked through."""
    return list(simulator.run_rows(walked(scenario)[0]))


def trace_of(scenario: Scenario) -> list[Row]:
    """The micro-steps as ``python -m simulator trace`` prints them, of as much as can be walked through."""
    return [step_as_json(step) for step in walked(scenario)[1]]


def written(rows: Sequence[Row], form: str) -> bytes:
    """``rows`` as a file in ``form``, one of ``forms()``."""
    return {"csv": _csv, "jsonl": _json_lines, "parquet": _parquet}[form](rows)


def forms() -> list[str]:
    """The forms that can be written here: Parquet needs a library."""
    return [form for form in FORMS if form != "parquet" or find_spec("pyarrow") is not None]


def _parquet(rows: Sequence[Row]) -> bytes:
    from tidemark.ui.share.parquet import parquet_file  # only here, because a browser does not have its library

    return parquet_file(rows, _columns(rows))


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
