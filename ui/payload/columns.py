"""Tables by columns: what repeats is said once, numbers as differences, so that a run of 100,000 steps stays small.

A packed table is ``{"rows": how many, "columns": {name: column}}``; the browser unpacks a column when it is first
looked at (``ui/player/base/columns.js``). A column is one of

====== =========================================================================================================
same   ``v``: the value of every row
ints   ``v``: whole numbers, as differences from the row before where ``d`` is 1; ``n``: rows that are null
dict   ``t``: a column of the distinct values, ``v``: for each row its place there
text   ``t``: patterns, ``v``: a column: each row's pattern, ``s``: for each pattern the columns of its numbers
list   ``l``: a column: lengths, ``c``: a column of all elements of all rows, one after another
rec    ``f``: lists of names, ``v``: a column: each row's list, ``c``: for each name the column of the rows that have it
mix    ``v``: a column: where each row's value is, ``c``: columns of one kind each
raw    ``v``: the values as they are
====== =========================================================================================================

Every form is exact: what is unpacked equals what went in, key order of objects too.
"""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from operator import sub
from typing import Any

from simulator.values.time import MAX, MIN

Column = dict[str, Any]

EXACT = 2**53
"""Whole numbers up to here are exact in a browser."""

_NUMBER = re.compile(r"([0-9]{1,15})(?![0-9])(?<![0-9]{16})")
NUMBER_SLOT, PADDED_SLOT = "\x00", "\x01"
"""In a pattern: a number as it is, and one with leading zeros, whose width is the digit after the mark."""


def by_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any] | list[Any]:
    """``rows`` packed; as they are where they have not all the same columns."""
    names = list(rows[0]) if rows else []
    if any(row.keys() != rows[0].keys() for row in rows):
        return [for_browser(row) for row in rows]
    return {"rows": len(rows), "columns": {name: column([row[name] for row in rows]) for name in names}}


def column(values: Sequence[Any]) -> Column:
    """``values`` in the form that suits them; a value is JSON, or becomes it as ``for_browser`` says."""
    kinds = set(map(type, values))
    if not kinds:
        return {"k": "raw", "v": []}
    if kinds == {int} or kinds == {int, type(None)}:
        found = _ints(values)
        if found:
            return found
    elif kinds == {str}:
        return _texts(values)
    elif kinds <= {bool, type(None)}:
        return _distinct(values, dict.fromkeys(values))
    elif kinds <= {list, tuple}:
        lengths = column([len(each) for each in values])
        return {"k": "list", "l": {"rows": len(values), "lengths": lengths}, "c": column(list(chain(*values)))}
    elif all(issubclass(kind, Mapping) for kind in kinds):
        return _records(values)
    elif kinds == {float}:
        return _raw(values)
    return _mixed(values)


def for_browser(value: Any) -> Any:
    """Whole numbers that a browser would round become text; the two ends of time are known by their size."""
    match value:
        case bool() | None | str():
            return value
        case int():
            return value if abs(value) <= EXACT or value in (MIN, MAX) else str(value)
        case float():
            return value if value == value and abs(value) != float("inf") else str(value)
        case Mapping():
            return {name: for_browser(each) for name, each in value.items()}
        case list() | tuple():
            return [for_browser(each) for each in value]
        case _:
            return str(value)


def _raw(values: Sequence[Any]) -> Column:
    plain = [for_browser(each) for each in values]
    if len(set(map(repr, plain))) == 1:
        return {"k": "same", "v": plain[0]}
    return {"k": "raw", "v": plain}


def _ints(values: Sequence[int | None]) -> Column | None:
    """None where a number is not exact in a browser."""
    holes = [index for index, each in enumerate(values) if each is None]
    if holes:
        filled, before = [], 0
        for each in values:
            before = before if each is None else each
            filled.append(before)
    else:
        filled = list(values)  # type: ignore[arg-type]
    low, high = min(filled), max(filled)
    if low < -EXACT // 2 or high > EXACT // 2:
        return None
    if low == high and not holes:
        return {"k": "same", "v": low}
    steps = [filled[0], *map(sub, filled[1:], filled)]
    shorter = len(json.dumps(steps)) < len(json.dumps(filled))
    found: Column = {"k": "ints", "d": int(shorter), "v": steps if shorter else filled}
    if holes:
        found["n"] = [holes[0], *(b - a for a, b in pairwise(holes))]
    return found


def _texts(values: Sequence[str]) -> Column:
    distinct = dict.fromkeys(values)
    if len(distinct) * 2 <= len(values):
        return _distinct(values, distinct)
    return _patterns(values) if len(values) > 8 else {"k": "raw", "v": list(values)}


def _distinct(values: Sequence[Any], distinct: dict[Any, Any]) -> Column:
    if len(distinct) == 1:
        return {"k": "same", "v": values[0]}
    places = {each: place for place, each in enumerate(distinct)}
    known = list(distinct)
    table = _patterns(known) if len(known) > 64 else {"k": "raw", "v": known}
    return {"k": "dict", "t": table, "v": [places[each] for each in values]}


def _patterns(values: Sequence[str]) -> Column:
    """Texts that differ in their numbers alone share a pattern."""
    if any(NUMBER_SLOT in each or PADDED_SLOT in each for each in values):
        return {"k": "raw", "v": list(values)}
    places: dict[str, int] = {}
    rows: list[int] = []
    slots: list[list[list[str]]] = []
    split = _NUMBER.split
    for text in values:
        parts = split(text)
        numbers = parts[1::2]
        parts[1::2] = [
            PADDED_SLOT + chr(48 + len(each)) if each[0] == "0" and len(each) > 1 else NUMBER_SLOT for each in numbers
        ]
        pattern = "".join(parts)
        place = places.get(pattern)
        if place is None:
            place = places[pattern] = len(places)
            slots.append([[] for _ in numbers])
        rows.append(place)
        for slot, each in zip(slots[place], numbers, strict=True):
            slot.append(each)
    if len(places) * 2 > len(values):
        return {"k": "raw", "v": list(values)}
    columns = [[column(list(map(int, slot))) for slot in each] for each in slots]
    return {"k": "text", "t": list(places), "v": _kinds(rows), "s": columns}


def _records(values: Sequence[Mapping[str, Any]]) -> Column:
    shapes: dict[tuple[str, ...], int] = {}
    rows: list[int] = []
    members: dict[str, list[Any]] = {}
    for each in values:
        rows.append(shapes.setdefault(tuple(each), len(shapes)))
        for name, value in each.items():
            members.setdefault(name, []).append(value)
    if "__proto__" in members or len(shapes) * 4 > len(values) + 64:
        return _raw(values)
    columns = {name: column(held) for name, held in members.items()}
    return {"k": "rec", "f": [list(shape) for shape in shapes], "v": _kinds(rows), "c": columns}


def _kinds(rows: list[int]) -> dict[str, Any]:
    """Which kind each row is of; a browser counts from it where in the kind's own column the row is."""
    return {"rows": len(rows), "kinds": column(rows)}


def _kind(value: Any) -> str:
    match value:
        case None | bool():
            return "plain"
        case int():
            return "int" if abs(value) <= EXACT // 2 else "raw"
        case str():
            return "str"
        case list() | tuple():
            return "list"
        case Mapping():
            return "rec"
        case _:
            return "raw"


def _mixed(values: Sequence[Any]) -> Column:
    """Values of several kinds: a column for each kind."""
    kinds = [_kind(each) for each in values]
    order = list(dict.fromkeys(kinds))
    if order == ["raw"]:
        return _raw(values)
    held: dict[str, list[Any]] = {kind: [] for kind in order}
    as_kind = {"int": int, "str": str, "list": list}
    for kind, value in zip(kinds, values, strict=True):
        held[kind].append(as_kind[kind](value) if kind in as_kind else value)
    columns = [_raw(held[kind]) if kind == "raw" else column(held[kind]) for kind in order]
    places = {kind: place for place, kind in enumerate(order)}
    return {"k": "mix", "v": _kinds([places[kind] for kind in kinds]), "c": columns}
