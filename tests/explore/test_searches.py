"""Sweeps, smallest changes, and shrinking a scenario to the fewest records."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.explore.runs import run_of
from tidemark.simulator.explore.settings import (
    BOUND,
    EMIT,
    LATENESS,
    Setting,
    Tried,
    point_of,
    settings_of,
    sweep,
    values_of,
)
from tidemark.simulator.explore.smallest import came_earlier, fires, keeps, meets, shrink, smallest_changes
from tidemark.simulator.scenario.model import (
    EventTimeTrigger,
    Function,
    Goal,
    InputSpec,
    MonotonousTimestamps,
    Scenario,
    Session,
    Sliding,
    SqlWatermark,
    Tumbling,
    Window,
)

from tests.examples import examples
from tests.random_scenarios.flink import Uses, scenarios
from tests.timeline.scenarios import late_but_allowed
from tidemark import simulator

OPERATOR = Window(Tumbling(5000), EventTimeTrigger(), Function("aggregate", "sum"))
TUMBLING = replace(OPERATOR, assigner=Tumbling(10))
SESSIONS = replace(OPERATOR, assigner=Session(6))
SLIDING = replace(OPERATOR, assigner=Sliding(10, 5), allowed_lateness=2)


ONLY_RECORDS = Uses(
    items=12,
    keys=(("a", "b"),),
    channels=1,
    generators=("bounded-out-of-orderness",),
    ticks=False,
    clock=False,
    controls=(),
    restores=0,
    ends=True,
    values=st.just(1),
    origins=(0,),
)


def streams() -> st.SearchStrategy[Scenario]:
    """Records of two keys in any order, in windows of 5 s."""
    return scenarios(st.just(OPERATOR), ONLY_RECORDS)


# --- sweeps --------------------------------------------------------------------------------------------------------


def test_a_longer_bound_trades_latency_for_completeness() -> None:
    scenario = late_but_allowed()
    points = {point.value: point for point in sweep(scenario, BOUND, [0, 2000, 8000])}
    assert [points[bound].on_time for bound in (0, 2000, 8000)] == [8, 8, 10]
    latencies = [points[bound].latency for bound in (0, 2000, 8000)]
    assert latencies == sorted(latencies, key=lambda each: each or 0)
    assert latencies[0] != latencies[2]


def test_allowed_lateness_trades_state_for_completeness_without_latency() -> None:
    points = list(sweep(late_but_allowed(), LATENESS, [0, 3000, 6000]))
    assert [point.counted for point in points] == [8, 9, 10]
    assert len({point.latency for point in points}) == 1
    assert points[0].state < points[1].state < points[2].state


@settings(max_examples=examples(25), deadline=None)
@given(streams())
def test_more_lateness_never_counts_less(scenario: Scenario) -> None:
    counted = [point.counted for point in sweep(scenario, LATENESS, [0, 1000, 5000, 20_000])]
    assert counted == sorted(counted)


def test_a_sweep_finds_each_change_at_its_exact_value() -> None:
    scenario = late_but_allowed()
    points = sweep(scenario, BOUND, [0, 2000, 8000], most_runs=200)
    assert {0, 2000, 8000} <= {point.value for point in points}
    assert all(point.joined for point in points[1:])
    changes = [
        (before.value, after.value, before.counted, after.counted)
        for before, after in pairwise(points)
        if before.counted != after.counted
    ]
    assert changes == [(3000, 3001, 9, 10)]
    for bound, counted in ((3000, 9), (3001, 10)):
        assert point_of(run_of(BOUND.write(scenario, bound)), bound).counted == counted


def test_a_sweep_claims_nothing_about_values_that_it_did_not_run() -> None:
    few = sweep(late_but_allowed(), BOUND, [0, 2000, 8000, 9000])
    assert [(point.value, point.joined) for point in few] == [(0, False), (2000, False), (8000, False), (9000, True)]
    periodic = replace(late_but_allowed(), inputs=(InputSpec("events", 2, MonotonousTimestamps(200)),))
    ticks = sweep(periodic, EMIT, [100, 200, 300], most_runs=200)
    assert [(point.value, point.joined) for point in ticks] == [(100, False), (200, False), (300, False)]


@settings(max_examples=examples(10), deadline=None)
@given(streams(), st.sampled_from([BOUND, LATENESS]), st.sampled_from([TUMBLING, SLIDING, SESSIONS]))
def test_a_sweep_agrees_with_a_run_at_each_millisecond(scenario: Scenario, setting: Setting, operator: Window) -> None:
    # Times in ms instead of seconds, so that every value can be run.
    stream = tuple(item._replace(ts=item.ts // 500) if isinstance(item, Record) else item for item in scenario.stream)
    scenario = replace(scenario, stream=stream, operator=operator)
    points = sweep(scenario, setting, [0, 17, 32], most_runs=200)
    assert all(point.joined for point in points[1:])
    for value in range(33):
        point_below = max((point for point in points if point.value <= value), key=lambda point: point.value)
        ran = point_of(run_of(setting.write(scenario, value)), value)
        assert replace(point_below, value=value, joined=False) == ran


def test_a_sweep_claims_nothing_about_a_generator_that_jumps() -> None:
    """Such a generator sends 15 at once with a bound of 100 and 14 with 101; with 105 it waits and sends 16."""
    stream = tuple(Record("a", ts, 1) for ts in (110, 115, 121, 12))
    inputs = (InputSpec("events", 1, SqlWatermark(100, 10)),)
    leaps = replace(late_but_allowed(), stream=stream, inputs=inputs, operator=replace(TUMBLING, assigner=Tumbling(16)))
    assert [lost(BOUND.write(leaps, bound)) for bound in (100, 101, 105)] == [[3], [], [3]]
    assert not any(point.joined for point in sweep(leaps, BOUND, [100, 105], most_runs=200))


@settings(max_examples=examples(50), deadline=None)
@given(streams())
def test_swept_values_start_at_zero_include_the_current_one_and_are_few(scenario: Scenario) -> None:
    for setting in settings_of(scenario):
        values = values_of(scenario, setting)
        assert values == sorted(set(values))
        assert setting.read(scenario) in values
        assert len(values) <= 26


# --- the smallest change -------------------------------------------------------------------------------------------


def lost(scenario: Scenario) -> list[int]:
    return [row["item"] for row in simulator.run_rows(scenario) if row["row"] == "dropped"]


def test_what_would_have_kept_a_dropped_record() -> None:
    scenario = late_but_allowed()
    found = {change.what: change.after for change in smallest_changes(scenario, keeps(9), 9)}
    assert found == {"bound": 3001, "allowed-lateness": 4001, "ts": 5000}
    earlier = came_earlier(scenario, 9)
    assert earlier is not None
    assert earlier.after == 8


def test_what_would_have_fired_a_window_by_now() -> None:
    scenario = late_but_allowed()
    found = {change.what: change.after for change in smallest_changes(scenario, fires("a", 5000, 10_000, 8))}
    assert found == {"bound": 1000}


@settings(max_examples=examples(25), deadline=None)
@given(streams())
def test_a_change_turns_the_run_and_a_smaller_one_does_not(scenario: Scenario) -> None:
    for item in lost(scenario)[:1]:
        for change in smallest_changes(scenario, keeps(item), item):
            assert item not in lost(change.scenario)
            smaller = change.after + (1 if change.after < change.before else -1)
            if change.what == "ts":
                record = scenario.stream[item]
                assert isinstance(record, Record)
                stream = (*scenario.stream[:item], record._replace(ts=smaller), *scenario.stream[item + 1 :])
                assert item in lost(replace(scenario, stream=stream))
            else:
                setting = BOUND if change.what == "bound" else LATENESS
                assert item in lost(setting.write(scenario, smaller))


# --- the fewest records --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "left"),
    [
        (Goal(rows="dropped", at_least=1), 3),  # one to advance each channel, and one that is dropped
        (Goal(rows="pane", at_least=2), 3),  # two windows, and the end
        (Goal(event="WatermarkCombined", at_least=1), 1),
    ],
    ids=["dropped", "two panes", "watermark"],
)
def test_few_records_are_left(goal: Goal, left: int) -> None:
    found = shrink(late_but_allowed(), meets(goal))
    assert found is not None
    assert found.smallest
    assert len(found.kept) == left


def test_a_run_that_misses_the_goal_cannot_be_shrunk() -> None:
    assert shrink(late_but_allowed(), meets(Goal(rows="late", at_least=1))) is None


@settings(max_examples=examples(25), deadline=None)
@given(streams())
def test_a_shrunk_run_meets_the_goal_and_needs_every_record(scenario: Scenario) -> None:
    shows = meets(Goal(rows="dropped", at_least=1))
    found = shrink(scenario, shows)
    if found is None:
        assert not lost(scenario)
        return
    assert lost(found.scenario)
    stream = found.scenario.stream
    assert stream == tuple(scenario.stream[index] for index in found.kept)
    for index in range(len(stream)):
        assert not lost(replace(found.scenario, stream=(*stream[:index], *stream[index + 1 :])))


def test_a_search_stops_at_its_limit_with_the_best_so_far() -> None:
    found = shrink(late_but_allowed(), meets(Goal(rows="pane", at_least=1)), most_runs=3)
    assert found is not None
    assert not found.smallest
    assert found.runs == 3


def test_what_earlier_sweeps_have_tried_is_not_run_again_and_changes_nothing() -> None:
    scenario = late_but_allowed()
    known: dict[int, Tried] = {}
    first = sweep(scenario, BOUND, [0, 2000, 6000], 400, known)
    assert first == sweep(scenario, BOUND, [0, 2000, 6000], 400)
    tried = dict(known)
    again = sweep(scenario, BOUND, [0, 2000, 6000], 400, known)
    assert (again, known) == (first, tried)
    # Values that others wanted do not get in, and their changes are those that are found anyway.
    for values in ([0, 6000], [0, 1234, 6000], [500, 7000]):
        for most in (0, 400):
            assert sweep(scenario, BOUND, values, most, known) == sweep(scenario, BOUND, values, most)
