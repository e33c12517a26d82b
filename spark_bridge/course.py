"""What a task that goes through everything in order knows beforehand: the clock at each item, and the ticks."""

from tidemark.simulator.scenario.generated import Arrivals, arrivals_in
from tidemark.simulator.scenario.model import Data, Generated, session_zone_of
from tidemark.spark_bridge.keyed.clock import Course, GeneratedCourse, ListedCourse
from tidemark.spark_bridge.keyed.ordered import Rules
from tidemark.spark_bridge.keyed.planned import KeyedPlan
from tidemark.spark_bridge.listed import clock_of
from tidemark.spark_bridge.plan import BatchPlan
from tidemark.spark_bridge.watermarks.ticks import period_of


def course_of(plan: BatchPlan) -> Course:
    """The clock at each item."""
    stream, origin = plan.scenario.stream, plan.scenario.origin
    if isinstance(stream, Generated):
        return GeneratedCourse(arrivals_in(plan.scenario), stream.events)
    if isinstance(stream, Data):
        stands = GeneratedCourse(Arrivals(origin, 0), len(stream))
        return ListedCourse(plan.clocks) if stream.known.at is not None else stands
    return ListedCourse(tuple(clock_of(stream, origin)), plan.numbers, plan.withdrawn)


def rules_of(plan: BatchPlan, keyed: KeyedPlan) -> Rules:
    """By which time windows end, and the ticks that may fall on the millisecond of a processing-time timer."""
    periods = frozenset(periods_by_rank(plan)) - {0}
    zone = session_zone_of(plan.scenario.operator)
    return Rules(keyed.by_clock, plan.scenario.origin, periods, plan.pause, keyed.keeps_watermark, zone)


def periods_by_rank(plan: BatchPlan) -> list[int]:
    """The time between the ticks of each channel (ms), by its rank among the ticks of one millisecond."""
    periods = [period_of(each.watermark) for each in plan.inputs for _ in range(each.channels)]
    return [period for _, period in sorted(zip(plan.tick_ranks, periods, strict=True))]
