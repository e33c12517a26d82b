"""Rows of the plane: each a fact with ``from_step`` and ``until_step``, computed once from the timeline's tables.

Coordinates are data values inside the axes' domains, so that an endless window or a watermark of +∞ ends at the edge.
Where labels find room is decided in the browser, which knows the true size (``ui/player/picture/layout.ts``): a row
says only what its label reads, and how important it is.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.timeline.ids import key_id
from tidemark.simulator.timeline.records import null_rowtimes
from tidemark.simulator.words import words
from tidemark.ui.payload.charts import axes
from tidemark.ui.payload.charts.axes import Axis
from tidemark.ui.payload.times import TimeStyle

# A row of the plane, which is a fact with ``from_step`` and ``until_step``; and how far arrival is at each step.

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]


def lasting(from_step: int = 0, until_step: int | None = None, **row: Any) -> Row:
    """A row with its life."""
    return {"from_step": from_step, "until_step": until_step, **row}


def moments(tables: Tables, by_item: bool) -> list[int]:
    """Where on the arrival axis each step is. A micro-batch works on earlier items and stays where it was cut off."""
    found = [step["item"] if by_item else step["at"] for step in tables["steps"]]
    return list(accumulate(found, max)) if tables.get("batches") else found


# Results on the plane: a box for each, struck through once retracted; bars that span its window; single marks.

LOOK_OF_TIMING = {"early": "early", "late": "late"}
BOXED = frozenset({"pane", "joined", "group", "ranked"})
WITHDRAWALS = frozenset({"-U", "-D"})


def panes(tables: Tables, x: Axis, y: Axis, style: TimeStyle) -> dict[str, list[Row]]:
    """``boxes``, ``bars`` and (for sorted and joined records) the single marks ``emitted``.

    A box has a ``look``: ``solid``, ``early``, ``late`` or ``minus`` (takes a result back), and may be ``struck``.
    ``place`` is the id of the first box that has its place: what is emitted again after a restore stands there too.
    """
    boxes: list[Row] = []
    bars: list[Row] = []
    emitted: list[Row] = []
    taken_back = {row["output"]: row["from_step"] for row in tables.get("retracted", [])}
    places: dict[tuple[Any, ...], str] = {}
    again = _again(tables)
    void = [(fact, True) for fact in tables.get("void", [])]
    for fact, gone in [*((fact, False) for fact in tables.get("outputs", [])), *void]:
        row, life, id = fact["row"], (fact["from_step"], fact["until_step"]), fact["id"]
        at_y = y.clamp(fact["arrival"], y.low)
        alone = row["row"] == "joined" and row.get("start") is None
        if row["row"] == "emitted" or alone:
            at = _own_time(row) if alone else row["ts"]
            if not gone:
                look = "minus" if row.get("change") in WITHDRAWALS else "solid"
                emitted.append(lasting(*life, id=id, x=x.clamp(at, x.low), y=at_y, look=look))
            continue
        if row["row"] not in BOXED:
            continue
        minus = row.get("change") in WITHDRAWALS
        start, end = style.on_axis(row.get("start"), row.get("end"))
        low, high = x.clamp(start, x.low), x.clamp(end, x.high)
        if not minus and not gone:
            bars.append(lasting(*life, id=id, x=low, x2=high, y=at_y, y2=at_y))
        look = "minus" if minus else LOOK_OF_TIMING.get(row.get("timing", "on-time"), "solid")
        text = pane_text(row)
        here = (low, high, at_y, text, look)
        place = places.get(here, id) if gone or fact["from_step"] in again else id
        places[here] = place
        box = {"id": id, "place": place, "x": low, "x2": high, "y": at_y, "text": text, "look": look}
        cut = taken_back.get(fact["id"])
        if gone or minus or cut is None or (life[1] is not None and cut >= life[1]):
            boxes.append(lasting(*life, **box, struck=gone or minus))
        else:
            boxes.append(lasting(life[0], cut, **box, struck=False))
            boxes.append(lasting(cut, life[1], **box, struck=True))
    return {"boxes": boxes, "bars": bars, "emitted": emitted}


def _own_time(row: Row) -> int:
    """The time (ms) of a pair that no window has made; rows of Spark's rules do not carry one."""
    time: int = row["timestamp"] if "timestamp" in row else max(row[side]["ts"] for side in ("left", "right"))
    return time


def _again(tables: Tables) -> frozenset[int]:
    """Steps at which a withdrawn row is emitted again."""
    return frozenset(row["until_step"] for row in tables.get("void", []) if row["until_step"] is not None)


def pane_text(row: Row) -> str:
    """``a 22 ↻1``: key, value and, for an update, its number; of a join both sides."""
    update = f" ↻{row['pane']}" if row.get("timing") == "late" else ""
    key = str(row["key"]).lower() if isinstance(row["key"], bool) else str(row["key"])
    if row["row"] == "joined":
        right = row["right"]
        other = "∅" if right is None else _compact(right["value"])
        return f"{key} {_compact(row['left']['value'])} ⋈ {other}"
    if row["row"] == "group":
        return f"{key} {_side(row['left'])} · {_side(row['right'])}"
    if row["row"] == "ranked":
        return f"{key} {row['rank']}) {_compact(row['value'])}"
    value = row.get("value", "")
    shown = value if isinstance(value, str) else _compact(value)
    return f"{key} {shown}{update}".strip()


MOST_OF_ROW = 28
"""The most letters of a value with several columns."""


def _side(values: Any) -> str:
    """One side of a group; ∅ if it is empty."""
    return "∅" if values is None or values == [] else _compact(values)


def _compact(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        text = " · ".join(f"{name} {_compact(each)}" for name, each in value.items())
        return text if len(text) <= MOST_OF_ROW else f"{text[: MOST_OF_ROW - 1]}…"
    if isinstance(value, list):
        text = ", ".join(map(_compact, value))
        return f"[{text}]" if len(text) < 22 else f"[{len(value)}]"
    return str(value)


# What a record's mark on the plane shows in addition to its fate.

CROSSED = frozenset({"dropped", "side", "skipped"})
"""Fates drawn as a cross."""

BEHIND = "behind"
"""The look of a record that came behind the watermark and is on time all the same."""


def behind(tables: Tables) -> frozenset[str]:
    """Ids of the records whose timestamp the operator's watermark had reached when they arrived.

    Such a record is late only once its windows have passed: a window that is still open takes it on time, and so does a
    session that it merges with. By Spark's rules a batch judges by the watermark of the batch before: none is behind.
    """
    watermarks = tables.get("watermark", [])
    if tables.get("batches"):
        return frozenset()
    begins = [fact["from_step"] for fact in watermarks]
    found = set()
    for record in tables.get("records", []):
        if record["fate"] != "arrived" or record["ts"] is None:
            continue
        place = bisect_right(begins, record["from_step"]) - 1
        value = watermarks[place]["value"] if place >= 0 else None
        if value is not None and record["ts"] <= value:
            found.add(record["id"])
    return frozenset(found)


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
            texts = {
                name: _mark_text(value, outside, each) for name, each in (("text", style.exact), ("round", style.round))
            }
            mark.append(lasting(begin, end, x=here, y=bottom, **texts, moved=drawn))
    return {"segments": segments, "behind": behind, "mark": mark}


def _mark_text(value: int | None, outside: bool, text: Callable[[int], str]) -> str:
    if value is None:
        return words("player.no_watermark")
    if value == MAX:
        return words("player.watermark_end")
    return words("player.watermark_outside" if outside else "player.watermark_mark", value=text(value))


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

    A record without a timestamp lies at its arrival (processing time), or at the edge if its time is NULL. ``text``:
    its label where the mark carries the key as its ``letter``, ``full``: where it does not. ``rank``: 2 for what is
    late, 1 for what is out of order, else 0.
    """
    facts = tables.get("records", [])
    ahead: list[Row] = []
    records: list[Row] = []
    connectors: list[Row] = []
    late = {f["id"] for f in facts if f["fate"] in ("late-accepted", *CROSSED)}
    disordered = {f["id"] for f in facts if f["out_of_order"]}
    one_key = len({key_id(fact["key"]) for fact in facts}) == 1
    overtaken, nulls = behind(tables), null_rowtimes(tables.get("steps", []))
    for fact in facts:
        time = x.low if fact["item"] in nulls else _time_of(fact)
        at_x, at_y = x.clamp(time, x.low), y.clamp(fact["arrival"], y.low)
        life = (fact["from_step"], fact["until_step"])
        fate = fact["fate"]
        letter = str(fact["key"]) if len(str(fact["key"])) <= MOST_LETTERS else ""
        row = lasting(
            *life, id=fact["id"], x=at_x, y=at_y, letter=letter,
            fate=BEHIND if fate == "on-time" and fact["id"] in overtaken else fate,
            text="NULL" if fact["item"] in nulls else label_text(fact, fate in ("late-accepted", "filtered", *CROSSED)),
            full=label_text(fact, not one_key),
            rank=2 if fact["id"] in late else 1 if fact["id"] in disordered else 0,
        )  # fmt: skip
        (ahead if fate == "ahead" else records).append(row)
        if fact["out_of_order"] and fate != "ahead" and fact["newest_ts"] is not None:
            connectors.append(lasting(*life, id=fact["id"], x=x.clamp(fact["newest_ts"], x.low), x2=at_x,
                                      y=y.clamp(fact["newest_arrival"], y.low), y2=at_y))  # fmt: skip
    return {"ahead": ahead, "records": records, "connectors": connectors}


def _time_of(record: Row) -> int:
    """Where it lies in event time (ms)."""
    time: int = record["at"] if record["ts"] is None else record["ts"]
    return time


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


# A long run on the plane: part after part, each with axes of its own, so that one can see its records apart.
#
# A run of few records is one part. Otherwise a part has ``PART`` records, and before them the last ones of the part
# before.

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
        found = plane_rows(own, x, y, style, by_item)
        for name, each in found.items():
            rows.setdefault(name, []).extend(each if len(parts) == 1 else _within(each, part, steps))
    for source in rows.values():
        source.sort(key=lambda row: row["from_step"])
    return {"parts": told, "sources": rows}


def whole(tables: Tables, style: TimeStyle, by_item: bool) -> tuple[dict[str, list[Row]], axes.Axis, axes.Axis]:
    """The rows of all sources and the two axes of a run, however long it is, as one part."""
    x, y = _axes(tables, style, by_item, USUAL)
    return plane_rows(tables, x, y, style, by_item), x, y


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
    nulls = null_rowtimes(tables.get("steps", []))
    timestamps = [_time_of(r) for r in tables["records"] if r["item"] not in nulls or len(tables["records"]) == 1]
    windows = {style.on_axis(w["start"], w["end"]) for w in tables["windows"]}
    ranges = [buffered for buffered in tables.get("buffers", []) if buffered.get("low") is not None]
    windows |= {(b["low"], b["high"] if b["kept_until"] is None else max(b["high"], b["kept_until"])) for b in ranges}
    watermarks = [w["value"] for w in tables["watermark"] if w["value"] is not None]
    key = "item" if by_item else "at"
    own = [r["arrival"] for r in tables["records"]]
    y = axes.arrival_axis(own + [s[key] for s in tables["steps"]], by_item, style, min(own, default=None), room[1])
    return axes.event_time_axis(timestamps, windows, watermarks, style, room[0]), y
