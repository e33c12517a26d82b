"""The rows of a query as text: a table as Flink's SQL client draws it, objects with names, or arrays."""

import json
import unicodedata
from collections.abc import Iterator
from typing import Any, Final

from tidemark.simulator.sql.translation import Result

FORMATS: Final = ("table", "jsonl", "rows")
"""``table``: for people; ``jsonl``: an object for each row, with ``op`` and the columns by name; ``rows``: an array for
each row, ``op`` first, then the columns in the order of SELECT."""


def lines_of(result: Result, form: str) -> Iterator[str]:
    """The lines of ``result`` in one of ``FORMATS``."""
    match form:
        case "jsonl":
            for change in result.rows:
                yield json.dumps({"op": change.op, **change.row}, ensure_ascii=False)
        case "rows":
            for change in result.rows:
                yield json.dumps([change.op, *change.row.values()], ensure_ascii=False)
        case _:
            yield from _table(result)


def _table(result: Result) -> Iterator[str]:
    head = ["op", *result.types]
    rows = [[change.op, *map(cell, change.row.values())] for change in result.rows]
    widths = [max(map(_width, column)) for column in zip(head, *rows, strict=True)]
    numbers = [False, *(is_number(type) for type in result.types.values())]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"

    def line(cells: list[str]) -> str:
        padded = []
        for cell, width, number in zip(cells, widths, numbers, strict=True):
            blanks = " " * (width - _width(cell))
            padded.append(blanks + cell if number else cell + blanks)
        return "| " + " | ".join(padded) + " |"

    yield from (rule, line(head), rule, *map(line, rows))
    if rows:
        yield rule


def cell(value: Any) -> str:
    """``value`` as Flink's client shows it."""
    if isinstance(value, str):
        return "".join(each if each.isprintable() else "\ufffd" for each in value)
    if isinstance(value, bool) or value is None:
        return {True: "TRUE", False: "FALSE", None: "<NULL>"}[value]
    return json.dumps(value, ensure_ascii=False)


def is_number(type: str) -> bool:
    """Whether values of this type stand at the right of their column."""
    return type.startswith(("TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL", "DOUBLE", "FLOAT"))


def _width(text: str) -> int:
    """How many columns of a terminal ``text`` takes: a Chinese character two."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)
