"""Which windows a stream can have, known before any record is made or gone through."""

from tidemark.simulator.scenario.generated import span_of
from tidemark.simulator.scenario.model import Data, Generated
from tidemark.spark_bridge.operator_plans import WindowPlan
from tidemark.spark_bridge.plan import BatchPlan

MOST_ENDS = 250_000
"""At most this many ends of windows are sent to every executor; more are joined by an exchange."""


def possible_ends(plan: BatchPlan, window: WindowPlan) -> range | None:
    """Every end (ms) that a window of the stream can have, and perhaps more.

    None for a list, if there are too many, or more than records, and where the watermark depends on the order of all.
    """
    stream, origin = plan.scenario.stream, plan.scenario.origin
    if plan.watermark_in_order or not plan.records:
        return None
    if isinstance(stream, Generated):
        earliest, latest = span_of(stream, plan.borders)
        lowest, highest = origin + earliest, origin + latest - stream.every
    elif isinstance(stream, Data) and stream.known.ts is not None:
        lowest, highest = stream.known.ts
    else:
        return None
    last = _last_end(lowest, window)
    first = last - max(0, last - lowest - 1) // window.slide * window.slide
    ends = range(first, _last_end(highest, window) + 1, window.slide)
    return ends if len(ends) <= min(MOST_ENDS, plan.records) else None


def _last_end(ts: int, window: WindowPlan) -> int:
    return ts - (ts - window.offset) % window.grid + window.size
