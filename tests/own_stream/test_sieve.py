"""Which records of files can matter to windows, by the sieve and by a plain loop over all of them."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario.model import BoundedOutOfOrderness
from tidemark.spark_bridge.watermarks.behind import Parts, Piece, summaries
from tidemark.spark_bridge.watermarks.sieve import Grid, Sieve

CHANNELS = 3
RECORDS = st.lists(st.tuples(st.integers(0, CHANNELS - 1), st.integers(-30, 60)), max_size=60)


def in_parts(records: list[tuple[int, int]], part: int, piece: int) -> Iterator[Piece]:
    for first in range(0, len(records), part):
        for start in range(first, min(first + part, len(records)), piece):
            own = records[start : min(start + piece, first + part)]
            channels, ts = (np.array(column) for column in zip(*own, strict=True))
            yield Piece(
                (first // part, 0, 0), ts, channels.astype(np.uint16), keys=pa.array([str(each) for each in ts])
            )


def watermarks(records: list[tuple[int, int]], bound: int) -> list[int]:
    """Before the first record, and after each."""
    own = [MIN] * CHANNELS
    found = [MIN]
    for channel, ts in records:
        own[channel] = max(own[channel], ts - bound - 1)
        found.append(min(own))
    return found


@settings(deadline=None, max_examples=50)
@given(RECORDS, st.integers(1, 25), st.integers(1, 25), st.integers(0, 9), st.integers(1, 12), st.integers(0, 11))
def test_no_record_that_matters_is_missed(
    records: list[tuple[int, int]], part: int, piece: int, bound: int, step: int, phase: int
) -> None:
    parts = Parts.of(summaries(in_parts(records, part, piece), CHANNELS), CHANNELS)
    watermark, grid = BoundedOutOfOrderness(bound), Grid(step, phase % step, 2)
    sieve = Sieve(watermark, CHANNELS, parts.before, parts.starts, 5, pa.int64(), grid)
    found = {}
    for item, at, ts, before, after, key, value in sieve.rows(in_parts(records, part, piece)):
        columns = zip(item, at, ts, before, after, key.to_pylist(), value.to_pylist(), strict=True)
        found |= {int(row[0]): tuple(row[1:]) for row in columns}
    around = watermarks(records, bound)
    for item, (_, ts) in enumerate(records):
        before, after = around[item], around[item + 1]
        passes = any((time - phase) % step == 0 for time in range(max(before, -60) + 1, after + 1))
        assert (item in found) == (ts <= before + 2 or (after > before == MIN) or passes)
        assert found.get(item, (5, ts, before, after, str(ts), None)) == (5, ts, before, after, str(ts), None)
    highest = {channel: each for channel, each in enumerate(parts.highest) if each is not None}
    moves = sieve.at_the_end(highest)
    assert [MAX, around[-1]] == [moves[-1][1], moves[0][0]]
    assert [after for _, after in moves[:-1]] == [before for before, _ in moves[1:]]
