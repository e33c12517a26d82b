"""Records of one's own as a Spark table, in the order in which they came."""

from dataclasses import dataclass, field
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.execution.expressions import long, quotient
from tidemark.spark_bridge.files.columns import Columns
from tidemark.spark_bridge.files.errors import FilesError
from tidemark.spark_bridge.files.finding import Found
from tidemark.spark_bridge.files.sample import Sample, listed
from tidemark.spark_bridge.files.written import WrittenStream

NULL_KEY: Final = ""
"""The key of a record that has none in the column of keys."""

_ROWS: Final = 1_000_000
_PARTS: Final = 64


@dataclass(frozen=True)
class OwnStream:
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
