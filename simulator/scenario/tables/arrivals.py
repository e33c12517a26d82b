"""Which of two times of a table is the arrival, by the rows themselves: a record arrives after it happened, and a file
is usually in the order of arrival."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Final

FEWEST: Final = 8
"""From so many rows with both times something can be said."""

AFTER: Final = 0.95
"""The least share of rows whose arrival is at or after their event time. Some clocks are ahead."""

IN_ORDER: Final = 0.9
"""The least share of rows that arrive at or after the row before them. Partitions of a topic interleave."""

FURTHEST_MS: Final = 24 * 3_600_000
"""Half of the records arrive within this time: a birthday, too, is before every other time."""


def arrives(events: Sequence[int | None], arrivals: Sequence[int | None]) -> bool:
    """Whether ``arrivals`` (ms, a row each; None: unreadable) are when records of the times ``events`` arrived.

    They are hardly ever before the event times, and the rows are in their order, more than in that of the event times.
    """
    both = [(event, at) for event, at in zip(events, arrivals, strict=True) if event is not None and at is not None]
    if len(both) < FEWEST:
        return False
    delays = [at - event for event, at in both]
    if sum(delay >= 0 for delay in delays) < AFTER * len(both) or not 0 < median(delays) <= FURTHEST_MS:
        return False
    order = _order([at for _, at in both])
    return order >= IN_ORDER and order > _order([event for event, _ in both])


def _order(times: Sequence[int]) -> float:
    """The share of times that are at or after the one before them."""
    return sum(before <= after for before, after in pairwise(times)) / (len(times) - 1)
