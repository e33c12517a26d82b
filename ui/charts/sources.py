"""Rows of the plane: each a fact with ``from_step`` and ``until_step``, computed once from the timeline's tables.

Coordinates are data values inside the axes' domains, so that an endless window or a watermark of +∞ ends at the edge.
Where labels find room is decided in the browser, which knows the true size (``ui/player/picture/layout.js``): a row
says only what its label reads, and how important it is.
"""

from itertools import pairwise

from tidemark.simulator.timeline.ids import key_id
from tidemark.simulator.values.time import MAX
from tidemark.simulator.words import words
from tidemark.ui.charts.axes import Axis
from tidemark.ui.charts.fates import BEHIND, CROSSED, behind
from tidemark.ui.charts.panes import panes
from tidemark.ui.charts.rows import Row, Tables, lasting, moments
from tidemark.ui.times import TimeStyle

MOST_LETTERS = 2
"""The longest key (letters) that stands in a record's mark."""

MOST_NAMED = 20
"""With at most this many batches, each has its name at its line."""

SOURCES = ("bands", "behind", "borders", "ideal", "stops", "connectors", "bars", "segments", "now", "sides", "ahead",
           "records", "halo", "boxes", "emitted", "mark")  # fmt: skip
"""The names of the plane's sources, in drawing order."""

STOPS = {"CheckpointTaken": "checkpoint", "Restored": "restored"}
"""The kind of line that an event draws across the plane."""


def plane_rows(tables: Tables, x: Axis, y: Axis, style: TimeStyle, by_item: bool) -> dict[str, list[Row]]:
    """All sources of the plane (``SOURCES``) for these facts, each in order of ``from_step``."""
    now = _now(tables, by_item)
    rows = {
        **_windows(tables, x, style),
        **_watermark(tables, x, y, style, now),
        **_records(tables, x, y),
        "halo": _halos(tables),
        "now": [lasting(a, b, y=y.clamp(v, y.low), text=str(v) if by_item else style.of_day(v)) for a, b, v in now],
        "sides": _sides(tables),
        **panes(tables, x, y, style),
        "stops": [*_stops(tables, y, by_item), *_batches(tables, y)],
        "ideal": [] if by_item or not tables["watermark"] else _ideal(x, y),
    }
    for source in rows.values():
        source.sort(key=_begin)
    return rows


def _begin(row: Row) -> int:
    begin: int = row["from_step"]
    return begin


def dot_size(records: int) -> int:
    """The largest diameter (px) of a record's mark: large enough for a letter while there are few."""
    return 20 if records <= 40 else 13 if records <= 120 else 9


def _now(tables: Tables, by_item: bool) -> list[tuple[int, int | None, int]]:
    """(from, until, where on the arrival axis) for every stretch of steps at one moment."""
    stretches: list[tuple[int, int | None, int]] = []
    for step, value in zip(tables["steps"], moments(tables, by_item), strict=True):
        if stretches and stretches[-1][2] == value:
            continue
        if stretches:
            stretches[-1] = (stretches[-1][0], step["step"], stretches[-1][2])
        stretches.append((step["step"], None, value))
    return stretches


def _windows(tables: Tables, x: Axis, style: TimeStyle) -> dict[str, list[Row]]:
    """All windows of the run; shaded and named if they do not overlap."""
    named = {style.on_axis(w["start"], w["end"]): w for w in tables.get("windows", []) if w["start"] is not None}
    spans = sorted((start, end) for start, end in named if start is not None and end is not None)
    borders = {b for span in spans for b in span if x.low < b < x.high}
    if any(a[1] > b[0] for a, b in pairwise(spans)):
        return {"bands": [], "borders": []}
    size = min((end - start for start, end in spans), default=0)
    # A window whose end has overflowed may be empty: nothing repeats then.
    evenly = style.format.session is None  # a day in which the clock is changed is longer or shorter than others
    if (
        evenly
        and spans
        and size > 0
        and all(end - start == size and (start - spans[0][0]) % size == 0 for start, end in spans)
    ):
        first = spans[0][0] - -(-int(spans[0][0] - x.low) // size) * size
        spans = [(s, s + size) for s in range(first, int(x.high), size)] if (x.high - first) / size < 400 else spans
        borders |= {b for span in spans for b in span if x.low < b < x.high}
    bands = []
    for number, (start, end) in enumerate(spans):
        low, high = x.clamp(start, x.low), x.clamp(end, x.high)
        if low < high:
            bands.append(
                lasting(x=low, x2=high, shaded=number % 2 == 0, text=_name(named.get((start, end)), start, end, style))
            )
    return {"bands": bands, "borders": [lasting(x=b) for b in sorted(borders)]}


def _name(window: Row | None, start: int, end: int, style: TimeStyle) -> str:
    return style.window(start, end) if window is None else style.window(window["start"], window["end"])


def _watermark(
    tables: Tables, x: Axis, y: Axis, style: TimeStyle, now: list[tuple[int, int | None, int]]
) -> dict[str, list[Row]]:
    """Region behind the watermark, its step line, and the mark with the value at its end.

    A watermark left of the axis has no line: an arrow at the edge says where it is.
    """
    segments: list[Row] = []
    behind: list[Row] = []
    mark: list[Row] = []
    for fact in tables.get("watermark", []):
        a, b, value = fact["from_step"], fact["until_step"], fact["value"]
        if value is None and a > 0:  # a restore: the watermark reached before ends there
            segments, behind = _ended(segments, a), _until(behind, a)
        outside = value is not None and value < x.low
        drawn = value is not None and not outside
        here, top = x.clamp(value, x.low), y.clamp(fact["arrival"], y.low)
        if fact["before"] is not None and drawn:
            segments.append(lasting(a, x=x.clamp(fact["before"], x.low), x2=here, y=top, y2=top, ended=False))
        for since, until, moment in now:
            if (until is not None and until <= a) or (b is not None and since >= b):
                continue
            begin, end = max(since, a), b if until is None else until if b is None else min(until, b)
            bottom = max(y.clamp(moment, y.low), top if drawn else y.low)
            last = b is not None and (until is None or until >= b)
            if drawn:
                life = (begin, None if last else end)
                segments.append(lasting(*life, x=here, x2=here, y=top, y2=bottom, ended=False))
                behind.append(lasting(*life, x=x.low, x2=here, y=top, y2=bottom))
            mark.append(lasting(begin, end, x=here, y=bottom, text=_mark_text(value, outside, style), moved=drawn))
    return {"segments": segments, "behind": behind, "mark": mark}


def _mark_text(value: int | None, outside: bool, style: TimeStyle) -> str:
    if value is None:
        return words("player.no_watermark")
    if value == MAX:
        return words("player.watermark_end")
    return words("player.watermark_outside" if outside else "player.watermark_mark", value=style.exact(value))


def _until(rows: list[Row], step: int) -> list[Row]:
    """The rows from before ``step``, which end there."""
    return [
        row if row["until_step"] is not None and row["until_step"] <= step else row | {"until_step": step}
        for row in rows
    ]


def _ended(segments: list[Row], step: int) -> list[Row]:
    """The line of before a restore: from then on it only says how far time had come."""
    lasted = [row for row in segments if row["until_step"] is None or row["until_step"] > step]
    return _until(segments, step) + [row | {"from_step": step, "until_step": None, "ended": True} for row in lasted]


def _records(tables: Tables, x: Axis, y: Axis) -> dict[str, list[Row]]:
    """The records by what is known of them, and lines back to the newest one before each that is out of order.

    A record without a timestamp (processing time) lies at its arrival. ``text`` is its label where the mark carries the
    key as its ``letter``, ``full`` where it does not. ``rank``: 2 for what is late, 1 for what is out of order, else 0.
    """
    facts = tables.get("records", [])
    ahead: list[Row] = []
    records: list[Row] = []
    connectors: list[Row] = []
    late = {f["id"] for f in facts if f["fate"] in ("late-accepted", *CROSSED)}
    disordered = {f["id"] for f in facts if f["out_of_order"]}
    one_key = len({key_id(fact["key"]) for fact in facts}) == 1
    overtaken = behind(tables)
    for fact in facts:
        at_x, at_y = x.clamp(fact["at"] if fact["ts"] is None else fact["ts"], x.low), y.clamp(fact["arrival"], y.low)
        life = (fact["from_step"], fact["until_step"])
        fate = fact["fate"]
        letter = str(fact["key"]) if len(str(fact["key"])) <= MOST_LETTERS else ""
        row = lasting(
            *life, id=fact["id"], x=at_x, y=at_y, letter=letter,
            fate=BEHIND if fate == "on-time" and fact["id"] in overtaken else fate,
            text=label_text(fact, fate in ("late-accepted", *CROSSED)), full=label_text(fact, not one_key),
            rank=2 if fact["id"] in late else 1 if fact["id"] in disordered else 0,
        )  # fmt: skip
        (ahead if fate == "ahead" else records).append(row)
        if fact["out_of_order"] and fate != "ahead" and fact["newest_ts"] is not None:
            connectors.append(lasting(*life, id=fact["id"], x=x.clamp(fact["newest_ts"], x.low), x2=at_x,
                                      y=y.clamp(fact["newest_arrival"], y.low), y2=at_y))  # fmt: skip
    return {"ahead": ahead, "records": records, "connectors": connectors}


def label_text(record: Row, with_key: bool) -> str:
    """What stands beside a record: its value, with the key where the mark cannot carry it.

    A value of several fields is too long: then its number in the stream, as on its chip in the lanes.
    """
    key, value = record["key"], record["value"]
    shown = "" if value is None else f"#{record['item']}" if isinstance(value, dict) else str(value)
    if len(shown) > 10:
        shown = shown[:9] + "…"
    name = str(key).lower() if isinstance(key, bool) else str(key)
    return f"{name} {shown}".strip() if with_key else shown


def _halos(tables: Tables) -> list[Row]:
    """A ring for one step round every record that the step touches."""
    known = {fact["id"] for fact in tables.get("records", [])}
    return [
        lasting(step["step"], step["step"] + 1, id=id)
        for step in tables["steps"]
        for id in step["touches"]
        if id in known
    ]


def _stops(tables: Tables, y: Axis, by_item: bool) -> list[Row]:
    """A line across the plane where a checkpoint was taken or gone back to, with its name."""
    rows = []
    for step in tables["steps"]:
        kind = STOPS.get(step["event"])
        if not kind:
            continue
        number = step["step"]
        latest = (c["name"] for c in tables.get("checkpoints", []) if c["latest"] and _alive(c, number))
        text = words(f"player.picture.{kind}", checkpoint=next(latest, ""))
        rows.append(lasting(number, y=y.clamp(step["item"] if by_item else step["at"], y.low), text=text))
    return rows


def _batches(tables: Tables, y: Axis) -> list[Row]:
    """A line across the plane where each micro-batch was cut off: below its last record, where no item ends it."""
    records = {record["arrival"] for record in tables.get("records", [])}
    facts: dict[str, Row] = {}
    for fact in tables.get("batches", []):
        facts.setdefault(fact["id"], fact)
    named = len(facts) <= MOST_NAMED
    rows = []
    for fact in facts.values():
        at = fact["arrival"] + (0.5 if fact["arrival"] in records else 0)
        text = words("player.batches.border", number=fact["number"]) if named else ""
        rows.append(lasting(fact["from_step"], y=y.clamp(at, y.low), text=text))
    return rows


def _alive(fact: Row, step: int) -> bool:
    return fact["from_step"] <= step and (fact["until_step"] is None or step < fact["until_step"])


def _sides(tables: Tables) -> list[Row]:
    """Of two inputs which one a record came in by: a pointer on that side of its mark."""
    facts = tables.get("records", [])
    if {fact["input"] for fact in facts} - {"left", "right"} or not facts:
        return []
    return [
        lasting(f["from_step"], f["until_step"], id=f["id"], right=f["input"] == "right", quiet=f["fate"] == "ahead")
        for f in facts
    ]


def _ideal(x: Axis, y: Axis) -> list[Row]:
    """Where records would lie if they arrived the moment they happened: the diagonal, as far as both axes go."""
    low, high = max(x.low, y.low), min(x.high, y.high)
    return [lasting(x=low, x2=high, y=low, y2=high, text=words("player.ideal"))] if low < high else []
