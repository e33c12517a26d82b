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
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from operator import sub
from string import Formatter
from typing import Any, Final

from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.code.walk import LIVE, SILENT, walk
from tidemark.simulator.timeline.explain.fields import DERIVED, KINDS, NUMBER_KINDS, Kind, constants, java_place
from tidemark.simulator.timeline.explain.narrator import LEVELS
from tidemark.simulator.timeline.stops import levels_of
from tidemark.simulator.timeline.wording import evicts, gap_field
from tidemark.simulator.words import section

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


# What the browser needs to put steps into words, and the code walk: templates once, raw fields at each step.
#
# The tables of ``simulator/timeline/explain/fields.py`` go along as far as the run needs them, so that
# ``telling.ts`` fills sentences by the same rules as ``simulator/timeline/wording.py``.

Row = dict[str, Any]

AS_WRITTEN: Final = "\x00"
"""{AS_WRITTEN: text} stands for a number that a browser would write in another way: 7.0, 1e-05, 2^60."""

PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "value": ("nothing", "comma"),
    "kept": ("nothing", "comma"),
    "values": ("nothing", "comma", "list", "list_comma"),
    "value_at": ("nothing", "comma", "value_at"),
    "value_of": ("nothing", "comma"),
    "record": ("nothing", "comma", "key", "value"),
    "window_of_key": ("nothing", "comma", "key", "window", "global_window", "window_of_key", "side_of_key", "sides"),
    "bounds_list": ("list", "list_comma"),
    "windows": ("list", "list_comma", "window", "global_window"),
    "first_window": ("window", "global_window"),
    "channel": ("only_channel", "channel", "channel_of_input", "input", "sides"),
    "side": ("sides",),
    "join_side": ("join_side", "sides"),
    "given": ("given",),
    "memory": ("memories",),
    "records": ("records_one", "records_many"),
    "results": ("results_one", "results_many"),
    "stands": ("no_watermark", "input_ended", "watermark_at"),
}
"""The pieces of sentences that each kind may need."""


def telling(scenario: Scenario, steps: Sequence[Row]) -> dict[str, Any]:
    """All that the steps need to become sentences.

    ``texts``: by level the sentences by their names (``what.dropped``, ``rule.window_late``). ``live``: by what happens
    the text beside the line of code, "" for none. ``kinds``, ``derived``, ``numbers``: how fields are written, as in
    ``fields.py``. ``parts``, ``trail``, ``more``: pieces of sentences, the short words of events, and of other windows.
    ``constants``: what the scenario alone decides. ``places``: by place class and method in Java's words.
    ``gap_field``: the field of a value that is a length of time, or null.
    """
    explain, live = section("explain"), section("code")["live"]
    pairs = sorted({(step["story"], step["reason"]) for step in steps})
    names = sorted({name for pair in pairs for name in pair} - {""})
    texts = {level: {name: _text(explain[level], name) for name in names} for level in LEVELS}
    stories = [name.partition(".")[2] for name in names if name.startswith("what.")]
    beside = {
        story: live[LIVE[story]] if story in LIVE else "" for story in stories if story in LIVE or story == SILENT
    }
    asked = _fields_of([*beside.values(), *(text for level in texts.values() for text in level.values())])
    carried = {name for step in steps for name in step["fields"]}
    kinds: dict[str, Kind] = {name: KINDS.get(name, "value") for name in sorted(carried - {"decided"})}
    derived = {name: [each.kind, *each.sources] for name, each in DERIVED.items() if name in asked}
    used = {*kinds.values(), *(each[0] for each in derived.values()), "value"}
    parts = {part for kind in used for part in PARTS.get(kind, ())}
    if "compute" in used:
        parts |= {f"compute_{step['fields']['compute']}" for step in steps if "compute" in step["fields"]}
    return {
        "texts": texts,
        "live": beside,
        "kinds": kinds,
        "derived": derived,
        "numbers": {name: kind for name, kind in NUMBER_KINDS.items() if name in _numbers(steps)},
        "parts": {name: text for name, text in explain["parts"].items() if name in parts},
        "trail": {event: explain["trail"][event] for event in sorted({step["event"] for step in steps})},
        "more": {name: live[name] for name in ("none", "and_more") if "first_window" in used},
        "constants": {name: text for name, text in constants(scenario).items() if name in asked},
        "places": {place: java_place(place, evicts=evicts(scenario)) for place in sorted(_places(steps, texts))},
        "gap_field": gap_field(scenario),
    }


def _text(level: Mapping[str, Mapping[str, str]], name: str) -> str:
    kind, _, own = name.partition(".")
    return level[kind][own]


def _fields_of(texts: Iterable[str]) -> set[str]:
    return {field for text in texts for _, field, _, _ in Formatter().parse(text) if field}


def _places(steps: Sequence[Row], texts: Mapping[str, Mapping[str, str]]) -> set[str]:
    """Those that a sentence names."""
    naming = {name for level in texts.values() for name, text in level.items() if "{place}" in text}
    return {step["place"] for step in steps if step["story"] in naming or step["reason"] in naming}


def _numbers(steps: Sequence[Row]) -> set[str]:
    return {name for step in steps if step["rule"] is not None for name in step["rule"]["numbers"]}


def for_telling(steps: Sequence[Row]) -> list[Row]:
    """The steps as they go to the browser: each number of a value so that the browser writes it as Python does, and
    with the level at which readers stop there.
    """
    return [
        {**step, "fields": {name: _as_written(value, name) for name, value in (step["fields"] | extra).items()}}
        | ({} if step["predicate"] is None else {"predicate": _predicate(step["predicate"])})
        | columns
        for step, columns in zip(steps, levels_of(steps), strict=True)
        for extra in (_rewritten(step, steps),)
    ]


def _rewritten(step: Row, steps: Sequence[Row]) -> dict[str, Any]:
    """The numbers of the rule that the step speaks of, where a browser would write one of them in another way."""
    rule = steps[step["fields"]["decided"]]["rule"] if "decided" in step["fields"] else step["rule"]
    if rule is None or not any(isinstance(number, float) for number in rule["numbers"].values()):
        return {}
    return {"new" if name == "value" else name: number for name, number in rule["numbers"].items()}


def _predicate(predicate: Row) -> Row:
    if predicate["kind"] != "value":
        return predicate
    return predicate | {"sides": [_exact(side) for side in predicate["sides"]]}


def _as_written(value: Any, name: str) -> Any:
    """Of values and keys, results included; times beyond 2^53 are left to the packing."""
    match KINDS.get(name, "value"):
        case "value" | "kept" | "values":
            return _exact(value)
        case "value_at" | "record" | "window_of_key":
            return {member: _exact(each) if member in ("key", "value") else each for member, each in value.items()}
        case _:
            return value


def _exact(value: Any) -> Any:
    match value:
        case bool():
            return value
        case int() if abs(value) > EXACT:
            return {AS_WRITTEN: str(value)}
        case float() if value.is_integer() or not 1e-4 <= abs(value) < 1e16:
            return {AS_WRITTEN: _json(value)}
        case dict():
            return {name: _exact(each) for name, each in value.items()}
        case list() | tuple():
            return [_exact(each) for each in value]
        case _:
            return value


def _json(value: float) -> str:
    """As ``json.dumps`` writes it."""
    if value != value:
        return "NaN"
    return repr(value) if abs(value) != float("inf") else "Infinity" if value > 0 else "-Infinity"


def code(scenario: Scenario) -> list[dict[str, Any]]:
    """The chapters of the code walk: {name, methods: [{flink, lines: [[id, text], …]}]}; ids are "" where none is."""
    return [
        {
            "name": part.name,
            "methods": [
                {"flink": method.flink, "lines": [[line.id, line.text] for line in method.lines]}
                for method in part.methods
            ],
        }
        for part in walk(scenario)
    ]
