"""Which rows are wanted: by their cells, and how many of those."""

from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from tidemark.simulator.scenario.tables.cells import number_text
from tidemark.simulator.scenario.tables.choice import Choice, Filter
from tidemark.simulator.scenario.tables.times import FORMATS, read_time
from tidemark.simulator.values.duration import parse_duration

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
