"""What each column of a table probably is, and why, from its name and its first cells."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice, pairwise
from statistics import median
from typing import Any, Final

from tidemark.simulator.limits import TABLE_COLUMNS, TABLE_PIECE_ROWS
from tidemark.simulator.scenario.tables.columns import (
    BEGINNING,
    EXACT,
    MEMBER,
    NO_AMOUNT,
    OF_EVENTS,
    OF_ONE_INPUT,
    OF_ONE_ROW,
    SINGLE,
    Choice,
    Column,
    folded,
    known,
    number_text,
    rank,
    suggests,
    with_given,
)
from tidemark.simulator.scenario.tables.rows import (
    Found,
    Row,
    decoded,
    guess_delimiter,
    guess_encoding,
    is_json,
    lines_of,
    names_in_comment,
    objects_of,
    rows_of,
)
from tidemark.simulator.scenario.tables.times import IN_A_ZONE, are_days, read_time

# Which of two times of a table is the arrival, by the rows themselves: a record arrives after it happened, and a
# file is usually in the order of arrival.

FEWEST: Final = 8
"""From so many rows with both times something can be said."""

AFTER: Final = 0.95
"""The least share of rows whose arrival is at or after their event time. Some clocks are ahead."""

IN_ORDER: Final = 0.9
"""The least share of rows that arrive at or after the row before them. Partitions of a topic interleave."""

FURTHEST_MS: Final = 24 * 3_600_000
"""Half of the records arrive within this time: a birthday, too, is before every other time."""


def arrives(events: Sequence[int | None], arrivals: Sequence[int | None]) -> bool:
    """Whether ``arrivals`` (ms, a row each; None: unreadable) are when records of the times ``events`` arrived.

    They are hardly ever before the event times, and the rows are in their order, more than in that of the event times.
    """
    both = [(event, at) for event, at in zip(events, arrivals, strict=True) if event is not None and at is not None]
    if len(both) < FEWEST:
        return False
    delays = [at - event for event, at in both]
    if sum(delay >= 0 for delay in delays) < AFTER * len(both) or not 0 < median(delays) <= FURTHEST_MS:
        return False
    order = _order([at for _, at in both])
    return order >= IN_ORDER and order > _order([event for event, _ in both])


def _order(times: Sequence[int]) -> float:
    """The share of times that are at or after the one before them."""
    return sum(before <= after for before, after in pairwise(times)) / (len(times) - 1)


MOST_MISSES: Final = 0.5
"""The share of cells that a format may leave unread: a table may have broken cells."""

EPOCH: Final = ((10**17, "epoch_ns"), (10**14, "epoch_us"), (10**11, "epoch_ms"), (10**8, "epoch_s"))
"""From which number on each unit gives a time after 1970 that somebody may have recorded."""

FEW: Final = 0.5
"""Of a key there are fewer different ones than this share of the rows."""


FEWEST_RUNNING: Final = 8
"""In so many rows whole numbers that rise each time are hardly measured."""


@dataclass(frozen=True)
class Guess:
    """``why`` is a name below ``tables.reasons``; ``ask``: there are two readings, and nobody but the author knows.

    ``time`` is the format that the cells have if they are times, whatever the column's role is.
    """

    column: Column
    why: str
    ask: bool = False
    time: str = ""


@dataclass(frozen=True)
class _Seen:
    """A column as it is in the first rows: its cells that are not empty."""

    name: str
    cells: Sequence[str]
    numeric: bool
    time: str
    ask: bool

    @property
    def certain_time(self) -> bool:
        """Whether its cells can hardly be anything but times."""
        return bool(self.cells) and (self.ask or (self.time != "" and self.time not in ("seconds", "milliseconds")))


def looks_like_data(cell: str) -> bool:
    """Whether ``cell`` is a number or a time, as no header is."""
    return number_text(cell, ".") is not None or number_text(cell, ",") is not None or bool(format_of([cell])[0])


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first of ``rows`` names the columns."""
    first = [cell for cell in rows[0][:TABLE_COLUMNS] if cell]
    if any(known(cell) for cell in first):
        return True
    return not any(looks_like_data(cell) for cell in first)


def format_of(cells: Sequence[str], name: str = "", zone: str = "UTC") -> tuple[str, bool]:
    """The format of times that most of ``cells`` have, "" for none; and whether day and month may be swapped.

    For plain numbers the size decides: seconds since 1970 have ten digits today, milliseconds thirteen.
    """
    cells = [cell for cell in cells if cell]
    if not cells:
        return "", False

    def reads(format: str) -> bool:
        read = sum(read_time(cell, format, zone) is not None for cell in cells)
        return read >= len(cells) * (1 - MOST_MISSES)

    for format in ("iso", "named"):
        if not all(cell.isdecimal() for cell in cells) and reads(format):
            return format, False
    if reads("dmy") or reads("mdy"):
        return _day_or_month(cells)
    if reads("epoch_ns"):  # as any other unit
        return _unit_of(cells, name), False
    return next((format for format in ("duration", "clock") if reads(format)), ""), False


def _day_or_month(cells: Sequence[str]) -> tuple[str, bool]:
    """Day first with dots, as wherever dots are written; else what a number above 12 tells; else nobody knows."""
    cells = [cell for cell in cells if read_time(cell, "dmy", "UTC") or read_time(cell, "mdy", "UTC")]
    days = sum(read_time(cell, "dmy", "UTC") is not None for cell in cells)
    months = sum(read_time(cell, "mdy", "UTC") is not None for cell in cells)
    if days != months:
        return ("dmy" if days > months else "mdy"), False
    if all("." in cell[:3] for cell in cells):
        return "dmy", False
    return "", True


def _unit_of(cells: Sequence[str], name: str) -> str:
    numbers = [abs(Decimal(text)) for cell in cells if (text := number_text(cell, ".") or number_text(cell, ","))]
    numbers.sort()
    middle = numbers[len(numbers) // 2] if numbers else Decimal(0)
    for least, unit in EPOCH:
        if middle >= least:
            return unit
    if name.casefold().endswith(("ms", "millis", "milliseconds", "毫秒")):
        return "milliseconds"
    fractions = any("." in cell or "," in cell for cell in cells)
    return "seconds" if fractions or not numbers or numbers[-1] - numbers[0] < 1000 else "milliseconds"


def guess_columns(
    names: Sequence[str], rows: Sequence[Sequence[str]], decimal: str, roles: Collection[str]
) -> list[Guess]:
    """What each of the columns called ``names`` is, of ``roles``: what a record may have here."""
    seen = [
        _seen(name, [row[number] for row in rows if number < len(row)], decimal) for number, name in enumerate(names)
    ]
    taken: dict[int, Guess] = {}

    def take(role: str, found: Iterator[tuple[int, str]]) -> None:
        number, why = next(found, (-1, "")) if role in roles else (-1, "")
        if number >= 0:
            time = seen[number].time if role in ("ts", "at") else ""
            ask = role in ("ts", "at") and seen[number].ask
            taken[number] = Guess(Column(names[number], role, time), "day_or_month" if ask else why, ask)

    free = list(range(len(names)))

    def named(role: str, fits: list[int]) -> Iterator[tuple[int, str]]:
        left = [number for number in fits if number not in taken]
        exact = sorted((place, number) for number in left if (place := rank(names[number], role)) is not None)
        yield from ((number, "name") for _, number in exact)
        yield from ((number, "part_of_name") for number in left if suggests(names[number], role))

    times = [number for number in free if seen[number].time or seen[number].ask]
    certain = [number for number in times if seen[number].certain_time and not _is_number_of_something(seen[number])]
    take("at", (each for each in named("at", times) if each[1] == "name" or each[0] in certain))
    take("ts", _first(named("ts", times), ((n, "reads_as_time") for n in certain if n not in taken)))
    if not any(each.column.role == "ts" for each in taken.values()):
        for number, guess in list(taken.items()):
            if folded(names[number]) not in EXACT["at"]:
                taken[number] = replace(guess, column=replace(guess.column, role="ts"))
    if "time_of_day" in roles:
        taken |= _with_time_of_day(seen, taken)
    if "at" in roles:
        taken |= _by_the_rows(seen, rows, certain, taken)
    sides = (number for number in free if seen[number].cells and set(seen[number].cells) <= {"left", "right"})
    take("in", ((number, "sides") for number in sides))
    take("channel", (each for each in named("channel", free) if each[1] == "name"))
    for number in free:
        if number not in taken and names[number].casefold().startswith(MEMBER) and len(names[number]) > len(MEMBER):
            taken[number] = Guess(Column(names[number], "member"), "name")
    keys = [number for number in free if number not in certain and seen[number].cells]
    shared = [number for number in keys if not _is_of_one_row(seen[number])]
    texts = ((n, "few_values") for n in keys if n not in taken and not seen[n].numeric and _repeats(seen[n]))
    others = ((n, "text") for n in keys if n not in taken and not seen[n].numeric)
    take("key", _first(named("key", shared), texts, named("key", keys), others))
    if not any(each.column.role == "channel" for each in taken.values()):
        sources = (number for number in free if number not in taken and rank(names[number], "source") is not None)
        take("channel", ((number, "name") for number in sources))
    if not any(each.column.role == "member" for each in taken.values()):
        numeric = [number for number in free if seen[number].numeric and number not in certain]
        free_numbers = [n for n in numeric if n not in taken and _may_be_an_amount(seen[n])]
        left = ((n, "numbers") for n in sorted(free_numbers, key=lambda n: not _has_fractions(seen[n])))
        exact = (each for each in named("value", free) if each[1] == "name")
        take("value", _first(exact, named("value", numeric), left))
    rest = {n: Guess(Column(names[n]), "second_time" if n in certain else "rest") for n in free}
    return [replace(taken.get(n, rest[n]), time=seen[n].time) for n in free]


def _with_time_of_day(seen: Sequence[_Seen], taken: dict[int, Guess]) -> dict[int, Guess]:
    """A column of dates and one of times of day, where the event time is in two columns; {} where it is not."""
    ts = next((number for number, guess in taken.items() if guess.column.role == "ts"), None)
    if ts is None:
        return {}
    free = [ts, *(number for number in range(len(seen)) if number not in taken)]
    date = next((n for n in free if seen[n].ask or are_days(seen[n].cells, seen[n].time)), None)
    clock = next((n for n in free if seen[n].time == "clock"), None)
    if date is None or clock is None or ts not in (date, clock):
        return {}
    ask = seen[date].ask
    return {
        date: Guess(Column(seen[date].name, "ts", seen[date].time), "day_or_month" if ask else taken[ts].why, ask),
        clock: Guess(Column(seen[clock].name, "time_of_day", "clock"), "time_of_day"),
    }


def _is_number_of_something(seen: _Seen) -> bool:
    """Whether numbers as large as times since 1970 are rather identifiers or amounts, by the column's name."""
    return seen.time.startswith("epoch") and any(
        rank(seen.name, role) is not None or suggests(seen.name, role) for role in ("key", "value")
    )


def _by_the_rows(
    seen: Sequence[_Seen], rows: Sequence[Sequence[str]], certain: Sequence[int], taken: dict[int, Guess]
) -> dict[int, Guess]:
    """Event time and arrival where the names have not said both: what the rows say of the guessed time and another one.

    {} if they say nothing. A name that says that it is the event time is believed, and no time at which something long
    began is taken for one.
    """
    found = {guess.column.role: number for number, guess in taken.items()}
    ts = found.get("ts")
    if ts is None or "at" in found or ts not in certain:
        return {}
    ms = {number: _instants(seen[number], number, rows) for number in certain}

    def guessed(event: int, arrival: int) -> dict[int, Guess]:
        roles = ((event, "ts"), (arrival, "at"))
        return {n: Guess(Column(seen[n].name, role, seen[n].time), "by_the_rows") for n, role in roles}

    for other in certain:
        if other in taken or seen[other].ask or seen[ts].ask:
            continue
        if arrives(ms[ts], ms[other]):
            return {other: guessed(ts, other)[other]}
        names = (folded(seen[ts].name), folded(seen[other].name))
        if not OF_EVENTS.search(names[0]) and not BEGINNING.search(names[1]) and arrives(ms[other], ms[ts]):
            return guessed(other, ts)
    return {}


def _instants(seen: _Seen, number: int, rows: Sequence[Sequence[str]]) -> list[int | None]:
    """The times of a column (ms), a row each."""
    cells = (row[number] if number < len(row) else "" for row in rows)
    times = (read_time(cell, seen.time, "UTC") if cell and seen.time else None for cell in cells)
    return [time and time.ms for time in times]


def _is_of_one_row(seen: _Seen) -> bool:
    """Whether a column tells each row from all others, by its name and its cells: no two records would share a key."""
    return (
        OF_ONE_ROW.search(folded(seen.name)) is not None
        and len(seen.cells) >= FEWEST_RUNNING
        and len(set(seen.cells)) == len(seen.cells)
    )


def _may_be_an_amount(seen: _Seen) -> bool:
    return not _is_running(seen) and NO_AMOUNT.search(folded(seen.name)) is None


def _is_running(seen: _Seen) -> bool:
    """Whether cells are whole numbers that rise from row to row, as those of receipts do: no amount of anything."""
    if len(seen.cells) < FEWEST_RUNNING or not all(cell.isdecimal() and len(cell) < 20 for cell in seen.cells):
        return False
    return all(int(before) < int(cell) for before, cell in pairwise(seen.cells))


def _has_fractions(seen: _Seen) -> bool:
    return any("." in cell or "," in cell for cell in seen.cells)


def _first(*ways: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    for way in ways:
        yield from way


def _seen(name: str, cells: Sequence[str], decimal: str) -> _Seen:
    cells = [cell for cell in cells if cell]
    numeric = bool(cells) and sum(number_text(cell, decimal) is not None for cell in cells) > len(cells) * 0.7
    time, ask = format_of(cells, name)
    return _Seen(name, cells, numeric, time, ask)


def _repeats(seen: _Seen) -> bool:
    return len(seen.cells) > 3 and len(set(seen.cells)) <= len(seen.cells) * FEW


def guess_decimal(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    """A comma if more cells have it as their decimal separator than a point."""
    cells = [cell for row in rows for cell in row]
    commas = sum(
        "," in cell and number_text(cell, ",") is not None and number_text(cell, ".") is None for cell in cells
    )
    points = sum(
        "." in cell and number_text(cell, ".") is not None and number_text(cell, ",") is None for cell in cells
    )
    return "," if commas > points or (commas and not points and delimiter == ";") else "."


def wants_zone(columns: Sequence[Column]) -> bool:
    """Whether some time may lack its zone."""
    return any(column.role in ("ts", "at") and (column.time in IN_A_ZONE or not column.time) for column in columns)


GUESSED_FROM: Final = 200
"""From how many rows the columns are guessed."""

SHOWN: Final = 8
"""How many rows are shown as they are."""

KINDS: Final = (
    (b"PK\x03\x04", "workbook"),
    (b"\xd0\xcf\x11\xe0", "workbook"),
    (b"\x1f\x8b", "packed"),
    (b"PAR1", "parquet"),
)
"""Files that are no text, by their first bytes."""


class _ManyColumns(Exception):
    """More than ``TABLE_COLUMNS``: refused before anything is done for each of them."""


@dataclass(frozen=True)
class Look:
    """``choice``: the guess, changed by what was given. ``guesses``: what each column was guessed to be, and why.

    ``rows``: the first ones, as they are. ``problem``: a name below ``tables.problems``, why no record can be read with
    this choice, "" if they can; ``encoding_why`` a name below ``tables.encoding_reasons``.
    """

    choice: Choice
    guesses: tuple[Guess, ...]
    rows: tuple[Row, ...]
    encoding_why: str
    problem: str = ""


def look(data: bytes, given: Mapping[str, Any] | None = None, roles: Collection[str] = OF_ONE_INPUT) -> Look:
    """What the table that begins with ``data`` is made of.

    ``given`` (as ``Choice.as_json``, in part) is what somebody has chosen: the rest is guessed on that basis. Its
    columns count only if there are as many as the table has. ``roles``: what a record may have here. Raises nothing.
    """
    given = given or {}
    for mark, kind in KINDS:
        if data.startswith(mark):
            return Look(Choice(), (), (), "ascii", kind)
    encoding, why = guess_encoding(data)
    choice = with_given(Choice(encoding=encoding), {**given, "columns": None})
    text = lines_of(decoded(data, choice.encoding))
    if not text.strip():
        return Look(choice, (), (), why, "empty")
    if "form" not in given:
        choice = replace(choice, form="json" if is_json(text) else "csv")
    try:
        names, rows, choice = _json_table(text, choice) if choice.form == "json" else _csv_table(text, choice, given)
    except _ManyColumns:
        return Look(choice, (), (), why, "many_columns")
    if not names:
        return Look(choice, (), (), why, "nothing_readable")
    cells = [row.cells for row in rows]
    if "decimal" not in given:
        choice = replace(choice, decimal=guess_decimal(cells, choice.delimiter if choice.form == "csv" else ","))
    guesses = tuple(guess_columns(names, cells, choice.decimal, roles))
    choice = _with_columns(choice, guesses, given)
    problem = problem_of(choice, bool(rows))
    first = text.lstrip().partition("\n")[0].partition(choice.delimiter)[0]
    if problem == "no_time" and choice.form == "csv" and names_in_comment(first):
        problem = "header_in_comment"
    return Look(choice, guesses, tuple(rows[:SHOWN]), why, problem)


def problem_of(choice: Choice, rows: bool = True) -> str:
    """What keeps ``choice`` from giving records: a name below ``tables.problems``, "" for nothing."""
    roles = [column.role for column in choice.columns]
    if not rows:
        return "only_header"
    if not {"ts", "at"} & set(roles):
        return "no_time"
    if any(column.role in ("ts", "at") and not column.time for column in choice.columns):
        return "no_format"
    if any(roles.count(role) > 1 for role in SINGLE):
        return "twice"
    return ""


def _csv_table(text: str, choice: Choice, given: Mapping[str, Any]) -> tuple[list[str], list[Row], Choice]:
    if "delimiter" not in given:
        choice = replace(choice, delimiter=guess_delimiter(text))
    found = (row for row in islice(rows_of(text, choice.delimiter), TABLE_PIECE_ROWS) if isinstance(row, Row))
    rows = list(islice(found, GUESSED_FROM))
    if not rows:
        return [], [], choice
    width = len(rows[0].cells)
    if width > TABLE_COLUMNS:
        raise _ManyColumns
    if "header" not in given:
        choice = replace(choice, header=has_header([row.cells for row in rows]))
    names = _unique(rows[0].cells if choice.header else [""] * width)
    return names, rows[1:] if choice.header else rows, choice


def _json_table(text: str, choice: Choice) -> tuple[list[str], list[Row], Choice]:
    objects = (each for each in islice(objects_of(text), TABLE_PIECE_ROWS) if isinstance(each, Found))
    found = list(islice(objects, GUESSED_FROM))
    names = list(dict.fromkeys(name for each in found for name in each.members))
    if len(names) > TABLE_COLUMNS:
        raise _ManyColumns
    rows = [Row(each.line, [each.members.get(name, "") for name in names], each.source) for each in found]
    return names, rows, choice


def _unique(names: Sequence[str]) -> list[str]:
    """Names that differ: a second ``price`` is ``price (2)``, a column without a name is ``#3``."""
    unique: list[str] = []
    for number, name in enumerate(names, 1):
        name = name or f"#{number}"
        again = 2
        each = name
        while each in unique:
            each = f"{name} ({again})"
            again += 1
        unique.append(each)
    return unique


def _with_columns(choice: Choice, guesses: Sequence[Guess], given: Mapping[str, Any]) -> Choice:
    """The columns that were chosen, else those that were guessed."""
    chosen = with_given(choice, {"columns": given.get("columns")}).columns
    if len(chosen) != len(guesses):
        return replace(choice, columns=tuple(guess.column for guess in guesses))
    return replace(
        choice,
        columns=tuple(
            Column(guess.column.name, each.role, each.time) for guess, each in zip(guesses, chosen, strict=True)
        ),
    )
