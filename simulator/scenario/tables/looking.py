"""A first look at a table: what it is probably made of, and what can be said against reading it like that."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from tidemark.simulator.limits import TABLE_COLUMNS, TABLE_PIECE_ROWS
from tidemark.simulator.scenario.tables.choice import OF_ONE_INPUT, SINGLE, Choice, Column, with_given
from tidemark.simulator.scenario.tables.guess import Guess, guess_columns, guess_decimal, has_header
from tidemark.simulator.scenario.tables.rows import (
    Found,
    Row,
    decoded,
    guess_delimiter,
    guess_encoding,
    is_json,
    lines_of,
    names_in_comment,
    objects_of,
    rows_of,
)

GUESSED_FROM: Final = 200
"""From how many rows the columns are guessed."""

SHOWN: Final = 8
"""How many rows are shown as they are."""

KINDS: Final = (
    (b"PK\x03\x04", "workbook"),
    (b"\xd0\xcf\x11\xe0", "workbook"),
    (b"\x1f\x8b", "packed"),
    (b"PAR1", "parquet"),
)
"""Files that are no text, by their first bytes."""


class _ManyColumns(Exception):
    """More than ``TABLE_COLUMNS``: refused before anything is done for each of them."""


@dataclass(frozen=True)
class Look:
    """``choice``: the guess, changed by what was given. ``guesses``: what each column was guessed to be, and why.

    ``rows``: the first ones, as they are. ``problem``: a name below ``tables.problems``, why no record can be read with
    this choice, "" if they can; ``encoding_why`` a name below ``tables.encoding_reasons``.
    """

    choice: Choice
    guesses: tuple[Guess, ...]
    rows: tuple[Row, ...]
    encoding_why: str
    problem: str = ""


def look(data: bytes, given: Mapping[str, Any] | None = None, roles: Collection[str] = OF_ONE_INPUT) -> Look:
    """What the table that begins with ``data`` is made of.

    ``given`` (as ``Choice.as_json``, in part) is what somebody has chosen: the rest is guessed on that basis. Its
    columns count only if there are as many as the table has. ``roles``: what a record may have here. Raises nothing.
    """
    given = given or {}
    for mark, kind in KINDS:
        if data.startswith(mark):
            return Look(Choice(), (), (), "ascii", kind)
    encoding, why = guess_encoding(data)
    choice = with_given(Choice(encoding=encoding), {**given, "columns": None})
    text = lines_of(decoded(data, choice.encoding))
    if not text.strip():
        return Look(choice, (), (), why, "empty")
    if "form" not in given:
        choice = replace(choice, form="json" if is_json(text) else "csv")
    try:
        names, rows, choice = _json_table(text, choice) if choice.form == "json" else _csv_table(text, choice, given)
    except _ManyColumns:
        return Look(choice, (), (), why, "many_columns")
    if not names:
        return Look(choice, (), (), why, "nothing_readable")
    cells = [row.cells for row in rows]
    if "decimal" not in given:
        choice = replace(choice, decimal=guess_decimal(cells, choice.delimiter if choice.form == "csv" else ","))
    guesses = tuple(guess_columns(names, cells, choice.decimal, roles))
    choice = _with_columns(choice, guesses, given)
    problem = problem_of(choice, bool(rows))
    first = text.lstrip().partition("\n")[0].partition(choice.delimiter)[0]
    if problem == "no_time" and choice.form == "csv" and names_in_comment(first):
        problem = "header_in_comment"
    return Look(choice, guesses, tuple(rows[:SHOWN]), why, problem)


def problem_of(choice: Choice, rows: bool = True) -> str:
    """What keeps ``choice`` from giving records: a name below ``tables.problems``, "" for nothing."""
    roles = [column.role for column in choice.columns]
    if not rows:
        return "only_header"
    if not {"ts", "at"} & set(roles):
        return "no_time"
    if any(column.role in ("ts", "at") and not column.time for column in choice.columns):
        return "no_format"
    if any(roles.count(role) > 1 for role in SINGLE):
        return "twice"
    return ""


def _csv_table(text: str, choice: Choice, given: Mapping[str, Any]) -> tuple[list[str], list[Row], Choice]:
    if "delimiter" not in given:
        choice = replace(choice, delimiter=guess_delimiter(text))
    found = (row for row in islice(rows_of(text, choice.delimiter), TABLE_PIECE_ROWS) if isinstance(row, Row))
    rows = list(islice(found, GUESSED_FROM))
    if not rows:
        return [], [], choice
    width = len(rows[0].cells)
    if width > TABLE_COLUMNS:
        raise _ManyColumns
    if "header" not in given:
        choice = replace(choice, header=has_header([row.cells for row in rows]))
    names = _unique(rows[0].cells if choice.header else [""] * width)
    return names, rows[1:] if choice.header else rows, choice


def _json_table(text: str, choice: Choice) -> tuple[list[str], list[Row], Choice]:
    objects = (each for each in islice(objects_of(text), TABLE_PIECE_ROWS) if isinstance(each, Found))
    found = list(islice(objects, GUESSED_FROM))
    names = list(dict.fromkeys(name for each in found for name in each.members))
    if len(names) > TABLE_COLUMNS:
        raise _ManyColumns
    rows = [Row(each.line, [each.members.get(name, "") for name in names], each.source) for each in found]
    return names, rows, choice


def _unique(names: Sequence[str]) -> list[str]:
    """Names that differ: a second ``price`` is ``price (2)``, a column without a name is ``#3``."""
    unique: list[str] = []
    for number, name in enumerate(names, 1):
        name = name or f"#{number}"
        again = 2
        each = name
        while each in unique:
            each = f"{name} ({again})"
            again += 1
        unique.append(each)
    return unique


def _with_columns(choice: Choice, guesses: Sequence[Guess], given: Mapping[str, Any]) -> Choice:
    """The columns that were chosen, else those that were guessed."""
    chosen = with_given(choice, {"columns": given.get("columns")}).columns
    if len(chosen) != len(guesses):
        return replace(choice, columns=tuple(guess.column for guess in guesses))
    return replace(
        choice,
        columns=tuple(
            Column(guess.column.name, each.role, each.time) for guess, each in zip(guesses, chosen, strict=True)
        ),
    )
