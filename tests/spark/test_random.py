"""Random scenarios: the batch engine gives the simulator's rows, whatever the stream and however it is cut."""

from collections.abc import Callable

import pytest
from random_scenarios import random_scenario
from spark_sides import Rows, compared

import simulator
from simulator.scenario.model import Scenario
from spark_bridge import gaps_of, plan

pytestmark = pytest.mark.spark

SEEDS = range(20)


@pytest.mark.parametrize("seed", SEEDS)
def test_same_rows(seed: int, spark_rows: Callable[[Scenario], Rows], monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of a few items, so that the prefix maximum and the as-of join have something to do."""
    monkeypatch.setattr(plan, "CHUNK_ITEMS", (1, 4, 9, 8192)[seed % 4])
    scenario = random_scenario(seed)
    assert gaps_of(scenario) == []
    assert spark_rows(scenario) == compared(simulator.run_rows(scenario))
