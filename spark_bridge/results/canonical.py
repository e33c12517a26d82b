"""One form for keys, values and rows, in which what the contract calls equal is equal.

A *key* is its JSON text, so that ``1``, ``"1"`` and ``true`` stay apart. A *value* is a pair, one half of which is
None: a text (integers, strings, null, lists, mappings, as JSON) or a double. A double that is a whole number below
2**53 is written as that integer, since 3 and 3.0 are equal. The value of a pair or of a group is the mapping of its
``left`` and ``right``. A rank stands where a pane has its number, and the record's ``own`` value, which OVER gives with
the aggregate, is its JSON text. A *row* is the flat tuple of ``COLUMNS``; the watermark before the first one is
``MIN``, never None.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from tidemark.simulator.engine.values.time import MIN

COLUMNS: Final = (
    "row",
    "key",
    "start",
    "end",
    "timing",
    "pane",
    "change",
    "time",
    "value_text",
    "value_number",
    "watermark",
    "at",
    "item",
    "input",
    "own",
)
"""The columns of a row, in this order. ``time`` is a result's ``timestamp``, or the ``ts`` of a single record."""

TEXTS: Final = frozenset({"row", "key", "timing", "change", "value_text", "input", "own"})
"""The columns that hold text; ``value_number`` holds a double, the others 64-bit integers."""

RESULTS: Final = frozenset({"pane", "joined", "group", "emitted", "ranked"})
"""The kinds of row that a firing emits."""

TWO_SIDED: Final = frozenset({"joined", "group"})
"""The kinds of row that have a ``left`` and a ``right`` in place of a value."""

SIDES: Final = ("left", "right")

COMPARED: Final = RESULTS | {"late", "dropped"}
"""The kinds of row that both sides must agree on."""

EXACT: Final = 2**53
"""Below this, in absolute value, every whole number is a double, and neighbouring doubles differ by less than 1."""

Columns = tuple[Any, ...]
Value = tuple[str | None, float | None]


@lru_cache(maxsize=65_536, typed=True)
def key_text(key: str | int | bool) -> str:
    """The key as JSON text."""
    return json.dumps(key, ensure_ascii=False)


def value_of(value: Any) -> Value:
    """The two halves of a canonical value."""
    if type(value) is int:  # by far the most frequent
        return str(value), None
    value = _whole(value)
    if isinstance(value, float):
        return None, value
    return _json(value), None


def value_json(value: Any) -> str:
    """A record's own value as canonical JSON."""
    return _json(_whole(value))


def aggregates_text(values: Mapping[str, Any]) -> str:
    """Aggregates of columns by name, as canonical JSON.

    Of a double twelve digits count: the order in which an engine adds shows only behind them.
    """
    return _json(_whole({name: _shortened(value) for name, value in values.items()}))


def _shortened(value: Any) -> Any:
    if isinstance(value, list):
        return [_shortened(each) for each in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


def plain_value(text: str | None, number: float | None) -> Any:
    """The value, from its two halves."""
    return number if text is None else json.loads(text)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _whole(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if abs(value) < EXACT and value.is_integer() else value
    if isinstance(value, (list, tuple)):
        return [_whole(each) for each in value]
    if isinstance(value, Mapping):
        return {name: _whole(each) for name, each in value.items()}
    return value


def columns_of(row: Mapping[str, Any]) -> Columns:
    """A row of the simulator, of a kind that is ``COMPARED``, as the tuple of ``COLUMNS``."""
    get = row.get
    if row["row"] in TWO_SIDED:
        text, number = value_of({side: row[side] for side in SIDES})
    elif isinstance(row["value"], Mapping) and ("own" in row or row["row"] == "pane"):
        text, number = aggregates_text(row["value"]), None
    else:
        text, number = value_of(row["value"])
    time = row["timestamp"] if "timestamp" in row else row["ts"]
    watermark = MIN if row["watermark"] is None else row["watermark"]
    pane = row["rank"] if "rank" in row else get("pane")
    own = value_json(row["own"]) if "own" in row else None
    return (
        *(row["row"], key_text(row["key"]), get("start"), get("end"), get("timing"), pane, get("change"), time),
        *(text, number, watermark, row["at"], row["item"], get("input"), own),
    )


def row_of(columns: Columns) -> dict[str, Any]:
    """The row as the contract writes it, from a tuple of ``COLUMNS``."""
    given = dict(zip(COLUMNS, columns, strict=True))
    kind = given["row"]
    value = plain_value(given["value_text"], given["value_number"])
    last = {"watermark": None if given["watermark"] == MIN else given["watermark"]}
    last |= {"at": given["at"], "item": given["item"]}
    key = {"key": json.loads(given["key"])}
    bounds = {"start": given["start"], "end": given["end"]}
    if kind == "pane":
        own = bounds | {"timing": given["timing"], "pane": given["pane"], "value": value, "timestamp": given["time"]}
        change = {} if given["change"] is None else {"change": given["change"]}
        return {"row": kind} | key | own | change | last
    if kind in TWO_SIDED:
        time = {"timestamp": given["time"]}
        both = value if isinstance(value, dict) else {"left": value, "right": None}
        own = both | time | bounds if kind == "joined" else both | bounds | time
        return {"row": kind} | key | own | last
    record = {"ts": given["time"], "value": value}
    if kind == "ranked":
        return {"row": kind} | key | bounds | {"rank": given["pane"]} | record | last
    where = {} if given["input"] is None else {"input": given["input"]}
    change = {} if given["change"] is None else {"change": given["change"]}
    own = {} if given["own"] is None else {"own": json.loads(given["own"])}
    of_window = {} if given["start"] is None else bounds
    return {"row": kind} | where | key | record | own | of_window | change | last
