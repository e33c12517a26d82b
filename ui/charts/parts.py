"""A long run on the plane: part after part, each with axes of its own, so that one can see its records apart.

A run of few records is one part. Otherwise a part has ``PART`` records, and before them the last ones of the part
before.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tidemark.ui.charts import axes, sources
from tidemark.ui.charts.rows import moments
from tidemark.ui.times import TimeStyle

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]

USUAL = (1.0, 1.0)

ONE_PART = 400
"""A run of at most this many records is shown as a whole."""

PART, BEFORE = 280, 90
"""Records that a part adds, and how many of the part before it still shows."""


BEGUN = ("windows", "outputs", "void", "buffers", "watermark")
"""Tables of which a part's picture shows what began while it grew."""


@dataclass(frozen=True)
class Part:
    """A part is shown from step ``first`` until ``until`` (exclusive); its picture begins at step ``since``."""

    first: int
    until: int
    since: int
    records: list[Row]
    low: int
    high: int
    """Which records it shows, by their place in the order of arrival (``high`` exclusive)."""


def plane(
    tables: Tables, steps: int, style: TimeStyle, by_item: bool, room: tuple[float, float] = USUAL
) -> dict[str, Any]:
    """``parts``: for each its first ``step``, its ``signals`` and which records it shows; ``sources``: the rows of all.

    A row lives within the steps of its part. ``room``: which share of the usual width and height there is.
    """
    parts = parts_of(tables, steps, by_item)
    rows: dict[str, list[Row]] = {}
    told = []
    for part in parts:
        own = _tables_of(part, tables)
        x, y = _axes(own, style, by_item, room)
        told.append(
            {
                "step": part.first,
                "signals": {**axes.as_signals("x", x), **axes.as_signals("y", y)},
                "from_record": part.low,
                "until_record": part.high,
            }
        )
        found = sources.plane_rows(own, x, y, style, by_item)
        for name, each in found.items():
            rows.setdefault(name, []).extend(each if len(parts) == 1 else _within(each, part, steps))
    for source in rows.values():
        source.sort(key=lambda row: row["from_step"])
    return {"parts": told, "sources": rows}


def parts_of(tables: Tables, steps: int, by_item: bool) -> list[Part]:
    """The parts in order of their steps; together they cover every step once."""
    facts: dict[str, list[Row]] = {}
    for row in tables["records"]:
        facts.setdefault(row["id"], []).append(row)
    order = sorted(facts.values(), key=lambda lives: lives[0]["arrival"])
    if len(order) <= ONE_PART:
        return [Part(0, steps, 0, tables["records"], 0, len(order))]
    reached = moments(tables, by_item)
    arrivals = [lives[0]["arrival"] for lives in order]
    firsts = {0: 0}
    for number in range(1, len(order) // PART):
        step = bisect_left(reached, arrivals[number * PART])
        if max(firsts) < step < steps:
            firsts[step] = bisect_left(arrivals, arrivals[number * PART])
    begins = [*firsts, steps]
    parts = []
    for place, (first, own) in enumerate(firsts.items()):
        low = max(own - BEFORE, 0)
        until = begins[place + 1]
        high = len(order) if until == steps else firsts[until]
        since = bisect_left(reached, arrivals[low]) if low else 0
        parts.append(Part(first, until, since, [row for lives in order[low:high] for row in lives], low, high))
    return parts


def _tables_of(part: Part, tables: Tables) -> dict[str, list[Row]]:
    """The rows that begin while the part's picture grows."""
    if part.since == 0 and part.until >= len(tables["steps"]):
        return dict(tables)
    begun = {name: _begun(tables.get(name, []), part.since, part.until) for name in BEGUN}
    before = bisect_left(tables["watermark"], part.since + 1, key=_from) - 1
    if before >= 0 and tables["watermark"][before]["from_step"] < part.since:
        begun["watermark"].insert(0, tables["watermark"][before])
    records = sorted(part.records, key=_from)
    return {**tables, **begun, "records": records, "steps": tables["steps"][part.since : part.until]}


def _begun(rows: list[Row], since: int, until: int) -> list[Row]:
    return rows[bisect_left(rows, since, key=_from) : bisect_left(rows, until, key=_from)]


def _from(row: Row) -> int:
    step: int = row["from_step"]
    return step


def _within(rows: Sequence[Row], part: Part, steps: int) -> list[Row]:
    """The rows, restricted to the part's own steps."""
    found = []
    for row in rows:
        until = steps if row["until_step"] is None else row["until_step"]
        first, last = max(row["from_step"], part.first), min(until, part.until)
        if first < last:
            found.append({**row, "from_step": first, "until_step": None if last == steps else last})
    return found


def _axes(tables: Tables, style: TimeStyle, by_item: bool, room: tuple[float, float]) -> tuple[axes.Axis, axes.Axis]:
    timestamps = [r["at"] if r["ts"] is None else r["ts"] for r in tables["records"]]
    windows = {style.on_axis(w["start"], w["end"]) for w in tables["windows"]}
    ranges = [buffered for buffered in tables.get("buffers", []) if buffered.get("low") is not None]
    windows |= {(b["low"], b["high"] if b["kept_until"] is None else max(b["high"], b["kept_until"])) for b in ranges}
    watermarks = [w["value"] for w in tables["watermark"] if w["value"] is not None]
    key = "item" if by_item else "at"
    own = [r["arrival"] for r in tables["records"]]
    y = axes.arrival_axis(own + [s[key] for s in tables["steps"]], by_item, style, min(own, default=None), room[1])
    return axes.event_time_axis(timestamps, windows, watermarks, style, room[0]), y
