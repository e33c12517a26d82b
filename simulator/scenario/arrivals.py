"""When the records of a generated stream come: every so many ms, some of them where the clock decides something.

With ``borders`` a share of the arrivals seeks a border on the clock: the tick at which a generator sends its watermark
or finds its channel idle, the end of a window in processing time, the time of a trigger that follows the clock. Such a
record comes exactly then, one millisecond earlier or one later.

The clock never goes back, so a record stays within the time that is its own: record i comes one millisecond before
``i * every`` at the earliest, and before the next record can come at the latest. Where no border lies in that time it
comes at ``i * every``, as without ``borders``, and record 0 always does: it cannot come before the clock begins.
So the arrival of a record follows from its number, and the first record that comes at a time or later from that time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tidemark.simulator.pipeline.source import IDLENESS_PROBE_INTERVAL
from tidemark.simulator.pipeline.sql_source import callback_period
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.drawing import MILLION, TICK, TICK_GRID, TICK_OFFSET, below


@dataclass(frozen=True, slots=True)
class ClockGrid:
    """Times on the clock (ms) that lie ``step`` (>= 1) apart, one of them at ``phase``."""

    step: int
    phase: int


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Record i comes at ``origin + i * every`` (ms), unless it is one of ``millionths`` that seek one of the ``grids``.

    ``every`` is at least 2 where there are grids.
    """

    origin: int
    every: int
    seed: int = 0
    millionths: int = 0
    grids: tuple[ClockGrid, ...] = ()

    @property
    def are_steady(self) -> bool:
        """Whether no record seeks a border."""
        return not self.grids

    def at(self, index: int) -> int:
        """When the record comes (ms)."""
        return self.maker()(index)

    def maker(self) -> Callable[[int], int]:
        """``at``, made ready for many records."""
        origin, every, millionths, grids = self.origin, self.every, self.millionths, self.grids
        if not grids:
            return lambda index: origin + index * every
        seeks, which, beside = (below(self.seed, column) for column in (TICK, TICK_GRID, TICK_OFFSET))

        def at(index: int) -> int:
            own = origin + index * every
            if index == 0 or seeks(index, MILLION) >= millionths:
                return own
            grid, first, last = grids[which(index, len(grids))], own - 1, own + every - 2
            border = last - (last - grid.phase) % grid.step
            return own if border < first else min(max(first, border + beside(index, 3) - 1), last)

        return at

    def first_at(self, clock: int) -> int:
        """The first record that comes at ``clock`` (ms) or later, in a stream without an end; ``every`` is above 0."""
        if clock <= self.origin:
            return 0
        index = (clock - self.origin + (0 if self.are_steady else 1)) // self.every
        return index if self.at(index) >= clock else index + 1


def arrivals_of(
    operator: model.Operator, inputs: tuple[model.InputSpec, ...], stream: model.Generated, origin: int
) -> Arrivals:
    """When the records of ``stream`` come. They are steady unless it seeks borders and the clock decides something."""
    grids: tuple[ClockGrid, ...] = ()
    if stream.border_millionths and stream.every > 1:
        grids = tuple(dict.fromkeys(_grids(operator, inputs, origin)))
    return Arrivals(origin, stream.every, stream.seed, stream.border_millionths, grids)


def arrivals_in(scenario: model.Scenario) -> Arrivals:
    """When the records of a scenario's generated stream come."""
    assert isinstance(scenario.stream, model.Generated)
    inputs = scenario.inputs if scenario.engine == "flink" else ()  # a query of Spark's looks at no clock here
    return arrivals_of(scenario.operator, inputs, scenario.stream, scenario.origin)


def _grids(operator: model.Operator, inputs: tuple[model.InputSpec, ...], origin: int) -> Iterator[ClockGrid]:
    """The times at which the clock decides something: ticks count from ``origin``, windows from the epoch."""
    for each in inputs:
        if interval := tick_interval(each.watermark):
            yield ClockGrid(interval, origin % interval)
        if timeout := each.watermark.idle_timeout:
            yield ClockGrid(timeout, origin % timeout)
    if not isinstance(operator, model.Window | model.WindowJoin):
        return
    if operator.time == "processing" and model.session_zone_of(operator) is None:
        match operator.assigner:
            case model.Tumbling(size, offset):
                yield ClockGrid(size, offset % size)
            case model.Sliding(size, slide, offset):
                yield ClockGrid(slide, offset % slide)
                yield ClockGrid(slide, (offset + size) % slide)
            case model.Cumulative(_, step, offset):
                yield ClockGrid(step, offset % step)
            case model.Session(gap):
                yield ClockGrid(gap, 0)
            case model.DynamicSession() | model.Global():
                pass
    yield from (ClockGrid(step, 0) for step in _steps_of(operator.trigger))


def _steps_of(trigger: object) -> Iterator[int]:
    """The times (ms) after which a trigger, or one inside it, fires by the clock."""
    match trigger:
        case model.ContinuousProcessingTimeTrigger(interval) | model.ProcessingTimeEvery(interval):
            yield interval
        case model.ProcessingTimeoutTrigger():
            yield trigger.timeout
            yield from _steps_of(trigger.inner)
        case model.PurgingTrigger(inner):
            yield from _steps_of(inner)
        case model.AfterEndOfWindow(early, late):
            yield from _steps_of(early)
            yield from _steps_of(late)
        case _:
            pass


def tick_interval(watermark: model.WatermarkSpec) -> int:
    """The ms between the ticks of a generator; 0 if it has none."""
    if not watermark.makes_watermarks:
        return 0
    if watermark.in_table_runtime:
        return callback_period(watermark.emit, watermark.idle_timeout)
    return watermark.emit or (IDLENESS_PROBE_INTERVAL if watermark.idle_timeout else 0)


def asked_every(watermark: model.WatermarkSpec) -> int:
    """The ms from one periodic emission of a generator to the next; 0 if it is asked after each record.

    It is ``emit``, except in the table runtime with an idle timeout: there the ticks suit both, and the emission waits
    for the first tick that is due. Source: ``WatermarkAssignerOperator.onProcessingTime``.
    """
    tick = tick_interval(watermark)
    return -(-watermark.emit // tick) * tick if watermark.emit else 0
