"""Cells of a file as values of SQL's columns, in plain JSON: of a stream in a file, and of the records of a query.

SQL's types are imported where they are used: a file without such columns needs no parser.
"""

import json
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, Final

from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario.calc import RowFails, Rows, computed
from tidemark.simulator.scenario.data.columns import DataError, format_of

CellReader = Callable[[str | None], Any]
"""From a cell to the value of its column; None, and "" but for a text, is NULL. Raises ``NoValue``."""

_WHOLE: Final = ("small", "int", "bigint")
_NESTED: Final = ("array", "map")


class NoValue(ValueError):
    """A cell says no value of its column's type; ``word`` is a name below ``sql.records``."""

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


def cell_reader(type: str, format: str, decimal: str, zone: str = "UTC") -> CellReader:
    """What reads the cells of a column of ``type``.

    ``format``: of its times, one of ``tables.times.FORMATS``; ``decimal``: the separator of its numbers; ``zone``: in
    which clocks show a TIMESTAMP_LTZ.
    """
    from tidemark.simulator.scenario.tables.columns import number_text, value_of
    from tidemark.simulator.scenario.tables.times import read_time
    from tidemark.simulator.sql.types import column, plain, type_of

    shape = column("", type_of(type), zone)
    if shape.type == "text":
        return lambda cell: None if cell is None else str(cell)
    shown = plain(shape, zone)
    in_zone = zone if shape.type == "timestamp_ltz" else "UTC"

    def written(cell: str) -> Any:
        """What the cell says, as JSON would."""
        match shape.type:
            case "timestamp" | "timestamp_ltz":
                time = read_time(cell, format, in_zone)
                return _required(None if time is None else time.ms, "no_time_format")
            case "decimal":
                return _required(number_text(cell, decimal), "no_number")
            case "boolean":
                return _required({"true": True, "false": False}.get(cell.lower()), "out_of_range")
            case "date":
                return date.fromisoformat(cell).isoformat()
            case kind if kind in _NESTED:
                return json.loads(cell)
            case kind:
                number = value_of(cell, decimal)
                if kind in _WHOLE:
                    return _required(number if isinstance(number, int) else None, "not_whole")
                return _required(number if isinstance(number, int | float) else None, "no_number")

    def value(cell: str | None) -> Any:
        if not cell:
            return None
        try:
            return shown(shape.of({"": written(str(cell))}))
        except NoValue:
            raise
        except (ValueError, OverflowError, RecursionError):
            raise NoValue("out_of_range") from None

    return value


def _required(found: Any, word: str) -> Any:
    if found is None:
        raise NoValue(word)
    return found


def texts_of(rows: Rows) -> frozenset[str]:
    """The columns in which an empty cell is a text if it stands in quotes, and else NULL."""
    from tidemark.simulator.sql.types import declared, type_of

    return frozenset(name for name, type in rows.columns if declared(type_of(type)).type == "text")


def formats_of_cells(rows: Rows, heads: Sequence[Sequence[str]], known: dict[str, str]) -> tuple[str, ...]:
    """How the times of each column are written: as ``known``, or by ``heads``, the first cells of each; "" for others.

    Raises ``DataError``.
    """
    from tidemark.simulator.sql.types import TIMES, declared, type_of

    formats: list[str] = []
    for (name, type), cells in zip(rows.columns, heads, strict=True):
        if declared(type_of(type)).type not in TIMES:
            formats.append("")
        elif name in known or not cells:
            formats.append(known.get(name, "iso"))
        else:
            formats.append(_format_of(cells, name))
    return tuple(formats)


def _format_of(cells: Sequence[str], name: str) -> str:
    try:
        return format_of(cells, name) or "epoch_ms"
    except DataError as error:
        if error.word != "data_no_times":
            raise
        return "iso"  # so the first of them is refused with its line


def row_maker(
    rows: Rows, formats: Sequence[str], decimal: str
) -> Callable[[Record, Sequence[str | None], int], Record]:
    """What gives a record, whose cells and line are those, its columns, and what its input computes of them.

    Raises ``DataError`` for a cell that is no value of its column, and for a row at which Flink's job would fail.
    """
    calc = rows.calc
    columns = [
        (name, type, cell_reader(type, format, decimal, rows.zone))
        for (name, type), format in zip(rows.columns, formats, strict=True)
    ]

    def made(record: Record, cells: Sequence[str | None], line: int) -> Record:
        row = {}
        for (name, type, read), cell in zip(columns, cells, strict=True):
            try:
                row[name] = read(cell)
            except NoValue:
                fields = {"found": shown_in_message(cell or ""), "column": shown_in_message(name)}
                raise DataError("data_no_value", line, type=type, **fields) from None
        try:
            return computed(calc, record._replace(value=row))
        except RowFails as failure:
            raise DataError("data_row_fails", line, what=str(failure)) from None

    return made
