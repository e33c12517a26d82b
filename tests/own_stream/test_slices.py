"""How a stream goes on: each slice and each limit counted as a loop over all records would count them."""

from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tidemark.spark_bridge.profile.counts.figures import Course, Slicing
from tidemark.spark_bridge.watermarks.behind import Parts, Piece, summaries

LIMITS = (0, 100, 1000, 5000)
SIZE = 1000


@st.composite
def streams(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    """Timestamps, channels, and where the stream is cut into parts."""
    records = draw(st.integers(1, 400))
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    timestamps = np.arange(records) * 100 - random.integers(0, 3000, records)
    channels = random.integers(0, draw(st.integers(1, 4)), records)
    return timestamps.tolist(), channels.tolist(), sorted({0, records, *random.integers(0, records, 3).tolist()})


def course_of(timestamps: list[int], channels: list[int], cuts: list[int]) -> Course:
    ts, numbers = np.array(timestamps), np.array(channels, np.int32)
    pieces = [Piece((0, k, 0), ts[a:b], numbers[a:b]) for k, (a, b) in enumerate(pairwise(cuts))]
    count = max(channels) + 1
    parts = Parts.of((each for piece in pieces for each in summaries([piece], count)), count)
    slicing = Slicing.of(parts, 1, SIZE, LIMITS)
    # Each task has some of the parts, and their rows come back in any order.
    rows = [
        row for piece in reversed(pieces) for columns in slicing.rows([piece]) for row in zip(*columns, strict=True)
    ]
    return slicing.course(rows)


@given(streams())
def test_the_course_is_that_of_a_loop_over_all_records(stream: tuple[list[int], list[int], list[int]]) -> None:
    timestamps, channels, _ = stream
    slices = min(120, len(timestamps))
    present = len(set(channels))
    largest: dict[int, int] = {}
    behind: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    held: Counter[tuple[int, int]] = Counter()
    dropped = dict.fromkeys(LIMITS, 0)
    for place, (ts, channel) in enumerate(zip(timestamps, channels, strict=True)):
        number = place * slices // len(timestamps)
        m = min(largest.values(), default=None)
        behind[number, channel].append(0 if m is None else max(0, m - ts))
        if m is not None:
            held[number, min(largest, key=lambda each: (largest[each], each))] += 1
            end = (ts // SIZE + 1) * SIZE
            for limit in LIMITS if len(largest) == present else ():
                dropped[limit] += m - 1 >= end - 1 + limit
        largest[channel] = max(largest.get(channel, ts), ts)
    course = course_of(*stream)
    found = {(each.number, each.channel): each for each in course.slices}
    for key, delays in behind.items():
        assert (found[key].records, found[key].longest) == (len(delays), max(delays))
        assert abs(found[key].mean - sum(delays) / len(delays)) < 1e-6
    whole = Counter(place * slices // len(timestamps) for place in range(len(timestamps)))
    assert {key: each.held_share for key, each in found.items() if each.held_share} == {
        key: number / whole[key[0]] for key, number in held.items()
    }
    if present == max(channels) + 1:  # else a channel that never comes holds every window open
        assert dict(course.dropped) == dropped


def test_a_slice_begins_with_its_earliest_record() -> None:
    course = course_of([50, 10, 400], [0, 0, 0], [0, 3])
    assert [(each.number, each.first, each.began) for each in course.slices] == [(0, 0, 50), (1, 1, 10), (2, 2, 400)]
