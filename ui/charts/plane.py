"""The plane: event time runs right, arrival runs down (or up). An Altair chart with named sources and no rows in it.

The player pushes the rows of a step into the sources (``ui/charts/sources.py`` makes them) and sets the parameters:
domains, ticks and colours. So one compiled chart (``ui/charts/compiled.py``) serves every scenario, both colour schemes
and every size. Arrival runs up when ``y0`` and ``y1`` are exchanged and ``down`` is -1; whatever lies beside its place
is then mirrored.
"""

from typing import Any, Literal

import altair as alt

from ui.charts.colours import COLOURS
from ui.charts.fates import COLOUR_OF, SHAPE_OF

PADDING = {"left": 74, "top": 30, "right": 20, "bottom": 42}
"""Room (px) for axes and window labels around the plot; the lanes below use the same left and right."""

_NUMBERS: dict[str, Any] = {"x0": 0, "x1": 1, "y0": 0, "y1": 1, "dot": 20, "now_y": -1e300, "big": 1, "down": 1}
"""``big``: how much larger than on a desk everything is written, for a room that looks at a projector.
``down``: 1, or -1 for arrival upward."""
_LISTS: dict[str, list[Any]] = {"x_ticks": [], "x_labels": [], "y_ticks": [], "y_labels": []}
_TEXTS = {"x_title": "", "y_title": ""}
_FONT = "Source Sans, system-ui, sans-serif"
_TURN = "M0.5,0A0.5,0.5,0,1,1,0.257,-0.43M-0.13,-0.486L0.286,-0.414L0.229,-0.814"
"""A turning arrow, as in ``ui/player/base/icons.js``; a late firing is the window's again."""

_CROSS = "M-0.62,-0.62L0.62,0.62M0.62,-0.62L-0.62,0.62"


def sources() -> list[str]:
    """Names of the chart's sources, in drawing order."""
    return ["bands", "behind", "borders", "ideal", "stops", "connectors", "bars", "segments", "now", "sides", "ahead",
            "records", "halo", "boxes", "emitted", "labels", "mark"]  # fmt: skip


def plane() -> alt.LayerChart:
    """The chart."""
    layers = [
        *_ground(), *_ideal(), *_stops(), *_connectors(), *_panes_behind(),
        *_watermark_line(), *_now(), *_sides(), *_records(), *_boxes(), *_watermark_mark(), *_titles(),
    ]  # fmt: skip
    chart = alt.layer(*layers).add_params(
        *[alt.param(name=name, value=value) for name, value in (_NUMBERS | _LISTS | _TEXTS | COLOURS).items()]
    )
    whole: alt.LayerChart = chart.properties(
        width=820, height=390, padding=PADDING, autosize=alt.AutoSizeParams(type="none"), background="transparent"
    ).configure(font=_FONT, view=alt.ViewConfig(stroke=None), text=alt.MarkConfig(fontSize=_size(13)))
    return whole


def _is(name: str) -> Any:
    return alt.ExprRef(expr=name)


def _size(px: float) -> Any:
    """A size in px, as seen on a desk."""
    return alt.ExprRef(expr=f"{px} * big")


_X_SCALE = alt.Scale(domain=[_is("x0"), _is("x1")], nice=False, zero=False)
_Y_SCALE = alt.Scale(domain=[_is("y0"), _is("y1")], nice=False, zero=False, reverse=True)


def _axis(prefix: str, **more: Any) -> alt.Axis:
    label = f"{prefix}_labels[indexof({prefix}_ticks, datum.value)]"
    if prefix == "y":  # the pill of the current moment takes their place
        label = f"abs((datum.value - now_y) * height / (y1 - y0)) < 17 * big ? '' : {label}"
    return alt.Axis(
        values=_is(f"{prefix}_ticks"), labelExpr=label, title=None,
        grid=False, tickSize=4, labelFontSize=_size(13), labelColor=_is("ink2"), tickColor=_is("line2"),
        domainColor=_is("line2"), labelOverlap=True, labelFlush=False, **more,
    )  # fmt: skip


def _x(field: str) -> alt.X:
    return alt.X(f"{field}:Q", scale=_X_SCALE, axis=_axis("x", labelPadding=4))


def _y(field: str) -> alt.Y:
    return alt.Y(f"{field}:Q", scale=_Y_SCALE, axis=_axis("y", labelPadding=4))


def _data(name: str) -> alt.Chart:
    return alt.Chart(alt.NamedData(name=name))


def _once() -> alt.Chart:
    """One row without fields, for what is drawn once whatever the step."""
    data: Any = alt.Data  # Altair gives this constructor no types
    return alt.Chart(data(values=[{}]))


def _px_x(datum: str, px: str) -> str:
    return f"{datum} + ({px}) * (x1 - x0) / width"


def _px_y(datum: str, px: str) -> str:
    return f"{datum} + ({px}) * (y1 - y0) / height"


def _rule(name: str, **mark: Any) -> alt.Chart:
    chart: alt.Chart = _data(name).mark_rule(**mark).encode(x=_x("x"), x2="x2:Q", y=_y("y"), y2="y2:Q")
    return chart


def _ground() -> list[alt.Chart]:
    """Bands of windows with their names on top, the region behind the watermark, borders of the plot."""
    bands = _data("bands").mark_rect(clip=True, fill=_is("band"))
    names = _data("bands").mark_text(dy=_size(-14), color=_is("ink"), fontSize=_size(13), fontWeight=500)
    behind = _data("behind").mark_rect(clip=True, fill=_is("behind"), opacity=0.85)
    frame = _once().mark_rule(stroke=_is("line2"))
    return [
        bands.transform_filter("datum.shaded").encode(
            x=_x("x"), x2="x2:Q", y=alt.value(0), y2=alt.value("height")
        ),
        behind.encode(x=_x("x"), x2="x2:Q", y=_y("y"), y2="y2:Q"),
        _data("borders").mark_rule(stroke=_is("line2")).encode(
            x=_x("x"), y=alt.value(-22), y2=alt.value("height")
        ),
        frame.encode(x=alt.value(0), x2=alt.value("width"), y=alt.value(0)),
        frame.encode(x=alt.value("width"), y=alt.value(0), y2=alt.value("height")),
        names.encode(x=_x("middle"), y=alt.value(0), text="name:N"),
    ]  # fmt: skip


def _ideal() -> list[alt.Chart]:
    line = _rule("ideal", stroke=_is("ink3"), strokeDash=[7, 5], strokeWidth=1.5, opacity=0.85)
    name = _data("ideal").mark_text(align="left", baseline="middle", dx=8, dy=_is("-9 * big * down"), color=_is("ink3"))
    return [line, name.encode(x=_x("label_x"), y=_y("label_y"), text="name:N")]


def _connectors() -> list[alt.Chart]:
    """From an out-of-order record back to the newest one before it; faint where there are many."""
    return [_rule("connectors", stroke=_is("ink3"), strokeWidth=1.3, opacity=alt.ExprRef(expr="dot < 12 ? 0.3 : 1"))]


def _panes_behind() -> list[alt.Chart]:
    """The bars of the firings: each spans its window at the arrival time of the firing."""
    return [_rule("bars", clip=True, stroke=_is("fired"), strokeWidth=2)]


def _watermark_line() -> list[alt.Chart]:
    width = alt.ExprRef(expr="(dot < 12 ? 3 : 4) + (big > 1 ? 1 : 0)")
    ended = _rule("segments", clip=True, stroke=_is("ink3"), strokeWidth=1.5, strokeDash=[5, 4])
    line = _rule("segments", clip=True, stroke=_is("ink"), strokeWidth=width, strokeCap="square")
    return [ended.transform_filter("datum.ended"), line.transform_filter("!datum.ended")]


_LETTERS = "length(replace(datum.text, regexp('[\\u2e80-\\u9fff\\uff00-\\uffef]', 'g'), '--'))"
"""The length of a text in letters; a Chinese character counts as two."""


def _watermark_mark() -> list[alt.Chart]:
    """The arrow and the value at the end of the step line, and the dotted line down to the lanes."""
    mark = _data("mark")
    down = mark.mark_rule(stroke=_is("ink3"), strokeDash=[2, 4], strokeWidth=1.5)
    arrow = mark.transform_filter("datum.moved").mark_point(
        shape=_is("down > 0 ? 'triangle-down' : 'triangle-up'"), size=90, filled=True, fill=_is("ink"), opacity=1
    )
    place = mark.transform_calculate(
        half=f"(4 + 3.5 * {_LETTERS}) * big",
        label_x="clamp(datum.x, " + _px_x("x0", "datum.half") + ", " + _px_x("x1", "-datum.half") + ")",
        label_y=_px_y("datum.y", "24 * big * down"),
    )
    return [
        down.transform_filter("datum.moved").encode(x=_x("x"), y=_y("y"), y2=alt.value("height")),
        arrow.encode(x=_x("x"), y=_y("y")),
        *_haloed(place, "label_x", "label_y", size=14, weight=600),
    ]


def _haloed(chart: alt.Chart, x: str, y: str, size: int, weight: int) -> list[alt.Chart]:
    """Text that stays readable over lines: first a thick outline in the background colour, then the text."""
    common: dict[str, Any] = {"fontSize": _size(size), "fontWeight": weight, "baseline": "middle"}
    encoding = {"x": _x(x), "y": _y(y), "text": "text:N"}
    return [
        chart.mark_text(**common, stroke=_is("surface"), strokeWidth=4, strokeJoin="round").encode(**encoding),
        chart.mark_text(**common, fill=_is("ink")).encode(**encoding),
    ]


def _now() -> list[alt.Chart]:
    line = _data("now").mark_rule(stroke=_is("ink"), strokeDash=[2, 3], strokeWidth=1.5)
    pill = _data("now").transform_calculate(
        top=_px_y("datum.y", "-10 * big"), bottom=_px_y("datum.y", "10 * big"),
        left=_px_x("x0", "-(12 + 7 * length(datum.text)) * big"), right=_px_x("x0", "-1"), middle=_px_x("x0", "-6"),
    )  # fmt: skip
    return [
        line.encode(x=alt.value(0), x2=alt.value("width"), y=_y("y")),
        pill.mark_rect(fill=_is("ink"), cornerRadius=3).encode(
            x=_x("left"), x2="right:Q", y=_y("top"), y2="bottom:Q"
        ),
        pill.mark_text(align="right", baseline="middle", fontWeight=600, color=_is("surface")).encode(
            x=_x("middle"), y=_y("y"), text="text:N"
        ),
    ]  # fmt: skip


def _records() -> list[alt.Chart]:
    """Records by fate: shape first, colour second; key letters in the dots; the ring round what the step touches."""
    area = alt.ExprRef(expr="dot * dot * 0.86")
    ahead = _data("ahead").mark_point(
        shape="circle", size=area, stroke=_is("ahead"), strokeDash=[3, 2], strokeWidth=1.4, filled=False,
        fill=_is("surface"), opacity=1,
    )  # fmt: skip
    shape = alt.Shape("fate:N", scale=alt.Scale(domain=list(SHAPE_OF), range=list(SHAPE_OF.values())), legend=None)
    colours = alt.Scale(domain=list(COLOUR_OF), range=[_is(c) for c in COLOUR_OF.values()])
    filled = _data("records").transform_filter("!datum.crossed").mark_point(
        size=alt.ExprRef(expr="dot * dot * (datum.fate == 'late-accepted' ? 1.05 : 0.86)"), filled=True,
        stroke=_is("surface"), strokeWidth=1, opacity=1,
    )  # fmt: skip
    crossed = _data("records").transform_filter("datum.crossed")
    ring = _data("halo").mark_point(
        shape="circle", size=alt.ExprRef(expr="pow(dot + 12, 2)"), stroke=_is("ink"), strokeWidth=2, filled=False,
        opacity=1,
    )  # fmt: skip
    at: dict[str, Any] = {"x": _x("x"), "y": _y("y")}
    return [
        ahead.encode(**at),
        _letters("ahead", "ahead", 400).encode(**at, text="letter:N"),
        filled.encode(**at, shape=shape, fill=alt.Fill("fate:N", scale=colours, legend=None)),
        _data("records").transform_filter("datum.fate == 'arrived'").mark_point(
            shape="circle", size=area, fill=_is("surface"), stroke=_is("ink"), strokeWidth=1.6, opacity=1
        ).encode(**at),
        crossed.transform_filter("datum.fate == 'side'").mark_point(
            shape="square", size=alt.ExprRef(expr="pow(dot * 1.05, 2)"), filled=False, stroke=_is("dropped"),
            strokeWidth=1.6, opacity=1,
        ).encode(**at),
        crossed.mark_point(shape=_CROSS, size=area, stroke=_is("surface"), strokeWidth=6, opacity=1).encode(**at),
        crossed.mark_point(shape=_CROSS, size=area, strokeWidth=3, opacity=1).encode(
            **at, stroke=alt.Stroke("fate:N", scale=colours, legend=None)
        ),
        _letters("records", "surface", 600).transform_filter("datum.fate == 'on-time'").encode(**at, text="letter:N"),
        _letters("records", "ink", 600).transform_filter("datum.fate == 'arrived'").encode(**at, text="letter:N"),
        ring.encode(**at),
        *[each for quiet in (True, False) for each in _value_labels(quiet)],
    ]  # fmt: skip


def _letters(name: str, colour: str, weight: Literal[400, 500, 600]) -> alt.Chart:
    chart: alt.Chart = _data(name).mark_text(
        baseline="middle", dy=1, fontSize=_size(12), fontWeight=weight, color=_is(colour)
    )
    return chart


def _value_labels(quiet: bool) -> list[alt.Chart]:
    """Values beside the records; those still ahead in grey."""
    rows = _data("labels").transform_filter("datum.quiet" if quiet else "!datum.quiet").transform_calculate(
        label_x=_px_x("datum.x", "datum.dx * big"), label_y=_px_y("datum.y", "datum.dy * big * down")
    )  # fmt: skip
    common: dict[str, Any] = {"align": "left", "baseline": "middle", "fontSize": _size(13)}
    encoding = {"x": _x("label_x"), "y": _y("label_y"), "text": "text:N"}
    under: dict[str, Any] = {"stroke": _is("surface"), "strokeWidth": 3, "strokeJoin": "round", "opacity": 0.8}
    return [
        rows.mark_text(**common, **under).encode(**encoding),
        rows.mark_text(**common, fill=_is("ahead" if quiet else "ink")).encode(**encoding),
    ]


def _stops() -> list[alt.Chart]:
    """Where a checkpoint was taken, or one gone back to: a line across the plane with its name where there is room."""
    line = _data("stops").mark_rule(stroke=_is("ink2"), strokeDash=[10, 3, 2, 3], strokeWidth=1.5)
    name = _data("stops").transform_calculate(
        label_x=_px_x("x1", "datum.dx * big"), label_y=_px_y("datum.y", "datum.dy * big * down")
    )
    common: dict[str, Any] = {"align": "right", "baseline": "middle", "fontSize": _size(13), "fontWeight": 600}
    encoding = {"x": _x("label_x"), "y": _y("label_y"), "text": "text:N"}
    return [
        line.encode(x=alt.value(0), x2=alt.value("width"), y=_y("y")),
        name.mark_text(**common, stroke=_is("surface"), strokeWidth=4, strokeJoin="round").encode(**encoding),
        name.mark_text(**common, fill=_is("ink2")).encode(**encoding),
    ]


def _sides() -> list[alt.Chart]:
    """Of two inputs the one that a record came in by: a small pointer at that side of its mark."""
    marks = []
    for right in (True, False):
        shape, way = ("triangle-right", "") if right else ("triangle-left", "-")
        rows = _data("sides").transform_filter(f"datum.right == {str(right).lower()}").transform_calculate(
            beside=_px_x("datum.x", f"{way}(dot * 0.5 + 6 * big)")
        )  # fmt: skip
        for quiet in (True, False):
            mark = rows.transform_filter(f"datum.quiet == {str(quiet).lower()}").mark_point(
                shape=shape, size=_size(55), filled=True, fill=_is("ahead" if quiet else "ink"), opacity=1
            )
            marks.append(mark.encode(x=_x("beside"), y=_y("y")))
    return marks


def _boxes() -> list[alt.Chart]:
    """Results: a green frame with a square: filled (on time), hollow (early), with a turning arrow (late) or a minus
    (takes one back).

    What was taken back is dashed and struck through.
    """
    half = "big > 1 ? 7 + 5 * big : clamp(height / 26, 10, 12)"
    framed = _data("boxes").transform_filter("datum.w > 0").transform_calculate(
        left=_px_x("datum.x", "datum.dx * big"), right=_px_x("datum.x", "(datum.dx + datum.w) * big"),
        top=_px_y("datum.y", f"-({half})"), bottom=_px_y("datum.y", half),
        square=_px_x("datum.x", "(datum.dx + 13) * big"), words=_px_x("datum.x", "(datum.dx + 24) * big"),
        end=_px_x("datum.x", "(datum.dx + datum.w - 8) * big"),
    )  # fmt: skip
    alone = (
        _data("boxes")
        .transform_filter("datum.w == 0")
        .transform_calculate(square=_px_x("datum.x", "(datum.dx + 5) * big"))
    )
    common: dict[str, Any] = {"align": "left", "baseline": "middle"}
    frames, texts = [], []
    for struck in (True, False):
        rows = framed.transform_filter(f"datum.struck == {str(struck).lower()}")
        dash: dict[str, Any] = {"strokeDash": [4, 3], "strokeWidth": 1.5} if struck else {"strokeWidth": 2}
        frame = rows.mark_rect(fill=_is("surface"), stroke=_is("fired"), cornerRadius=3, **dash)
        frames.append(frame.encode(x=_x("left"), x2="right:Q", y=_y("top"), y2="bottom:Q"))
        text = rows.mark_text(**common, fontWeight=400 if struck else 600, color=_is("ink2" if struck else "ink"))
        texts.append(text.encode(x=_x("words"), y=_y("y"), text="text:N"))
    strike = framed.transform_filter("datum.struck").mark_rule(stroke=_is("ink"), strokeWidth=1.6)
    return [
        *frames, *_squares(framed), *_squares(alone), *_squares(_data("emitted"), "x"), *texts,
        strike.encode(x=_x("words"), x2="end:Q", y=_y("y")),
    ]  # fmt: skip


def _squares(rows: alt.Chart, x: str = "square") -> list[alt.Chart]:
    """Filled, hollow, and hollow with a minus or a turning arrow in it; that of the arrow is larger, to hold it."""
    marks = []
    for condition, fill, size, line in (
        ("datum.look == 'solid'", "fired", 78, 2), ("datum.look == 'late'", "surface", 150, 1.6),
        ("datum.look != 'solid' && datum.look != 'late'", "surface", 78, 2),
    ):  # fmt: skip
        mark = rows.transform_filter(condition).mark_point(
            shape="square", size=_size(size), fill=_is(fill), stroke=_is("fired"), strokeWidth=line, opacity=1
        )
        marks.append(mark)
    for look, shape, size, line in (("minus", "stroke", 26, 2), ("late", _TURN, 150, 1.6)):
        inside = rows.transform_filter(f"datum.look == '{look}'").mark_point(
            shape=shape, size=_size(size), stroke=_is("fired"), strokeWidth=line, opacity=1
        )
        marks.append(inside)
    return [mark.encode(x=_x(x), y=_y("y")) for mark in marks]


def _titles() -> list[alt.Chart]:
    at = _once()
    x = at.mark_text(align="right", baseline="top", dy=_size(24), color=_is("ink2"), text=_is("x_title"))
    y = at.mark_text(align="center", baseline="bottom", angle=270, dy=_size(-54), color=_is("ink2"),
                     text=_is("y_title"), y=alt.ExprRef(expr="height / 2"))  # fmt: skip
    return [
        x.encode(x=alt.value("width"), y=alt.value("height")),
        y.encode(x=alt.value(0)),
    ]
