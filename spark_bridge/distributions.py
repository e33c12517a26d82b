"""What a stream looks like at scale: a few numbers for a picture, however long the stream is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario.model import Data, Generated
from tidemark.spark_bridge.listed import clock_of
from tidemark.spark_bridge.plan import BatchPlan

MOST_BINS: Final = 60
MOST_FIRINGS: Final = 8
"""Later firings of a window count as the last one."""
TOP_KEYS: Final = 5


@dataclass(frozen=True, slots=True)
class Distributions:
    """How late the records were, how often windows fired, how the results spread over the keys.

    ``delays``: how far the timestamp of a record lies behind the clock at its arrival, in bins of ``delay_width`` ms.
    Each is the lower bound of the bin (inclusive), the number of records, how many of them were at or behind the
    watermark, and how many were dropped or went to the side output. ``firings``: the number of results by pane number
    (from 0; None where results are not numbered). ``results``: the number of keys by their number of results, in bins
    of ``results_width``.
    ``top``: the keys (as JSON) with the most results.
    """

    delay_width: int
    delays: tuple[tuple[int, int, int, int], ...]
    firings: tuple[tuple[int, int], ...]
    keys: int
    results_width: int
    results: tuple[tuple[int, int], ...]
    top: tuple[tuple[str, int], ...]

    def as_json(self) -> Mapping[str, Any]:
        """Plain lists and numbers."""
        return {name: getattr(self, name) for name in self.__slots__}


def bin_width(lowest: int, highest: int) -> int:
    """The smallest width of 1, 2, 5, 10, 20, 50, … with which ``MOST_BINS`` bins cover ``lowest`` to ``highest``."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            width = factor * power
            if highest // width - lowest // width < MOST_BINS:
                return width
        power *= 10


def delay_bounds(plan: BatchPlan) -> tuple[int, int]:
    """The smallest and the largest delay (ms) that the stream can hold."""
    stream = plan.scenario.stream
    if isinstance(stream, Generated):
        borders = plan.borders
        ahead, behind = (0, 0) if borders is None else (borders.ahead, borders.behind)
        return -ahead, behind + stream.disorder + (stream.late_by if stream.late_millionths else 0)
    if isinstance(stream, Data):
        found, origin = stream.known, plan.scenario.origin
        ts, at = found.ts or (origin, origin), found.at or (origin, origin)
        return max(at[0], origin) - ts[1], max(at[1], origin) - ts[0]
    clocks = clock_of(stream, plan.scenario.origin)
    delays = [
        clock - item.ts
        for item, clock in zip(stream, clocks, strict=True)
        if isinstance(item, Record) and item.ts is not None
    ]
    return min(delays, default=0), max(delays, default=0)
