"""A few records for a query that came without any: windows fire, one comes out of order, and one is late."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tidemark.simulator.scenario.editing.written import Plain
from tidemark.simulator.sql.reading import Input, Reading
from tidemark.simulator.values.duration import format_duration, parse_duration

_Item = dict[str, Any]

_LEAST: Final = 1000
"""Where the query names no length, times are this far apart (ms)."""


def made_stream(reading: Reading) -> list[_Item]:
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


def _records(reading: Reading, rows: Sequence[tuple[str, str, int, int]]) -> list[_Item]:
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
        name: item["key"] if name == input.key else _cell(input.table.columns[name].kind, name, number)
        for name in input.values
    }
    if len(made) == 1:
        return next(iter(made.values()))
    return made or None


def _cell(kind: str, name: str, number: int) -> Any:
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
    return [*_records(reading, rows), {"end": True}]


def _by_clock(reading: Reading) -> list[_Item]:
    """Records that the clock puts into two windows."""
    size = max(_length(reading.operator["assigner"], "max_size", "size", "gap"), 10)
    items = []
    for number, (tenths, key) in enumerate([(1, "a"), (3, "b"), (6, "a"), (11, "a"), (14, "b")], 2):
        (item,) = _records(reading, [("events", key, size * tenths // 10, number)])
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
    return [*_records(reading, rows), {"end": True}]


def _deduplicate(reading: Reading, unit: int) -> list[_Item]:
    rows = [
        ("events", "a", unit * 3, 4), ("events", "a", unit * 2, 2), ("events", "b", unit * 4, 3),
        ("events", "a", unit * 5, 1), ("events", "b", unit * 8, 5), ("events", "b", unit, 7),
    ]  # fmt: skip
    return [*_records(reading, rows), {"end": True}]


def _temporal(reading: Reading, unit: int) -> list[_Item]:
    rows = [
        ("right", "a", unit, 4), ("right", "b", unit, 2), ("left", "a", unit * 2, 1), ("left", "a", unit * 6, 3),
        ("right", "a", unit * 5, 6), ("left", "b", unit * 4, 5), ("right", "b", unit * 9, 8),
        ("left", "b", unit * 9, 7),
    ]  # fmt: skip
    return [*_records(reading, rows), {"end": True}]


def _interval(reading: Reading, bound: int) -> list[_Item]:
    """In order of time on both sides, so that no record is late; some are within the interval and some are not."""
    lower, upper = (_signed(reading.operator[name]) for name in ("lower", "upper"))
    unit = max(upper - lower, 4)
    first = max(unit, bound, -lower, 0) + unit
    pairs = [("left", "a", first, 4), ("right", "a", first + (lower + upper) // 2, 2), ("right", "a", first + upper, 3),
             ("right", "b", first + upper, 5), ("right", "a", first + upper + unit // 2, 1),
             ("left", "b", first + unit, 6), ("right", "b", first + unit + upper, 7)]  # fmt: skip
    return [*_records(reading, sorted(pairs, key=lambda row: row[2])), {"end": True}]


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
    return [*_records(reading, rows), {"end": True}]
