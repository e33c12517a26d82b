"""A sweep as small multiples: one Altair chart, drawn for each measure with an axis of its own.

The chart has named sources and no rows. Its colours are the page's custom properties, which SVG reads itself, so light
and dark need nothing. The browser sets its size and writes the words beside it (``ui/compare/tools.ts``).
"""

from typing import Any, Final

import altair as alt

PADDING: Final = {"left": 52, "top": 10, "right": 16, "bottom": 24}
"""Room (px) for the axes around the plot."""

_FONT: Final = "Source Sans, system-ui, sans-serif"
_FIRST: Final = "var(--tm-on-time)"
_SECOND: Final = "var(--tm-late)"


def chart() -> alt.LayerChart:
    """The chart of one measure."""
    layers = [
        _data("now").mark_rule(aria=False, stroke="var(--tm-ink2)", strokeDash=[2, 3], strokeWidth=1.5).encode(x=_X),
        *(_lines(second) for second in (True, False)),
        *(_alone(second) for second in (True, False)),
    ]
    parameters = {"x0": 0, "x1": 1, "least": 0, "most": 1}
    drawn: alt.LayerChart = (
        alt.layer(*layers)
        .add_params(*[alt.param(name=name, value=value) for name, value in parameters.items()])
        .properties(
            width=300, height=90, padding=PADDING, autosize=alt.AutoSizeParams(type="none"), background="transparent"
        )
        .configure(font=_FONT, view=alt.ViewConfig(stroke=None))
    )
    return drawn


def _is(name: str) -> Any:
    return alt.ExprRef(expr=name)


def _axis(**more: Any) -> alt.Axis:
    return alt.Axis(
        title=None, aria=False, labelColor="var(--tm-ink2)", tickColor="var(--tm-line2)", domainColor="var(--tm-line2)",
        gridColor="var(--tm-line)", labelFontSize=13, tickSize=4, labelOverlap=True, **more,
    )  # fmt: skip


_X: Final = alt.X(
    "value:Q",
    scale=alt.Scale(domain=[_is("x0"), _is("x1")], nice=False, zero=False),
    axis=_axis(
        grid=False, labelPadding=6, tickCount=_is("ceil(width / 60)"), labelExpr="format(datum.value, '~r') + ' s'"
    ),
)
_Y: Final = alt.Y(
    "y:Q",
    scale=alt.Scale(domain=[_is("least"), _is("most")], nice=False),
    axis=_axis(tickCount=3, grid=True, domain=False, labelPadding=8),
)


def _data(name: str) -> alt.Chart:
    return alt.Chart(alt.NamedData(name=name))


def _of(second: bool) -> str:
    return "datum.second" if second else "!datum.second"


def _lines(second: bool) -> alt.Chart:
    dash = [6, 4] if second else [1, 0]
    mark = _data("lines").mark_line(
        aria=False, interpolate="step-after", strokeWidth=2.4, stroke=_SECOND if second else _FIRST, strokeDash=dash
    )
    drawn: alt.Chart = mark.encode(x=_X, y=_Y, detail="run:N").transform_filter(_of(second))
    return drawn


def _alone(second: bool) -> alt.Chart:
    mark = _data("alone").mark_point(
        aria=False, shape="triangle-up" if second else "circle", size=44, filled=True, opacity=1,
        color=_SECOND if second else _FIRST,
    )  # fmt: skip
    drawn: alt.Chart = mark.encode(x=_X, y=_Y).transform_filter(_of(second))
    return drawn
