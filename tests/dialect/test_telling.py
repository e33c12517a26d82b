"""Every step of a micro-batch has a sentence at every level, a line in the code walk, and correct facts."""

from hypothesis import HealthCheck, given, settings
from tidemark.simulator import run_traced
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline import build
from tidemark.simulator.timeline.laws import laws_of

from tests.examples import examples
from tests.random_scenarios.spark import scenarios
from tests.timeline.test_code_walk import assert_every_step_has_a_line
from tests.timeline.test_laws import assert_lifetimes, at_step, cut_after
from tests.timeline.test_levels import assert_words_at_every_level

FEW = settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])


@FEW
@given(scenarios())
def test_any_run_has_a_sentence_at_every_level_and_a_code_line_for_each_step(scenario: Scenario) -> None:
    assert_words_at_every_level(scenario)
    assert_every_step_has_a_line(scenario)


@FEW
@given(scenarios())
def test_facts_at_a_step_do_not_depend_on_what_comes_after_it(scenario: Scenario) -> None:
    _, trace = run_traced(scenario)
    whole = build(scenario, trace)
    for step in range(0, len(trace), 1 + len(trace) // 10):
        assert at_step(build(scenario, cut_after(trace, step)), step) == at_step(whole, step)


@FEW
@given(scenarios())
def test_the_facts_of_any_run_have_lifetimes_and_their_laws_hold(scenario: Scenario) -> None:
    _, trace = run_traced(scenario)
    timeline = build(scenario, trace)
    assert_lifetimes(timeline, len(trace))
    assert all(row["holds"] for row in laws_of(timeline))
