"""The first record of files that cannot be read: where it stands and why, for a message."""

import csv
import json
from collections.abc import Iterator
from itertools import chain, islice
from typing import Final

from pyspark.sql import functions as F
from tidemark.simulator.scenario.data.described import (
    Columns,
    Unread,
    UnreadableRecords,
    unreadable_records,
    why_unread,
)
from tidemark.simulator.scenario.tables.rows import leading_comments
from tidemark.spark_bridge.execution.expressions import long
from tidemark.spark_bridge.files.finding import CSV, JSON
from tidemark.spark_bridge.files.quotes import lines_of
from tidemark.spark_bridge.files.reading import PLACE
from tidemark.spark_bridge.files.stream import OwnStream

_HEAD: Final = 1_000
"""In so many lines a header is looked for."""


def refused_records(stream: OwnStream, unreadable: int, records: int) -> UnreadableRecords:
    """That ``unreadable`` records of ``stream``, beside ``records`` others, have no time. Runs a few small jobs."""
    table, found, columns = stream.everything, stream.found, stream.columns
    first = table.where(F.col("ts").isNull()).orderBy(*PLACE).select(*PLACE, "at").first()
    assert first is not None
    assert stream.raw is not None
    here = (F.col("file") == first.file) & (F.col("block") == long(first.block))
    before = (F.col("block") < long(first.block)) | (here & (F.col("row") < long(first.row)))
    number = 1 + table.where((F.col("file") == first.file) & before).count()
    record = stream.raw.where(here & (F.col("row") == long(first.row)))
    cells = record.select(*(F.col(role).cast("string") for role in ("ts", "at") if role in columns.named)).first()
    path = found.paths[first.file] if first.file < len(found.paths) else found.format
    line, text = None, ""
    if found.format in (CSV, JSON) and found.is_here:
        line, text = next(islice(_records(path, found.format), number - 1, None), (None, ""))
    why = _of_line(text) if found.format == JSON else None
    if why is None:
        named = Columns(columns.ts or "", at=columns.at)
        formats = columns.ts_unit or "", columns.at_unit or ""
        ts, at = (*(cells or (None,)), None)[:2]
        why = why_unread(named, ts, at, columns.at is None or first.at is not None, formats)
    return unreadable_records(path, unreadable, records + unreadable, why, line, number)


def _records(path: str, format: str) -> Iterator[tuple[int, str]]:
    """The number of the line (from 1) in which each record of a text begins; with JSON Lines also the line."""
    lines = (line.decode("utf-8", "replace").removeprefix("\ufeff") for line in lines_of(path))
    if format == JSON:
        yield from ((number, line) for number, line in enumerate(lines, 1) if line.strip())
        return
    head = list(islice(lines, _HEAD))
    comments = leading_comments("\n".join(head))
    rows, before = csv.reader(line + "\n" for line in chain(head[comments:], lines)), 0
    header = True
    for cells in rows:
        at, before = before + 1, rows.line_num
        if not any(cells):
            continue
        if not header:
            yield at + comments, ""
        header = False


def _of_line(text: str) -> Unread | None:
    """Why a line is no object of JSON; None if it is one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return Unread("data_no_json") if text else None
    return None if isinstance(found, dict) else Unread("data_no_object")
