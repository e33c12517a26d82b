"""The driver's part: the prefix maximum, compared with the plain definition, and the ticks that send watermarks."""

from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    EventTimeTrigger,
    Function,
    InputSpec,
    Scenario,
    Tumbling,
    Window,
)
from tidemark.spark_bridge.plan.batch import CHUNK_MAXIMA, CHUNKS, Chunks, chunks_of, plan_of, prefix_of
from tidemark.spark_bridge.plan.items import RECORDS, listed


def test_the_watermark_of_a_record_is_sent_by_the_next_tick_and_of_one_that_comes_at_a_tick_by_the_one_after() -> None:
    scenario = Scenario(
        "ticks",
        Window(Tumbling(1000), EventTimeTrigger(), Function("aggregate", "sum")),
        tuple(Record("a", 100 + at, 1, at=at) for at in (0, 199, 200, 201, 400, 900)),
        (InputSpec("events", 1, BoundedOutOfOrderness(0, 200)),),
    )
    records, _ = listed(plan_of(scenario))
    ticks = [(row[RECORDS.index("at")], row[RECORDS.index("tick_at")]) for row in records]
    assert ticks == [(0, 200), (199, 200), (200, 400), (201, 400), (400, 600), (900, None)]


candidates = st.lists(st.lists(st.one_of(st.none(), st.integers(-9, 9)), min_size=2, max_size=2), min_size=1)


@given(candidates)
def test_prefix_is_the_running_maximum(table: list[list[int | None]]) -> None:
    maxima = [(chunk, c, each) for chunk, row in enumerate(table) for c, each in enumerate(row) if each is not None]
    prefix = prefix_of(reversed(maxima), Chunks(len(table), 1, len(table)), 2)
    for chunk in range(len(table)):
        before = tuple(max([MIN, *(row[c] for row in table[:chunk] if row[c] is not None)]) for c in range(2))
        assert prefix.before[chunk] == before
        after = prefix.before[chunk + 1] if chunk + 1 < len(table) else None
        assert after is None or prefix.after[chunk] == min(after)


@given(st.integers(0, 10**9 + 1), st.integers(1, 10**6))
def test_chunks_hold_every_item_and_stay_few(items: int, channels: int) -> None:
    """However long the stream is, the driver holds a bounded number of maxima."""
    chunks = chunks_of(items, channels)
    assert (chunks.count - 1) * chunks.size < max(items, 1) <= chunks.count * chunks.size
    assert chunks.count <= CHUNKS
    assert chunks.count == 1 or chunks.count * channels <= CHUNK_MAXIMA
