"""Generated records are the same in Spark as in Python, whatever the size of the chunks."""

from typing import Any

import pytest
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario.model import BoundedOutOfOrderness, Function, Generated, InputSpec, Process, Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.spark_bridge.plan import batch

pytestmark = pytest.mark.spark

FULL = Generated(
    200, 7, 4, 100, disorder=4000, late_millionths=20_000, late_by=20_000, end=True, border_millionths=250_000
)
STREAMS = {
    "full": FULL,
    "bare": Generated(50, 2**63 - 1, 1, 0),
    "negative": Generated(50, -1, 1_000_003, 7, values=(-5, -5)),
    "empty": Generated(0, 1, 1, 1, end=True),
    "clock": Generated(300, 5, 3, 9, border_millionths=600_000),
}


def scenario_of(stream: Generated, channels: int = 2, emit: int = 0, origin: int = 0, idle: int = 0) -> Scenario:
    """An event sort of the stream, with a watermark generator on every channel."""
    spec = BoundedOutOfOrderness(2000, emit, idle)
    return Scenario("generated", Process(Function("event-sort")), stream, (InputSpec("events", channels, spec),),
                    origin=origin)  # fmt: skip


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("chunk", [7, 8192])
def test_same_records(name: str, chunk: int, spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tidemark.spark_bridge.execution.source import source_of

    monkeypatch.setattr(batch, "CHUNK_ITEMS", chunk)
    emit, idle = (25, 110) if name == "clock" else (0, 0)
    scenario = scenario_of(STREAMS[name], origin=-1234, emit=emit, idle=idle)
    source = source_of(spark, batch.plan_of(scenario))
    made = source.detailed(source.records).orderBy("item").collect()
    assert [(row.key, row.ts, row.whole, row.channel, row["at"]) for row in made] == [
        (f'"{item.key}"', item.ts, item.value, item.channel, item.at)
        for item in items(scenario)
        if isinstance(item, Record)
    ]
    assert [row.chunk for row in made] == [row["item"] // chunk for row in made]


@pytest.mark.parametrize(("every", "interval"), [(100, 30), (100, 100), (30, 100), (7, 3), (0, 5)])
@pytest.mark.parametrize("share", [0, 500_000])
def test_a_tick_belongs_to_the_item_that_moves_the_clock_to_it(
    every: int, interval: int, share: int, spark: Any
) -> None:
    """The tick that emits a record's watermark is the same as for the stream written out as a list."""
    from tidemark.spark_bridge.execution.source import source_of
    from tidemark.spark_bridge.plan.items import RECORDS, listed

    generated = scenario_of(Generated(40, 3, 2, every, border_millionths=share), emit=interval, origin=500)
    written = scenario_of(tuple(items(generated)), emit=interval, origin=500)  # type: ignore[arg-type]
    ticks = ("item", "tick_item", "tick_sub", "tick_at")
    made = source_of(spark, batch.plan_of(generated)).records.where("tick_item IS NOT NULL").select(*ticks)
    records, _ = listed(batch.plan_of(written))
    expected = [tuple(dict(zip(RECORDS, record, strict=True))[name] for name in ticks) for record in records]
    assert sorted(map(tuple, made.collect())) == [tick for tick in expected if tick[1] is not None]
