"""The player's payload for a scenario by Spark's rules."""

from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.limits import WALK_STEPS
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Generated
from tidemark.ui.catalogue.walkable import walked
from tidemark.ui.payload.contents import payload

FOLDER = Path(__file__).parents[1] / "golden_spark"

LONG = """
scenario: 1
name: long
engine: spark
inputs: {events: {watermark: {delay: 2s}}}
operator: {type: window, assigner: {type: sliding, size: 10s, slide: 1s}, function: {call: aggregate, compute: sum}}
stream:
  generate: {events: 50000, batch_every: 500, seed: 1, keys: 4, every: 100ms}
"""


def of(name: str) -> dict[str, Any]:
    return payload(load(FOLDER / f"{name}.yaml"))


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.yaml")), ids=lambda file: file.stem)
def test_every_batch_has_its_line_and_now_never_goes_back(file: Path) -> None:
    contents = of(file.stem)
    sources = contents["sources"]
    assert len(sources["stops"]) == len({row["id"] for row in contents["tables"]["batches"]})
    places = [row["y"] for row in sources["now"]]
    assert places == sorted(places), "a batch processes earlier records and stays where it was cut"


def test_the_line_of_a_batch_without_an_ending_item_is_below_its_last_record() -> None:
    sources = of("generated-batches")["sources"]
    assert [row["y"] for row in sources["stops"]][:3] == [6.5, 13.5, 20.5]


def test_results_of_a_join_are_placed_where_their_batch_was_cut() -> None:
    contents = of("join-bounds")
    cut_off = {row["number"]: row["arrival"] for row in contents["tables"]["batches"]}
    joined = [fact for fact in contents["tables"]["outputs"] if fact["row"]["row"] == "joined"]
    assert joined
    assert all(fact["arrival"] == cut_off[fact["row"]["batch"]] for fact in joined)


def test_a_long_run_is_cut_between_batches() -> None:
    scenario, trace = walked(parse(LONG))
    assert isinstance(scenario.stream, Generated)
    assert 0 < scenario.stream.events < 50_000
    assert scenario.stream.events % 500 == 0
    assert len(trace) < 2 * WALK_STEPS
