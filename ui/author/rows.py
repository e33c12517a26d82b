"""The stream as rows of a table: the columns it needs, the text of each cell, and the lines of each item."""

from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.scenario.editing import ItemText, ScenarioText
from tidemark.simulator.scenario.format.stream import SIDES
from tidemark.simulator.scenario.model import Generated, Scenario, TemporalJoin
from tidemark.simulator.timeline.format import duration
from tidemark.simulator.values.items import Advance, BatchEnd, Checkpoint, End, Item, Record, Restore, Status, Watermark
from tidemark.ui.author.cells import Clock, shown_value

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
    for item, own in zip(scenario.stream, text.items(("stream",), MOST_ROWS), strict=False):
        kind = "record" if isinstance(item, Record) else MEMBER[type(item)]
        cells = [_cell(name, item, own, clock) for name in columns]
        rows.append({"kind": kind, "cells": cells, "lines": [own.first_line, own.last_line]})
    return Stream(columns, rows, len(scenario.stream))


def columns_of(scenario: Scenario) -> list[str]:
    """The columns that this stream needs, in the order in which they are shown."""
    stream = () if isinstance(scenario.stream, Generated) else scenario.stream
    columns = ["at"] if any(getattr(item, "at", None) is not None for item in stream) else []
    if len(scenario.inputs) > 1:
        columns.append("in")
    if any(each.channels > 1 for each in scenario.inputs):
        columns.append("channel")
    return [*columns, "key", "ts", "value", *(["op"] if isinstance(scenario.operator, TemporalJoin) else [])]


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
