"""What the frame of an OVER aggregation holds: values come and go, and the aggregate of those that are there."""

from collections import Counter
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, Final, Protocol


class Frame(Protocol):
    """The values of a frame."""

    def add(self, value: Any) -> None:
        """``value`` comes into the frame."""

    def take(self, value: Any) -> None:
        """``value`` leaves the frame. It may leave just before it comes."""

    def result(self) -> Any:
        """The aggregate of the values that are there."""


class Total:
    """Sum, count and average. A value is taken off the total, as Flink does, which shows in the digits of doubles."""

    def __init__(self, result: Callable[[Any, int], Any]) -> None:
        self._result = result
        self._total: Any = 0
        self._count = 0

    def add(self, value: Any) -> None:
        """Add it to the total."""
        self._count += 1
        self._total = self._total + value if isinstance(value, int | float) else self._total

    def take(self, value: Any) -> None:
        """Take it off the total."""
        self._count -= 1
        self._total = self._total - value if isinstance(value, int | float) else self._total

    def result(self) -> Any:
        """The aggregate."""
        return self._result(self._total, self._count)


class Extreme:
    """The smallest value, or with ``sign`` -1 the largest; of equal ones the first that came.

    What has left stays in the heap until it comes to the top.
    """

    def __init__(self, sign: int) -> None:
        self._sign = sign
        self._heap: list[tuple[Any, int, Any]] = []
        self._left: Counter[Any] = Counter()
        self._came = 0

    def add(self, value: Any) -> None:
        """Put it into the heap."""
        self._came += 1
        heappush(self._heap, (self._sign * value, self._came, value))

    def take(self, value: Any) -> None:
        """Remember that one of these has left."""
        self._left[value] += 1

    def result(self) -> Any:
        """The first of those that are there; None without any."""
        while self._heap and self._left[self._heap[0][2]]:
            self._left[heappop(self._heap)[2]] -= 1
        return self._heap[0][2] if self._heap else None


FRAMES: Final[dict[str, Callable[[], Frame]]] = {
    "sum": lambda: Total(lambda total, count: total),
    "count": lambda: Total(lambda total, count: count),
    "avg": lambda: Total(lambda total, count: float(total) / count if count else None),
    "min": lambda: Extreme(1),
    "max": lambda: Extreme(-1),
}
"""A new frame by ``compute``."""
