"""Random scenarios: the batch engine gives the simulator's rows, whatever the stream and however it is cut."""

from collections.abc import Callable
from dataclasses import replace

import pytest

import simulator
from simulator.scenario.model import (
    AfterEndOfWindow,
    BoundedOutOfOrderness,
    Cumulative,
    EventTimeTrigger,
    Function,
    Generated,
    InputSpec,
    ProcessingTimeTrigger,
    Scenario,
    Sliding,
    Tumbling,
    Window,
    WindowJoin,
)
from spark_bridge import gaps_of, plan
from spark_bridge.ends import possible_ends
from spark_bridge.keyed.planned import KeyedPlan
from tests.spark.random_clocks import random_clock_scenario
from tests.spark.random_scenarios import random_scenario
from tests.spark.spark_sides import Rows, compared
from tests.watermarks import watermark_spec

pytestmark = pytest.mark.spark


def _runs(seed: int) -> bool:
    """Whether the engine goes through to the end; of a run that fails nothing is compared."""
    return all(row["row"] != "error" for row in simulator.run_rows(random_scenario(seed)))


RUNNING = [seed for seed in range(20) if _runs(seed)]
KEYED = [seed for seed in RUNNING if isinstance(plan.plan_of(random_scenario(seed)).operator, KeyedPlan)]
SEEDS = [seed for seed in RUNNING if seed not in KEYED] + KEYED[::3]
"""All that are DataFrame operations, and some keyed functions: ``test_keyed.py`` proves hundreds of these."""


@pytest.mark.parametrize("seed", SEEDS)
def test_same_rows(seed: int, spark_rows: Callable[[Scenario], Rows], monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of a few items, so that the prefix maximum and the as-of join have something to do."""
    monkeypatch.setattr(plan, "CHUNK_ITEMS", (1, 4, 9, 8192)[SEEDS.index(seed) % 4])
    scenario = random_scenario(seed)
    assert gaps_of(scenario) == []
    assert spark_rows(scenario) == compared(simulator.run_rows(scenario))


@pytest.mark.parametrize("seed", [22, 33, 46])
def test_same_rows_by_the_clock(
    seed: int, spark_rows: Callable[[Scenario], Rows], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys shared out among tasks; so with restores; and all keys in one task, with ticks and restores.

    ``test_ordered.py`` puts hundreds of them through the same tasks without Spark.
    """
    monkeypatch.setattr(plan, "CHUNK_ITEMS", 9)
    scenario = random_clock_scenario(seed)
    assert spark_rows(scenario) == compared(simulator.run_rows(scenario))


def test_generated_by_the_clock(spark_rows: Callable[[Scenario], Rows], monkeypatch: pytest.MonkeyPatch) -> None:
    """Many chunks and keys; the rows carry the watermark, which moves with nearly every record."""
    monkeypatch.setattr(plan, "CHUNK_ITEMS", 16)
    inputs = (InputSpec("events", 2, BoundedOutOfOrderness(200)),)
    stream = Generated(400, 7, 9, 100, disorder=600, end=True)
    windows = Window(Sliding(700, 300), ProcessingTimeTrigger(), Function("process", "collect"), time="processing")
    scenario = Scenario("clock", windows, stream, inputs, origin=-1234)
    assert spark_rows(scenario) == compared(simulator.run_rows(scenario))


@pytest.mark.parametrize("generator", ["bounded-out-of-orderness", "sql"])
def test_generated_with_idle_channels(
    generator: str, spark_rows: Callable[[Scenario], Rows], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many chunks: the watermark is gone through in one task, everything after it is shared out again."""
    monkeypatch.setattr(plan, "CHUNK_ITEMS", 16)
    inputs = (InputSpec("events", 3, watermark_spec(generator, 200, 250, 300)),)
    stream = Generated(400, 7, 3, 100, disorder=600, late_millionths=50_000, late_by=1500, end=True)
    windows = Window(Tumbling(700), EventTimeTrigger(), Function("aggregate", "sum"), allowed_lateness=300)
    scenario = Scenario("idle", windows, stream, inputs)
    rows = simulator.run_rows(scenario)
    awake = [InputSpec("events", 3, watermark_spec(generator, 200, 250))]
    assert compared(simulator.run_rows(replace(scenario, inputs=tuple(awake)))) != compared(rows), "nobody is idle here"
    assert spark_rows(scenario) == compared(rows)


@pytest.mark.parametrize("case", ["in a gap", "cumulative", "two inputs"])
def test_generated_windows(case: str, spark_rows: Callable[[Scenario], Rows], monkeypatch: pytest.MonkeyPatch) -> None:
    """Which ends there can be is known beforehand, and what is late follows from the items that reach them."""
    monkeypatch.setattr(plan, "CHUNK_ITEMS", 17)  # the last chunk is not full, nor is the last block of any
    monkeypatch.setattr("spark_bridge.execution.notable.BLOCK_ITEMS", 5)
    stream = Generated(400, 7, 3, 100, disorder=600, late_millionths=100_000, late_by=1500, end=True)
    bounded = BoundedOutOfOrderness(200)
    asked = BoundedOutOfOrderness(200, 250)
    inputs: tuple[InputSpec, ...] = (InputSpec("events", 2, bounded),)
    operator: Window | WindowJoin
    match case:
        case "in a gap":
            operator = Window(Sliding(700, 900), EventTimeTrigger(), Function("aggregate", "sum"), allowed_lateness=300)
        case "cumulative":
            aggregate = Function("aggregate", "avg")
            operator = Window(Cumulative(1500, 500, -250), AfterEndOfWindow(), aggregate, "sql", allowed_lateness=700)
        case _:
            operator = WindowJoin("co-group", Tumbling(700), EventTimeTrigger(), "event", None, 300, "full")
            inputs = (InputSpec("left", 2, bounded), InputSpec("right", 1, asked))
    scenario = Scenario("windows", operator, stream, inputs, origin=-1234)
    native = plan.plan_of(scenario)
    assert possible_ends(native, getattr(native.operator, "window", native.operator)) is not None
    assert spark_rows(scenario) == compared(simulator.run_rows(scenario))
