"""What goes into a keyed function and what comes out of it."""

from typing import Any, Final, NamedTuple

IN: Final = ("key", "item", "at", "before", "side", "ts", "value")
"""The columns of a record; ``value`` is its canonical JSON text."""

Span = tuple[int, int] | None
"""A window: its start and its end (exclusive), in ms; None is the global window."""


class Arrival(NamedTuple):
    """A record of the key. ``before``: the combined watermark at its arrival; ``side`` numbers the inputs."""

    item: int
    at: int
    before: int
    side: int
    ts: int
    value: Any


class Fired(NamedTuple):
    """A row that the key gives.

    ``kind``: ``pane``, ``joined``, ``group``; ``late`` (with ``time`` its timestamp) for a record that no window took.
    ``life`` tells apart the windows of one span that followed one another, ``order`` the rows of a key.
    ``by``: the record that fired it at once; None when it waited for the watermark ``due``.
    """

    kind: str
    span: Span
    value: Any
    order: int
    due: int | None = None
    by: Arrival | None = None
    life: int | None = None
    pane: int | None = None
    change: str | None = None
    time: int | None = None
