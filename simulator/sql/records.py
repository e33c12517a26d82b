"""Records for a query: from files of its tables (a header with names, or JSON Lines), or a few made for it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import Any, Final

from tidemark.simulator.engine.values.duration import format_duration, parse_duration, parse_instant
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.limits import TABLE_COLUMNS, TABLE_PIECE_ROWS, TABLE_RECORDS
from tidemark.simulator.scenario.editing.text import Plain
from tidemark.simulator.scenario.tables import Choice, look, read
from tidemark.simulator.scenario.tables.columns import Column as FileColumn
from tidemark.simulator.scenario.tables.columns import number_text, value_of
from tidemark.simulator.scenario.tables.guess import Guess
from tidemark.simulator.scenario.tables.reading import rows_by_choice
from tidemark.simulator.scenario.tables.rows import Quoted, Row, Unreadable
from tidemark.simulator.scenario.tables.times import read_time
from tidemark.simulator.sql.expressions import CLOCK, Failure
from tidemark.simulator.sql.reading import Input, Reading
from tidemark.simulator.sql.tables import INTEGERS, Column
from tidemark.simulator.sql.times import default_time
from tidemark.simulator.words import words

Files = Mapping[str, bytes]
"""The bytes of a file for each table by name; a single file may have the name ``""``."""

_NO_TABLE: Final = ("packed", "parquet", "workbook", "many_columns")
"""What a first look can find to be wrong with a file, where ``sql.records`` has words of its own for it."""


class RecordsProblem(Exception):
    """A file of records does not fit its table. ``line`` is None where it is about the file as a whole; ``table``: the
    one whose file it is, "" where that is the only one; ``tables``: all of them, where one lacks its file."""

    def __init__(self, word: str, /, line: int | None = None, **fields: Any) -> None:
        super().__init__(words(f"sql.records.{word}", **fields))
        self.line = line
        self.table = ""
        self.tables: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stream:
    """``items`` of a stream, the last one its end. ``origins``: table ("" where there is one file) and line of each."""

    items: list[dict[str, Any]]
    origins: list[tuple[str, int]]

    def refused(self, word: str, item: int, **fields: Any) -> RecordsProblem:
        """``word`` about the item with this number, at its line."""
        table, line = self.origins[item]
        problem = RecordsProblem(word, line, item=item, **fields)
        problem.table = table
        return problem


def read_stream(reading: Reading, files: Files) -> Stream:
    """The records of ``files`` as items of a stream, and its end.

    Those of two tables come in order of arrival where both files have it, else in order of event time. Raises
    ``RecordsProblem`` for a row that would mean something else in Flink.
    """
    tables = {each.table.name for each in reading.inputs.values()}
    if files.keys() != tables and not (files.keys() == {""} and len(tables) == 1):
        problem = RecordsProblem("which_table", tables=", ".join(sorted(tables)))
        problem.tables = tuple(sorted(tables))
        raise problem
    found: list[tuple[dict[str, Any], tuple[str, int]]] = []
    for name, input in reading.inputs.items():
        file = input.table.name if input.table.name in files else ""
        try:
            records = _records(reading, input, files[file])
        except RecordsProblem as problem:
            problem.table = file
            raise
        for record, line in records:
            item = {**({"in": Plain(name)} if len(reading.inputs) > 1 else {}), **record}
            item["key"] = item["key"] if input.key is not None else "all"
            found.append((item, (file, line)))
    if len(reading.inputs) > 1:
        by = "at" if all("at" in item for item, _ in found) else "ts"
        # Sorting is stable: of equal times, the left input's record comes first.
        found.sort(key=lambda each: _ms(each[0][by]))
    stream = Stream([*(item for item, _ in found), {"end": True}], [origin for _, origin in found])
    _refuse_older(reading, stream)
    return stream


def _refuse_older(reading: Reading, stream: Stream) -> None:
    newest: dict[tuple[str, Any], int] = {}
    for number, item in enumerate(stream.items[:-1]):
        name, ms = str(item.get("in", "events")), _ms(item["ts"])
        place = name, item["key"]
        if reading.inputs[name].newer_only and ms < newest.get(place, ms):
            raise stream.refused("older_version", number, key=_cell(item["key"]))
        newest[place] = ms


def _records(reading: Reading, input: Input, data: bytes) -> list[tuple[dict[str, Any], int]]:
    """The records of one input, each with its line."""
    choice = _choice(reading, input, data)
    event_time = None if reading.processing else _event_time(input, choice)
    table = read(data, choice, until_refused=True, event_time=event_time)
    for each in table.refused[:1]:
        if each.word == "no_key":
            raise RecordsProblem("no_key_join" if len(reading.inputs) > 1 else "no_key", each.line, name=input.key)
        raise RecordsProblem("row", each.line, why=each.why)
    if table.over:
        raise RecordsProblem("too_many", most=f"{TABLE_RECORDS:,}")
    _check_values(input, table.records, table.lines)
    return [(_as_typed(input, record), line) for record, line in zip(table.records, table.lines, strict=True)]


def _event_time(input: Input, choice: Choice) -> Callable[[Row], int] | None:
    """What computes the event time of a row, None where a column of the file has it."""
    time = input.table.columns.get(input.table.rowtime or "")
    computed = None if time is None else time.computed
    if time is None or computed is None:
        return None
    of = [(name, _cells_of(input.table.columns[name], choice)) for name in sorted(computed.columns)]
    arrival = choice.column_with("at")

    def event_time(row: Row) -> int:
        values = {name: cells(row) for name, cells in of}
        if arrival is not None and row.cells[arrival]:
            at = read_time(row.cells[arrival], choice.columns[arrival].time, choice.zone)
            values |= {} if at is None else {CLOCK: at.ms}
        try:
            ms: int | None = computed.of(values)
        except KeyError:
            raise RecordsProblem("no_clock", row.line, name=time.name) from None
        except Failure as failure:
            raise RecordsProblem("fails", row.line, name=time.name, what=str(failure)) from None
        if ms is None:
            shown = ", ".join(f"{name} = {_cell('NULL' if each is None else each)}" for name, each in values.items())
            raise RecordsProblem("null_time", row.line, name=time.name, values=shown)
        return ms

    return event_time


def _cells_of(column: Column, choice: Choice) -> Callable[[Row], Any]:
    """The value of ``column`` in a row, as its type has it. An empty cell is NULL, but for a text in quotes."""
    place = next(at for at, each in enumerate(choice.columns) if each.name == column.source)
    format = choice.columns[place].time or "iso"

    def value(row: Row) -> Any:
        cell = row.cells[place]
        if column.kind == "text":
            return str(cell) if cell or isinstance(cell, Quoted) else None
        if not cell:
            return None
        if column.kind == "time":
            read = read_time(cell, format, "UTC")
            if read is None:
                raise RecordsProblem("no_time_format", row.line, name=column.source)
            return read.ms
        if column.type == "DATE":
            return default_time(cell)
        if column.kind == "boolean":
            return {"true": True, "false": False}.get(cell.lower())
        number = value_of(str(cell), choice.decimal)
        _check_number(column, number, row.line)
        if column.type in INTEGERS:
            return number
        return float(number) if column.kind == "double" else Decimal(number_text(cell, choice.decimal) or 0)

    return value


def _as_typed(input: Input, record: dict[str, Any]) -> dict[str, Any]:
    """``record`` with doubles where its columns have them: a sum of these is a double in Flink, whatever its numbers
    are."""
    value = record.get("value")
    doubles = {each for each in input.values if input.table.columns[each].kind == "double"}
    if isinstance(value, dict):
        typed = {each: float(of) if each in doubles and type(of) is int else of for each, of in value.items()}
        return {**record, "value": typed}
    return {**record, "value": float(value)} if doubles and type(value) is int else record


def _choice(reading: Reading, input: Input, data: bytes) -> Choice:
    """How the file is to be read: each column of the table by its name. Raises ``RecordsProblem`` if one is missing."""
    seen = look(data)
    if not seen.guesses:
        raise RecordsProblem(seen.problem if seen.problem in _NO_TABLE else "unreadable", limit=TABLE_COLUMNS)
    table = input.table
    time = None if reading.processing else table.columns[table.rowtime or ""]
    wanted = {each: table.columns[each].source for each in (*input.values, *((input.key,) if input.key else ()))}
    names = [each.column.name for each in seen.guesses]
    computed = None if time is None else time.computed
    needed = [table.columns[each].source for each in sorted(computed.columns)] if computed else []
    for column in [*wanted.values(), *(needed if computed or time is None else [time.source])]:
        if column not in names:
            raise RecordsProblem(
                "no_column", 1, name=column, table=table.name, names=shown_in_message(", ".join(names))
            )
    several = len(input.values) > 1
    texts = {source for each, source in wanted.items() if table.columns[each].kind == "text"}
    columns: list[FileColumn] = []
    for guess in seen.guesses:
        name, role, format = guess.column.name, "skip", ""
        value = ("member" if several else "value") if name in (wanted[each] for each in input.values) else ""
        if time is not None and computed is None and name == time.source:
            role, format = "ts", guess.time
            if not format:
                raise _without_format(guess, data, seen.choice, len(columns))
        elif name == wanted.get(input.key or ""):
            role = "key"
        elif value:
            role, value = value, ""
        elif guess.column.role == "at":
            role, format = "at", guess.column.time
        elif name in needed:
            format = guess.time
        columns.append(FileColumn(name, role, format, text=name in texts, also=value))
    if reading.processing and not any(each.role == "at" for each in columns):
        raise RecordsProblem("no_arrival", 1)
    return replace(seen.choice, columns=tuple(columns), zone="UTC")


def _without_format(guess: Guess, data: bytes, choice: Choice, number: int) -> RecordsProblem:
    """Why no format was found for the times of the column with this number: often there is no row that has one."""
    unreadable = None
    for row in islice(rows_by_choice(data, choice), TABLE_PIECE_ROWS):
        if isinstance(row, Unreadable):
            unreadable = unreadable or row
        elif row.cells[number : number + 1] not in ([], [""]):
            word = "day_or_month" if guess.ask else "no_time_format"
            return RecordsProblem(word, row.line, name=guess.column.name)
    if unreadable is not None:
        return RecordsProblem("row", unreadable.line, why=unreadable.why)
    return RecordsProblem("no_times", name=guess.column.name)


def _check_values(input: Input, records: list[dict[str, Any]], lines: list[int]) -> None:
    total = 0
    kind = {"integer": int, "boolean": bool}.get(input.table.columns[input.key].kind if input.key else "")
    for record, line in zip(records, lines, strict=True):
        if kind is not None and type(record["key"]) is not kind:
            type_of_key = input.table.columns[input.key or ""].type
            raise RecordsProblem("key", line, name=input.key, value=_cell(record["key"]), type=type_of_key)
        value = record.get("value")
        if input.no_nulls and value is None:
            raise RecordsProblem("null", line, name=input.values[0])
        for name, cell in value.items() if isinstance(value, dict) else zip(input.values, [value], strict=False):
            _check_number(input.table.columns[name], cell, line)
        total += abs(value) if input.most is not None and isinstance(value, int) else 0
        if input.most is not None and total > input.most:
            raise RecordsProblem(
                "too_large", line, name=input.values[0], type=input.table.columns[input.values[0]].type
            )


def _check_number(column: Column, cell: Any, line: int) -> None:
    """Refuse what is no number in a column of numbers, or one that its type does not have."""
    word = {"integer": "not_whole", "double": "no_number", "decimal": "no_number"}.get(column.kind)
    number = type(cell) is int or (type(cell) is float and word == "no_number")
    if word is not None and cell is not None and not number:
        raise RecordsProblem(word, line, name=column.name, value=_cell(cell))
    bits = INTEGERS.get(column.type)
    if bits is not None and type(cell) is int and not -(2**bits) <= cell < 2**bits:
        raise RecordsProblem("out_of_range", line, name=column.name, value=cell, type=column.type)


def _cell(key: Any) -> object:
    """A key or a value as its file has it."""
    return str(key).lower() if isinstance(key, bool) else shown_in_message(key)


def _ms(time: Any) -> int:
    if isinstance(time, int):
        return time
    return parse_instant(str(time)) or parse_duration(str(time)) or 0


# A few records for a query that came without any: windows fire, one comes out of order, and one is late.

_Item = dict[str, Any]

_LEAST: Final = 1000
"""Where the query names no length, times are this far apart (ms)."""


def sample_stream(reading: Reading) -> list[_Item]:
    """A stream for ``reading``, made of its own lengths: the same query gives the same stream."""
    operator = reading.operator
    kind = operator["type"]
    bound = max(each.table.bound for each in reading.inputs.values())
    if kind == "temporal-join":
        return _temporal(reading, max(bound, _LEAST))
    if kind == "interval-join":
        return _interval(reading, bound)
    if kind == "window-join":
        return _window_join(reading, bound)
    if kind == "deduplicate":
        return _deduplicate(reading, max(bound, _LEAST))
    if kind == "over":
        return _over(reading, bound)
    if reading.processing:
        return _by_clock(reading)
    return _windows(reading, bound)


def _time(ms: int) -> Plain:
    return Plain(format_duration(int(ms)))


def _sample_items(reading: Reading, rows: Sequence[tuple[str, str, int, int]]) -> list[_Item]:
    """``rows``: input, key, event time in ms, a number that the value is made of."""
    found = []
    for name, key, ts, number in rows:
        input = reading.inputs[name]
        item: _Item = {"in": Plain(name)} if len(reading.inputs) > 1 else {}
        item |= {"ts": _time(ts), "key": _key(input, key)}
        value = _value(input, item, number)
        if value is not None:
            item["value"] = value
        found.append(item)
    return found


def _key(input: Input, key: str) -> Any:
    if input.key is None:
        return "all"
    kind = input.table.columns[input.key].kind
    return ord(key) - ord("a") + 1 if kind == "integer" else key == "a" if kind == "boolean" else key


def _value(input: Input, item: _Item, number: int) -> Any:
    """Of the column of the key, the value is the key."""
    made = {
        name: item["key"] if name == input.key else _sample_cell(input.table.columns[name].kind, name, number)
        for name in input.values
    }
    if len(made) == 1:
        return next(iter(made.values()))
    return made or None


def _sample_cell(kind: str, name: str, number: int) -> Any:
    if kind in ("integer", "double", "decimal"):
        return float(number) if kind == "double" else number
    return number % 2 == 0 if kind == "boolean" else f"{name}-{number}"


def _length(assigner: Mapping[str, Any], *names: str) -> int:
    for name in names:
        if name in assigner:
            value = assigner[name]
            return value if isinstance(value, int) else parse_duration(value) or _LEAST
    return _LEAST


def _windows(reading: Reading, bound: int) -> list[_Item]:
    """Two windows, a record out of order in the first, one for it after it has fired, and the end."""
    size = max(_length(reading.operator["assigner"], "max_size", "size", "gap"), 10)
    passed = size + bound
    if reading.operator["assigner"]["type"] == "session":
        # 0.1, 0.6 and 1.2 gaps are one session; it ends at 2.2, and the watermark passes that with the next record.
        times = [(1, "a"), (6, "a"), (4, "b"), (12, "a")]
        rows = [("events", key, size * tenths // 10, number) for number, (tenths, key) in enumerate(times, 2)]
        rows += [
            ("events", "a", size * 3 + bound, 1),
            ("events", "b", size * 2 // 10, 9),
            ("events", "b", size * 32 // 10 + bound, 3),
        ]
    else:
        rows = [
            ("events", "a", size * 2 // 10, 4), ("events", "b", size * 6 // 10, 2), ("events", "a", size * 4 // 10, 3),
            ("events", "a", size * 9 // 10, 1), ("events", "b", passed + size * 1 // 10, 5),
            ("events", "a", size * 7 // 10, 9), ("events", "a", passed + size * 3 // 10, 2),
        ]  # fmt: skip
    return [*_sample_items(reading, rows), {"end": True}]


def _by_clock(reading: Reading) -> list[_Item]:
    """Records that the clock puts into two windows."""
    size = max(_length(reading.operator["assigner"], "max_size", "size", "gap"), 10)
    items = []
    for number, (tenths, key) in enumerate([(1, "a"), (3, "b"), (6, "a"), (11, "a"), (14, "b")], 2):
        (item,) = _sample_items(reading, [("events", key, size * tenths // 10, number)])
        items.append({"at": item.pop("ts"), **item})
    return [*items, {"advance": _time(size * 2)}]


def _over(reading: Reading, bound: int) -> list[_Item]:
    length = reading.operator["frame"].get("range")
    unit = max(length if isinstance(length, int) else parse_duration(length or "") or _LEAST, 4)
    rows = [
        ("events", "a", unit, 4), ("events", "b", unit * 5 // 4, 2), ("events", "a", unit * 3 // 2, 3),
        ("events", "a", unit * 5 // 4, 1), ("events", "a", unit * 3 + bound, 5), ("events", "b", unit, 7),
        ("events", "a", unit * 7 // 2 + bound, 6),
    ]  # fmt: skip
    return [*_sample_items(reading, rows), {"end": True}]


def _deduplicate(reading: Reading, unit: int) -> list[_Item]:
    rows = [
        ("events", "a", unit * 3, 4), ("events", "a", unit * 2, 2), ("events", "b", unit * 4, 3),
        ("events", "a", unit * 5, 1), ("events", "b", unit * 8, 5), ("events", "b", unit, 7),
    ]  # fmt: skip
    return [*_sample_items(reading, rows), {"end": True}]


def _temporal(reading: Reading, unit: int) -> list[_Item]:
    rows = [
        ("right", "a", unit, 4), ("right", "b", unit, 2), ("left", "a", unit * 2, 1), ("left", "a", unit * 6, 3),
        ("right", "a", unit * 5, 6), ("left", "b", unit * 4, 5), ("right", "b", unit * 9, 8),
        ("left", "b", unit * 9, 7),
    ]  # fmt: skip
    return [*_sample_items(reading, rows), {"end": True}]


def _interval(reading: Reading, bound: int) -> list[_Item]:
    """In order of time on both sides, so that no record is late; some are within the interval and some are not."""
    lower, upper = (_signed(reading.operator[name]) for name in ("lower", "upper"))
    unit = max(upper - lower, 4)
    first = max(unit, bound, -lower, 0) + unit
    pairs = [("left", "a", first, 4), ("right", "a", first + (lower + upper) // 2, 2), ("right", "a", first + upper, 3),
             ("right", "b", first + upper, 5), ("right", "a", first + upper + unit // 2, 1),
             ("left", "b", first + unit, 6), ("right", "b", first + unit + upper, 7)]  # fmt: skip
    return [*_sample_items(reading, sorted(pairs, key=lambda row: row[2])), {"end": True}]


def _signed(value: Any) -> int:
    return value if isinstance(value, int) else parse_duration(value) or 0


def _window_join(reading: Reading, bound: int) -> list[_Item]:
    """No record is late: whether one still meets a row would depend on which table an engine reads first."""
    size = max(_length(reading.operator["assigner"], "size"), 10)
    rows = [
        ("left", "a", size * 2 // 10, 4),
        ("right", "a", size * 5 // 10, 2),
        ("right", "b", size * 6 // 10, 3),
        ("left", "a", size * 4 // 10, 1),
        ("left", "b", size + bound + size // 10, 5),
        ("right", "b", size + bound + size * 2 // 10, 6),
    ]
    return [*_sample_items(reading, rows), {"end": True}]
