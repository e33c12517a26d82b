"""What goes into a keyed function and what comes out of it.

What a window keeps: one value that grows, or all its records in order of arrival; and the value of a firing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import reduce
from typing import Any, Final, NamedTuple

IN: Final = ("key", "item", "at", "before", "side", "ts", "value")
"""The columns of a record; ``value`` is its canonical JSON text."""

Span = tuple[int, int] | None
"""A window: start (inclusive) and end (exclusive) in ms; None is the global window."""


class NoValue(Enum):
    """What stands where a record has no value. A member stays itself when a checkpoint copies it."""

    DELETED = "deleted"


DELETED: Final = NoValue.DELETED
"""The value of a record that ends a version instead of bringing one."""


class Arrival(NamedTuple):
    """A record of the key. ``before``: the combined watermark at its arrival; ``side`` numbers the inputs.

    ``at``: the clock (ms); ``ts`` is Long.MIN_VALUE if the record has no timestamp. ``value`` may be ``DELETED``.
    """

    item: int
    at: int
    before: int
    side: int
    ts: int
    value: Any


@dataclass(slots=True, eq=False)
class Life:
    """One life of a window: its number within the key, its count of rows, and the first row on time."""

    number: int
    panes: int = 0
    on_time: int | None = None


class Fired(NamedTuple):
    """A row of the key.

    ``kind``: ``pane``, ``joined``, ``group``, ``emitted``, ``ranked``; ``late`` (with ``time`` its timestamp) for a
    record that was not taken. ``life`` distinguishes successive windows with the same bounds. ``by``: the record that
    fired it at once. Else a timer did, and ``due`` is the watermark that it waited for, where the moves of the
    watermark are not seen. ``pane``: the number of a pane, or a rank. ``own``: the record's own value, as JSON text,
    beside an aggregate.
    """

    kind: str
    span: Span
    value: Any
    due: int | None = None
    by: Arrival | None = None
    life: Life | None = None
    pane: int | None = None
    change: str | None = None
    time: int | None = None
    own: str | None = None


class Collector:
    """Where the operator of a key emits its rows."""

    def __init__(self) -> None:
        self._rows: list[Fired] = []

    def collect(self, row: Fired) -> None:
        """Emit ``row``."""
        self._rows.append(row)

    def rows(self) -> list[Fired]:
        """The rows emitted since the last call, in order."""
        rows = self._rows
        if rows:
            self._rows = []
        return rows


Kept = Any


@dataclass(frozen=True, slots=True)
class Fold:
    """An aggregate: ``start``, then ``add`` for each value, ``join`` of two, ``result``."""

    start: Any
    add: Callable[[Any, Any], Any]
    join: Callable[[Any, Any], Any]
    result: Callable[[Any], Any]


def _plus(left: Any, right: Any) -> Any:
    return left + right


def _lower(left: Any, right: Any) -> Any:
    return right if left is None or (right is not None and right < left) else left


def _higher(left: Any, right: Any) -> Any:
    return right if left is None or (right is not None and right > left) else left


def _same(value: Any) -> Any:
    return value


FOLDS: Final = {
    "sum": Fold(0, _plus, _plus, _same),
    "count": Fold(0, lambda count, _: count + 1, _plus, _same),
    "min": Fold(None, _lower, _lower, _same),
    "max": Fold(None, _higher, _higher, _same),
    "avg": Fold(
        (0, 0),
        lambda held, value: (held[0] + value, held[1] + 1),
        lambda left, right: (left[0] + right[0], left[1] + right[1]),
        lambda held: float(held[0]) / held[1] if held[1] else None,
    ),
}
"""The aggregates by ``compute``. A sum is an integer until the first double; of equal extremes the first stays."""


def fold(compute: str, values: Iterable[Any]) -> Any:
    """The aggregate of all ``values``, in their order."""
    folding = FOLDS[compute]
    return folding.result(reduce(folding.add, values, folding.start))


@dataclass(frozen=True, slots=True)
class Growing:
    """``reduce`` and ``aggregate``: one value for each window."""

    compute: str

    def added(self, kept: Kept, record: Arrival) -> Kept:
        """``kept`` (None if empty) with a record added."""
        folding = FOLDS[self.compute]
        return folding.add(folding.start if kept is None else kept, record.value)

    def joined(self, kept: Kept, later: Kept) -> Kept:
        """The contents of two windows, merged."""
        return FOLDS[self.compute].join(kept, later)

    def result(self, kept: Kept) -> Any:
        """The value of a firing."""
        return FOLDS[self.compute].result(kept)


@dataclass(frozen=True, slots=True)
class Listed:
    """``process``, evictors and joins: every record. ``call`` and ``compute`` decide the value of a firing."""

    call: str
    compute: str

    def added(self, kept: list[Arrival] | None, record: Arrival) -> list[Arrival]:
        """``kept`` with a record appended."""
        if kept is None:
            return [record]
        kept.append(record)
        return kept

    def joined(self, kept: list[Arrival], later: list[Arrival]) -> list[Arrival]:
        """The second list appended to the first."""
        return kept + later

    def result(self, kept: Sequence[Arrival]) -> Any:
        """The value of a firing; of no records (an evictor may have left none) 0, None or []."""
        values = [record.value for record in kept]
        if self.compute == "collect":
            return values
        if self.call == "reduce" and not values:
            return None
        return fold(self.compute, values)
