"""Charts of a run for Altair: the plane, the lanes, the watermarks.

They are made of the rows that the player shows, and have no colours or fonts but those of the theme.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.timeline.facts import Timeline, is_true
from tidemark.simulator.timeline.wording import time_format
from tidemark.simulator.words import words
from tidemark.ui.extras import needs
from tidemark.ui.payload.charts.lanes import lanes as lanes_of
from tidemark.ui.payload.charts.plane import moments, pane_text, whole
from tidemark.ui.payload.drawn import axis_titles, derived, in_processing_time, on_clock
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.python.frames import InputError, named, whole_number

if TYPE_CHECKING:
    import altair as alt

Row = dict[str, Any]

WIDTH, HEIGHT, TRACK = 640, 360, 34
"""The size (px) of a chart, and the height of a track of the lanes."""

_FATES: Final = {
    "on-time": "circle", "late-accepted": "triangle-up", "dropped": "cross", "side": "square", "skipped": "diamond",
    "filtered": "stroke", "arrived": "circle",
}  # fmt: skip
"""The fates in the order of the theme's colours, each with its shape."""

_STATUSES: Final = ("open", "fired", "cleared")

_ARRIVAL: Final = frozenset({"y", "y2", "arrival"})
"""The columns on the axis of arrival; the other times are event times."""


class _Drawing:
    """The facts of a run at one step, and the axes of its times."""

    def __init__(self, facts: Timeline, step: int | None) -> None:
        self.alt = needs("altair", "notebook")
        last = facts.number_of_steps - 1
        found = last if step is None else whole_number(step)
        if found is None or not 0 <= found <= last:
            raise InputError("no_step", step=named(step), last=last)
        self.step = found
        self.style = TimeStyle(time_format(facts.scenario))
        self.by_item = facts.arrival_axis == "item"
        clock = in_processing_time(facts.scenario)
        titles = axis_titles(self.style, self.by_item, clock)
        self.event_title, self.arrival_title = titles["x_title"], titles["y_title"]
        tables = facts.by_name()
        tables |= derived(facts.scenario, tables)
        self.tables = on_clock(tables) if clock else tables

    def now(self, rows: Iterable[Mapping[str, Any]]) -> list[Row]:
        """The rows that are true at the step."""
        return [dict(row) for row in rows if is_true(row, self.step)]

    def _is_date(self, name: str) -> bool:
        return not self.style.in_seconds and not (self.by_item and name in _ARRIVAL)

    def _placed(self, name: str, time: float | None) -> float | None:
        as_is = time is None or self._is_date(name) or (self.by_item and name in _ARRIVAL)
        return time if as_is or time is None else time / 1000

    def chart(self, rows: Iterable[Row], *times: str) -> Any:
        """A chart of ``rows``, in which the columns ``times`` are times (ms) or places in the stream."""
        values = [{**row, **{name: self._placed(name, row[name]) for name in times}} for row in rows]
        return self.alt.Chart(self.alt.InlineData(values=values))

    def axis(self, kind: str, name: str, title: str | None, domain: Sequence[float] = (), **scale: Any) -> Any:
        """The encoding ``kind`` (``X``, ``Y``) of a column of times."""
        if domain:
            scale["domain"] = [self._placed(name, each) for each in domain]
        if self._is_date(name):
            scale["type"] = "utc"
        made = self.alt.Scale(nice=not domain, zero=False, **scale)
        return getattr(self.alt, kind)(f"{name}:{self.kind(name)}", scale=made, title=title)

    def kind(self, name: str) -> str:
        """The type of a column of times, as Altair writes it."""
        return "T" if self._is_date(name) else "Q"

    def records(self) -> list[Row]:
        """The records that have arrived, with what a tooltip says of them."""
        return [
            {
                "record": row["item"],
                "key": str(row["key"]),
                "value": None if row["value"] is None else str(row["value"]),
                "ts": row["ts"],
                "arrival": row["arrival"],
                "kind": row["fate"],
                "fate": words(f"player.fates.{row['fate']}"),
                "id": row["id"],
            }
            for row in self.now(self.tables["records"])
            if row["fate"] != "ahead"
        ]

    def points(self, rows: Sequence[Row], x: Any, y: Any) -> Any:
        """Records by their fate; ``x`` and ``y`` are encodings of their columns."""
        names = {each: words(f"player.fates.{each}") for each in _FATES}
        legend = self.alt.Legend(
            values=[name for each, name in names.items() if any(row["kind"] == each for row in rows)]
        )
        scale = {"domain": list(names.values())}  # all of them: a fate has one colour in every chart
        times = [f"{name}:{self.kind(name)}" for name in ("ts", "arrival")]
        mark = self.chart(rows, "ts", "arrival", *(["x", "y"] if rows and "x" in rows[0] else []))
        return mark.mark_point(filled=True, size=110, opacity=1).encode(
            x=x,
            y=y,
            color=self.alt.Color("fate:N", title=None, scale=self.alt.Scale(**scale), legend=legend),
            shape=self.alt.Shape(
                "fate:N", title=None, scale=self.alt.Scale(**scale, range=[*_FATES.values()]), legend=legend
            ),
            tooltip=["record:Q", "key:N", "value:N", *times, "fate:N"],
        )


def plane(facts: Timeline, step: int | None) -> "alt.LayerChart":
    """Event time across, arrival downwards: windows, records by their fate, the watermark, results."""
    drawing = _Drawing(facts, step)
    sources, across, down = whole(drawing.tables, drawing.style, drawing.by_item)
    shown = {name: drawing.now(rows) for name, rows in sources.items()}
    alt, chart = drawing.alt, drawing.chart
    x = drawing.axis("X", "x", drawing.event_title, (across.low, across.high))
    y = drawing.axis("Y", "y", drawing.arrival_title, (down.low, down.high), reverse=True)
    line = {"x": x, "y": y, "x2": "x2", "y2": "y2"}
    places = {row["id"]: {"x": row["x"], "y": row["y"]} for row in shown["records"]}
    records = [row | places[row["id"]] for row in drawing.records() if row["id"] in places]
    bands = [row | {"x": (row["x"] + row["x2"]) / 2} for row in shown["bands"]]
    boxes = _boxes([row for row in shown["boxes"] if not row["struck"]])
    segments = [row for row in shown["segments"] if not row["ended"]]
    layers = [
        chart([row for row in shown["bands"] if row["shaded"]], "x", "x2").mark_rect(opacity=0.08).encode(x=x, x2="x2"),
        chart(shown["borders"], "x").mark_rule(opacity=0.3).encode(x=x),
        chart(bands, "x").mark_text(opacity=0.7).encode(x=x, y=alt.value(-8), text="text:N"),
        chart(shown["ideal"], "x", "x2", "y", "y2").mark_rule(opacity=0.4, strokeDash=[2, 4]).encode(**line),
        chart(segments, "x", "x2", "y", "y2").mark_rule(strokeWidth=2.5).encode(**line),
        chart(shown["mark"], "x", "y").mark_text(align="right", dx=-6, dy=10).encode(x=x, y=y, text="text:N"),
        chart(shown["bars"], "x", "x2", "y", "y2").mark_rule(strokeWidth=4, opacity=0.4).encode(**line),
        chart(shown["emitted"], "x", "y").mark_point(shape="square", size=60).encode(x=x, y=y),
        drawing.points(records, x, y),
        chart(boxes, "x", "y").mark_text(dy=-10, fontWeight="bold").encode(x=x, y=y, text="text:N"),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)  # type: ignore[no-any-return]


def _boxes(boxes: Iterable[Row]) -> list[Row]:
    """One text for the results of a window that were emitted together, in the middle of the window."""
    texts: dict[tuple[float, float], list[str]] = {}
    for row in boxes:
        texts.setdefault(((row["x"] + row["x2"]) / 2, row["y"]), []).append(row["text"])
    return [{"x": x, "y": y, "text": ", ".join(each)} for (x, y), each in texts.items()]


def lanes(facts: Timeline, step: int | None) -> "alt.LayerChart":
    """A lane for each key: its windows over event time, by status, each with its last result, and its records."""
    drawing = _Drawing(facts, step)
    tables, alt = drawing.tables, drawing.alt
    found = lanes_of(tables, span=drawing.style.on_axis)
    tracks = found["tracks"]
    results = {row["window"]: row["row"] for row in drawing.now(tables["outputs"]) if row["row"]["row"] != "watermark"}
    windows = []
    for row in drawing.now(tables["windows"]):
        start, end = drawing.style.on_axis(row["start"], row["end"])
        if start is None or end is None or row["status"] == "merged":
            continue
        result = results.get(row["id"])
        windows.append(
            {
                "lane": _lane(row["key"], tracks.get(row["id"], 0)),
                "start": start,
                "end": end,
                "middle": (start + end) / 2,
                "status": words(f"player.statuses.{row['status']}"),
                "firings": row["firings"],
                "result": "" if result is None else pane_text(result),
            }
        )
    records = [row | {"lane": _lane(row["key"], 0)} for row in drawing.records() if row["ts"] is not None]
    order = [_lane(each["key"], track) for each in found["rows"] for track in range(each["tracks"])]
    rows = [*dict.fromkeys([*order, *sorted({row["lane"] for row in records})])]
    y = alt.Y("lane:N", title=None, scale=alt.Scale(domain=rows))
    names = [words(f"player.statuses.{each}") for each in _STATUSES]
    legend = alt.Legend(values=[each for each in names if any(row["status"] == each for row in windows)])
    color = alt.Color(
        "status:N", title=None, scale=alt.Scale(domain=names, scheme="greys", reverse=True), legend=legend
    )
    x = drawing.axis("X", "start", drawing.event_title)
    kinds = [f"{name}:{drawing.kind(name)}" for name in ("start", "end")]
    bars = drawing.chart(windows, "start", "end", "middle")
    points = drawing.points(records, drawing.axis("X", "ts", drawing.event_title), y)
    layers = [
        bars.mark_bar(opacity=0.5, height=TRACK - 12)
        .encode(x=x, x2="end", y=y, color=color, tooltip=["lane:N", *kinds, "status:N", "firings:Q", "result:N"]),
        points.mark_point(filled=True, size=70, opacity=1, yOffset=TRACK / 2 - 4),
        bars.mark_text(fontWeight="bold").encode(
            x=drawing.axis("X", "middle", drawing.event_title), y=y, text="result:N"
        ),
    ]  # fmt: skip
    shown = layers if windows else [layers[1]]  # an axis without a value has no length
    chart = alt.layer(*shown).resolve_scale(color="independent", shape="independent")
    return chart.properties(width=WIDTH, height=TRACK * max(len(rows), 1))  # type: ignore[no-any-return]


def _lane(key: Any, track: int) -> str:
    """A key's own lane, and one below it for each window that overlaps another."""
    return f"{key}" if not track else f"{key} · {track + 1}"


def watermarks(facts: Timeline, step: int | None) -> "alt.LayerChart":
    """Arrival across, event time up: the watermark of each channel and the operator's own, and the records."""
    drawing = _Drawing(facts, step)
    tables, alt = drawing.tables, drawing.alt
    reached = moments(tables, drawing.by_item)
    several = len({row["id"] for row in tables["channels"]}) > 1
    names = {row["id"]: _channel(row, facts) for row in tables["channels"]} if several else {}
    lines: list[Row] = []
    for row in [*(tables["channels"] if several else ()), *tables["watermark"]]:
        value = row["watermark"] if "watermark" in row else row["value"]
        if value is not None and MIN < value < MAX and row["from_step"] <= drawing.step:
            of = names.get(row["id"], words("python.operator"))
            lines.append({"of": of, "arrival": reached[row["from_step"]], "watermark": value})
    last = {row["of"]: row["watermark"] for row in lines}
    lines += [{"of": of, "arrival": reached[drawing.step], "watermark": value} for of, value in last.items()]
    unit = "item" if drawing.by_item else "s" if drawing.style.in_seconds else "at"
    x = drawing.axis("X", "arrival", words(f"python.arrival_{unit}"))
    line = drawing.chart(lines, "arrival", "watermark").mark_line(interpolate="step-after", strokeWidth=2)
    dash = alt.StrokeDash("of:N", title=None, sort=[words("python.operator")])
    shown = line.encode(x=x, y=drawing.axis("Y", "watermark", drawing.event_title), detail="of:N", strokeDash=dash)
    records = [row for row in drawing.records() if row["ts"] is not None]
    points = drawing.points(records, x, drawing.axis("Y", "ts", drawing.event_title))
    return alt.layer(shown, points).properties(width=WIDTH, height=HEIGHT)  # type: ignore[no-any-return]


def _channel(row: Mapping[str, Any], facts: Timeline) -> str:
    text = words("python.channel", number=row["channel"])
    return f"{row['input']} · {text}" if len(facts.scenario.inputs) > 1 else text
