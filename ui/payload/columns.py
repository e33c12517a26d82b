"""Tables by columns: repeated values are sent once, numbers as differences, so that a run of 100,000 steps stays small.

Theory of operation. Rows are turned into columns, since the values of one column look alike: a time is a little more
than the one before, a status is one of four. A value is packed by its type and nothing else: numbers come as numbers
and text as text, and no form looks for one within the other. Composite values are taken apart until only numbers, text,
booleans and nulls are left. Text goes into one table for the whole payload (``Strings``), because the id of a thing
stands in its own table, in the tables of what it holds, and in every step that touches it.

A packed table is ``{"rows": how many, "columns": {name: column}}``; the browser unpacks a column when it is first
looked at (``ui/player/base/facts.ts``). A column is one of

====== =========================================================================================================
same   ``v``: the value of every row
ints   ``v``: whole numbers, as differences from the row before where ``d`` is 1; ``n``: rows that are null
dict   ``t``: a column of the distinct values, ``v``: for each row its place there
text   ``v``: a column: for each row the place of its text in the table of the payload
list   ``l``: a column: lengths, ``c``: a column of all elements of all rows, one after another
rec    ``f``: lists of names, ``v``: a column: each row's list, ``c``: for each name the column of the rows that have it
mix    ``v``: a column: where each row's value is, ``c``: columns of one kind each
raw    ``v``: the values as they are
====== =========================================================================================================

Every form is exact: what is unpacked equals what went in, key order of objects too.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from operator import sub
from typing import Any

from tidemark.simulator.engine.values.time import MAX, MIN

Column = dict[str, Any]

EXACT = 2**53
"""The largest whole number that is exact in a browser."""

FEW = 16
"""Up to this many distinct texts are listed in the column itself, where their indexes are smaller."""


class Strings:
    """Every text of a payload once, in the order in which it was first packed."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def place(self, text: str) -> int:
        """The index of ``text``; a new text is appended."""
        return self._places.setdefault(text, len(self._places))

    def packed(self) -> list[str]:
        """All texts by index."""
        return list(self._places)


def by_columns(rows: Sequence[Mapping[str, Any]], strings: Strings) -> dict[str, Any] | list[Any]:
    """``rows`` packed, their texts in ``strings``; as they are where they have not all the same columns."""
    names = list(rows[0]) if rows else []
    if any(row.keys() != rows[0].keys() for row in rows):
        return [for_browser(row) for row in rows]
    return {"rows": len(rows), "columns": {name: column([row[name] for row in rows], strings) for name in names}}


def column(values: Sequence[Any], strings: Strings) -> Column:
    """``values`` in the form that suits them; a value is JSON, or becomes it as ``for_browser`` says."""
    kinds = set(map(type, values))
    if not kinds:
        return {"k": "raw", "v": []}
    if kinds == {int} or kinds == {int, type(None)}:
        found = _ints(values)
        if found:
            return found
    elif kinds == {str}:
        return _texts(values, strings)
    elif kinds <= {bool, type(None)}:
        return _distinct(values, dict.fromkeys(values))
    elif kinds <= {list, tuple}:
        lengths = column([len(each) for each in values], strings)
        return {"k": "list", "l": {"rows": len(values), "lengths": lengths}, "c": column(list(chain(*values)), strings)}
    elif all(issubclass(kind, Mapping) for kind in kinds):
        return _records(values, strings)
    elif kinds == {float}:
        return _raw(values)
    return _mixed(values, strings)


def for_browser(value: Any) -> Any:
    """``value`` with whole numbers that a browser would round as text; its size identifies each end of time."""
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
    """None if a number is not exact in a browser."""
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


def _texts(values: Sequence[str], strings: Strings) -> Column:
    distinct = dict.fromkeys(values)
    if len(distinct) <= FEW and len(distinct) * 2 <= len(values):
        return _distinct(values, distinct)
    if len(values) <= FEW // 2:
        return {"k": "raw", "v": list(values)}
    return {"k": "text", "v": column([strings.place(each) for each in values], strings)}


def _distinct(values: Sequence[Any], distinct: Mapping[Any, Any]) -> Column:
    if len(distinct) == 1:
        return {"k": "same", "v": values[0]}
    places = {each: place for place, each in enumerate(distinct)}
    return {"k": "dict", "t": {"k": "raw", "v": list(distinct)}, "v": [places[each] for each in values]}


def _records(values: Sequence[Mapping[str, Any]], strings: Strings) -> Column:
    shapes: dict[tuple[str, ...], int] = {}
    rows: list[int] = []
    members: dict[str, list[Any]] = {}
    for each in values:
        rows.append(shapes.setdefault(tuple(each), len(shapes)))
        for name, value in each.items():
            members.setdefault(name, []).append(value)
    if "__proto__" in members or len(shapes) * 4 > len(values) + 64:
        return _raw(values)
    columns = {name: column(held, strings) for name, held in members.items()}
    return {"k": "rec", "f": [list(shape) for shape in shapes], "v": _kinds(rows, strings), "c": columns}


def _kinds(rows: list[int], strings: Strings) -> dict[str, Any]:
    """Which kind each row is of; a browser counts from it where in the kind's own column the row is."""
    return {"rows": len(rows), "kinds": column(rows, strings)}


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


def _mixed(values: Sequence[Any], strings: Strings) -> Column:
    """Values of several kinds: a column for each kind."""
    kinds = [_kind(each) for each in values]
    order = list(dict.fromkeys(kinds))
    if order == ["raw"]:
        return _raw(values)
    held: dict[str, list[Any]] = {kind: [] for kind in order}
    as_kind = {"int": int, "str": str, "list": list}
    for kind, value in zip(kinds, values, strict=True):
        held[kind].append(as_kind[kind](value) if kind in as_kind else value)
    columns = [_raw(held[kind]) if kind == "raw" else column(held[kind], strings) for kind in order]
    places = {kind: place for place, kind in enumerate(order)}
    return {"k": "mix", "v": _kinds([places[kind] for kind in kinds], strings), "c": columns}
