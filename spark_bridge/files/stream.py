"""Records of one's own as a Spark table, in the order in which they came.

The first record of files that cannot be read: where it stands and why, for a message.
"""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from tidemark.simulator.scenario.data.columns import Columns as Described
from tidemark.simulator.scenario.data.columns import Unread, UnreadableRecords, unreadable_records, why_unread
from tidemark.simulator.scenario.tables.rows import leading_comments
from tidemark.spark_bridge.files.reading import PLACE, raw_lines
from tidemark.spark_bridge.files.request import CSV, JSON, Columns, FilesError, Found
from tidemark.spark_bridge.files.sample import Sample, WrittenStream, listed
from tidemark.spark_bridge.spark.columns import long, quotient

NULL_KEY: Final = ""
"""The key of a record that has none in the column of keys."""

_ROWS: Final = 1_000_000
_PARTS: Final = 64


@dataclass(frozen=True)
class FileStream:
    """``everything`` has one line for each record, also for an unreadable one, whose ``ts`` is null:

    ``file`` int (from 0, by name), ``block`` and ``row`` bigint: (file, block, row) is the order in the files
    ``ts`` bigint (ms), ``at`` bigint (ms; null without such a column)
    ``key`` string (``NULL_KEY`` where it is missing; null without such a column)
    ``value`` bigint, double or string (null where it is missing, or without such a column)
    ``channel`` int: an index into ``channels``, what the files call them; 0 without such a column

    A record without a readable timestamp, or without a readable arrival where arrivals are read, is unreadable.
    ``guessed``: whether columns or units were guessed. ``by_arrival``: the order is (at, file, block, row).
    ``source``: a column that looks like the channel, where none is read. ``other_times``: one that holds times as well,
    where no arrivals are read. ``written``: how the columns are written in the files. ``raw``: the place of each record
    and its columns by role as they are written. ``beside``: times, and columns of few values as ``c0``, ``c1`` and
    so on, which ``few_values`` names: sources, perhaps, where no channel is read. ``sample``: the first rows.
    """

    everything: DataFrame
    channels: tuple[int | str, ...]
    columns: Columns
    guessed: bool
    by_arrival: bool
    found: Found = field(repr=False)
    source: str | None = None
    other_times: str | None = None
    written: WrittenStream = field(default_factory=WrittenStream, repr=False)
    raw: DataFrame | None = field(default=None, repr=False)
    beside: DataFrame | None = field(default=None, repr=False)
    few_values: tuple[str, ...] = ()
    sample: Sample | None = field(default=None, repr=False)

    @property
    def table(self) -> DataFrame:
        """The readable records."""
        return self.everything.where(F.col("ts").isNotNull())

    @property
    def order(self) -> tuple[str, ...]:
        """The columns of ``table`` that say in which order its records came."""
        return ("at", "file", "block", "row") if self.by_arrival else ("file", "block", "row")

    def counted(self) -> int:
        """The number of unreadable records. Runs a job over the column of times."""
        return self.everything.where(F.col("ts").isNull()).count()

    def require_some(self, records: int) -> None:
        """Raise ``FilesError`` if none of the records, whose number is ``records``, can be read."""
        if not records:
            names = [name for name in (self.columns.ts, self.columns.at) if name is not None]
            raise FilesError(
                "no_times", path=" ".join(self.found.paths[:1]) or self.found.format, columns=listed(names)
            )

    def require_unchanged(self) -> None:
        """Raise ``FilesError`` if a file is not as it was when the stream was opened."""
        self.found.require_unchanged()

    def part(self) -> tuple[Column, Column, Column, Column]:
        """Columns that say which part of the stream a record is in: parts in order hold the records in order, and one
        task can sort a part. May run a job."""
        if not self.by_arrival:
            return F.lit(0), F.col("file"), F.col("block"), quotient(F.col("row"), _ROWS)
        shares = [number / _PARTS for number in range(1, _PARTS)]
        found = self.table.agg(F.count("*"), F.percentile_approx("at", shares, 1000)).first()
        number, bounds = found if found is not None and found[1] else (0, [])
        every = max(1, _PARTS * _ROWS // max(number, 1))
        bounds = sorted(set(bounds[every - 1 :: every]))
        return _place(F.col("at"), bounds, 0), F.lit(0), long(0), long(0)


def _place(number: Column, bounds: list[int], before: int) -> Column:
    """How many of the rising ``bounds`` are below ``number``, plus ``before``: the decisions of a binary search."""
    if not bounds:
        return F.lit(before)
    middle = len(bounds) // 2
    low = _place(number, bounds[:middle], before)
    return F.when(number <= long(bounds[middle]), low).otherwise(
        _place(number, bounds[middle + 1 :], before + middle + 1)
    )


_HEAD: Final = 1_000
"""In so many lines a header is looked for."""


def refused_records(stream: FileStream, unreadable: int, records: int) -> UnreadableRecords:
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
        named = Described(columns.ts or "", at=columns.at)
        formats = columns.ts_unit or "", columns.at_unit or ""
        ts, at = (*(cells or (None,)), None)[:2]
        why = why_unread(named, ts, at, columns.at is None or first.at is not None, formats)
    return unreadable_records(path, unreadable, records + unreadable, why, line, number)


def _records(path: str, format: str) -> Iterator[tuple[int, str]]:
    """The number of the line (from 1) in which each record of a text begins; with JSON Lines also the line."""
    lines = (line.decode("utf-8", "replace").removeprefix("\ufeff") for line in raw_lines(path))
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
