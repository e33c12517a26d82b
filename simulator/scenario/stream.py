"""Generated streams: when their records come, what is drawn for each, and the borders that they seek.

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
from functools import cache
from math import gcd
from struct import Struct
from typing import Final

from tidemark.simulator.engine.source import IDLENESS_PROBE_INTERVAL, callback_period
from tidemark.simulator.engine.values.items import BatchEnd, End, Item, Record
from tidemark.simulator.scenario import model

# What is drawn for record i of a generated stream: a hash of the seed, the column and i, so nothing else counts.
#
# Column c of record i is drawn from ``h(c, i)``, the 64-bit xxHash that Spark's ``xxhash64(seed, c, i)`` returns
# for three BIGINT columns: XXH64 of each column's 8 little-endian bytes, seeded with the previous hash, and first
# with 42.

MILLION: Final = 1_000_000

SPARK_SEED: Final = 42
KEY, DISORDER, LATE, VALUE, CHANNEL, INPUT, BORDER, GRID, OFFSET, TICK, TICK_GRID, TICK_OFFSET = range(12)
"""The columns that are drawn. Those from ``BORDER`` on only for a stream that seeks borders: whether the record's time
seeks one, which, and by how much the record misses it; and the same of its arrival.
"""

to_bytes: Final = Struct("<q").pack
"""The bytes that are hashed for a number."""


@cache
def hash_function() -> Callable[[bytes, int], int]:
    """XXH64 of bytes with a seed. Imported here, because a written stream needs no library."""
    from xxhash import xxh64_intdigest

    return xxh64_intdigest


def column_hash(seed: int, column: int) -> int:
    """The hash (unsigned) of seed and column, from which every record of the column continues."""
    digest = hash_function()
    return digest(to_bytes(column), digest(to_bytes(seed), SPARK_SEED))


def below(seed: int, column: int) -> Callable[[int, int], int]:
    """What gives the number drawn in that column for record ``i``, from 0 up to below a limit: ``(i, limit)``."""
    digest, begun = hash_function(), column_hash(seed, column)

    def drawn(index: int, limit: int) -> int:
        return (digest(to_bytes(index), begun) >> 1) % limit

    return drawn


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
    if operator.trigger is None:
        return
    if operator.time == "processing" and operator.session_zone is None:
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
            case _:
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


# The borders that a generated stream can seek: times at which a comparison in the operator turns.
#
# With ``borders`` a share of the records lies exactly at such a time, one millisecond before or one behind it.
# Which records these are, which border each of them seeks and on which side of it it lies is drawn from the number
# of the record, like everything else in the stream. All borders are *grids*, equal distances apart, and so the time
# of a record follows from its number alone, in Python as in Spark.
#
# A grid is sought in one of two ways. Around a record's own time: the record moves back to the border before it. Or
# close to its arrival: the record moves forward to a border at most ``reach`` ms later. As no other record is ahead
# of its arrival, the watermark then stands exactly at a border for some time, and records of other grids, which are
# moved back from there, come meanwhile. Where no border is close, the record seeks one of the first grid instead.

MOST_PARTS: Final = 1000
"""The bounds of an interval join are cut into at most so many steps."""

CLOSE: Final = 12
"""About so many records that seek a border come to each channel within the reach."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Times every ``step`` ms, one of them at the phase of the record's input (``phases``).

    ``reach`` (ms): of records that move forward from their arrival, by at most this; None if they move back from their
    own time. ``moved`` (ms, none above 0): how far a record of each input then lies from the time on the grid.
    """

    step: int
    phases: tuple[int, ...]
    reach: int | None = None
    moved: tuple[int, ...] = ()

    def before(self, time: int, side: int) -> int:
        """The last time of the grid up to ``time`` (both ms), for the input number ``side``."""
        return time - (time - self.phases[side]) % self.step

    def moved_by(self, side: int) -> int:
        """``moved`` of the input number ``side``."""
        return self.moved[side] if self.moved else 0


@dataclass(frozen=True, slots=True)
class Borders:
    """What is sought in a stream: ``millionths`` of the records seek one of the ``grids``.

    The first grid moves records back and has a border for each of them.
    """

    millionths: int
    grids: tuple[Grid, ...]

    @property
    def ahead(self) -> int:
        """How far (ms) a record can be ahead of its arrival."""
        return 1 + max(each.reach or 0 for each in self.grids)

    @property
    def behind(self) -> int:
        """How far (ms) a record can be further behind than without borders."""
        return 1 + max(each.step if each.reach is None else -min(each.moved, default=0) for each in self.grids)

    def time(self, arrival: int, own: int, side: int, number: int, offset: int) -> int:
        """The timestamp (ms) of a record that seeks a border: of the grid ``number``, and ``offset`` ms away from it.

        ``arrival`` and ``own`` are when the record comes and its timestamp if it did not seek one.
        """
        grid = self.grids[number]
        if grid.reach is not None:
            latest = arrival + grid.reach
            border = grid.before(latest, side)
            if border >= arrival:
                return border + grid.moved_by(side) + offset
            grid = self.grids[0]
        return grid.before(own, side) + offset


def borders_of(
    operator: model.Operator, inputs: tuple[model.InputSpec, ...], stream: model.Generated
) -> Borders | None:
    """What ``stream`` seeks; None if it seeks nothing, also because nothing in the operator compares event times."""
    if not stream.border_millionths:
        return None
    grids = tuple(dict.fromkeys(_Seeking(operator, inputs, stream).grids()))
    return Borders(stream.border_millionths, grids) if grids else None


def borders_in(scenario: model.Scenario) -> Borders | None:
    """The borders that the stream of ``scenario`` seeks; None if it seeks none, or is not generated."""
    stream = scenario.stream
    return borders_of(scenario.operator, scenario.inputs, stream) if isinstance(stream, model.Generated) else None


def span_of(stream: model.Generated, borders: Borders | None) -> tuple[int, int]:
    """A time before (or at) the timestamps of all records, and one behind them (ms from the origin)."""
    earliest, latest = -stream.disorder - stream.late_by, stream.events * stream.every
    return (earliest, latest) if borders is None else (earliest - borders.behind, latest + borders.ahead)


class _Seeking:
    """The grids of an operator over a stream."""

    def __init__(self, operator: model.Operator, inputs: tuple[model.InputSpec, ...], stream: model.Generated) -> None:
        self._operator = operator
        self._sides = len(inputs)
        specs = [each.watermark for each in inputs]
        lags = [each.delay if each.delay is not None else each.watermark.ahead for each in inputs]
        moves = any(each.delay is not None or each.watermark.makes_watermarks for each in inputs)
        self._lags = tuple(lags) if moves else None
        """How far the watermark of each input lies behind the largest timestamp; None if records do not move it."""
        channels = sum(each.channels for each in inputs)
        batch = stream.every * (stream.batch_every or 0)
        asked = max(max(each.emit for each in specs), batch)
        self._reach = CLOSE * channels * stream.every * MILLION // stream.border_millionths + asked
        self._step = max(max(lags) // 2, 10 * stream.every, 2)
        """Of grids that nothing prescribes. If the bound allows it, a record that moves back does not become late."""

    def grids(self) -> Iterator[Grid]:
        """All grids, the first of which moves records back; none if the operator compares no event times."""
        operator = self._operator
        if operator.assigner is not None:
            if operator.time == "event" and operator.session_zone is None:
                yield from self._of_windows(operator)
        elif operator.written_bounds is not None:
            yield from self._of_interval(*operator.written_bounds)
        else:
            step = operator.reach or self._step
            yield from self._around(step, 0)
            yield from self._at_watermark(step, 0, 0)

    def _of_windows(self, operator: model.Operator) -> Iterator[Grid]:
        match operator.assigner:
            case model.Tumbling(size, offset):
                step, start, end = size, offset, offset
            case model.Sliding(size, slide, offset):
                step, start, end = slide, offset, offset + size
            case model.Cumulative(_, step, offset):
                start = end = offset
            case model.Session(gap):
                step, start, end = gap, 0, 0
            case model.DynamicSession():
                return
            case _:
                yield from self._of_global(operator)
                return
        yield from self._around(step, start)
        if (end - start) % step:
            yield from self._around(step, end)
        record = end - step if isinstance(operator.assigner, model.Session) else end - 1  # the last one in the window
        last = end if operator.engine == "spark" else end - 1
        yield from self._at_watermark(step, last, record)
        if lateness := operator.allowed_lateness:
            yield from self._at_watermark(step, last + lateness, record)
        yield from self._of_global(operator)

    def _of_global(self, operator: model.Operator) -> Iterator[Grid]:
        """What does not come from the windows: the time that an evictor keeps, and times at which a trigger fires."""
        if isinstance(evictor := operator.evictor, model.TimeEvictor):
            yield Grid(max(evictor.window, 1), (0,) * self._sides)
        trigger = operator.trigger
        while isinstance(trigger, model.PurgingTrigger):
            trigger = trigger.inner
        if isinstance(trigger, model.ContinuousEventTimeTrigger):
            yield from self._around(trigger.interval, 0)
            yield from self._at_watermark(trigger.interval, 0, 0)

    def _of_interval(self, lower: int, upper: int) -> Iterator[Grid]:
        """Records of the left input at the times of a grid; of the right one ``lower`` and ``upper`` ms from there.

        If the step divides both bounds, these are the same times, and more records meet.
        """
        both, step = gcd(lower, upper), self._step
        if both >= step:
            parts = next(number for number in range(min(both // step, MOST_PARTS), 0, -1) if both % number == 0)
            step = both // parts
        yield from self._around(step, 0, lower)
        yield from self._around(step, 0, upper)
        yield from self._at_watermark(step, 0, 0)
        yield from self._at_watermark(step, upper, upper)

    def _around(self, step: int, *phases: int) -> Iterator[Grid]:
        """Records at the times of the grid, among the others, and in front of them."""
        sides = phases if len(phases) == self._sides else phases[:1] * self._sides
        phases = tuple(each % step for each in sides)
        yield Grid(step, phases)
        yield Grid(step, phases, self._within(step))

    def _at_watermark(self, step: int, watermark: int, record: int) -> Iterator[Grid]:
        """Records that bring the watermark to the times of a grid, and others that come then and lie at ``record``."""
        if self._lags is None:
            return
        sent = tuple(watermark + lag for lag in self._lags)
        phases = tuple(each % step for each in sent)
        yield Grid(step, phases, self._within(step))
        yield Grid(step, phases, self._within(step), tuple(record - each for each in sent))

    def _within(self, step: int) -> int:
        return min(self._reach, step - 1)


# The items of a scenario's stream, in order: those written in it or in a file beside it, or those of a generator.
#
# What is drawn for a record of a generator stands in ``simulator.scenario.stream``.


def items(scenario: model.Scenario, events: int | None = None) -> Iterator[Item]:
    """The stream's items, made lazily. ``events`` overrides the number of generated records."""
    if not isinstance(scenario.stream, model.Generated):
        return iter(scenario.stream)
    return _generated(scenario, scenario.stream, scenario.stream.events if events is None else events)


def _generated(scenario: model.Scenario, stream: model.Generated, events: int) -> Iterator[Item]:
    record = _record_maker(scenario, stream)
    if stream.batch_every is None:
        yield from map(record, range(events))
        if stream.end:
            yield End()
        return
    for index in range(events):
        if index and index % stream.batch_every == 0:
            yield BatchEnd()
        yield record(index)


def _record_maker(scenario: model.Scenario, stream: model.Generated) -> Callable[[int], Record]:
    """A function from ``i`` to record ``i``. This feeds a million records into the engine, so whatever is the same for
    all records is computed once, and nothing is drawn if only one number is possible.
    """
    key_hash, disorder_hash, late_hash, value_hash, channel_hash, input_hash = (
        column_hash(stream.seed, column) for column in range(6)
    )
    digest = hash_function()
    names = tuple(each.name for each in scenario.inputs)
    channels = tuple(each.channels for each in scenario.inputs)
    joins = len(names) == 2
    only_input, only_channels = names[0], channels[0]
    draws_channel = max(channels) > 1
    origin, every, keys = scenario.origin, stream.every, stream.keys
    key_names = [f"k{number}" for number in range(keys)] if keys <= 4096 else None
    disorder, late, late_by = stream.disorder + 1, stream.late_millionths, stream.late_by
    lowest, values = stream.values[0], stream.values[1] - stream.values[0] + 1
    has_clock = scenario.engine == "flink"
    sought = _sought(scenario, stream)
    arrivals = arrivals_in(scenario)
    comes = None if arrivals.are_steady else arrivals.maker()

    def record(index: int) -> Record:
        counter = to_bytes(index)
        number = (digest(counter, key_hash) >> 1) % keys
        arrival = origin + index * every
        ts = arrival
        if disorder > 1:
            ts -= (digest(counter, disorder_hash) >> 1) % disorder
        if late and (digest(counter, late_hash) >> 1) % MILLION < late:
            ts -= late_by
        value = lowest + (digest(counter, value_hash) >> 1) % values
        side = (digest(counter, input_hash) >> 1) % 2 if joins else 0
        if sought is not None:
            ts = sought(counter, arrival, ts, side)
        channel = 0
        if draws_channel:
            channel = (digest(counter, channel_hash) >> 1) % (channels[side] if joins else only_channels)
        return Record(
            f"k{number}" if key_names is None else key_names[number],
            ts,
            value,
            names[side] if joins else only_input,
            channel,
            (arrival if comes is None else comes(index)) if has_clock else None,
        )

    return record


def _sought(scenario: model.Scenario, stream: model.Generated) -> Callable[[bytes, int, int, int], int] | None:
    """What gives a record its final timestamp, from its number as bytes, its arrival, timestamp and input; None for a
    stream that seeks no borders.
    """
    borders = borders_in(scenario)
    if borders is None:
        return None
    border_hash, grid_hash, offset_hash = (column_hash(stream.seed, column) for column in (BORDER, GRID, OFFSET))
    digest, grids = hash_function(), len(borders.grids)

    def sought(counter: bytes, arrival: int, ts: int, side: int) -> int:
        if (digest(counter, border_hash) >> 1) % MILLION >= borders.millionths:
            return ts
        grid, offset = (digest(counter, grid_hash) >> 1) % grids, (digest(counter, offset_hash) >> 1) % 3 - 1
        return borders.time(arrival, ts, side, grid, offset)

    return sought
