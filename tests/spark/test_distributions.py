"""The distributions of a check equal those of counting one by one, however the stream is cut into chunks."""

from collections import Counter
from typing import Any

import pytest
from tidemark.simulator import run_rows
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    EventTimeTrigger,
    Function,
    Generated,
    InputSpec,
    Scenario,
    Tumbling,
    Window,
)
from tidemark.simulator.scenario.stream import items
from tidemark.spark_bridge.plan import batch
from tidemark.spark_bridge.results.canonical import key_text

pytestmark = pytest.mark.spark

EVERY = 50
SCENARIO = Scenario(
    name="delays",
    operator=Window(Tumbling(2000), EventTimeTrigger(), Function("aggregate", "sum"), allowed_lateness=1500),
    stream=Generated(700, 3, 5, EVERY, disorder=900, late_millionths=100_000, late_by=2500, end=True),
    inputs=(InputSpec("events", 2, BoundedOutOfOrderness(300)),),
)


def test_distributions_equal_plain_counts(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tidemark.spark_bridge.execution.compare import distributions
    from tidemark.spark_bridge.execution.engine import Execution

    monkeypatch.setattr(batch, "CHUNK_ITEMS", 16)
    monkeypatch.setattr("tidemark.spark_bridge.execution.notable.BLOCK_ITEMS", 5)
    planned = batch.plan_of(SCENARIO)
    assert planned.chunks.count > 1
    with Execution(spark, planned) as execution:
        rows = execution.keep(execution.rows())
        assert execution.records is not None
        found = distributions(execution.records(), rows, planned)

    simulated = run_rows(SCENARIO)
    records = [(item, each) for item, each in enumerate(items(SCENARIO)) if isinstance(each, Record)]
    moves = [(row["item"], row["ts"]) for row in simulated if row["row"] == "watermark"]
    width = found.delay_width
    everyone, behind, lost = Counter[int](), Counter[int](), Counter[int]()
    for item, record in records:
        assert record.ts is not None
        delay = (item * EVERY - record.ts) // width * width
        everyone[delay] += 1
        behind[delay] += max((value for when, value in moves if when < item), default=MIN) >= record.ts
    for row in simulated:
        if row["row"] == "dropped":
            lost[(row["item"] * EVERY - row["ts"]) // width * width] += 1
    assert sum(lost.values()) > 10
    assert found.delays == tuple((delay, everyone[delay], behind[delay], lost[delay]) for delay in sorted(everyone))

    panes = [row for row in simulated if row["row"] == "pane"]
    assert found.firings == tuple(sorted(Counter(row["pane"] for row in panes).items()))
    per_key = Counter(key_text(row["key"]) for row in panes)
    assert found.keys == len(per_key)
    assert found.top == tuple(sorted(per_key.items(), key=lambda each: (-each[1], each[0])))
    spread = Counter(number // found.results_width * found.results_width for number in per_key.values())
    assert found.results == tuple(sorted(spread.items()))
