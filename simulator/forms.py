"""The forms in which rows and problems are printed: tables for people, JSON Lines and CSV for programs, SARIF."""

import csv
import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import quote

from tidemark.simulator.engine.values.errors import Problem
from tidemark.simulator.engine.values.rows import json_text
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.limits import TABLE_ROWS
from tidemark.simulator.words import words

import tidemark

ROW_FORMS: Final = ("table", "jsonl", "csv")
PROBLEM_FORMS: Final = ("text", "jsonl", "sarif", "github")
"""``github``: the lines by which a workflow of GitHub Actions annotates files."""

STYLES: Final = {
    "pane": "green",
    "joined": "green",
    "late": "yellow",
    "dropped": "red",
    "error": "bold red",
    "watermark": "dim",
}
"""The colour of each kind of row in a table; the others have none."""

LESS_NEEDED: Final = ("item", "pane", "at", "input", "timestamp", "timing")
"""The columns that a narrow terminal does without, in this order."""

Row = Mapping[str, Any]
Sink = Callable[[Row], object]


def form_for_terminal() -> str:
    """A table where a person reads, JSON Lines where a program does."""
    return "table" if sys.stdout is not None and sys.stdout.isatty() else "jsonl"


def write_rows(produce: Callable[[Sink], object], write: Callable[[str], object], form: str) -> None:
    """Write the rows that ``produce`` hands to its sink, in one of ``ROW_FORMS``.

    Memory does not grow with their number: a table stops at ``TABLE_ROWS`` and counts the others, and for CSV, whose
    columns stand in its first line, ``produce`` is called twice.
    """
    match form:
        case "jsonl":
            produce(lambda row: write(json_text(row) + "\n"))
        case "csv":
            _write_csv(produce, write)
        case _:
            _write_table(produce, write)


def _write_csv(produce: Callable[[Sink], object], write: Callable[[str], object]) -> None:
    columns: dict[str, None] = {}

    def add(row: Row) -> None:
        columns.update(dict.fromkeys(row))

    produce(add)
    line = io.StringIO()
    out = csv.writer(line, lineterminator="\n")

    def put(cells: Iterable[str]) -> None:
        out.writerow(cells)
        write(line.getvalue())
        line.seek(0)
        line.truncate()

    put(columns)
    produce(lambda row: put([_cell(row.get(column)) for column in columns]))


def _write_table(produce: Callable[[Sink], object], write: Callable[[str], object]) -> None:
    rows: list[Row] = []
    count = 0

    def add(row: Row) -> None:
        nonlocal count
        count += 1
        if count <= TABLE_ROWS:
            rows.append(row)

    produce(add)
    if rows:
        write(_table(rows))
    if count > len(rows):
        write(words("commands.more_rows", count=count - len(rows)) + "\n")


def _table(rows: Sequence[Row]) -> str:
    """``rows`` as wide as the terminal, without the columns of ``LESS_NEEDED`` that do not fit."""
    # Imported here: a pipe needs no table.
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    terminal = sys.stdout is not None and sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal else 10_000
    text = io.StringIO()
    console = Console(file=text, force_terminal=terminal, width=width, highlight=False)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    for left_out in ("", *LESS_NEEDED):
        columns = [each for each in columns if each != left_out]
        table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
        for name in columns:
            numbers = all(isinstance(row[name], int | float) for row in rows if row.get(name) is not None)
            table.add_column(Text(name), justify="right" if numbers else "left", no_wrap=True)
        for row in rows:
            table.add_row(*(Text(_shown(row.get(name))) for name in columns), style=STYLES.get(str(row.get("row"))))
        if Measurement.get(console, console.options.update(max_width=10_000), table).maximum <= width:
            break
    console.print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()).strip("\n") + "\n"


def _shown(value: Any) -> str:
    """A cell of a table: no character that a terminal obeys, and the highest and lowest watermark by their names."""
    cell = {MAX: "MAX", MIN: "MIN"}.get(value) if isinstance(value, int) else None
    return cell or "".join(each if each.isprintable() else "\ufffd" for each in _cell(value))


def _cell(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def problems_as(form: str, problems: Sequence[Problem]) -> str:
    """All ``problems`` of a command in one of ``PROBLEM_FORMS``."""
    match form:
        case "sarif":
            return json.dumps(_sarif(problems), ensure_ascii=False, indent=2) + "\n"
        case "github":
            return "".join(_annotation(each) + "\n" for each in problems)
        case "jsonl":
            return "".join(
                json.dumps({**each._asdict(), "fix": each.fix and each.fix._asdict()}, ensure_ascii=False) + "\n"
                for each in problems
            )
        case _:
            return "".join(f"{each}\n" for each in problems)


def _sarif(problems: Sequence[Problem]) -> dict[str, Any]:
    """A log of SARIF 2.1.0. Columns count characters, as in our messages."""
    driver = {"name": "Tidemark", "version": tidemark.__version__, "rules": [{"id": "problem"}, {"id": "hint"}]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(problem) for problem in problems],
    }
    return {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}


def _result(problem: Problem) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(problem.file.replace(os.sep, "/"))}}
    if problem.line is not None:
        place["region"] = {"startLine": problem.line, "startColumn": problem.column or 1}
    return {
        "ruleId": "hint" if problem.warning else "problem",
        "level": "warning" if problem.warning else "error",
        "message": {"text": problem.text},
        "locations": [{"physicalLocation": place}],
    }


def _annotation(problem: Problem) -> str:
    """A workflow command. What separates its parts is written in percent: the text of a problem quotes the file."""

    def escaped(text: str, *, value: bool = False) -> str:
        for each in "%\r\n" + (":," if value else ""):
            text = text.replace(each, f"%{ord(each):02X}")
        return text

    place = f"file={escaped(problem.file, value=True)}"
    if problem.line is not None:
        place += f",line={problem.line},col={problem.column or 1}"
    return f"::{'warning' if problem.warning else 'error'} {place}::{escaped(problem.text)}"


@contextmanager
def progress(title: Callable[[str], str]) -> Iterator[Callable[[str, int, int], None] | None]:
    """Shows on a terminal's standard error how far long work is, and nothing else where nobody reads it.

    What it yields takes a stage, how much of it is done, and of how much, from any thread. ``title``: of a stage.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    # Imported here: a pipe needs no bar.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        stages = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in stages:
                stages[stage] = bars.add_task(title(stage), total=total)
            bars.update(stages[stage], completed=done, total=total)

        yield show
