"""Records from a CSV file, as stream items that can be put into a scenario's text.

The first row names the columns, in any order. A cell is read by the same rules as a value of a scenario file, and a
problem is reported with its line and column.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from simulator.scenario.editing import Plain, Value
from simulator.scenario.format.kinds import INVALID, Choice, Key, Kind, Reader, Timestamp, Whole, listed, nearest
from simulator.scenario.format.kinds import Value as AnyValue
from simulator.scenario.reading.nodes import MAX_ITEMS, ScalarNode
from simulator.scenario.reading.scalars import ScalarError, resolve
from simulator.scenario.reading.source import Refused, Source
from simulator.values.duration import InstantError, format_duration, parse_duration, parse_instant
from simulator.values.errors import ScenarioError

SEPARATORS: Final = (",", ";", "\t")

COLUMNS: Final = ("ts", "key", "value", "at", "in", "channel")
"""The members of a record, in the order in which they are written."""

ALIASES: Final = {
    "ts": ("ts", "timestamp", "time", "event_time", "eventtime", "event_timestamp", "rowtime"),
    "key": ("key", "id", "user", "device"),
    "value": ("value", "val", "amount", "reading"),
    "at": ("at", "arrival", "arrival_time", "arrived", "processing_time", "proctime", "received"),
    "in": ("in", "input", "side", "stream"),
    "channel": ("channel", "partition", "split"),
}
"""The names that a column may have. Blanks and hyphens count as ``_``; case does not matter."""

MEMBER: Final = "value."
"""``value.gap`` is the member ``gap`` of a mapping."""

MOST_COLUMNS: Final = 100

TIMES: Final = ("ts", "at")
READ: Final[dict[str, Kind]] = {
    "ts": Timestamp(),
    "at": Timestamp(),
    "key": Key(),
    "value": AnyValue(),
    "in": Choice("left", "right"),
    "channel": Whole(0),
}


QUOTE: Final = re.compile(' *"')
BEGINS_A_NUMBER: Final = re.compile(r"[-+]?\d", re.ASCII)
BLANK_IN_INSTANT: Final = re.compile(r"(\d{4}-\d\d-\d\d) +(\d\d:\d\d.*)", re.ASCII)
DECIMAL_SECONDS: Final = re.compile(r"(-?)(\d{1,12})[.,](\d{1,3})0*s?", re.ASCII)
ZONE_AFTER_BLANK: Final = re.compile(r" +(?=[Zz+-])")

SECONDS_SINCE_EPOCH: Final = range(10**9, 10**10)
"""A plain number in this range is a recent time in seconds; as ms it would be a day in 1970."""


class Cell(NamedTuple):
    """One cell: ``text`` without its quotes, and the offset at which it begins."""

    text: str
    at: int
    quoted: bool


def records_of_csv(text: str, called: str) -> list[dict[str, Value]]:
    """The records of a CSV file as items of a stream: ``{"ts": Plain("3s"), "key": "a", "value": 4}``.

    Columns are separated by commas, semicolons or tabs; the header has ``key`` and ``ts`` or ``at`` (see ``ALIASES``).
    Times are ms since the epoch, durations or ISO-8601 with a zone; an empty cell is left out. ``called`` is
    the file's name in messages. Raises ``ScenarioError`` with everything that is wrong.
    """
    source = Source(called, text)
    try:
        if not source.text.strip():
            source.refuse(0, "csv.empty")
        source.check_text()
        records = _records(source)
    except Refused:
        raise ScenarioError(source.problems) from None
    if source.failed:
        raise ScenarioError(source.problems)
    return records


def _records(source: Source) -> list[dict[str, Value]]:
    separator = _separator(source)
    rows = (row for row in _rows(source, separator) if len(row) > 1 or row[0].text)
    header = next(rows)
    columns = _columns(source, header)
    records: list[dict[str, Value]] = []
    reader = Reader(source)
    for row in rows:
        if len(records) >= MAX_ITEMS:
            source.refuse(row[0].at, "too_many_items", limit=MAX_ITEMS)
        if len(row) != len(columns):
            source.report(row[0].at, "csv.ragged", found=len(row), wanted=len(columns))
            continue
        records.append(_record(reader, columns, row))
        if source.full:
            break
    if not records and not source.failed:
        source.refuse(header[0].at, "csv.no_record")
    return records


def _separator(source: Source) -> str:
    """The separator with which the header has the most known names."""

    header = source.text.lstrip("\n").partition("\n")[0]

    def known(separator: str) -> int:
        return sum(_column_of(name.strip(' \t"')) is not None for name in header.split(separator))

    return max(SEPARATORS, key=known)


def _columns(source: Source, header: Sequence[Cell]) -> list[str]:
    """The member in each column. Raises ``Refused`` if the records could not be read."""
    if len(header) > MOST_COLUMNS:
        source.refuse(header[0].at, "csv.many_columns", limit=MOST_COLUMNS)
    if _is_record(header):
        source.refuse(header[0].at, "csv.no_header")
    columns: list[str] = []
    for cell in header:
        column = _column_of(cell.text)
        if column is None:
            near = nearest(cell.text, tuple(name for names in ALIASES.values() for name in names))
            word = "csv.unknown_column" if near is None else "csv.unknown_column_near"
            source.report(cell.at, word, column=cell.text, near=near, known=listed(COLUMNS))
        elif column in columns or _meet(column, columns):
            source.report(cell.at, "csv.column_twice", column=cell.text, means=column)
        columns.append(column or "")
    if not source.failed:
        if "key" not in columns:
            source.report(header[0].at, "csv.no_key")
        if not {"ts", "at"} & set(columns):
            source.report(header[0].at, "csv.no_time")
    if source.failed:
        raise Refused
    return columns


def _is_record(row: Sequence[Cell]) -> bool:
    """Whether a row is a record instead of a header: it has no known name, and a cell begins with a number."""
    if any(_column_of(cell.text) is not None for cell in row):
        return False
    return any(BEGINS_A_NUMBER.match(cell.text) for cell in row)


def _meet(column: str, columns: Sequence[str]) -> bool:
    """Whether there would be columns for both the value and a member of it."""
    if column == "value":
        return any(each.startswith(MEMBER) for each in columns)
    return column.startswith(MEMBER) and "value" in columns


def _column_of(name: str) -> str | None:
    """The member that a column called ``name`` holds; ``None`` if a record has none of that name."""
    if name.casefold().startswith(MEMBER) and len(name) > len(MEMBER):
        return MEMBER + name[len(MEMBER) :]
    folded = re.sub(r"[\s-]+", "_", name.casefold())
    return next((column for column, names in ALIASES.items() if folded in names), None)


def _record(reader: Reader, columns: Sequence[str], row: Sequence[Cell]) -> dict[str, Value]:
    record: dict[str, Any] = {}
    for column, cell in zip(columns, row, strict=True):
        name, _, member = column.partition(".")
        if not cell.text and not (name == "key" and cell.quoted):
            if name == "key":
                reader.wrong(cell.at, "csv.empty_key")
            continue
        # Programs quote whatever they like, so quotes mean something only for a key: there "1" is a text.
        if name in TIMES and (fix := _fixed_time(cell.text)) is not None:
            reader.wrong(cell.at, "csv.time", found=cell.text, fix=fix)
            continue
        node = ScalarNode(cell.text, cell.at, plain=name != "key" or (not cell.quoted and _is_plain_key(cell.text)))
        value = READ[name].read(reader, node, ("stream",))
        if value is INVALID:
            continue
        if name in TIMES:
            value = _time(cell.text, value)
        if member:
            record.setdefault("value", {})[member] = value
        else:
            record[name] = value
    return {column: record[column] for column in COLUMNS if column in record}


def _fixed_time(text: str) -> str | None:
    """What a refused time was probably meant to be; ``None`` if it is accepted, or if that is unclear."""
    if found := DECIMAL_SECONDS.fullmatch(text):
        ms = int(found[2]) * 1000 + int(found[3].ljust(3, "0"))
        return format_duration(-ms if found[1] else ms)
    found = BLANK_IN_INSTANT.fullmatch(text)
    if found is None:
        return None
    written = f"{found[1]}T{ZONE_AFTER_BLANK.sub('', found[2])}"
    for zone in ("", "Z"):
        try:
            if parse_instant(written + zone) is not None:
                return written + zone
        except InstantError:
            continue
    return None


def epoch_seconds(records: Sequence[dict[str, Value]]) -> int | None:
    """The first time among ``records`` that looks like epoch seconds instead of ms; ``None`` if there is none."""
    times = (record.get(name) for record in records for name in TIMES)
    return next((time for time in times if isinstance(time, int) and time in SECONDS_SINCE_EPOCH), None)


def _is_plain_key(text: str) -> bool:
    """Whether a key is an integer or a boolean in its usual form: ``007`` and ``1.5`` are texts."""
    try:
        value = resolve(text)
    except ScalarError:
        return False
    return isinstance(value, bool) or (isinstance(value, int) and str(value) == text)


def _time(text: str, ms: int) -> Value:
    """A time as it was written."""
    if parse_duration(text) is not None:
        return Plain(text)
    return ms if isinstance(resolve(text), int) else text


def _rows(source: Source, separator: str) -> Iterator[list[Cell]]:
    """The rows of the file. Raises ``Refused`` for an unclosed quote, or for text after a closed one."""
    text, at, row = source.text, 0, list[Cell]()
    bare = re.compile(f"[^\n{separator}]*")
    while at <= len(text):
        begin = at
        if quote := QUOTE.match(text, at):
            begin = quote.end() - 1
            cell, at = _quoted(source, begin)
            rest = bare.match(text, at)
            assert rest is not None
            if rest[0].strip(" \t"):
                source.refuse(at, "csv.after_quote", found=rest[0].strip())
            at = rest.end()
            row.append(Cell(cell, begin, True))
        else:
            rest = bare.match(text, at)
            assert rest is not None
            at = rest.end()
            stripped = rest[0].lstrip(" \t")
            row.append(Cell(stripped.rstrip(" \t"), begin + len(rest[0]) - len(stripped), False))
        if not text.startswith(separator, at):
            yield row
            row = []
        at += 1


def _quoted(source: Source, at: int) -> tuple[str, int]:
    """The text in the quotes that begin at ``at``, and where they end. A quote inside is doubled."""
    found = re.compile(r'"((?:[^"]|"")*)"').match(source.text, at)
    if found is None:
        source.refuse(at, "open_quote")
    return found[1].replace('""', '"'), found.end()
