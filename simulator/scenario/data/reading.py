"""The records of a stream in a file, one after another. ``survey`` has been through the file before.

What reads tables of any make is imported where it is used: it brings along what edits scenarios, which needs the model.
"""

from collections.abc import Iterator
from pathlib import Path

from tidemark.simulator.scenario.data.arrival import by_arrival
from tidemark.simulator.scenario.data.cells import channel_names, number_of, time_reader
from tidemark.simulator.scenario.data.described import NO_KEY, Columns, DataError, Found
from tidemark.simulator.scenario.data.opening import opened, version_of
from tidemark.simulator.scenario.data.survey import wanted
from tidemark.simulator.values.items import Record


def records_of(file: Path, columns: Columns, found: Found, only: str) -> Iterator[Record]:
    """The records of ``file``, in which ``found`` was, for the input ``only``, in the order of the stream.

    Raises ``DataError`` if it has changed since it was looked at.
    """
    records = _in_order_of_file(file, columns, found, only)
    yield from records if columns.at is None or found.in_order else by_arrival(records)


def _in_order_of_file(file: Path, columns: Columns, found: Found, only: str) -> Iterator[Record]:
    if version_of(file) != found.version:
        raise DataError("data_changed")
    readers = [time_reader(format, columns.zone) for format in found.formats]
    read_ts, read_at = readers[0], readers[-1]
    has_at, has_key = columns.at is not None, columns.key is not None
    kind = found.values if columns.value is not None else "none"
    numbers = {str(name): found.number_of(name) for name in found.channels}
    names: dict[str, int] = {}
    with opened(file) as table:
        for _, (ts_cell, at_cell, key, value, channel) in table.rows(wanted(columns)):
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
            yield Record(
                (key or "") if has_key else NO_KEY,
                ts,
                _value(kind, value),
                only,
                number,
                at,
            )
    if version_of(file) != found.version:
        raise DataError("data_changed")


def _value(kind: str, cell: str | None) -> int | float | str | None:
    if not cell or kind == "none":
        return None
    if kind == "text":
        return cell
    number = number_of(cell)
    return number if kind == "whole" or number is None else float(number)
