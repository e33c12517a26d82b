"""Short names of records and results, for lists."""

from collections.abc import Mapping
from typing import Any

from tidemark.simulator.words import words
from tidemark.ui.charts.panes import pane_text
from tidemark.ui.times import TimeStyle

MOST = 60
"""How many characters of a key or value are shown; an author's may be long."""


def record_name(row: Mapping[str, Any], style: TimeStyle) -> str:
    """``a at 3.9 s, value 6``."""
    key = str(row["key"]).lower() if isinstance(row["key"], bool) else str(row["key"])
    at = row["at"] if row["ts"] is None else row["ts"]
    name = words("author.names.record", key=_cut(key), time=style.format.record(at))
    value = row["value"]
    return name if value is None else words("author.names.valued", record=name, value=_cut(str(value)))


def result_name(row: Mapping[str, Any], style: TimeStyle, by_item: bool = False) -> str:
    """``a [0, 5) = 22, late pane ↻1, at 10.3 s``; ``at #7`` if ``by_item``, where the clock tells nothing apart."""
    key = _cut(str(row["key"]))
    if "at" not in row:
        when = words("author.names.batch", batch=row["batch"])
    elif by_item:
        when = words("author.names.in_order", item=row["item"])
    else:
        when = words("author.names.when", time=style.format.record(row["at"]))
    if row["row"] == "pane":
        timing = row.get("timing", "on-time")
        what = words(f"author.names.{timing.replace('-', '_')}", number=row.get("pane", 0))
        window = style.window(row["start"], row["end"])
        return words("author.names.pane", key=key, window=window, value=_cut(str(row["value"])), timing=what, when=when)
    if row["row"] == "ranked":
        window, value = style.window(row["start"], row["end"]), _cut(str(row["value"]))
        return words("author.names.ranked", key=key, window=window, value=value, rank=row["rank"], when=when)
    if row["row"] == "emitted":
        return words("author.names.emitted", key=key, time=style.format.record(row["ts"]), when=when)
    return words("author.names.joined", pair=_cut(pane_text(dict(row))), when=when)


def window_name(row: Mapping[str, Any], style: TimeStyle) -> str:
    """What a result is about: ``[0, 5) of a``, a record of a key, or a pair."""
    key = _cut(str(row["key"]))
    if row.get("start") is not None and row.get("end") is not None:
        return words("tryout.window", window=style.window(row["start"], row["end"]), key=key)
    if row["row"] == "emitted":
        return words("author.names.record", key=key, time=style.format.record(row["ts"]))
    return _cut(pane_text(dict(row)))


def value_name(row: Mapping[str, Any]) -> str:
    """What a result holds."""
    return _cut(str(row["value"])) if "value" in row else _cut(f"{row['left']} · {row['right']}")


def _cut(text: str) -> str:
    return text if len(text) <= MOST else f"{text[: MOST - 1]}…"
