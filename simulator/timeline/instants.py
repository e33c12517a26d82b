"""A result of a window in local time, by the instants between which the window lies."""

from tidemark.simulator.engine.values.zone import SessionZone
from tidemark.simulator.timeline.facts import Row


def in_instants(row: Row, zone: SessionZone | None) -> Row:
    """``row`` with its window between instants (epoch ms): what runs of different zones, or engines, have in common.

    Itself where it has no window, and without a ``zone``.
    """
    if zone is None or row.get("start") is None:
        return row
    start, end = zone.span(row["start"], row["end"])
    moved = {"start": start, "end": end, "timestamp": end - 1}
    return row | {name: value for name, value in moved.items() if name in row}
