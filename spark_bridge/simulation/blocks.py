"""The records that a share has to see: those of its own keys, and those of other keys that move something.

A record of another key matters only if it raises the largest timestamp of its channel, so that the channel may send a
watermark, or if it brings the clock to a tick of a generator. Where channels can be idle every record counts, and where
the operator follows the clock every item does.

The records of a generated stream for one share of the keys, made in blocks.

Key, time and channel of a record follow from its number, so they are computed for thousands of records at once, and
only the records that the share has to see are made. The numbers are those of ``simulator.scenario.stream``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import starmap
from typing import Final

import numpy as np
import numpy.typing as npt
from tidemark.simulator.engine.values.items import End, Item, PlainKey, Record
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario.model import Data, Generated, Scenario
from tidemark.simulator.scenario.stream import (
    BORDER,
    CHANNEL,
    DISORDER,
    GRID,
    INPUT,
    KEY,
    LATE,
    MILLION,
    OFFSET,
    TICK,
    TICK_GRID,
    TICK_OFFSET,
    VALUE,
    Arrivals,
    Borders,
    arrivals_in,
    borders_in,
    column_hash,
)
from tidemark.spark_bridge.plan.operators import needs_clock
from tidemark.spark_bridge.results.canonical import key_text
from tidemark.spark_bridge.results.digests import text_hash
from tidemark.spark_bridge.watermarks.order import period_of

# Which keys a process runs: those of a sample, divided among the processes of a check.
#
# Rows, state and timers belong to a key, and the watermark to all of them. So a process that sees the moves of the
# watermark, but works on the records of its own keys alone, emits exactly the rows of these keys. A key is chosen by
# the hash that Spark's ``xxhash64`` gives for its JSON text, so that both sides choose the same ones.

RECORDS_EACH: Final = 150_000
"""With fewer records for each, starting one more process takes longer than it saves."""

MOST: Final = 8
"""The most processes. Each of them reads the whole stream, and takes some 100 MB."""


@dataclass(frozen=True, slots=True)
class Share:
    """The keys of process ``number`` of ``of``, out of a ``sample``: one key in so many, by its hash."""

    number: int = 0
    of: int = 1
    sample: int = 1

    @property
    def is_everything(self) -> bool:
        """Whether all keys are taken."""
        return self.of == self.sample == 1

    @property
    def takes(self) -> Callable[[PlainKey], bool]:
        """Says whether a key is one of them; it remembers the keys that it was asked last."""

        @lru_cache(maxsize=65_536, typed=True)
        def takes(key: PlainKey) -> bool:
            digest = text_hash(key_text(key)) >> 1
            return digest % self.sample == 0 and digest // self.sample % self.of == self.number

        return takes


def shares_of(scenario: Scenario, sample: int, processors: int) -> tuple[Share, ...]:
    """The shares of a check of one key in ``sample`` on a machine with so many ``processors``.

    It is one if the stream is short or a list, or if timers of the clock and ticks of a generator may be due at once:
    which of them comes first depends on the timers of all keys.
    """
    stream = scenario.stream
    records = stream.events if isinstance(stream, Generated) else 0
    if isinstance(stream, Data):
        records = stream.known.records
    wanted = min(processors, MOST, records // sample // RECORDS_EACH)
    of = max(1, wanted) if keys_are_apart(scenario) else 1
    return tuple(Share(number, of, sample) for number in range(of))


def keys_are_apart(scenario: Scenario) -> bool:
    """Whether a run of some keys has the rows that a run of all has for them."""
    if scenario.engine != "flink" or scenario.operator.buffers_rows:
        return False
    return not (needs_clock(scenario.operator) and any(period_of(each.watermark) for each in scenario.inputs))


Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class Chosen:
    """Chooses among the records of a stream by Flink's rules, which it sees in order, block by block."""

    def __init__(self, scenario: Scenario) -> None:
        specs = [each.watermark for each in scenario.inputs]
        self._sees_all = needs_clock(scenario.operator) or any(spec.idle_timeout for spec in specs)
        self._origin = scenario.origin
        self._ticked = {interval: 0 for spec in specs if (interval := period_of(spec))}
        self._highest = np.full(sum(each.channels for each in scenario.inputs), MIN, np.int64)

    def among(self, own: Mask, channel: Numbers | None, ts: Numbers, at: Numbers | None) -> Mask:
        """Which of the next records to take. ``own``: those of the share's keys.

        ``channel``: numbered over all inputs, None if there is one. ``at``: the clock (ms), None if it stands still.
        """
        if self._sees_all or not len(own):
            return np.ones_like(own)
        chosen = own | self._rises(channel, ts)
        if at is not None:
            for interval, before in self._ticked.items():
                ticks = (at - self._origin) // interval
                chosen |= np.diff(ticks, prepend=before) > 0
                self._ticked[interval] = int(ticks[-1])
        return chosen

    def _rises(self, channel: Numbers | None, ts: Numbers) -> Mask:
        """Which records are above all earlier ones of their channel."""
        if channel is None:
            return self._rises_in(0, ts)
        order = np.argsort(channel, kind="stable")
        placed = channel[order]
        starts = np.flatnonzero(np.diff(placed, prepend=-1))
        rises = np.empty(len(ts), np.bool_)
        for start, stop in zip(starts, [*starts[1:], len(ts)], strict=True):
            places = order[start:stop]
            rises[places] = self._rises_in(placed[start], ts[places])
        return rises

    def _rises_in(self, channel: int, ts: Numbers) -> Mask:
        highest = np.maximum.accumulate(np.concatenate((self._highest[channel : channel + 1], ts)))
        self._highest[channel] = highest[-1]
        return ts > highest[:-1]


BLOCK: Final = 32_768
"""The records of a block: few enough that its columns stay in the processor's cache."""

_P1, _P2, _P3, _P4, _P5 = (
    np.uint64(prime)
    for prime in (
        0x9E3779B185EBCA87,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0x85EBCA77C2B2AE63,
        0x27D4EB2F165667C5,
    )
)

_Words = npt.NDArray[np.uint64]


def numbered(scenario: Scenario, share: Share) -> Iterator[tuple[int, Item]]:
    """The items that ``share`` has to see of a generated stream by Flink's rules, with their indexes."""
    stream = scenario.stream
    assert isinstance(stream, Generated)
    chosen, takes = Chosen(scenario), share.takes
    inputs = scenario.inputs
    names = tuple(each.name for each in inputs)
    borders, arrivals = borders_in(scenario), arrivals_in(scenario)
    firsts, channels = np.array([0, inputs[0].channels]), np.array([each.channels for each in inputs])
    for first in range(0, stream.events, BLOCK):
        index = np.arange(first, min(first + BLOCK, stream.events), dtype=np.int64)
        columns = _Columns(stream, index)
        keys, places = np.unique(columns.below(KEY, stream.keys), return_inverse=True)
        texts = [f"k{number}" for number in keys.tolist()]
        own = np.array([takes(text) for text in texts])[places]
        own_at = scenario.origin + index * stream.every
        at = own_at if arrivals.are_steady else _moved(arrivals, columns, own_at)
        ts = own_at - columns.below(DISORDER, stream.disorder + 1)
        if stream.late_millionths:
            ts -= np.where(columns.below(LATE, MILLION) < stream.late_millionths, stream.late_by, 0)
        side = columns.below(INPUT, len(inputs))
        if borders is not None:
            ts = _sought(borders, columns, own_at, ts, side)
        channel = columns.below(CHANNEL, channels[side] if len(inputs) > 1 else int(channels[0]))
        taken = np.flatnonzero(chosen.among(own, None if sum(channels) == 1 else firsts[side] + channel, ts, at))
        value = columns.at(taken).below(VALUE, stream.values[1] - stream.values[0] + 1) + stream.values[0]
        members = zip(
            map(texts.__getitem__, places[taken].tolist()),
            ts[taken].tolist(),
            value.tolist(),
            map(names.__getitem__, side[taken].tolist()),
            channel[taken].tolist(),
            at[taken].tolist(),
            strict=True,
        )
        yield from zip(index[taken].tolist(), starmap(Record, members), strict=True)
    if stream.end:
        # The clock stands where the last record has brought it, though that may have been left out.
        yield stream.events, End(arrivals.at(max(0, stream.events - 1)))


def _moved(arrivals: Arrivals, columns: "_Columns", own: Numbers) -> Numbers:
    """The arrivals of records, some of which seek a border; the others come at ``own`` (``Arrivals.maker``)."""
    grids = arrivals.grids
    steps, phases = (np.array([getattr(each, name) for each in grids]) for name in ("step", "phase"))
    grid, beside = columns.below(TICK_GRID, len(grids)), columns.below(TICK_OFFSET, 3) - 1
    first, last = own - 1, own + arrivals.every - 2
    border = last - (last - phases[grid]) % steps[grid]
    seeks = (columns.below(TICK, MILLION) < arrivals.millionths) & (border >= first) & (own > arrivals.origin)
    return np.where(seeks, np.clip(border + beside, first, last), own)


def _sought(borders: Borders, columns: "_Columns", at: Numbers, own: Numbers, side: Numbers) -> Numbers:
    """The timestamps of records, some of which seek a border (``Borders.time``)."""
    grids = borders.grids
    sides = range(len(grids[0].phases))
    steps = np.array([each.step for each in grids])
    reaches = np.array([-1 if each.reach is None else each.reach for each in grids])
    phases = np.array([[each.phases[number] for number in sides] for each in grids])
    moved = np.array([[each.moved_by(number) for number in sides] for each in grids])
    grid, offset = columns.below(GRID, len(grids)), columns.below(OFFSET, 3) - 1
    latest = at + reaches[grid]
    border = latest - (latest - phases[grid, side]) % steps[grid]
    is_close = (reaches[grid] >= 0) & (border >= at)
    around = np.where(reaches[grid] >= 0, 0, grid)
    back = own - (own - phases[around, side]) % steps[around]
    sought = np.where(is_close, border + moved[grid, side], back) + offset
    return np.where(columns.below(BORDER, MILLION) < borders.millionths, sought, own)


class _Columns:
    """The drawn columns of the records ``index`` of a stream."""

    def __init__(self, stream: Generated, index: Numbers) -> None:
        self._stream = stream
        self._index = index

    def at(self, places: npt.NDArray[np.intp]) -> "_Columns":
        """The same of some of the records only."""
        return _Columns(self._stream, self._index[places])

    def below(self, column: int, limit: int | Numbers) -> Numbers:
        """The numbers drawn for ``column``, from 0 up to below ``limit``, which may differ from record to record."""
        if isinstance(limit, int) and limit == 1:
            return np.zeros(len(self._index), np.int64)
        digest = _hashed(self._index.view(np.uint64), column_hash(self._stream.seed, column))
        return (digest >> np.uint64(1)).view(np.int64) % limit


def _hashed(words: _Words, seed: int) -> _Words:
    """XXH64 of each word's 8 bytes."""
    digest = _turned(words * _P2, 31)
    digest *= _P1
    digest ^= np.uint64((seed + int(_P5) + 8) % 2**64)
    digest = _turned(digest, 27)
    digest *= _P1
    digest += _P4
    digest ^= digest >> np.uint64(33)
    digest *= _P2
    digest ^= digest >> np.uint64(29)
    digest *= _P3
    digest ^= digest >> np.uint64(32)
    return digest


def _turned(words: _Words, bits: int) -> _Words:
    """Rotated to the left."""
    return (words << np.uint64(bits)) | (words >> np.uint64(64 - bits))
