"""Records for a query: from files of its tables (a header with names, or JSON Lines), or a few made for it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.values.duration import format_duration, parse_duration, parse_instant
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.limits import TABLE_COLUMNS, TABLE_PIECE_ROWS, TABLE_RECORDS
from tidemark.simulator.scenario.data.cells import NoValue, cell_reader
from tidemark.simulator.scenario.editing.text import Plain
from tidemark.simulator.scenario.tables import Choice, look, read
from tidemark.simulator.scenario.tables.columns import Column as FileColumn
from tidemark.simulator.scenario.tables.guess import Guess
from tidemark.simulator.scenario.tables.reading import rows_by_choice
from tidemark.simulator.scenario.tables.rows import Quoted, Row, Unreadable
from tidemark.simulator.scenario.tables.times import read_time
from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.expressions import CLOCK, Failure
from tidemark.simulator.sql.reading import Input, Stage
from tidemark.simulator.sql.tables import CURRENT_WATERMARK, INTEGERS, Column, Table
from tidemark.simulator.sql.times import time_text
from tidemark.simulator.sql.unions import Branches
from tidemark.simulator.sql.writing import PlainInput, PlainStage
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
        self.word = word
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


def read_stream(reading: PlainStage, files: Files) -> Stream:
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


def _refuse_older(reading: PlainStage, stream: Stream) -> None:
    newest: dict[tuple[str, Any], int] = {}
    for number, item in enumerate(stream.items[:-1]):
        name, ms = str(item.get("in", "events")), _ms(item["ts"])
        place = name, item["key"]
        if reading.inputs[name].newer_only and ms < newest.get(place, ms):
            raise stream.refused("older_version", number, key=_cell(item["key"]))
        newest[place] = ms


def _records(reading: PlainStage, input: PlainInput, data: bytes) -> list[tuple[dict[str, Any], int]]:
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


def _event_time(input: PlainInput, choice: Choice) -> Callable[[Row], int] | None:
    """What computes the event time of a row, None where a column of the file has it."""
    return _computed_time(input.table, choice)


def _computed_time(table: Table, choice: Choice) -> Callable[[Row], int] | None:
    time = table.columns.get(table.rowtime or "")
    computed = None if time is None else time.computed or time.of_arrival
    if time is None or computed is None:
        return None
    of = [(name, cells_of(table.columns[name], choice)) for name in sorted(computed.columns)]
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


def cells_of(column: Column, choice: Choice) -> Callable[[Row], Any]:
    """The value of ``column`` in a row, as plain JSON. An empty cell is NULL, but for a text in quotes."""
    place = next(at for at, each in enumerate(choice.columns) if each.name == column.source)
    read = cell_reader(column.type, choice.columns[place].time or "iso", choice.decimal)

    def value(row: Row) -> Any:
        cell = row.cells[place]
        try:
            return read(cell if cell or isinstance(cell, Quoted) else None)
        except NoValue as none:
            shown = {"name": column.source, "value": _cell(cell), "type": column.type}
            raise RecordsProblem(none.word, row.line, **shown) from None

    return value


class Arrival(NamedTuple):
    """A row of a table as it arrives: its columns, its event time (ms) and arrival (ms), None where it has none."""

    ts: int | None
    at: int | None
    row: dict[str, Any]
    line: int


def arrivals(table: Table, names: Sequence[str], data: bytes, *, processing: bool) -> list[Arrival]:
    """The rows of a file of ``table``, with these of its columns. Raises ``RecordsProblem`` for one that fits not."""
    seen = look(data)
    if not seen.guesses:
        raise RecordsProblem(seen.problem if seen.problem in _NO_TABLE else "unreadable", limit=TABLE_COLUMNS)
    rowtime = None if processing else table.columns[table.rowtime or ""]
    computed = None if rowtime is None else rowtime.computed or rowtime.of_arrival
    needed = {*names, *(() if rowtime is None else computed.columns if computed else (rowtime.name,))}
    sources = {each.source: each for name, each in table.columns.items() if name in needed and each.source}
    known = [each.column.name for each in seen.guesses]
    for source in sources:
        if source not in known:
            raise RecordsProblem("no_column", 1, name=source, table=table.name,
                                 names=shown_in_message(", ".join(known)))  # fmt: skip
    columns: list[FileColumn] = []
    for guess in seen.guesses:
        name = guess.column.name
        role = "at" if guess.column.role == "at" and name not in sources else "skip"
        format = guess.time
        if name in sources and sources[name].kind == "time" and not format:
            raise _without_format(guess, data, seen.choice, len(columns))
        columns.append(FileColumn(name, role, format, text=name in sources and sources[name].kind == "text"))
    choice = replace(seen.choice, columns=tuple(columns), zone="UTC")
    arrival = choice.column_with("at")
    if processing and arrival is None:
        raise RecordsProblem("no_arrival", 1)
    event_time = _computed_time(table, choice)
    cells = [(each.name, cells_of(each, choice)) for each in sources.values()]
    of_time = None if rowtime is None or event_time is not None else known.index(rowtime.source)
    found: list[Arrival] = []
    watermark = 0  # the first one is above
    for row in rows_by_choice(data, choice):
        if isinstance(row, Unreadable):
            raise RecordsProblem("row", row.line, why=row.why)
        if len(found) == TABLE_RECORDS:
            raise RecordsProblem("too_many", most=f"{TABLE_RECORDS:,}")
        values = {name: value(row) for name, value in cells}
        values.setdefault(CURRENT_WATERMARK, time_text(watermark) if watermark else None)
        ts = None
        if event_time is not None:
            ts = event_time(row)
            values.setdefault(table.rowtime or "", time_text(ts))
        elif of_time is not None:
            time = read_time(row.cells[of_time], choice.columns[of_time].time, "UTC")
            if time is None:
                word = "no_time_format" if row.cells[of_time] else "no_time"
                raise RecordsProblem(word, row.line, name=known[of_time])
            ts = time.ms
        watermark = max(watermark, 0 if ts is None else ts - table.bound)
        at = None
        if arrival is not None:
            clock = read_time(row.cells[arrival], choice.columns[arrival].time, "UTC")
            at = None if clock is None else clock.ms
        columns_of_row = {name: values[name] for name in names if name in values}
        found.append(Arrival(ts, at, {**columns_of_row, CLOCK: ts if at is None else at}, row.line))
    return found


def _as_typed(input: PlainInput, record: dict[str, Any]) -> dict[str, Any]:
    """``record`` with doubles where its columns have them: a sum of these is a double in Flink, whatever its numbers
    are."""
    value = record.get("value")
    doubles = {each for each in input.values if input.table.columns[each].kind == "double"}
    if isinstance(value, dict):
        typed = {each: float(of) if each in doubles and type(of) is int else of for each, of in value.items()}
        return {**record, "value": typed}
    return {**record, "value": float(value)} if doubles and type(value) is int else record


def _choice(reading: PlainStage, input: PlainInput, data: bytes) -> Choice:
    """How the file is to be read: each column of the table by its name. Raises ``RecordsProblem`` if one is missing."""
    seen = look(data)
    if not seen.guesses:
        raise RecordsProblem(seen.problem if seen.problem in _NO_TABLE else "unreadable", limit=TABLE_COLUMNS)
    table = input.table
    time = None if reading.processing else table.columns[table.rowtime or ""]
    wanted = {each: table.columns[each].source for each in (*input.values, *((input.key,) if input.key else ()))}
    names = [each.column.name for each in seen.guesses]
    computed = None if time is None else time.computed or time.of_arrival
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


def _check_values(input: PlainInput, records: list[dict[str, Any]], lines: list[int]) -> None:
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
_Sample = tuple[str, str, int, int]
"""Input, letter of the key, event time (ms), and a number that the values are made of."""

_LEAST: Final = 1000
"""Where the query names no length, times are this far apart (ms)."""


def sample_stream(stage: PlainStage) -> list[_Item]:
    """A stream for ``stage``, made of its own lengths: the same query gives the same stream."""
    items = []
    for name, key, ts, number in _samples(stage):
        input = stage.inputs[name]
        item: _Item = {"in": Plain(name)} if len(stage.inputs) > 1 else {}
        item |= {"at" if stage.processing else "ts": _time(ts), "key": _key(input, key)}
        value = _value(input, item, number)
        if value is not None:
            item["value"] = value
        items.append(item)
    if not stage.processing:
        return [*items, {"end": True}]
    return [*items, {"advance": _time(_size(stage) * 2)}]


def made_up(stages: Sequence[Stage], tables: Mapping[str, Table]) -> dict[str, list[Arrival]]:
    """Rows for each of ``tables``, by the first of ``stages`` that reads it."""
    found: dict[str, list[Arrival]] = {}
    for stage in stages:
        inputs = {name: input for name, input in stage.inputs.items() if input.table.name in tables}
        unions = {name: input for name, input in stage.inputs.items() if isinstance(input.table.stage, Branches)}
        new = {input.table.name for input in inputs.values()} - found.keys()
        new |= {each.table.name for input in unions.values() for each in input.table.stage.relations} - found.keys()
        for name, key, ts, number in _samples(stage) if new else ():
            input = stage.inputs[name]
            branches = [each.table for each in input.table.stage.relations] if name in unions else [input.table]
            table = branches[number % len(branches)]
            if table.name in new and table.stage is None:
                row = _sample_row(table, input, key, ts, number)
                ts_of, at = (None, ts) if stage.processing else (ts, None)
                found.setdefault(table.name, []).append(Arrival(ts_of, at, row, 0))
    for name in tables:
        found.setdefault(name, [])
    return found


def _sample_row(table: Table, input: Input, key: str, ts: int, number: int) -> dict[str, Any]:
    keyed = {base for name in input.keys if name in table.columns for base in _bases(table, name)}
    wanted = literals(input.where)
    row: dict[str, Any] = {CLOCK: ts}
    for name, column in table.columns.items():
        if name == table.rowtime and column.computed is None:
            row[name] = time_text(ts)
        elif column.computed is not None or name not in table.values or not column.source:
            continue
        elif name in wanted and number % 4 != 3:
            row[name] = wanted[name]
        elif name in keyed and column.kind in ("text", "integer", "boolean"):
            row[name] = _letter(column.kind, key)
        else:
            row[name] = _sample_cell(column, name, ts, number)
    return row


def _bases(table: Table, name: str) -> Sequence[str]:
    computed = table.columns[name].computed
    return [name] if computed is None else sorted(computed.columns)


def literals(conditions: Sequence[syntax.Expression]) -> dict[str, Any]:
    """A value that each column can have for ``conditions`` to be TRUE, as far as they compare it with a constant."""
    found: dict[str, Any] = {}
    for each in conditions:
        if not isinstance(each, syntax.Operation):
            continue
        if each.operator in ("AND", "OR"):
            found |= literals(each.operands)
            continue
        paths = [one for one in each.operands if isinstance(one, syntax.Path)]
        constants = [one for one in each.operands if isinstance(one, syntax.Literal) and one.kind != "other"]
        if len(paths) == 1 and constants and each.operator in ("=", "IN", ">", ">=", "<", "<=", "BETWEEN"):
            text, kind = constants[0].text, constants[0].kind
            step = {">": 1, "<": -1}.get(each.operator, 0)
            whole = kind == "number" and text.isdigit()
            found[str(paths[0])] = int(text) + step if whole else text if kind == "text" else float(text) + step
    return found


def _time(ms: int) -> Plain:
    return Plain(format_duration(int(ms)))


def _key(input: PlainInput, key: str) -> Any:
    return "all" if input.key is None else _letter(input.table.columns[input.key].kind, key)


def _letter(kind: str, key: str) -> Any:
    return ord(key) - ord("a") + 1 if kind == "integer" else key == "a" if kind == "boolean" else key


def _value(input: PlainInput, item: _Item, number: int) -> Any:
    """Of the column of the key, the value is the key."""
    made = {
        name: item["key"]
        if name == input.key
        else number
        if column.kind == "decimal"
        else _sample_cell(column, name, 0, number)
        for name in input.values
        for column in [input.table.columns[name]]
    }
    if len(made) == 1:
        return next(iter(made.values()))
    return made or None


def _sample_cell(column: Column, name: str, ts: int, number: int) -> Any:
    match column.kind:
        case "integer":
            return number
        case "double" | "float":
            return float(number)
        case "decimal":
            scale = int(column.type.rpartition(",")[2].strip(" )")) if "," in column.type else 0
            return f"{number:.{scale}f}"
        case "boolean":
            return number % 2 == 0
        case "time":
            return time_text(ts)
        case "date":
            return time_text(ts)[:10]
        case "text":
            return f"{name}-{number}"
        case _:  # an array, a map or a row
            return None


def _length(assigner: Mapping[str, Any], *names: str) -> int:
    for name in names:
        if name in assigner:
            value = assigner[name]
            return value if isinstance(value, int) else parse_duration(value) or _LEAST
    return _LEAST


def _size(stage: PlainStage | Stage) -> int:
    return max(_length(stage.operator["assigner"], "max_size", "size", "gap"), 10)


def _samples(stage: PlainStage | Stage) -> list[_Sample]:
    bound = max(each.table.bound for each in stage.inputs.values())
    match stage.operator["type"]:
        case "temporal-join" | "pairs":
            return _temporal(max(bound, _LEAST))
        case "interval-join":
            return _interval(stage.operator, bound)
        case "window-join" | "co-group":
            return _window_join(_size(stage), bound)
        case "deduplicate" | "updates" | "sort" | "top-n":
            return _deduplicate(max(bound, _LEAST))
        case "over":
            return _over(stage.operator["frame"].get("range"), bound)
        case _:
            return _windows(stage, bound)


def _windows(stage: PlainStage | Stage, bound: int) -> list[_Sample]:
    """Two windows, a record out of order in the first, and one for it after it has fired."""
    size = _size(stage)
    passed = size + bound
    if stage.processing:
        clock = enumerate([(1, "a"), (3, "b"), (6, "a"), (11, "a"), (14, "b")], 2)
        return [("events", key, size * tenths // 10, number) for number, (tenths, key) in clock]
    if stage.operator["assigner"]["type"] == "session":
        # 0.1, 0.6 and 1.2 gaps are one session; it ends at 2.2, and the watermark passes that with the next record.
        times = [(1, "a"), (6, "a"), (4, "b"), (12, "a")]
        rows = [("events", key, size * tenths // 10, number) for number, (tenths, key) in enumerate(times, 2)]
        return [
            *rows, ("events", "a", size * 3 + bound, 1), ("events", "b", size * 2 // 10, 9),
            ("events", "b", size * 32 // 10 + bound, 3),
        ]  # fmt: skip
    return [
        ("events", "a", size * 2 // 10, 4), ("events", "b", size * 6 // 10, 2), ("events", "a", size * 4 // 10, 3),
        ("events", "a", size * 9 // 10, 1), ("events", "b", passed + size * 1 // 10, 5),
        ("events", "a", size * 7 // 10, 9), ("events", "a", passed + size * 3 // 10, 2),
    ]  # fmt: skip


def _over(length: Any, bound: int) -> list[_Sample]:
    unit = max(length if isinstance(length, int) else parse_duration(length or "") or _LEAST, 4)
    return [
        ("events", "a", unit, 4), ("events", "b", unit * 5 // 4, 2), ("events", "a", unit * 3 // 2, 3),
        ("events", "a", unit * 5 // 4, 1), ("events", "a", unit * 3 + bound, 5), ("events", "b", unit, 7),
        ("events", "a", unit * 7 // 2 + bound, 6),
    ]  # fmt: skip


def _deduplicate(unit: int) -> list[_Sample]:
    return [
        ("events", "a", unit * 3, 4), ("events", "a", unit * 2, 2), ("events", "b", unit * 4, 3),
        ("events", "a", unit * 5, 1), ("events", "b", unit * 8, 5), ("events", "b", unit, 7),
    ]  # fmt: skip


def _temporal(unit: int) -> list[_Sample]:
    return [
        ("right", "a", unit, 4), ("right", "b", unit, 2), ("left", "a", unit * 2, 1), ("left", "a", unit * 6, 3),
        ("right", "a", unit * 5, 6), ("left", "b", unit * 4, 5), ("right", "b", unit * 9, 8),
        ("left", "b", unit * 9, 7),
    ]  # fmt: skip


def _interval(operator: Mapping[str, Any], bound: int) -> list[_Sample]:
    """In order of time on both sides, so that no record is late; some are within the interval and some are not."""
    lower, upper = (_signed(operator[name]) for name in ("lower", "upper"))
    unit = max(upper - lower, 4)
    first = max(unit, bound, -lower, 0) + unit
    pairs = [("left", "a", first, 4), ("right", "a", first + (lower + upper) // 2, 2), ("right", "a", first + upper, 3),
             ("right", "b", first + upper, 5), ("right", "a", first + upper + unit // 2, 1),
             ("left", "b", first + unit, 6), ("right", "b", first + unit + upper, 7)]  # fmt: skip
    return sorted(pairs, key=lambda row: row[2])


def _signed(value: Any) -> int:
    return value if isinstance(value, int) else parse_duration(value) or 0


def _window_join(size: int, bound: int) -> list[_Sample]:
    """No record is late: whether one still meets a row would depend on which table an engine reads first."""
    return [
        ("left", "a", size * 2 // 10, 4), ("right", "a", size * 5 // 10, 2), ("right", "b", size * 6 // 10, 3),
        ("left", "a", size * 4 // 10, 1), ("left", "b", size + bound + size // 10, 5),
        ("right", "b", size + bound + size * 2 // 10, 6),
    ]  # fmt: skip
