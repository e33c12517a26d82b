"""The items of a scenario's stream, in order: those written in it or in a file beside it, or those of a generator.

What is drawn for a record of a generator stands in ``simulator.scenario.generated``.
"""

from collections.abc import Callable, Iterator

from tidemark.simulator.engine.values.items import BatchEnd, End, Item, Record
from tidemark.simulator.scenario.generated import (
    BORDER,
    GRID,
    MILLION,
    OFFSET,
    arrivals_in,
    borders_in,
    column_hash,
    hash_function,
    to_bytes,
)
from tidemark.simulator.scenario.model import Generated, Scenario


def items(scenario: Scenario, events: int | None = None) -> Iterator[Item]:
    """The stream's items, made lazily. ``events`` overrides the number of generated records."""
    if not isinstance(scenario.stream, Generated):
        return iter(scenario.stream)
    return _generated(scenario, scenario.stream, scenario.stream.events if events is None else events)


def _generated(scenario: Scenario, stream: Generated, events: int) -> Iterator[Item]:
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


def _record_maker(scenario: Scenario, stream: Generated) -> Callable[[int], Record]:
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


def _sought(scenario: Scenario, stream: Generated) -> Callable[[bytes, int, int, int], int] | None:
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
