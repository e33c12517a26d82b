"""Sessions by clusters, beside the keyed function that takes every record in order of arrival."""

from collections import Counter
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario.model import EventTimeTrigger, Function, Session, Window
from tidemark.spark_bridge.keyed import clusters
from tidemark.spark_bridge.keyed.clusters import AT_ONCE, LATE, WAITED, Clusters, Records
from tidemark.spark_bridge.keyed.context import Arrival, by_key
from tidemark.spark_bridge.keyed.datastream import KeyedWindows

from tests.examples import examples

Row = tuple[int, ...]
STREAM = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30)), min_size=1, max_size=40)


def arrivals(stream: list[tuple[int, int]], bound: int) -> list[tuple[int, Arrival]]:
    """(key, record) of all records in order, as one channel brings them; the value is the item."""
    found, watermark = [], MIN
    for item, (key, ts) in enumerate(stream):
        found.append((key, Arrival(item, 0, watermark, 0, ts, item)))
        watermark = max(watermark, ts - bound - 1)
    return found


def one_by_one(stream: list[tuple[int, Arrival]], sessions: Window) -> Counter[Row]:
    rows: Counter[Row] = Counter()
    for key, records in groupby(sorted(stream, key=itemgetter(0)), key=itemgetter(0)):
        for row in by_key(partial(KeyedWindows, sessions), MAX, (record for _, record in records)):
            if row.span is None:
                assert row.by is not None
                rows[LATE, key, row.by.ts, 0, row.value, row.by.before, row.by.item] += 1
                continue
            by = (0, 0) if row.by is None else (row.by.before, row.by.item)
            kind = WAITED if row.by is None else AT_ONCE
            rows[kind, key, *row.span, row.pane or 0, row.value, *by] += 1
    return rows


def by_time(stream: list[tuple[int, Arrival]], gap: int) -> Records:
    """The records as Spark hands them over: by key, cluster and arrival."""
    rows = []
    for key, records in groupby(sorted(stream, key=lambda each: (each[0], each[1].ts, each[1].item)), itemgetter(0)):
        start = previous = -(10**6)
        for _, record in records:
            is_behind = record.ts < record.before + 2
            spoils = is_behind and record.before >= record.ts + gap - 1
            if record.ts - previous > gap:
                start = record.ts
            elif is_behind:
                spoils = spoils or record.before >= previous + gap - 1
            previous = record.ts
            before = record.before if is_behind else MIN
            rows.append((key, start, record.item, record.ts, record.value, before, int(spoils)))
    return Records(*(np.array(column) for column in zip(*sorted(rows), strict=True)))


def in_blocks(records: Records, compute: str, gap: int, lateness: int, size: int) -> Counter[Row]:
    batches = [records.where(slice(start, start + size)) for start in range(0, len(records.key), size)]
    rows: Counter[Row] = Counter()
    for found in Clusters(gap, lateness, compute).rows(batches):
        for kind, key, start, end, pane, value, number, before, item in zip(*found, strict=True):
            shown = number if compute == "count" and kind != LATE else value
            own: tuple[Any, ...] = (0,) if kind == LATE else (end, pane)
            rows[tuple(map(int, (kind, key, start, *own, shown, before, item)))] += 1
    return rows


@pytest.mark.parametrize("compute", ["sum", "max", "count"])
@settings(max_examples=examples(120), deadline=None)
@given(
    stream=STREAM, bound=st.integers(0, 12), gap=st.integers(1, 8), lateness=st.integers(0, 9), size=st.integers(1, 50)
)
def test_rows_of_clusters_are_those_of_the_keyed_function(
    stream: list[tuple[int, int]], bound: int, gap: int, lateness: int, size: int, compute: str
) -> None:
    given_ = arrivals(stream, bound)
    sessions = Window(Session(gap), EventTimeTrigger(), Function("aggregate", compute), allowed_lateness=lateness)
    expected = one_by_one(given_, sessions)
    assert in_blocks(by_time(given_, gap), compute, gap, lateness, size) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clusters, "HELD", 3)  # as if the clusters were too long to be held
        assert in_blocks(by_time(given_, gap), compute, gap, lateness, size) == expected
