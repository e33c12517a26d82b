"""The records of a table: which rows are wanted, and which lines give none."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, Final

from tidemark.simulator.engine.values.duration import format_instant, parse_duration
from tidemark.simulator.limits import TABLE_PIECE_ROWS, TABLE_RECORDS
from tidemark.simulator.scenario.data.columns import joined
from tidemark.simulator.scenario.editing import Plain, Value, written
from tidemark.simulator.scenario.tables.columns import (
    MEMBER,
    TIMES,
    Choice,
    Column,
    Filter,
    key_of,
    member_of,
    number_text,
    value_of,
)
from tidemark.simulator.scenario.tables.rows import Row, Unreadable, decoded, lines_of, objects_of, rows_of, unreadable
from tidemark.simulator.scenario.tables.times import FORMATS, SPANS, read_time, written_time

# Which rows are wanted: by their cells, and how many of those.

Test = Callable[[Sequence[str]], bool]

_time_of = lru_cache(maxsize=64)(read_time)  # several conditions on one column read each of its times once


def filter_of(choice: Choice) -> Test:
    """Whether a row passes all filters of ``choice``."""
    tests = [_test(each, choice) for each in choice.filters if each.text or each.to]
    return lambda cells: all(test(cells) for test in tests)


def _test(asked: Filter, choice: Choice) -> Test:
    number, wanted = asked.column, asked.text
    if asked.way == "between":
        return _between(asked, choice)
    if asked.way == "contains":
        part = wanted.casefold()
        return lambda cells: number < len(cells) and part in cells[number].casefold()
    wants = asked.way == "is"
    return lambda cells: number < len(cells) and (cells[number] == wanted) is wants


def _between(asked: Filter, choice: Choice) -> Test:
    """From ``text`` to ``to``: as times where the column is a time, as numbers where the bounds are, else as texts."""
    number = asked.column
    column = choice.columns[number] if number < len(choice.columns) else None
    if column is not None and column.time:

        def ordinal(cell: str) -> Decimal | None:
            time = _time_of(cell, column.time, choice.zone)
            return None if time is None else Decimal(time.ms)

        low, high = _bound(asked.text, column.time, choice.zone), _bound(asked.to, column.time, choice.zone)
    else:

        def ordinal(cell: str) -> Decimal | None:
            return _decimal(cell, choice.decimal)

        low, high = _decimal(asked.text, choice.decimal), _decimal(asked.to, choice.decimal)
    if (asked.text and low is None) or (asked.to and high is None):
        return lambda cells: number < len(cells) and _within(cells[number], asked.text or None, asked.to or None)

    def within(cells: Sequence[str]) -> bool:
        found = ordinal(cells[number]) if number < len(cells) else None
        return found is not None and (low is None or low <= found) and (high is None or found <= high)

    return within


def _within(cell: str, low: str | None, high: str | None) -> bool:
    return (low is None or low <= cell) and (high is None or cell <= high)


def _bound(text: str, format: str, zone: str) -> Decimal | None:
    """A bound (ms) as it was typed: in the format of the column, as a duration, or in any other format."""
    for each in (format, "duration", *FORMATS):
        if text and (time := read_time(text, each, zone)) is not None:
            return Decimal(time.ms)
    return None if parse_duration(text) is None else Decimal(parse_duration(text) or 0)


def _decimal(text: str, decimal: str) -> Decimal | None:
    number = number_text(text, decimal)
    try:
        return None if number is None else Decimal(number)
    except InvalidOperation:
        return None


MOST_LISTED: Final = 100
"""How many unreadable lines are named; the others are counted."""

DAY: Final = 86_400_000

Record = dict[str, Any]
"""An item of a stream, as ``simulator.scenario.editing`` writes it."""

Made = tuple[Record, dict[str, int]]
"""A record, and its times (ms) by member."""


class _NoRecord(Exception):
    """The row gives no record; the message is a name below ``tables.unreadable``."""

    def __init__(self, word: str, **fields: object) -> None:
        super().__init__(word)
        self.word = word
        self.fields = fields


@dataclass
class Reading:
    """What a piece of a table gives.

    ``records`` are items of a stream as ``simulator.scenario.editing`` writes them, in the order of the rows (sorted by
    arrival if the rows were not), ``lines`` their lines. ``rows``: how many rows were looked at; ``matched``: how many
    of these the filters let pass. ``refused``: the first unreadable lines, of ``refused_count``. ``kept``: the wanted
    rows as they stand in the file. ``size``: the bytes of the records in a scenario's text. ``notes``: how often
    something was done to read a time, by ``finer``, ``gap``, ``overlap``, ``midnight``; ``sorted`` and ``renumbered``
    likewise. ``over``: there are more than ``TABLE_RECORDS``, and the rest was not looked at. ``unseen``: the line from
    which on nothing was looked at, as it follows ``TABLE_PIECE_ROWS`` rows; 0 for none.
    """

    records: list[Record] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    refused: list[Unreadable] = field(default_factory=list)
    refused_count: int = 0
    rows: int = 0
    matched: int = 0
    size: int = 0
    notes: Counter[str] = field(default_factory=Counter)
    channels: list[str] = field(default_factory=list)
    over: bool = False
    unseen: int = 0


def rows_by_choice(data: bytes, choice: Choice, line: int = 1) -> Iterator[Row | Unreadable]:
    """All rows below the header. ``line`` is the number of the first line of ``data``; only line 1 is a header."""
    text = lines_of(decoded(data, choice.encoding), first=line == 1)
    if choice.form == "json":
        names = [column.name for column in choice.columns]
        for found in objects_of(text, line):
            if isinstance(found, Unreadable):
                yield found
            else:
                yield Row(found.line, [found.members.get(name, "") for name in names], found.source)
        return
    rows = rows_of(text, choice.delimiter, line)
    if choice.header and line == 1:
        yield from _below_header(rows)
    else:
        yield from rows


def _below_header(rows: Iterator[Row | Unreadable]) -> Iterator[Row | Unreadable]:
    """``rows`` without the first one that can be read."""
    for row in rows:
        if isinstance(row, Row):
            break
        yield row
    yield from rows


def read(
    data: bytes,
    choice: Choice,
    *,
    line: int = 1,
    matched: int = 0,
    taken: int = 0,
    channels: int = 1,
    until_refused: bool = False,
    event_time: Callable[[Row], int] | None = None,
) -> Reading:
    """The wanted records of ``data``, a table or a piece of one that begins at ``line``.

    ``matched`` and ``taken`` are the counts of the pieces before it, so that every n-th row stays every n-th.
    ``channels``: how many the draft has; partitions that are no such numbers are numbered anew, in order.
    ``until_refused``: nothing is read below the first line that cannot be.
    ``event_time``: what computes that (ms) of a row, where no column alone says it.
    Raises nothing for what a file may contain: a line that cannot be read is among ``refused``.
    """
    reading = Reading(matched=matched)
    wanted, maker = filter_of(choice), _Maker(choice, event_time)
    times: list[dict[str, int]] = []
    for number, row in enumerate(rows_by_choice(data, choice, line)):
        if choice.to_line and row.line > choice.to_line:
            break
        if number == TABLE_PIECE_ROWS:
            reading.unseen = row.line
            break
        if row.line < choice.from_line:
            continue
        reading.rows += 1
        if isinstance(row, Row):
            if not wanted(row.cells):
                continue
            reading.matched += 1
            if (reading.matched - 1) % choice.every:
                continue
        if choice.first and taken + len(reading.records) >= choice.first:
            break
        if taken + len(reading.records) >= TABLE_RECORDS:
            reading.over = True
            break
        try:
            if isinstance(row, Unreadable):
                raise _NoRecord(row.word)
            record, clock = maker.make(row, reading.notes)
        except _NoRecord as error:
            reading.refused_count += 1
            if len(reading.refused) < MOST_LISTED:
                why = row if isinstance(row, Unreadable) else unreadable(row.line, error.word, **error.fields)
                reading.refused.append(why)
            if until_refused:
                break
            continue
        reading.records.append(record)
        reading.lines.append(row.line)
        reading.kept.append(row.source)
        times.append(clock)
    _number_channels(reading, channels)
    _sort_by_arrival(reading, times)
    reading.size = sum(len(written(record).encode()) + 5 for record in reading.records)
    return reading


class _Maker:
    """Makes a record of a row, as the columns of a choice say."""

    def __init__(self, choice: Choice, event_time: Callable[[Row], int] | None = None) -> None:
        self.choice = choice
        self.event_time = event_time
        self.days = dict.fromkeys(TIMES, 0)
        self.before: dict[str, int] = {}
        every = [role for column in choice.columns for role in (column.role, column.also)]
        members = {"value", "member"} if "member" in every else {"member"}
        self.clock = choice.column_with("time_of_day")
        self.parts: list[tuple[int, str, str, Column]] = []
        for number, column in enumerate(choice.columns):
            for role in filter(None, (column.role, column.also)):
                if role in members:
                    name = column.name[len(MEMBER) :] if column.name.casefold().startswith(MEMBER) else column.name
                    self.parts.append((number, "member", name, column))
                elif role not in ("skip", "time_of_day"):
                    self.parts.append((number, role, column.name, column))

    def make(self, row: Row, notes: Counter[str]) -> Made:
        choice, record = self.choice, dict[str, Any]()
        clock: dict[str, int] = {}
        if len(row.cells) < len(choice.columns) or any(row.cells[len(choice.columns) :]):
            raise _NoRecord("ragged", found=len(row.cells), wanted=len(choice.columns))
        if self.event_time is not None:
            ms = clock["ts"] = self.event_time(row)
            text = format_instant(ms)
            record["ts"] = ms if text.lstrip("-").isdigit() else Plain(text)
        for number, role, name, column in self.parts:
            cell = row.cells[number]
            if role == "ts" and self.clock is not None:
                cell = joined(cell, row.cells[self.clock])
            if role in TIMES:
                if cell:
                    clock[role], record[role] = self._time(role, cell, name, column.time, notes)
            elif role == "key":
                if not cell:
                    raise _NoRecord("no_key", column=name)
                record["key"] = str(cell) if column.text else key_of(cell)
            elif not cell:
                continue
            elif role == "value":
                record["value"] = str(cell) if column.text else value_of(cell, choice.decimal)
            elif role == "member":
                member = str(cell) if column.text else member_of(cell, choice.decimal)
                record.setdefault("value", {})[name] = member
            elif role == "in":
                if cell not in ("left", "right"):
                    raise _NoRecord("side", found=cell)
                record["in"] = Plain(cell)
            else:
                record["channel"] = cell
        if not clock:
            raise _NoRecord("no_time")
        record.setdefault("key", choice.key)
        return {name: record[name] for name in MEMBERS if name in record}, clock

    def _time(self, role: str, cell: str, name: str, format: str, notes: Counter[str]) -> tuple[int, Value]:
        found = read_time(cell, format, self.choice.zone) if format else None
        if found is None:
            raise _NoRecord("time", found=cell, column=name)
        if found.note:
            notes[found.note] += 1
        ms = found.ms
        if format == "clock":
            ms = self._past_midnight(role, ms, notes)
        text = written_time(ms, format)
        return ms, Plain(text) if format in SPANS or not text.lstrip("-").isdigit() else ms

    def _past_midnight(self, role: str, ms: int, notes: Counter[str]) -> int:
        """A time of day that is more than twelve hours before or after the last one belongs to another day."""
        here = ms + self.days[role]
        before = self.before.get(role, here)
        if before - here > DAY // 2:
            self.days[role] += DAY
            notes["midnight"] += 1
        elif here - before > DAY // 2 and self.days[role]:
            self.days[role] -= DAY
        here = ms + self.days[role]
        self.before[role] = here
        return here


MEMBERS: Final = ("ts", "key", "value", "at", "in", "channel")
"""The members of a record, in the order in which they are written."""


def _number_channels(reading: Reading, channels: int) -> None:
    """Channels are counted from 0 without gaps: one that never sends anything would hold the watermark forever."""
    with_channel = [record for record in reading.records if "channel" in record]
    names = list(dict.fromkeys(str(record["channel"]) for record in with_channel))
    if not names:
        return
    whole = all(name.isascii() and name.isdecimal() and len(name) < 6 for name in names)
    if whole:
        names.sort(key=int)
    as_they_are = whole and (max(map(int, names)) < max(channels, len(names)))
    numbers = {name: int(name) if as_they_are else number for number, name in enumerate(names)}
    for record in with_channel:
        record["channel"] = numbers[str(record["channel"])]
    reading.channels = names
    if not as_they_are:
        reading.notes["renumbered"] = len(names)


def _sort_by_arrival(reading: Reading, times: list[dict[str, int]]) -> None:
    """A stream is in order of arrival: rows are sorted by theirs; one without follows the row before it."""
    arrivals: list[int] = []
    for clock in times:
        last = arrivals[-1] if arrivals else -(2**63)
        arrivals.append(clock.get("at", last))
    order = sorted(range(len(arrivals)), key=arrivals.__getitem__)
    if order != list(range(len(arrivals))):
        reading.notes["sorted"] = 1
        reading.records = [reading.records[number] for number in order]
        reading.lines = [reading.lines[number] for number in order]
