"""The streams on which two scenarios are tried: every small one over the times that matter, and random ones.

A time matters where a comparison of either scenario turns: the border of a window, the end of its allowed lateness, the
timestamp whose watermark is just there, a bound; and a millisecond before and after each. The clock has such times,
too. Streams that differ only in the names of keys, or of channels, are one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, Final

from tidemark.simulator.engine.values.items import (
    DELETE,
    Advance,
    BatchEnd,
    Checkpoint,
    End,
    Item,
    Record,
    Restore,
    Status,
    Watermark,
)
from tidemark.simulator.explore.differ.values import Payload, changed, parts_of, payloads_of
from tidemark.simulator.scenario.model import Generated, Operator, Scenario, WatermarkSpec
from tidemark.simulator.scenario.stream import ClockGrid, arrivals_of, tick_interval
from tidemark.simulator.scenario.zones import zone_of

STEP: Final = 1_000
"""The distance (ms) of the borders of an operator that has no length of its own."""

CHANNELS: Final = 4
"""At most so many channels of an input have records."""

TICKS: Final = 1_000
"""At most so many ticks of a generator, or borders of the clock, lie in a stream: later times of the clock are not
tried, because a run would take long."""

_PROBES: Final = Generated(events=2, seed=0, keys=1, every=2, border_millionths=1)
"""A stream that seeks borders: the grids of its arrivals are the times at which the clock decides."""


@dataclass(frozen=True, slots=True)
class Space:
    """What streams are made of.

    ``times``: of event time (ms), those that matter from ``start`` on, rising. ``clock``: of the clock, rising;
    () if it decides nothing. ``inputs``: the name of each, its channels, and whether records alone move its watermark.
    ``payloads``: of each input the keys and values of its records, ``kinds``: how many of them are tried at a place.
    ``step``: the distance of the borders. ``closes``: whether the end of the input comes at last; ``batches``: whether
    records are cut into micro-batches; ``controls``: whether checkpoints and statuses come between them; ``versions``:
    whether a record can end a version.
    """

    start: int
    step: int
    times: tuple[int, ...]
    clock: tuple[int, ...]
    inputs: tuple[tuple[str, int, bool], ...]
    payloads: tuple[tuple[Payload, ...], ...]
    kinds: int
    closes: bool
    batches: bool
    controls: bool
    versions: bool

    @property
    def channels(self) -> int:
        """How many channels have records, over all inputs."""
        return sum(channels for _, channels, _ in self.inputs)

    def ended(self, moved: Sequence[Item]) -> tuple[Item, ...]:
        """The stream of these items with what comes behind the last one, so that every result is there."""
        made = list(moved)
        if self.clock:
            made.append(Advance(self.clock[-1] - self.clock[0] + 1))
        if self.closes:
            made.append(End())
        return tuple(made)


def space_of(left: Scenario, right: Scenario) -> Space:
    """The streams of both. ``left`` says what inputs are called; the n-th of ``right`` is the n-th of ``left``."""
    start = left.origin
    pairs = list(zip(left.inputs, right.inputs, strict=True))
    inputs = tuple(
        (
            one.name,
            min(one.channels, other.channels, CHANNELS),
            all(each.delay is not None or each.watermark.makes_watermarks for each in (one, other))
            or "spark" in (left.engine, right.engine),
        )
        for one, other in pairs
    )
    times = {start}
    for each in (left, right):
        times |= times_of(each, start)
    payloads = tuple(payloads_of(left, right, number) for number in range(len(inputs)))
    by_spark, mixed = left.engine == right.engine == "spark", left.engine != right.engine
    return Space(
        start,
        max(step_of(left.operator), 1),
        tuple(sorted(time for time in times if time >= start)),
        soon(_clock(left, start) | _clock(right, start), start, (left, right)),
        inputs,
        payloads,
        kinds_of(payloads),
        left.engine == right.engine == "flink" and not any(_never_ends(each.operator) for each in (left, right)),
        by_spark,
        not by_spark and not mixed,
        all(each.operator.has_versions for each in (left, right)),
    )


def _never_ends(operator: Operator) -> bool:
    """Whether a trigger would fire for each interval until the end of time."""
    ends = operator.assigner is None or operator.assigner.ends
    return not ends and any(hasattr(each, "interval") for each in parts_of(operator.trigger))


def step_of(operator: Operator) -> int:
    """The distance (ms, at least 1) of its borders."""
    assigner = operator.assigner
    lengths = [getattr(assigner, name, 0) for name in ("slide", "step", "gap", "size")]
    found = next(filter(None, lengths), 0)
    return found or max(map(abs, (*(operator.bounds or (0,)), operator.reach, *_intervals(operator)))) or STEP


def _intervals(operator: Operator) -> list[int]:
    """The lengths (ms) in its trigger and its evictor."""
    parts = [*parts_of(operator.trigger), *parts_of(operator.evictor)]
    return [getattr(each, name) for each in parts for name in ("interval", "window") if hasattr(each, name)]


def times_of(scenario: Scenario, start: int) -> set[int]:
    """The times of event time that matter around ``start`` (ms)."""
    operator, step = scenario.operator, step_of(scenario.operator)
    offset = getattr(operator.assigner, "offset", 0)
    length: int = getattr(operator.assigner, "size", 0) or getattr(operator.assigner, "max_size", step)
    zone = zone_of(operator)
    first = start - (start - offset) % step
    borders = {first + number * step for number in range(min(-(-length // step), 3) + 2)}
    borders |= {first + length}
    if zone is not None:
        borders = {zone.span(each, each + step)[0] for each in borders}
    lags = {each.watermark.ahead if each.delay is None else each.delay + 1 for each in scenario.inputs} - {0}
    shifts = {0, *_intervals(operator), *(operator.bounds or ()), operator.reach}
    late = {0, operator.allowed_lateness, *(max(each, 0) for each in operator.bounds or ())}
    shifts |= {end + lag - 1 for end in late for lag in lags}
    return {border + shift + beside for border in borders for shift in shifts for beside in (-1, 0, 1)}


def _clock(scenario: Scenario, start: int) -> set[int]:
    if scenario.engine != "flink":
        return set()
    found: set[int] = set()
    for grid in _grids(scenario, start):
        if not grid.step:
            continue
        first = start + (grid.phase - start) % grid.step
        found |= {first + number * grid.step + beside for number in range(-1, 4) for beside in (-1, 0, 1)}
    for each in scenario.inputs:
        found |= {start + tick for tick in _until_idle(each.watermark)}
    return {start, *(each for each in found if each >= start)} if found else set()


def soon(clock: Iterable[int], start: int, scenarios: Sequence[Scenario]) -> tuple[int, ...]:
    """The times of the clock that come before too many ticks, rising."""
    steps = [tick_interval(spec.watermark) for each in scenarios for spec in each.inputs]
    steps += [grid.step for each in scenarios for grid in _grids(each, start)]
    last = start + TICKS * min(filter(None, steps), default=STEP)
    return tuple(sorted(each for each in clock if each <= last))


def _grids(scenario: Scenario, start: int) -> Sequence[ClockGrid]:
    return arrivals_of(scenario.operator, scenario.inputs, _PROBES, start).grids


def _until_idle(spec: WatermarkSpec) -> set[int]:
    """When a channel is found idle: up to three looks after its timeout."""
    if not spec.idle_timeout:
        return set()
    tick = tick_interval(spec)
    return {spec.idle_timeout + number * tick for number in range(5)}


# --- every stream ------------------------------------------------------------------------------------------------


def number_of(space: Space, size: int) -> int:
    """About how many streams of ``size`` items ``every`` makes; not fewer."""
    items = len(_alphabet(space, size)) * max(len(space.clock), 1)
    return int(items**size)


def _alphabet(space: Space, place: int) -> list[Record | Watermark]:
    """The items that can come at ``place``, without their clock."""
    found: list[Record | Watermark] = []
    for (name, channels, moves), payloads in zip(space.inputs, space.payloads, strict=True):
        shown = _at_place(payloads, place)
        for channel in range(channels):
            found += [Record(key, time, value, name, channel) for time in space.times for key, value in shown]
            if not moves:
                found += [Watermark(time, name, channel) for time in space.times]
    return found


def kinds_of(payloads: Sequence[Sequence[Payload]]) -> int:
    """How many records ``every`` tries at one time, place and channel."""
    return max(len(_at_place(each, 0)) for each in payloads)


def _at_place(payloads: Sequence[Payload], place: int) -> Sequence[Payload]:
    """Plain values are told apart by the place of their record; rows with columns are all tried."""
    if any(isinstance(value, dict) for _, value in payloads):
        return payloads[:4]
    keys = list(dict.fromkeys(key for key, _ in payloads))[:2]
    values = list(dict.fromkeys(value for _, value in payloads))
    return [(key, values[place % len(values)]) for key in keys]


def every(space: Space, size: int) -> Iterator[tuple[Item, ...]]:
    """Every stream of ``size`` items, records and, where a generator makes none, watermarks."""
    alphabets = [_alphabet(space, place) for place in range(size)]

    def go_on(made: tuple[Item, ...], keys: frozenset[Any], channels: frozenset[Any], now: int) -> Iterator[Any]:
        if len(made) == size:
            yield space.ended(made)
            return
        for item in alphabets[len(made)]:
            place = item.input, item.channel
            if item.channel and place not in channels and (item.input, item.channel - 1) not in channels:
                continue
            seen = keys
            if isinstance(item, Record) and not isinstance(item.value, dict):
                if not keys and item.key != space.payloads[0][0][0]:
                    continue
                seen = keys | {item.key}
            for clock in space.clock or (None,):
                if clock is None:
                    yield from go_on((*made, item), seen, channels | {place}, now)
                elif clock >= now:
                    yield from go_on((*made, changed(item, at=clock)), seen, channels | {place}, clock)

    return go_on((), frozenset(), frozenset(), space.start)


# --- random streams ----------------------------------------------------------------------------------------------

_SIZES: Final = (2, 3, 3, 4, 4, 5, 6, 8, 10)


def random_streams(space: Space, seed: int, number: int) -> Iterator[tuple[Item, ...]]:
    """So many streams, the same ones for the same ``seed``."""
    dice = Random(seed)
    return islice(iter(lambda: _drawn(space, dice), None), number)


def _drawn(space: Space, dice: Random) -> tuple[Item, ...]:
    size = dice.choice(_SIZES)
    times = [dice.choice(space.times) + space.step * dice.choice((0, 0, 0, 1, 2)) for _ in range(size)]
    if dice.random() < 0.1:
        times = [time - 2 * space.step for time in times]
    shape = dice.random()
    if shape < 0.6:
        times.sort()
    if shape < 0.4:
        times.append(times.pop(dice.randrange(size)))  # the last one is late
    clocks: list[int | None] = [None] * size
    if space.clock:
        clocks = [*sorted(dice.choice(space.clock) for _ in range(size))]
    keys = dice.choice((1, 1, 2))
    made: list[Item] = []
    saved = False
    for time, clock in zip(times, clocks, strict=True):
        side = dice.randrange(len(space.inputs))
        name, channels, moves = space.inputs[side]
        channel = dice.randrange(channels)
        if not moves and dice.random() < 0.4:
            made.append(Watermark(time, name, channel, clock))
            continue
        if space.controls and space.channels > 1 and dice.random() < 0.1:
            made.append(Status(dice.choice(("idle", "active")), name, channel, clock))
            continue
        payload = dice.choice(space.payloads[side])
        key, value = payload if keys == 2 or isinstance(payload[1], dict) else (space.payloads[side][0][0], payload[1])
        ends = space.versions and side == 1 and dice.random() < 0.2
        record = Record(key, time, value, name, channel, clock)
        made.append(record._replace(op=DELETE) if ends else record)
        if space.batches and dice.random() < 0.6:
            made.append(BatchEnd())
        elif space.controls and dice.random() < 0.04:
            made.append(Restore("saved") if saved else Checkpoint("saved"))
            saved = True
    return space.ended(made)
