"""Each misconception shows where it goes wrong, and nowhere else."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from tidemark.simulator.engine.values.items import End, Record
from tidemark.simulator.explore.beliefs import BELIEFS, applies, tour
from tidemark.simulator.explore.runs import run_of
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    EventTimeTrigger,
    Function,
    InputSpec,
    Scenario,
    Session,
    Tumbling,
    WatermarkSpec,
    Window,
)
from tidemark.simulator.words import words

from tests.examples import examples
from tests.random_scenarios.flink import SHORT, scenarios
from tests.timeline.scenarios import late_but_allowed

BELIEF = {belief.name: belief for belief in BELIEFS}
BOUNDED = BoundedOutOfOrderness(2000)


def scenario_of(*stream: Record, spec: WatermarkSpec = BOUNDED, lateness: int = 0, channels: int = 1) -> Scenario:
    """Sums in windows of 5 s."""
    operator = Window(Tumbling(5000), EventTimeTrigger(), Function("aggregate", "sum"), allowed_lateness=lateness)
    return Scenario("belief", operator, (*stream, End()), (InputSpec("events", channels, spec),))


def parts_at(name: str, scenario: Scenario) -> tuple[int, str] | None:
    """The moment at which the belief goes wrong, and in what; ``None`` if these records do not show it."""
    found = tour(run_of(scenario), BELIEF[name])
    assert found is not None
    parting = found.compared.parting
    return None if parting is None else (parting.moment, parting.what)


def test_without_the_millisecond_a_window_fires_one_record_early() -> None:
    assert parts_at("no-minus-one", scenario_of(Record("a", 1000, 1), Record("a", 6_999, 1))) == (2, "results")
    assert parts_at("no-minus-one", scenario_of(Record("a", 1000, 1), Record("a", 7_000, 1))) is None


def test_waiting_for_the_end_itself_fires_one_record_late() -> None:
    assert parts_at("reaches-the-end", scenario_of(Record("a", 1000, 1), Record("a", 7_000, 1))) == (2, "results")
    assert parts_at("reaches-the-end", scenario_of(Record("a", 1000, 1), Record("a", 7_001, 1))) is None


def test_the_first_record_past_the_end_does_not_close_the_window() -> None:
    assert parts_at("first-past-the-end", scenario_of(Record("a", 1000, 1), Record("a", 5_000, 1))) == (2, "results")


def test_watermarks_are_emitted_at_intervals() -> None:
    periodic = replace(BOUNDED, emit=10_000)
    scenario = scenario_of(Record("a", 1000, 1, at=0), Record("a", 9_000, 1, at=1), spec=periodic)
    assert parts_at("after-each-record", scenario) == (2, "results")


def test_the_slowest_channel_holds_the_watermark() -> None:
    scenario = scenario_of(Record("a", 1000, 1), Record("a", 9_000, 1, channel=1), channels=2)
    assert parts_at("fastest-channel", scenario) == (2, "results")


def test_a_busy_key_closes_the_window_of_a_quiet_one() -> None:
    assert parts_at("watermark-per-key", scenario_of(Record("quiet", 1000, 1), Record("busy", 9_000, 1))) == (
        2,
        "results",
    )


def test_the_clock_closes_nothing() -> None:
    scenario = scenario_of(Record("a", 1000, 1, at=1000), Record("a", 2000, 1, at=9_000))
    assert parts_at("wall-clock", scenario) == (1, "results")


def test_lateness_delays_nothing() -> None:
    scenario = scenario_of(Record("a", 1000, 1), Record("a", 7_000, 1), Record("a", 8_000, 1), lateness=3000)
    assert parts_at("lateness-delays", scenario) == (2, "results")


def test_a_fired_window_accepts_more_records() -> None:
    assert parts_at("fired-is-final", late_but_allowed()) == (12, "fate")


def test_out_of_order_is_not_late() -> None:
    assert parts_at("late-is-out-of-order", scenario_of(Record("a", 2000, 1), Record("a", 1000, 1))) == (2, "fate")


def test_behind_the_watermark_is_not_dropped() -> None:
    scenario = scenario_of(Record("a", 4_500, 1), Record("a", 2_000, 1), spec=replace(BOUNDED, bound=0))
    assert parts_at("behind-is-dropped", scenario) == (2, "fate")


def test_the_end_of_a_window_belongs_to_the_next() -> None:
    scenario = scenario_of(Record("a", 1000, 1), Record("a", 5_000, 1), Record("a", 7_000, 1))
    found = tour(run_of(scenario), BELIEF["end-inclusive"])
    assert found is not None
    assert found.compared.parting is not None
    assert found.compared.parting.right[0]["value"] == 2


def test_a_gap_is_between_timestamps() -> None:
    scenario = scenario_of(Record("a", 0, 1, at=0), Record("a", 1000, 1, at=20_000), Record("a", 1500, 1, at=20_500))
    scenario = replace(scenario, operator=replace(scenario.operator, assigner=Session(3000)))
    found = tour(run_of(scenario), BELIEF["gap-on-the-clock"])
    assert found is not None
    assert found.compared.counts["only-left"] == 1
    assert found.compared.counts["only-right"] == 2


@pytest.mark.parametrize("belief", BELIEFS, ids=lambda belief: belief.name)
def test_every_belief_has_its_words(belief: object) -> None:
    name = getattr(belief, "name")  # noqa: B009 - typed as a plain object in the test's signature
    assert words(f"beliefs.{name}.claim") != words(f"beliefs.{name}.truth")


@settings(max_examples=examples(30), deadline=None)
@given(scenarios(uses=SHORT))
def test_every_belief_can_be_tried_on_any_run(scenario: Scenario) -> None:
    truth = run_of(scenario)
    for belief in BELIEFS:
        found = tour(truth, belief)
        assert applies(truth, belief) == (found is not None)
        assert found is None or found.shows == (found.compared.parting is not None)
