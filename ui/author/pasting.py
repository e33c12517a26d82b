"""Rows of a spreadsheet, pasted into the table of the stream: each becomes a record after the chosen item."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from tidemark.simulator.limits import PASTED_CHARACTERS, PASTED_ROWS, TABLE_COLUMNS
from tidemark.simulator.scenario import editing
from tidemark.simulator.scenario.editing import EditError, Path, Plain, ScenarioText, Value
from tidemark.simulator.scenario.editing.beats import renumber
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.scenario.tables.names import known, rank
from tidemark.simulator.scenario.tables.rows import Row as TableRow
from tidemark.simulator.scenario.tables.rows import lines_of, rows_of
from tidemark.simulator.values.items import End, Item, Record
from tidemark.simulator.words import words
from tidemark.ui.author.cells import CellError, Clock, value_of
from tidemark.ui.author.rows import columns_of

STREAM: Final[Path] = ("stream",)

LONG_AGO: Final = -(2**63)

Way = Callable[[str], str | None]

Made = tuple[int | None, dict[str, Value]]
"""A record, and when it arrives (ms)."""


class PasteError(Exception):
    """The rows cannot be pasted; the message is for the author."""


def pasted(text: ScenarioText, scenario: Scenario, clock: Clock, way: Way, edit: Mapping[str, Any]) -> ScenarioText:
    """``text`` with the rows of ``edit`` as records: {text, after, column}.

    A first row that names columns says what the cells are; else they are those of the table from ``column`` on. ``way``
    says how a member is written here. Raises ``PasteError`` with the number of the row for what cannot be read.
    """
    if isinstance(scenario.stream, Generated):
        raise EditError("no_such_place")
    found = rows_of(lines_of(str(edit["text"])[:PASTED_CHARACTERS]), "\t")
    rows = list(
        islice((row for row in found if isinstance(row, TableRow)), PASTED_ROWS + 2)
    )  # a row of names, and too many
    if rows and len(rows[0].cells) > TABLE_COLUMNS:
        raise PasteError(words("author.paste.wide"))
    columns = columns_of(scenario)
    names = _named(rows[0].cells, columns) if rows else None
    if names is not None:
        head, *rows = rows
        for row in rows:
            for cell, name, role in zip(row.cells, head.cells, names, strict=False):
                if cell and not role:
                    raise PasteError(words("author.paste.unknown", name=name))
    if not rows or len(rows) > PASTED_ROWS:
        raise PasteError(words("author.paste.many", limit=PASTED_ROWS))
    here = names or columns[columns.index(str(edit["column"])) :]
    maker = _Maker(scenario, clock, way)
    records = [maker.record(number, row.cells, here) for number, row in enumerate(rows, 1)]
    items = scenario.stream
    after = min(max(int(edit["after"]), -1), len(items) - 1)
    if after >= 0 and isinstance(items[after], End):
        after -= 1
    if not items:
        return editing.set_list(text, "stream", [record for _, record in records])
    for place, group in _places(items, after + 1, records):
        text = renumber(editing.insert(text, STREAM, place, *group), _later(place, len(group)))
    return text


def _later(place: int, count: int) -> Callable[[int], int]:
    return lambda item: item + count * (item >= place)


def _places(items: Sequence[Item], place: int, records: Sequence[Made]) -> Iterator[tuple[int, list[dict[str, Value]]]]:
    """The records by the index before which they go, the last first: where they arrive, else at ``place``."""
    end = next((number for number, item in enumerate(items) if isinstance(item, End)), len(items))
    arrivals: list[int] = []
    for item in items:  # one without an arrival of its own arrives with the one before it
        own = getattr(item, "at", None)
        arrivals.append(own if own is not None else arrivals[-1] if arrivals else LONG_AGO)
    groups: dict[int, list[dict[str, Value]]] = {}
    for at, record in sorted(records, key=lambda made: LONG_AGO if made[0] is None else made[0]):
        before = (number + 1 for number, arrival in enumerate(arrivals) if at is not None and arrival <= at)
        here = place if at is None else min(max(before, default=0), end)
        groups.setdefault(here, []).append(record)
    yield from sorted(groups.items(), reverse=True)


def _named(cells: Sequence[str], columns: Sequence[str]) -> list[str] | None:
    """The column of each cell, if these are names of columns; "" for a column that the table does not have."""
    if not any(known(cell) for cell in cells):
        return None
    roles = [*columns, "at"] if "at" not in columns else columns
    return [next((role for role in roles if rank(cell, role) is not None), "") for cell in cells]


class _Maker:
    def __init__(self, scenario: Scenario, clock: Clock, way: Way) -> None:
        assert not isinstance(scenario.stream, Generated)
        self.clock = clock
        self.way = way
        self.arrival: int | None = None
        records = (item for item in scenario.stream if isinstance(item, Record))
        self.near = next((item.ts for item in records if item.ts is not None), scenario.origin)

    def record(self, number: int, cells: Sequence[str], columns: Sequence[str]) -> Made:
        """Row ``number`` (from 1) as an item without its empty cells, and its arrival (ms) or None."""
        if any(cells[len(columns) :]):
            raise PasteError(words("author.paste.wide"))
        found: dict[str, Value] = {}
        self.arrival = None
        for cell, column in zip(cells, columns, strict=False):
            if not cell or not column:
                continue
            try:
                found[column] = self._value(column, cell)
            except CellError as error:
                problem = words(f"author.cells.{error}")
                raise PasteError(words("author.paste.row", row=number, problem=problem)) from None
        order = ("ts", "key", "value", "at", "in", "channel", "op")
        if not {"ts", "at"} & set(found):
            raise PasteError(words("author.paste.time", row=number))
        return self.arrival, {name: found[name] for name in order if name in found}

    def _value(self, column: str, cell: str) -> Value:
        match column:
            case "ts" | "at":
                ms = self.clock.read(cell, self.near)
                if column == "at":
                    self.arrival = ms
                return self.clock.written(ms, self.way(column))
            case "channel":
                if not cell.isdecimal():
                    raise CellError("no_whole")
                return int(cell)
            case "in":
                return Plain(cell) if cell in ("left", "right") else cell
            case _:
                return value_of(cell)
