"""What the bridge covers and how, and what it does not cover and why: the table that the app shows.

What is not covered comes from ``coverage``, where it is decided.
"""

from dataclasses import dataclass
from typing import Final

from tidemark.simulator.words import words
from tidemark.spark_bridge.coverage import GAPS, LIMITS, STREAMING_GAPS, STREAMING_LIMITS

COVERED: Final = {
    "windows": "native",
    "window_joins": "native",
    "interval_join": "native",
    "event_sort": "native",
    "deduplicate": "native",
    "top_n": "native",
    "over_unbounded": "native",
    "table_windows": "native",
    "table_functions": "native",
    "keyed_windows": "keyed",
    "table": "keyed",
    "over": "keyed",
    "temporal_join": "keyed",
    "clock": "keyed",
    "restores": "keyed",
    "idle_channels": "ordered",
    "streaming": "micro-batch",
}
"""The kinds of operators (``spark.kinds.<name>`` in the catalogue), and how Spark computes them."""


@dataclass(frozen=True, slots=True)
class Way:
    """A kind of scenario: ``way`` is how it is computed; "" if it is not, and then ``reason`` says why not."""

    what: str
    way: str
    reason: str = ""

    @property
    def covered(self) -> bool:
        """Whether the bridge computes it."""
        return bool(self.way)


def ways() -> list[Way]:
    """The whole table."""
    covered = [Way(words(f"spark.kinds.{name}"), way) for name, way in COVERED.items()]
    gaps = (*GAPS, *STREAMING_GAPS, *LIMITS, *STREAMING_LIMITS)
    return covered + [Way(words(f"spark.kinds.{gap.name}"), "", gap.reason) for gap in gaps]
