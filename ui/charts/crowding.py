"""Which labels have room: a plain record of the places that are taken, judged at the nominal size."""

from ui.charts.axes import NOMINAL_HEIGHT, NOMINAL_WIDTH, Axis

_CELL = 48


class Crowding:
    """Rectangles (px) that are taken; asking for a free one takes it."""

    def __init__(self, x: Axis, y: Axis) -> None:
        self._x, self._y = x, y
        self._grid: dict[tuple[int, int], list[tuple[float, float, float, float]]] = {}

    def take_mark(self, x: float, y: float, size: float) -> None:
        """A record's mark: taken whether or not something else is there."""
        left, top = self._px(x, y)
        self._take((left - size / 2, top - size / 2, left + size / 2, top + size / 2))

    def take_label(self, x: float, y: float, text: str, dot: float, below: bool) -> bool:
        """Whether ``text`` beside a mark finds room."""
        left, top = self._px(x, y)
        left += dot * 0.55 + 2
        top += dot * 0.85 - 5 if below else -dot * 0.5 - 7
        return self._take_if_free((left, top, left + 7 * len(text), top + 11))

    def take_box(self, x: float, y: float, dx: float, width: float, room: float) -> float | None:
        """The first offset from ``dx`` on at which a result's box has room in its window (``room`` px), if any."""
        left, top = self._px(x, y)
        while dx + width <= max(room, 130) and left + dx + width < NOMINAL_WIDTH + 10:
            if self._take_if_free((left + dx, top - 12, left + dx + width, top + 12)):
                return dx
            dx += 12
        return None

    def _px(self, x: float, y: float) -> tuple[float, float]:
        return self._x.px(x, NOMINAL_WIDTH), self._y.px(y, NOMINAL_HEIGHT)

    def _take_if_free(self, box: tuple[float, float, float, float]) -> bool:
        for cell in self._cells(box):
            for other in self._grid.get(cell, ()):
                if box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]:
                    return False
        self._take(box)
        return True

    def _take(self, box: tuple[float, float, float, float]) -> None:
        for cell in self._cells(box):
            self._grid.setdefault(cell, []).append(box)

    @staticmethod
    def _cells(box: tuple[float, float, float, float]) -> list[tuple[int, int]]:
        columns = range(int(box[0] // _CELL), int(box[2] // _CELL) + 1)
        return [(i, j) for i in columns for j in range(int(box[1] // _CELL), int(box[3] // _CELL) + 1)]
