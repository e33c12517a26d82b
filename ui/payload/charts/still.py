"""The plane of a run at one step as an SVG picture: for a page that is read, printed or searched without scripts.

Its colours are those of the page around it, by the classes of ``ui/pages/opening/guide.css``.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from tidemark.ui.payload.charts.axes import Axis

WIDE, HIGH = 720, 400
"""The size (px) for which the text of the picture is large enough."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 14, 28, 50
_DOT: Final = 7
_SIGN, _WIDE_SIGN = 8.8, 17.0
"""About how wide (px) a character is, and one of Chinese, at the size of text in ``guide.css``."""

_HALF: Final = 12
"""Half the height of what has a frame."""

_MARKS: Final = {
    "late-accepted": "M0-9l9 16h-18z",
    "dropped": "M-7-7l14 14m0-14l-14 14",
    "side": "M-7-7l14 14m0-14l-14 14",
}
"""The shape of a record by its fate; any other is a dot, ``arrived`` a ring."""

Row = Mapping[str, Any]


def still(signals: Row, sources: Mapping[str, Sequence[Row]], step: int, label: str) -> str:
    """The picture at ``step``; ``signals`` and ``sources`` are those of the plane, ``label`` its name for who hears it.

    The label of a record is its key and its value, that of a result as well.
    """
    x = Axis(signals["x0"], signals["x1"], [], [])
    y = Axis(signals["y0"], signals["y1"], [], [])
    plane = _Plane(x, y, {name: [row for row in rows if _lasts(row, step)] for name, rows in sources.items()})
    parts = [*plane.ground(signals), *plane.watermark(), *plane.results(), *plane.records(), *plane.mark()]
    return (
        f'<svg class="g-plane" viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )


def _lasts(row: Row, step: int) -> bool:
    return bool(row["from_step"] <= step and (row["until_step"] is None or step < row["until_step"]))


def _width(said: str) -> float:
    return sum(_SIGN if ord(sign) < 0x2E80 else _WIDE_SIGN for sign in said)


def _text(x: float, y: float, said: str, kind: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="g-{kind}" text-anchor="{anchor}">{escape(said)}</text>'


class _Plane:
    """The rows that are true at the step, and where they lie."""

    def __init__(self, x: Axis, y: Axis, rows: Mapping[str, Sequence[Row]]) -> None:
        self._x, self._y, self._rows = x, y, rows

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return (
            round(_LEFT + self._x.px(self._x.clamp(x, x), WIDE - _LEFT - _RIGHT), 1),
            round(_TOP + self._y.px(self._y.clamp(y, y), HIGH - _TOP - _BOTTOM), 1),
        )

    def _box(self, row: Row, kind: str) -> str:
        (x, y), (x2, y2) = self._at(row["x"], row["y"]), self._at(row["x2"], row["y2"])
        return f'<rect x="{x}" y="{y}" width="{x2 - x:.1f}" height="{y2 - y:.1f}" class="g-{kind}"/>'

    def _line(self, row: Row, kind: str) -> str:
        (x, y), (x2, y2) = self._at(row["x"], row["y"]), self._at(row["x2"], row["y2"])
        return f'<path d="M{x} {y}L{x2} {y2}" class="g-{kind}"/>'

    def ground(self, signals: Row) -> Iterator[str]:
        """The windows, what is behind the watermark, both axes, and the diagonal of records without delay."""
        low, high = self._y.low, self._y.high
        bands = [{**band, "y": low, "y2": high} for band in self._rows["bands"]]
        yield from (self._box(band, "band") for band in bands if band["shaded"])
        yield from (self._box(row, "behind") for row in self._rows["behind"])
        for border in self._rows["borders"]:
            yield self._line({"x": border["x"], "x2": border["x"], "y": low, "y2": high}, "border")
        for band in bands:
            left, right = self._at(band["x"], low)[0], self._at(band["x2"], low)[0]
            yield _text((left + right) / 2, _TOP - 10, band["text"], "window", "middle")
        yield from (self._line(row, "ideal") for row in self._rows["ideal"])
        yield from (
            self._line({"x": self._x.low, "x2": self._x.high, "y": row["y"], "y2": row["y"]}, "stop")
            for row in self._rows["stops"]
        )
        bottom = HIGH - _BOTTOM
        for tick, said in zip(signals["x_ticks"], signals["x_labels"], strict=True):
            yield _text(self._at(tick, low)[0], bottom + 20, said, "tick", "middle")
        for tick, said in zip(signals["y_ticks"], signals["y_labels"], strict=True):
            yield _text(_LEFT - 8, self._at(self._x.low, tick)[1] + 5, said, "tick", "end")
        yield _text(WIDE - _RIGHT, HIGH - 4, signals["x_title"], "axis", "end")
        yield (
            f'<text transform="translate(15 {bottom}) rotate(-90)" class="g-axis">{escape(signals["y_title"])}</text>'
        )
        yield f'<path d="M{_LEFT} {_TOP}V{bottom}H{WIDE - _RIGHT}" class="g-frame"/>'

    def watermark(self) -> Iterator[str]:
        """The staircase of the watermark."""
        yield from (self._line(row, "watermark") for row in self._rows["segments"] if not row["ended"])

    def results(self) -> Iterator[str]:
        """Each result over its window; those that were emitted together stand next to each other."""
        yield from (self._line(row, "bar") for row in self._rows["bars"])
        taken: dict[tuple[float, float], float] = {}
        for row in self._rows["boxes"]:
            place = self._at(row["x"], row["y"])
            left = taken.get(place, place[0] + 4)
            wide = _width(row["text"]) + 12
            taken[place] = left + wide + 4
            look = "g-result-late" if row["look"] == "late" else "g-result"
            top = place[1] - _HALF
            yield f'<rect x="{left}" y="{top}" width="{wide}" height="{2 * _HALF}" rx="3" class="{look}"/>'
            yield _text(left + wide / 2, place[1] + 6, row["text"], "result-text", "middle")

    def records(self) -> Iterator[str]:
        """Each record by its fate, with its key and its value."""
        for row in self._rows["records"]:
            x, y = self._at(row["x"], row["y"])
            shape = _MARKS.get(row["fate"])
            kind = f"g-{row['fate']}" if shape or row["fate"] == "arrived" else "g-on-time"
            drawn = f'<path d="{shape}"' if shape else f'<circle r="{_DOT}"'
            yield f'{drawn} transform="translate({x} {y})" class="{kind}"/>'
            left = x + 13 + _width(row["full"]) > WIDE - _RIGHT
            yield _text(x - 12 if left else x + 12, y - 2, row["full"], "label", "end" if left else "start")

    def mark(self) -> Iterator[str]:
        """The end of the watermark's line, with what it reads."""
        for row in self._rows["mark"]:
            if not row["moved"]:
                continue
            x, y = self._at(row["x"], row["y"])
            wide = _width(row["round"]) + 12
            left = min(max(x - wide / 2, _LEFT + 2), WIDE - _RIGHT - wide)
            top = min(y + 10, HIGH - _BOTTOM - 2 * _HALF - 2)
            yield f'<rect x="{left}" y="{top}" width="{wide}" height="{2 * _HALF}" rx="3" class="g-mark"/>'
            yield _text(left + wide / 2, top + 18, row["round"], "mark-text", "middle")
