"""Which labels have room: a simple record of occupied rectangles, for the smallest usual size."""

from collections.abc import Iterator

from ui.charts.axes import Axis
from ui.charts.text import width

WIDTH, HEIGHT = 750, 290
"""The size (px) of the plane in a window of 1280×720: whatever fits there also fits in a larger one."""

_CELL = 48
_NAMES = 12
"""The number of places tried on each side of a line for its name."""


_Box = tuple[float, float, float, float]
_Grid = dict[tuple[int, int], list[_Box]]


class Crowding:
    """Occupied rectangles (px); asking for a free one occupies it. Boxes may overlap lines, texts may not."""

    def __init__(self, x: Axis, y: Axis) -> None:
        self._x, self._y = x, y
        self._width = WIDTH * x.share
        self._marks: _Grid = {}
        self._lines: _Grid = {}

    def take_mark(self, x: float, y: float, size: float) -> None:
        """Occupy the place of a record's mark, whether or not it is free."""
        left, top = self._px(x, y)
        self._take((left - size / 2, top - size / 2, left + size / 2, top + size / 2), self._marks)

    def take_line(self, x: float, y: float, x2: float, y2: float) -> None:
        """Occupy a thick line, horizontal or vertical."""
        (left, top), (right, bottom) = self._px(x, y), self._px(x2, y2)
        line = (min(left, right) - 2, min(top, bottom) - 2, max(left, right) + 2, max(top, bottom) + 2)
        self._take(line, self._lines)

    def take_label(self, x: float, y: float, text: str, dot: float, below: bool) -> tuple[float, float] | None:
        """Where ``text`` beside a mark finds room: its offset (px) from the mark's middle, if anywhere.

        Rather above than below, or the other way round; rather at the right than at the left.
        """
        left, top = self._px(x, y)
        wide = width(text)
        for dx, dy in _beside(dot, wide, below):
            place = (left + dx, top + dy - 6, left + dx + wide, top + dy + 6)
            if place[0] > -4 and place[2] < self._width + 12 and self._take_if_free(place, self._marks, self._lines):
                return dx, dy
        return None

    def take_text(self, x: float, y: float, dx: float, dy: float, text: str) -> bool:
        """Whether ``text`` has room at this place, its left end ``dx`` and its middle ``dy`` px away."""
        left, top = self._px(x, y)
        place = (left + dx, top + dy - 8, left + dx + width(text), top + dy + 8)
        return self._take_if_free(place, self._marks, self._lines)

    def take_name(self, y: float, text: str) -> tuple[float, float]:
        """Where the name of a line across the plane finds room: its right end (px from the plane's) and its middle
        (px from the line). Rather above than below, rather at the right; above at the right where all is taken."""
        wide, top = width(text) * 1.3, self._px(0, y)[1]  # the planes of a comparison are narrower than assumed here
        for steps in range(_NAMES):
            for dy in (-9, 9):
                dx = -6 - steps * wide / 2
                left = self._width + dx - wide
                if self._take_if_free((left, top + dy - 6, left + wide, top + dy + 6), self._marks, self._lines):
                    return dx, dy
        return -6, -9

    def take_box(self, x: float, y: float, dx: float, width: float, room: float) -> float | None:
        """The first offset from ``dx`` on at which a result's box has room in its window (``room`` px), if any."""
        left, top = self._px(x, y)
        while dx + width <= max(room, 130) and left + dx + width < self._width + 10:
            if self._take_if_free((left + dx, top - 12.5, left + dx + width, top + 12.5), self._marks):
                return dx
            dx += 12
        return None

    def _px(self, x: float, y: float) -> tuple[float, float]:
        return self._x.px(x, WIDTH), self._y.px(y, HEIGHT)

    def _take_if_free(self, box: _Box, *grids: _Grid) -> bool:
        for grid in grids:
            for cell in self._cells(box):
                for other in grid.get(cell, ()):
                    if box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]:
                        return False
        self._take(box, self._marks)
        return True

    def _take(self, box: _Box, grid: _Grid) -> None:
        for cell in self._cells(box):
            grid.setdefault(cell, []).append(box)

    @staticmethod
    def _cells(box: _Box) -> list[tuple[int, int]]:
        columns = range(int(box[0] // _CELL), int(box[2] // _CELL) + 1)
        return [(i, j) for i in columns for j in range(int(box[1] // _CELL), int(box[3] // _CELL) + 1)]


def _beside(dot: float, wide: float, below: bool) -> Iterator[tuple[float, float]]:
    """Places of a label round a mark, clear of the ring that a step may draw round it."""
    right, left = dot * 0.5 + 5, -dot * 0.5 - 5 - wide
    above, under = -dot * 0.5 - 3, dot * 0.5 + 7
    first, second = (under, above) if below else (above, under)
    yield from ((right, first), (right, second), (left, first), (left, second))
