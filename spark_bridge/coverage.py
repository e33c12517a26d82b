"""What the bridge cannot run yet, and why: one table, shown by the command line, the app and the documentation.

A ``Gap`` is a name, which is also that of its reason in the catalogue (``spark.gaps.<name>``), and a test.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import fsum, isfinite
from typing import Final

from simulator.scenario.model import Generated, IntervalJoin, Scenario, Window, WindowJoin
from simulator.values.items import Checkpoint, Item, Record, Restore, Status
from simulator.values.time import MAX, MIN
from simulator.words import words
from spark_bridge.listed import clock_of
from spark_bridge.plan import WindowPlan, plan_of, record_values

ENGINES: Final = ("batch", "streaming")
"""What ``--engine`` takes."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A kind of scenario that the batch engine does not cover, and whether a scenario is of that kind."""

    name: str
    found_in: Callable[[Scenario], bool]

    @property
    def reason(self) -> str:
        """Why it is not covered, in a sentence."""
        return words(f"spark.gaps.{self.name}")


def _items(scenario: Scenario) -> Iterable[Item]:
    return () if isinstance(scenario.stream, Generated) else scenario.stream


def _has_item(*kinds: type) -> Callable[[Scenario], bool]:
    return lambda scenario: any(isinstance(item, kinds) for item in _items(scenario))


def _of_operator(*kinds: type) -> Callable[[Scenario], bool]:
    return lambda scenario: isinstance(scenario.operator, kinds)


def _of_window(test: Callable[[Window], bool]) -> Callable[[Scenario], bool]:
    return lambda scenario: isinstance(scenario.operator, Window) and test(scenario.operator)


def _other_trigger(window: Window) -> bool:
    # With ``api: sql`` and in processing time the default is another one; what stands against those is said of them.
    return (window.api, window.time) == ("datastream", "event") and window.trigger.type != "event-time"


GAPS: Final = (
    Gap("spark_rules", lambda scenario: scenario.engine == "spark"),
    Gap("window_join", _of_operator(WindowJoin)),
    Gap("interval_join", _of_operator(IntervalJoin)),
    Gap("sql", _of_window(lambda window: window.api == "sql")),
    Gap("processing_time", _of_window(lambda window: window.time == "processing")),
    Gap("session", _of_window(lambda window: window.assigner.type in ("session", "dynamic-session"))),
    Gap("global_window", _of_window(lambda window: window.assigner.type == "global")),
    Gap("evictor", _of_window(lambda window: window.evictor is not None)),
    Gap("trigger", _of_window(_other_trigger)),
    Gap("sql_watermark", lambda scenario: any(each.watermark.generator == "sql" for each in scenario.inputs)),
    Gap("idleness", lambda scenario: any(each.watermark.idle_timeout for each in scenario.inputs)),
    Gap("status", _has_item(Status)),
    Gap("restore", _has_item(Checkpoint, Restore)),
)
"""The kinds that are not covered. Tumbling and sliding windows and the event sort are, apart from these."""

LIMITS: Final = (
    Gap("sum_leaves_64_bits", lambda scenario: not _sums_fit(scenario)),
    Gap("times_leave_64_bits", lambda scenario: not _times_fit(scenario)),
)
"""Data on which 64-bit arithmetic would overflow. Asked only of scenarios without a gap."""


def gaps_of(scenario: Scenario, engine: str = "batch") -> list[Gap]:
    """Everything for which ``engine`` does not cover ``scenario``; empty when it does."""
    if engine == "streaming":
        return [Gap("streaming", lambda _: True)]
    gaps = [gap for gap in GAPS if gap.found_in(scenario)]
    return gaps or [limit for limit in LIMITS if limit.found_in(scenario)]


def _sums_fit(scenario: Scenario) -> bool:
    """Whether no sum, in whatever order and grouping, can leave 64 bits or the finite doubles."""
    window = plan_of(scenario).operator
    if not isinstance(window, WindowPlan) or window.compute not in ("sum", "avg"):
        return True
    stream = scenario.stream
    if isinstance(stream, Generated):
        return stream.events * max(map(abs, stream.values)) <= MAX
    values = [value for value in record_values(stream) if isinstance(value, (int, float))]
    try:
        largest = fsum(map(abs, values))
    except OverflowError:
        return False
    whole = sum(abs(value) for value in values if isinstance(value, int))
    return whole <= MAX and isfinite(largest)


def _times_fit(scenario: Scenario) -> bool:
    """Whether every timestamp, clock and window of the stream stays within Java's ``long``."""
    plan = plan_of(scenario)
    lowest, highest = _time_range(scenario)
    if plan.watermark.generator == "punctuated" and lowest - plan.watermark.bound < MIN:
        return False
    window = plan.operator
    if not isinstance(window, WindowPlan):
        return lowest >= MIN and highest <= MAX
    first, last = _newest_start(lowest, window), _newest_start(highest, window) + window.size
    if window.slide != window.size:
        first -= window.size
    return lowest > MIN and min(first, lowest - window.offset) >= MIN and last <= MAX


def _newest_start(ts: int, window: WindowPlan) -> int:
    return ts - (ts - window.offset) % window.slide


def _time_range(scenario: Scenario) -> tuple[int, int]:
    """The earliest and the latest of all timestamps and clocks, as unbounded integers."""
    stream, origin = scenario.stream, scenario.origin
    if isinstance(stream, Generated):
        spread = (stream.values[1] - stream.values[0], stream.disorder)
        if max(spread) >= MAX:
            return MIN - 1, MAX
        return origin - stream.disorder - stream.late_by, origin + stream.events * stream.every
    times = [item.ts for item in stream if isinstance(item, Record) and item.ts is not None]
    times += [origin, *clock_of(stream, origin)]
    return min(times), max(times)
