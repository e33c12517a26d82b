"""The stream as rows of a table: the columns it needs, the text of each cell, and the lines of each item."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import (
    Advance,
    BatchEnd,
    Checkpoint,
    End,
    Item,
    Record,
    Restore,
    Status,
    Watermark,
)
from tidemark.simulator.limits import PASTED_CHARACTERS, PASTED_ROWS, TABLE_COLUMNS
from tidemark.simulator.scenario import editing
from tidemark.simulator.scenario.editing import EditError, ItemText, Path, Plain, ScenarioText, Value
from tidemark.simulator.scenario.editing.beats import renumber
from tidemark.simulator.scenario.format.stream import SIDES
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.scenario.tables.columns import known, rank
from tidemark.simulator.scenario.tables.rows import Row as TableRow
from tidemark.simulator.scenario.tables.rows import lines_of, rows_of
from tidemark.simulator.timeline.wording import duration
from tidemark.simulator.words import words
from tidemark.ui.author.cells import CellError, Clock, shown_value, value_of

Row = dict[str, Any]

MOST_ROWS: Final = 600
"""How many rows the table shows. The text has them all."""

MEMBER: Final = {Watermark: "watermark", Status: "status", Advance: "advance", Checkpoint: "checkpoint",
                 Restore: "restore", End: "end", BatchEnd: "batch"}  # fmt: skip
"""Which member of an item that is no record stands in the column of the times."""


@dataclass(frozen=True)
class Stream:
    """``columns`` by their names in the format; ``rows``: {kind, cells, lines}.

    ``cells`` are in the order of the columns, ``None`` for none; ``lines`` are the first and the last line of the text,
    from 1.
    """

    columns: list[str]
    rows: list[Row]
    total: int


def stream_of(scenario: Scenario, text: ScenarioText, clock: Clock) -> Stream | None:
    """The table of a written stream; ``None`` for a generated one."""
    if isinstance(scenario.stream, Generated):
        return None
    columns = columns_of(scenario)
    rows = []
    for item, own in _with_texts(scenario, text):
        kind = "record" if isinstance(item, Record) else MEMBER[type(item)]
        cells = [_cell(name, item, own, clock) for name in columns]
        rows.append({"kind": kind, "cells": cells, "lines": [own.first_line, own.last_line]})
    return Stream(columns, rows, len(scenario.stream))


def _with_texts(scenario: Scenario, text: ScenarioText) -> Iterator[tuple[Item, ItemText]]:
    """The first items, each as it stands in the text; with several operators as it reaches the one that is shown."""
    assert not isinstance(scenario.stream, Generated)
    if scenario.chain is None:
        yield from zip(scenario.stream, text.items(("stream",), MOST_ROWS), strict=False)
        return
    owns = list(text.items(("stream",)))
    part = scenario.chain.of_shown
    for item, seq, origin in list(zip(scenario.stream, part.seqs, part.origins, strict=True))[:MOST_ROWS]:
        own = owns[seq]
        if origin is not None and isinstance(item, Record):
            own = own._replace(members={"key": item.key, "value": item.value})
        yield item, own


def columns_of(scenario: Scenario) -> list[str]:
    """The columns that this stream needs, in the order in which they are shown."""
    stream = () if isinstance(scenario.stream, Generated) else scenario.stream
    columns = ["at"] if any(getattr(item, "at", None) is not None for item in stream) else []
    if len(scenario.inputs) > 1:
        columns.append("in")
    if any(each.channels > 1 for each in scenario.inputs):
        columns.append("channel")
    return [*columns, "key", "ts", "value", *(["op"] if scenario.operator.has_versions else [])]


def _cell(name: str, item: Item, own: ItemText, clock: Clock) -> str | None:
    """The text of a cell; ``None`` if this item has no such member."""
    if name == "at":
        return None if isinstance(item, BatchEnd) else clock.shown(getattr(item, "at", None))
    if name == "in":
        return item.input if isinstance(item, Record | Watermark | Status) else None
    if name == "channel":
        return str(item.channel) if isinstance(item, Record | Watermark | Status) else None
    if isinstance(item, Record):
        if name == "ts":
            return clock.shown(item.ts)
        if name == "op":
            return item.op if item.input == SIDES[1] else None
        return shown_value(own.members.get(name))
    if name != "ts":
        return None
    match item:
        case Watermark():
            return clock.style.format.exact(item.ts) if abs(item.ts) > 2**62 else clock.shown(item.ts)
        case Status():
            return item.status
        case Advance():
            return duration(item.by)
        case Checkpoint() | Restore():
            return item.name
        case _:
            return None


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


class EditRefused(Exception):
    """The text stays as it is; the message is for the author."""


@contextmanager
def refusing() -> Iterator[None]:
    """Turns what an edit raises into ``EditRefused``."""
    try:
        yield
    except CellError as error:
        raise EditRefused(words(f"author.cells.{error}")) from None
    except PasteError as error:
        raise EditRefused(str(error)) from None
    except ScenarioError as error:
        raise EditRefused(error.problems[0].text) from None
    except (EditError, LookupError, TypeError, ValueError, OverflowError):  # nothing that the page itself asks
        raise EditRefused(words("author.refused.not_simple")) from None
