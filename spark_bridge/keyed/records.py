"""What goes into a keyed function and what comes out of it."""

from dataclasses import dataclass
from enum import Enum
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
    record that was not taken. ``life`` distinguishes successive windows with the same bounds, ``order`` the rows of a
    key. ``by``: the record that fired it at once. Else a timer did, and ``due`` is the watermark that it waited for,
    where the moves of the watermark are not seen. ``pane``: the number of a pane, or a rank. ``own``: the record's own
    value, as JSON text, beside an aggregate.
    """

    kind: str
    span: Span
    value: Any
    order: int
    due: int | None = None
    by: Arrival | None = None
    life: Life | None = None
    pane: int | None = None
    change: str | None = None
    time: int | None = None
    own: str | None = None


class Outbox:
    """Where a machine puts its rows."""

    def __init__(self) -> None:
        self._rows: list[Fired] = []

    def rows(self) -> list[Fired]:
        """The rows emitted since the last call, in order."""
        rows = self._rows
        if rows:
            self._rows = []
        return rows
