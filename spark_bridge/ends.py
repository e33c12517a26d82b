"""Which windows a generated stream can have, known before any record is made."""

from simulator.scenario.borders import span_of
from simulator.scenario.model import Generated
from spark_bridge.plan import BatchPlan, WindowPlan

MOST_ENDS = 250_000
"""At most this many ends of windows are sent to every executor; more are joined by an exchange."""


def possible_ends(plan: BatchPlan, window: WindowPlan) -> range | None:
    """Every end (ms) that a window of the stream can have, and perhaps more.

    None for a list, and if there are too many, or more than records.
    """
    stream = plan.scenario.stream
    if not isinstance(stream, Generated) or not stream.events:
        return None
    earliest, latest = span_of(stream, plan.borders)
    lowest, highest = plan.scenario.origin + earliest, plan.scenario.origin + latest - stream.every
    last = _last_end(lowest, window)
    first = last - max(0, last - lowest - 1) // window.slide * window.slide
    ends = range(first, _last_end(highest, window) + 1, window.slide)
    return ends if len(ends) <= min(MOST_ENDS, stream.events) else None


def _last_end(ts: int, window: WindowPlan) -> int:
    return ts - (ts - window.offset) % window.grid + window.size
