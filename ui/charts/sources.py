"""Rows of the plane: each a fact with ``from_step`` and ``until_step``, computed once from the timeline's tables.

Coordinates are data values inside the axes' domains, so that an endless window or a watermark of +∞ ends at the edge.
"""

from itertools import pairwise

from simulator.timeline.ids import key_id
from simulator.values.time import MAX
from simulator.words import words
from ui.charts.axes import NOMINAL_HEIGHT, NOMINAL_WIDTH, Axis
from ui.charts.crowding import Crowding
from ui.charts.fates import CROSSED
from ui.charts.panes import panes
from ui.charts.rows import Row, Tables, lasting, moments
from ui.times import TimeStyle

MOST_NAMED = 20
"""With at most this many batches, each has its name at its line."""

STOPS = {"CheckpointTaken": "checkpoint", "Restored": "restored"}
"""The kind of line that an event draws across the plane."""


def plane_rows(tables: Tables, x: Axis, y: Axis, style: TimeStyle, by_item: bool) -> dict[str, list[Row]]:
    """All sources of ``ui.charts.plane`` for these facts, each in order of ``from_step``."""
    dot = dot_size(len({r["id"] for r in tables.get("records", [])}))
    crowding = Crowding(x, y)
    now = _now(tables, by_item)
    place = _places(tables, x, y, dot, crowding)
    watermark = _watermark(tables, x, y, style, now)
    for line in watermark["segments"]:
        crowding.take_line(line["x"], line["y"], line["x2"], line["y2"])
    rows = {
        **_windows(tables, x, style),
        **watermark,
        **_records(tables, x, y, dot, crowding, place),
        "now": [lasting(a, b, y=y.clamp(v, y.low), text=str(v) if by_item else style.of_day(v)) for a, b, v in now],
        "sides": _sides(tables, place),
        **panes(tables, x, y, crowding),
        "stops": _named(sorted([*_stops(tables, y, by_item), *_batches(tables, y)], key=_begin), x, crowding),
        "ideal": [] if by_item or not tables["watermark"] else _ideal(x, y, crowding),
    }
    for source in rows.values():
        source.sort(key=_begin)
    return rows


def _begin(row: Row) -> int:
    begin: int = row["from_step"]
    return begin


def _named(lines: list[Row], x: Axis, crowding: Crowding) -> list[Row]:
    """Lines across the plane, each with the place of its name."""
    for line in lines:
        crowding.take_line(x.low, line["y"], x.high, line["y"])
    return [
        {**line, **dict(zip(("dx", "dy"), crowding.take_name(line["y"], line["text"]), strict=True))}
        if line["text"] else {**line, "dx": -6, "dy": -9}
        for line in lines
    ]  # fmt: skip


def dot_size(records: int) -> int:
    """Diameter (px) of a record's mark: large enough for a letter while there are few."""
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
    spans = sorted({(w["start"], w["end"]) for w in tables.get("windows", []) if w["start"] is not None})
    borders = {b for span in spans for b in span if x.low < b < x.high}
    if any(a[1] > b[0] for a, b in pairwise(spans)):
        return {"bands": [], "borders": []}
    size = min((end - start for start, end in spans), default=0)
    # A window whose end has overflowed may be empty: nothing repeats then.
    if spans and size > 0 and all(end - start == size and (start - spans[0][0]) % size == 0 for start, end in spans):
        first = spans[0][0] - -(-int(spans[0][0] - x.low) // size) * size
        spans = [(s, s + size) for s in range(first, int(x.high), size)] if (x.high - first) / size < 400 else spans
        borders |= {b for span in spans for b in span if x.low < b < x.high}
    bands = []
    longest = max((len(style.window(*span)) for span in spans), default=0)
    for number, (start, end) in enumerate(spans):
        low, high = x.clamp(start, x.low), x.clamp(end, x.high)
        if low >= high:
            continue
        name = style.window(start, end)
        room = x.px(high, NOMINAL_WIDTH) - x.px(low, NOMINAL_WIDTH)
        widest = x.px(x.low + end - start, NOMINAL_WIDTH)
        fits = room > 7.2 * len(name) + 6 and widest > 7.2 * longest + 6
        shaded = number % 2 == 0
        bands.append(lasting(x=low, x2=high, middle=(low + high) / 2, shaded=shaded, name=name if fits else ""))
    return {"bands": bands, "borders": [lasting(x=b) for b in sorted(borders)]}


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


def _places(tables: Tables, x: Axis, y: Axis, dot: int, crowding: Crowding) -> dict[str, tuple[float, float]]:
    """Where each record lies, by id. A record without a timestamp (processing time) lies at its arrival."""
    place: dict[str, tuple[float, float]] = {}
    for fact in tables.get("records", []):
        if fact["id"] not in place:
            ts = fact["at"] if fact["ts"] is None else fact["ts"]
            place[fact["id"]] = (x.clamp(ts, x.low), y.clamp(fact["arrival"], y.low))
            crowding.take_mark(*place[fact["id"]], dot)
    return place


def _records(
    tables: Tables, x: Axis, y: Axis, dot: int, crowding: Crowding, place: dict[str, tuple[float, float]]
) -> dict[str, list[Row]]:
    facts = tables.get("records", [])
    ahead: list[Row] = []
    records: list[Row] = []
    connectors: list[Row] = []
    labels: list[Row] = []
    late = {f["id"] for f in facts if f["fate"] in ("late-accepted", *CROSSED)}
    below_of = late | {f["id"] for f in facts if f["out_of_order"]}
    beside: dict[str, tuple[float, float] | None] = {}
    one_key = len({key_id(fact["key"]) for fact in facts}) == 1
    for fact in facts:
        at_x, at_y = place[fact["id"]]
        life = (fact["from_step"], fact["until_step"])
        fate, quiet = fact["fate"], fact["fate"] == "ahead"
        letter = str(fact["key"]) if dot >= 16 and len(str(fact["key"])) <= 2 else ""
        row = lasting(*life, x=at_x, y=at_y, fate=fate, crossed=fate in CROSSED, letter=letter)
        (ahead if quiet else records).append(row)
        if fact["out_of_order"] and not quiet and fact["newest_ts"] is not None:
            connectors.append(lasting(*life, x=x.clamp(fact["newest_ts"], x.low), x2=at_x,
                                      y=y.clamp(fact["newest_arrival"], y.low), y2=at_y))  # fmt: skip
        below = fact["id"] in below_of
        with_key = (fate in ("late-accepted", *CROSSED) or not letter) and not (one_key and not letter)
        text = label_text(fact, with_key)
        if fact["id"] not in beside:
            # Among hundreds of records the values of those on time would only hide the others.
            told = dot >= 12 or fact["id"] in late
            longest = label_text(fact, with_key or (below and not one_key)) if told else ""
            beside[fact["id"]] = crowding.take_label(at_x, at_y, longest, dot, below) if longest else None
        spot = beside[fact["id"]]
        if text and spot:
            labels.append(lasting(*life, x=at_x, y=at_y, dx=spot[0], dy=spot[1], text=text, quiet=quiet))
    return {"ahead": ahead, "records": records, "connectors": connectors, "labels": labels,
            "halo": _halo_places(tables, place)}  # fmt: skip


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


def _halo_places(tables: Tables, place: dict[str, tuple[float, float]]) -> list[Row]:
    """A ring for one step round every record that the step touches."""
    return [
        lasting(step["step"], step["step"] + 1, x=place[id][0], y=place[id][1])
        for step in tables["steps"]
        for id in step["touches"]
        if id in place
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


def _sides(tables: Tables, place: dict[str, tuple[float, float]]) -> list[Row]:
    """Of two inputs which one a record came in by: a pointer on that side of its mark."""
    facts = tables.get("records", [])
    if {fact["input"] for fact in facts} - {"left", "right"} or not facts:
        return []
    return [
        lasting(f["from_step"], f["until_step"], x=place[f["id"]][0], y=place[f["id"]][1],
                right=f["input"] == "right", quiet=f["fate"] == "ahead")
        for f in facts
    ]  # fmt: skip


def _ideal(x: Axis, y: Axis, crowding: Crowding) -> list[Row]:
    """Where records would lie if they arrived the moment they happened: the diagonal, as far as both axes go.

    Its name stands where there is room along it, or nowhere.
    """
    low, high = max(x.low, y.low), min(x.high, y.high)
    if low >= high:
        return []
    text = words("player.ideal")
    spots = [low + share * (high - low) for share in (0.66, 0.72, 0.6, 0.8, 0.54, 0.86, 0.46, 0.36, 0.26)]
    label = next((spot for spot in spots if crowding.take_text(spot, spot, 8, -9, text)), None)
    if x.px(high, NOMINAL_WIDTH) - x.px(low, NOMINAL_WIDTH) < 120 or y.px(high, NOMINAL_HEIGHT) < 60:
        return []
    name = text if label is not None else ""
    at = low if label is None else label
    return [lasting(x=low, x2=high, y=low, y2=high, label_x=at, label_y=at, name=name)]
