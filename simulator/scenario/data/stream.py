"""The records of a stream in a file, one after another. ``survey`` has been through the file before.

What reads tables of any make is imported where it is used: it brings along what edits scenarios, which needs the model.
"""

import heapq
import pickle
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import IO, Final, overload

from tidemark.simulator.engine.values.errors import Problem, ScenarioError, shown_in_message
from tidemark.simulator.engine.values.items import End, Item, Record
from tidemark.simulator.limits import STREAM_CHANNELS
from tidemark.simulator.scenario.calc import Rows
from tidemark.simulator.scenario.data.cells import formats_of_cells, row_maker, texts_of
from tidemark.simulator.scenario.data.columns import (
    NO_KEY,
    Columns,
    DataError,
    Found,
    Unread,
    channel_names,
    formats_of,
    number_of,
    rows_left_out,
    time_reader,
    unreadable_records,
    why_unread,
)
from tidemark.simulator.scenario.data.opening import Row, Table, opened, version_of

# Records sorted by arrival, equal ones as they stand in the file: in runs that fit into memory, merged from disk.

RUN: Final = 200_000
"""The most records in memory."""

_PIECE: Final = 1_000
"""How many records of each run are in memory while the runs are merged."""


def by_arrival(records: Iterable[Record], run: int = RUN) -> Iterator[Record]:
    """``records`` by their ``at``. What does not fit into memory lies in temporary files without a name."""
    with ExitStack() as files:
        runs: list[Iterator[Record]] = []
        for part in _parts(records, run):
            ordered = sorted(part, key=_arrival)
            if len(part) < run and not runs:
                yield from ordered
                return
            file = files.enter_context(tempfile.TemporaryFile())
            for piece in _parts(ordered, _PIECE):
                pickle.dump(piece, file)
            file.seek(0)
            runs.append(_of_run(file))
        yield from heapq.merge(*runs, key=_arrival)  # of equal ones the earlier run's comes first


def _parts(records: Iterable[Record], most: int) -> Iterator[list[Record]]:
    left = iter(records)
    while part := list(islice(left, most)):
        yield part


def _of_run(file: IO[bytes]) -> Iterator[Record]:
    def pieces() -> Iterator[list[Record]]:
        while True:
            try:
                yield pickle.load(file)
            except EOFError:
                return

    return chain.from_iterable(pieces())


def _arrival(record: Record) -> int:
    return record.at or 0


# A passage through the file before anything runs: what is wrong with it is said before the first row.

GUESSED_FROM: Final = 200
"""From how many rows the unit of the times is guessed."""

FURTHEST: Final = 2**63
"""Beyond every time."""


def wanted(table: Table, columns: Columns, rows: Rows | None) -> Iterator[Row]:
    """The rows with the cells of the columns in the order in which they are read: those of ``rows`` come last."""
    names = columns.ts, columns.at, columns.key, columns.value, columns.channel
    if rows is None:
        return table.rows(names)
    return table.rows((*names, *(name for name, _ in rows.columns)), texts_of(rows))


def survey(file: Path, columns: Columns, rows: Rows | None = None) -> Found:
    """What is in ``file``; ``rows``: what the input says of its columns. The last few answers are kept.

    Raises ``DataError`` for what cannot be read, and for a row that is none of the input.
    """
    return _survey(file, columns, rows, version_of(file))


@lru_cache(maxsize=16)
def _survey(file: Path, columns: Columns, of_input: Rows | None, version: tuple[int, int]) -> Found:
    records = unreadable = 0
    first_unreadable: tuple[int, Unread] | None = None
    low_ts, high_ts = FURTHEST, -FURTHEST
    low_at, high_at, in_order = FURTHEST, -FURTHEST, True
    channels, kind = set[str](), "whole"
    no_number: tuple[int, str] | None = None
    wholes, others = 0, 0.0
    with opened(file) as table:
        rows = wanted(table, columns, of_input)
        head = list(islice(rows, GUESSED_FROM))
        named = [(place, name) for place, name in enumerate((columns.ts, columns.at)) if name is not None]
        cells_of = [(name, [cell for _, row in head if (cell := row[place])]) for place, name in named]
        formats = formats_of(columns.ts_unit, cells_of, columns.zone or "UTC")
        if columns.ts_unit != "date":
            _require_times_of_day(columns.ts, cells_of[0][1], formats[0], table)
        readers = [time_reader(format, columns.zone) for format in formats]
        read_ts, read_at = readers[0], readers[-1]
        has_at, has_value, has_channel = columns.at is not None, columns.value is not None, columns.channel is not None
        decimal, formats_of_columns, made = ".", tuple[str, ...](), None
        if of_input is not None:
            decimal = _decimal_of(table)
            heads = [[cell for _, row in head if (cell := row[at])] for at in range(5, 5 + len(of_input.columns))]
            known = {name: format for (_, name), format in zip(named, formats, strict=False)}
            formats_of_columns = formats_of_cells(of_input, heads, known)
            made = row_maker(of_input, formats_of_columns, decimal)
        for line, (ts_cell, at_cell, _, value, channel, *cells) in chain(head, rows):
            ts = read_ts(ts_cell) if ts_cell else None
            at = (read_at(at_cell) if at_cell else None) if has_at else 0
            if ts is None or at is None:
                unreadable += 1
                if first_unreadable is None:
                    broken = table.broken[1] if table.broken[0] == line else ""
                    why = why_unread(columns, ts_cell, at_cell, at is not None, formats)
                    first_unreadable = line, Unread(broken) if broken else why
                continue
            records += 1
            if made is not None:
                made(Record(NO_KEY, ts), cells, line)
            low_ts, high_ts = min(low_ts, ts), max(high_ts, ts)
            if has_at:
                in_order = in_order and at >= high_at
                low_at, high_at = min(low_at, at), max(high_at, at)
            if has_channel and channel not in channels:
                channels.add(channel or "")
                if len(channels) > STREAM_CHANNELS:
                    raise DataError("data_many_channels", line, limit=f"{STREAM_CHANNELS:,}")
            number = number_of(value) if has_value and value else None
            if type(number) is int:
                wholes += abs(number)
            elif number is not None:
                others += abs(number)
                kind = "number" if kind == "whole" else kind
            else:
                no_number = no_number or (line, str(shown_in_message(value or "")))
                if value:
                    kind = "text"
        digest = table.digest
    if version_of(file) != version:
        raise DataError("data_changed")
    return Found(
        records=records,
        unreadable=unreadable,
        first_unreadable=first_unreadable,
        ts=(low_ts, high_ts) if records else None,
        at=(low_at, high_at) if records and has_at else None,
        channels=_sorted(channels) if has_channel else (0,),
        values=kind,
        no_number=no_number,
        in_order=in_order,
        digest=digest,
        formats=formats,
        sums=(wholes, others),
        version=version,
        decimal=decimal,
        cells=formats_of_columns,
    )


def _decimal_of(table: Table) -> str:
    """The decimal separator of its numbers, by the first of its rows."""
    from tidemark.simulator.scenario.tables.guess import look  # see ``reading``

    return look(table.head.encode()).choice.decimal


def _require_times_of_day(name: str, cells: Sequence[str], format: str, table: Table) -> None:
    """Refuse dates alone beside a column of times of day: all records would be at midnight."""
    from tidemark.simulator.scenario.tables.guess import look  # see ``reading``
    from tidemark.simulator.scenario.tables.times import are_days

    if not are_days(cells, format):
        return
    others = (guess.column.name for guess in look(table.head.encode()).guesses if guess.time == "clock")
    if clock := next(others, None):
        raise DataError("data_days_alone", column=shown_in_message(name), clock=shown_in_message(clock))


def _sorted(channels: set[str]) -> tuple[int | str, ...]:
    names = set(channel_names(channels).values())
    return tuple(sorted(names, key=lambda name: (str(name) if isinstance(name, str) else "", name)))


def records_of(file: Path, columns: Columns, found: Found, only: str, rows: Rows | None = None) -> Iterator[Record]:
    """The records of ``file``, in which ``found`` was, for the input ``only``, in the order of the stream.

    ``rows``: what that input says of its columns.

    Raises ``DataError`` if it has changed since it was looked at.
    """
    records = _in_order_of_file(file, columns, found, only, rows)
    yield from records if columns.at is None or found.in_order else by_arrival(records)


def _in_order_of_file(file: Path, columns: Columns, found: Found, only: str, rows: Rows | None) -> Iterator[Record]:
    if version_of(file) != found.version:
        raise DataError("data_changed")
    readers = [time_reader(format, columns.zone) for format in found.formats]
    read_ts, read_at = readers[0], readers[-1]
    has_at, has_key = columns.at is not None, columns.key is not None
    kind = found.values if columns.value is not None else "none"
    numbers = {str(name): found.number_of(name) for name in found.channels}
    names: dict[str, int] = {}
    made = None if rows is None else row_maker(rows, found.cells, found.decimal)
    with opened(file) as table:
        for line, (ts_cell, at_cell, key, value, channel, *cells) in wanted(table, columns, rows):
            ts = read_ts(ts_cell) if ts_cell else None
            at = read_at(at_cell) if has_at and at_cell else None
            if ts is None or (has_at and at is None):
                continue
            number = 0
            if columns.channel is not None:
                number = names.get(channel or "", -1)
                if number < 0:
                    name = channel or ""
                    number = names[name] = numbers.get(name, numbers.get(str(channel_names({name})[name]), 0))
            record = Record(
                (key or "") if has_key else NO_KEY,
                ts,
                _value(kind, value),
                only,
                number,
                at,
            )
            yield record if made is None else made(record, cells, line)
    if version_of(file) != found.version:
        raise DataError("data_changed")


def _value(kind: str, cell: str | None) -> int | float | str | None:
    if not cell or kind == "none":
        return None
    if kind == "text":
        return cell
    number = number_of(cell)
    return number if kind == "whole" or number is None else float(number)


@dataclass(frozen=True, slots=True)
class Data(Sequence[Item]):
    """``stream: {data: …}``. ``path``: the name of a file in ``folder``, that of the scenario.

    As a sequence it has the items of the stream: the records, by arrival if ``columns.at`` is there, else in the order
    of the file, and an end of input if ``end``. ``found`` is None for a file that only Spark can read (``Parquet``);
    going through it then raises ``ScenarioError``, as it does when the file has changed since it was looked at.
    ``rows``: what the input says of its columns, if it has some.
    """

    path: str
    columns: Columns
    end: bool = False
    input: str = "events"
    found: Found | None = None
    folder: str = field(default="", compare=False)
    rows: Rows | None = field(default=None, compare=False)

    @property
    def file(self) -> Path:
        """Where the file is."""
        return Path(self.folder, self.path)

    @property
    def known(self) -> Found:
        """What was found in the file. Raises ``ScenarioError`` if only Spark can read it."""
        if self.found is None:
            raise self.refused(DataError("data_needs_spark"))
        return self.found

    def require_readable(self) -> None:
        """Raise ``UnreadableRecords`` if some rows of the file are no records."""
        found = self.known
        if found.first_unreadable is not None:
            line, why = found.first_unreadable
            raise unreadable_records(str(self.file), found.unreadable, found.records + found.unreadable, why, line)

    @property
    def left_out(self) -> str:
        """How many rows of the file are no records, in words; "" if all are."""
        return rows_left_out(self.known.unreadable)

    def refused(self, error: DataError) -> ScenarioError:
        """The same as a refusal of the scenario, at the place in the file."""
        return ScenarioError([Problem(str(self.file), error.line, error.line and 1, error.text)])

    def __len__(self) -> int:
        return self.known.records + self.end

    def __iter__(self) -> Iterator[Item]:
        found = self.known
        try:
            yield from records_of(self.file, self.columns, found, self.input, self.rows)
        except DataError as error:
            raise self.refused(error) from None
        if self.end:
            yield End()

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, place: int | slice) -> Item | tuple[Item, ...]:
        if isinstance(place, slice):
            first, last, step = place.indices(len(self))
            return tuple(islice(self, first, last, step))
        return next(islice(self, range(len(self))[place], None))
