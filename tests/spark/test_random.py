"""Random scenarios: the batch engine gives the simulator's rows, whatever the stream and however it is cut."""

from collections.abc import Callable

import pytest
from random_scenarios import random_scenario
from spark_sides import Rows, compared

import simulator
from simulator.scenario.model import Scenario
from spark_bridge import gaps_of, plan

pytestmark = pytest.mark.spark


def _runs(seed: int) -> bool:
    """Whether the engine goes through to the end; of a run that fails nothing is compared."""
    return all(row["row"] != "error" for row in simulator.run_rows(random_scenario(seed)))


SEEDS = [seed for seed in range(20) if _runs(seed)]


@pytest.mark.parametrize("seed", SEEDS)
def test_same_rows(seed: int, spark_rows: Callable[[Scenario], Rows], monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of a few items, so that the prefix maximum and the as-of join have something to do."""
    monkeypatch.setattr(plan, "CHUNK_ITEMS", (1, 4, 9, 8192)[seed % 4])
    scenario = random_scenario(seed)
    assert gaps_of(scenario) == []
    assert spark_rows(scenario) == compared(simulator.run_rows(scenario))
