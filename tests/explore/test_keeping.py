"""What would have kept a lost record: the number that is given keeps it, and 1 ms less does not."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from tidemark.simulator import timeline
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Watermark
from tidemark.simulator.explore.settings import LATENESS
from tidemark.simulator.explore.smallest import Kept, certain_settings, keeping, keeps, smallest_changes
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Scenario

from tests.examples import examples
from tests.random_scenarios.flink import Uses, scenarios
from tests.timeline.scenarios import late_but_allowed
from tidemark import simulator

ROOT = Path(__file__).parents[2]


def _kept(scenario: Scenario) -> list[Kept]:
    _, trace = simulator.run_traced(scenario)
    facts = timeline.build(scenario, trace)
    return list(keeping(facts))


def _is_kept(kept: Kept, scenario: Scenario, value: int) -> bool:
    try:
        return keeps(_item(kept))(simulator.run_traced(kept.setting.write(scenario, value))[1])
    except ScenarioError:  # a run that becomes too long proves nothing
        return False


def _item(kept: Kept) -> int:
    return int(kept.record.removeprefix("record:"))


@settings(max_examples=examples(250), deadline=None)
@given(scenarios(uses=Uses(restores=0)))
def test_the_number_keeps_the_record_and_a_millisecond_less_does_not(scenario: Scenario) -> None:
    for each in _kept(scenario):
        assert _is_kept(each, scenario, each.after), each
        assert not _is_kept(each, scenario, each.after - 1), each


TOP_N = """scenario: 1
name: first-of-a-window
inputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 0s}}}
operator: {type: window-top-n, assigner: {type: sliding, size: 2s, slide: 1s}, n: 1}
stream:
  - {ts: 2s, key: a, value: 1}
  - {ts: 1s, key: a, value: 2}
  - {ts: 0s, key: a, value: 3}
"""


def test_a_top_n_loses_a_record_that_every_window_refuses() -> None:
    scenario = parse(TOP_N)
    assert [(_item(each), each.setting.name, each.after) for each in _kept(scenario)] == [(2, "bound", 1)]
    _, trace = simulator.run_traced(scenario)
    assert keeps(1)(trace), "one of its two windows is over, the other takes it"
    assert not keeps(2)(trace)
    assert [change.after for change in smallest_changes(scenario, keeps(2))] == [1]


def test_the_facts_of_late_and_dropped_name_both_numbers() -> None:
    kept = _kept(load(ROOT / "scenarios" / "late-and-dropped.yaml"))
    assert [(_item(each), each.setting.name, each.before, each.after) for each in kept] == [
        (5, "bound", 2000, 2501),
        (5, "allowed-lateness", 0, 501),
    ]


def test_the_facts_say_what_a_search_finds() -> None:
    scenario = late_but_allowed()
    for each in _kept(scenario):
        found = {change.what: change.after for change in smallest_changes(scenario, keeps(_item(each)))}
        assert found[each.setting.name] == each.after


def test_nothing_is_certain_of_sessions_which_another_number_would_merge_otherwise() -> None:
    assert certain_settings(load(ROOT / "scenarios" / "session-bridge.yaml")) == []


def test_a_bound_is_not_certain_beside_watermarks_that_stand_in_the_stream() -> None:
    scenario = load(ROOT / "scenarios" / "late-and-dropped.yaml")
    assert isinstance(scenario.stream, tuple)
    written = replace(scenario, stream=(Watermark(1), *scenario.stream))
    assert certain_settings(written) == [LATENESS]
