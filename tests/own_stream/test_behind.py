"""How far each record is behind, by the kernel and by the plain loop of the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.spark_bridge.watermarks.behind import UNSEEN, Maxima

Records = list[tuple[int, int]]
"""(channel, timestamp) of each record, in order."""

RECORDS = st.lists(st.tuples(st.integers(0, 4), st.integers(-20, 20)), max_size=60)
MANY = st.lists(st.tuples(st.integers(0, 20), st.integers(-20, 20)), max_size=60)


def plain(records: Records, wanted: int) -> tuple[list[int], list[int], list[bool]]:
    """Word for word: how far each record is behind, the channel that held m (-1: undefined), whether all were there."""
    largest: dict[int, int] = {}
    behind, holders, whole = [], [], []
    everyone = {channel for channel, _ in records}
    for channel, ts in records:
        whole.append(set(largest) == everyone and len(largest) >= wanted)
        if largest and len(largest) >= wanted:
            m = min(largest.values())
            behind.append(max(0, m - ts))
            holders.append(min(each for each in largest if largest[each] == m))
        else:
            behind.append(0)
            holders.append(-1)
        largest[channel] = max(ts, largest.get(channel, ts))
    return behind, holders, whole


@settings(deadline=None)
@given(RECORDS | MANY, st.integers(1, 6), st.integers(1, 60))
def test_blocks_give_what_the_definition_says(records: Records, wanted: int, size: int) -> None:
    names = sorted({channel for channel, _ in records})
    maxima = Maxima(np.full(max(len(names), 1), UNSEEN), wanted)
    behind, whole, held = [], [], np.zeros(max(len(names), 1), np.int64)
    for start in range(0, len(records), size):
        part = records[start : start + size]
        channels = np.array([names.index(channel) for channel, _ in part], np.uint16)
        timestamps = np.array([ts for _, ts in part], np.int64)
        block = maxima.block(timestamps, channels)
        behind += block.behind(timestamps).tolist()
        whole += [place >= block.whole_from for place in range(len(part))]
        held += block.held
    by_loop, holders, everyone = plain(records, wanted)
    assert behind == by_loop
    assert whole == everyone
    assert held.tolist()[: len(names)] == [holders.count(place) for place in names]


@pytest.mark.parametrize("step", [1, 1_000])
def test_a_thousand_channels_share_one_block(step: int) -> None:
    """With a step of 1 s many channels have the same largest timestamp: the first of them holds the others back."""
    random = np.random.default_rng(7)
    channels = random.integers(0, 1_000, 5_000).astype(np.uint16)
    timestamps = np.arange(5_000) * 10 - random.integers(0, 5_000, 5_000)
    timestamps -= timestamps % step
    block = Maxima(np.full(1_000, UNSEEN)).block(timestamps, channels)
    behind, holders, _ = plain(list(zip(channels.tolist(), timestamps.tolist(), strict=True)), 1)
    assert block.behind(timestamps).tolist() == behind
    assert block.held.tolist() == [holders.count(channel) for channel in range(1_000)]
