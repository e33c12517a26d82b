"""The smallest stream on which the two sides of a comparison differ, as the page Compare shows it."""

from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.explore.differ.search import Bounds
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.ui.compare.choice import Choice, choice_of
from tidemark.ui.compare.contents import contents
from tidemark.ui.share.links import text_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return load(ROOT / "scenarios" / "late-but-allowed.yaml")


def found(choice: Choice, scenario: Scenario) -> dict[str, Any]:
    """What a short search for a stream says of both sides."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tidemark.ui.share.difference.BOUNDS", Bounds(records=1, random=100, seconds=1e6))
        said: dict[str, Any] = contents(choice, scenario, scenario, {"stream": ""})["difference"]
    return said


def opened(address: dict[str, str]) -> dict[str, Any]:
    """The comparison at ``address``, whose sides are in links."""
    left, right = (parse(text_of(address.get(name, address["s"])).text) for name in ("s", "with.s"))
    return contents(choice_of(address, "x"), left, right, {})


def test_the_smallest_stream_on_which_both_differ_opens_as_a_comparison(scenario: Scenario) -> None:
    said = found(Choice("x", settings={"b": {"allowed-lateness": 0}}), scenario)
    assert said["lead"] == "They differ on 3 records:"
    assert said["stream"][2] == "- {ts: 0s, key: a, value: 2}"
    assert said["rules"][1].startswith("Record #2 is dropped: key a, 0.0 s, value 2.")
    assert said["tried"][0].startswith("None of these can be left out")
    comparison = opened(said["address"])
    assert comparison["differing"] == comparison["total"] == 1


def test_a_stream_that_misleads_a_belief_opens_beside_it(scenario: Scenario) -> None:
    said = found(Choice("x", belief="end-inclusive"), scenario)
    assert said["rules"][1] == "A record exactly at the end of a window belongs to it."
    comparison = opened(said["address"])
    assert comparison["belief"] == "end-inclusive"
    assert comparison["parting"] is not None


def test_a_stream_on_which_spark_differs_opens_beside_spark(scenario: Scenario) -> None:
    comparison = opened(found(Choice("x", spark=3), scenario)["address"])
    assert comparison["spark"] == 1
    assert comparison["differing"]


def test_a_stream_on_which_versions_differ_opens_beside_the_other_version() -> None:
    said = found(Choice("x", flink="2.0"), load(ROOT / "scenarios" / "first-of-each-key.yaml"))
    (rule,) = said["causes"]
    assert rule.startswith("Between the versions: since Flink 2.1, a deduplication")
    comparison = opened(said["address"])
    assert (comparison["flink"], comparison["differing"]) == ("2.0", 1)


def test_a_search_that_finds_no_stream_says_what_it_tried(scenario: Scenario) -> None:
    assert found(Choice("x"), scenario) == {"tried": ["Both have the same settings, so no stream tells them apart."]}
    assert found(Choice("x", settings={"b": {"idle-timeout": 10**11}}), scenario) == {"tried": [
        "None among all 220 streams (records: at most 1, times: 20, kinds of record: 2, channels: 2).",
        "None among 100 random streams.",
        "Another stream may still tell them apart.",
    ]}  # fmt: skip
    join = load(ROOT / "scenarios" / "window-join-border.yaml")
    assert contents(Choice("x", other="y"), scenario, join, {"stream": ""})["difference"] == {
        "problem": "has 2 inputs, the first one 1: no stream fits both"
    }
