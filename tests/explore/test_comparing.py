"""Two runs compared side by side."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from tidemark.simulator import timeline
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Record, Watermark
from tidemark.simulator.explore.runs import compare_runs, run_of, together
from tidemark.simulator.explore.settings import BOUND, LATENESS
from tidemark.simulator.explore.smallest import Kept, certain_settings, keeping, keeps, smallest_changes
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.ids import result_id

from tests.examples import examples
from tests.random_scenarios.flink import SHORT, Uses, scenarios
from tests.timeline.scenarios import late_but_allowed
from tidemark import simulator


@settings(max_examples=examples(40), deadline=None)
@given(scenarios(uses=SHORT))
def test_a_run_is_the_same_as_itself(scenario: Scenario) -> None:
    outcome = run_of(scenario).outcome
    compared = compare_runs(outcome, outcome)
    assert all(pair.verdict == "same" and pair.by == 0 for pair in compared.pairs)
    assert compared.parting is None
    assert compared.watermark_parting is None


@settings(max_examples=examples(40), deadline=None)
@given(scenarios(uses=SHORT), scenarios(uses=SHORT))
def test_swapping_the_sides_mirrors_the_comparison(one: Scenario, other: Scenario) -> None:
    mirror = {"only-left": "only-right", "earlier": "later", "oftener": "rarer"}
    mirror |= {right: left for left, right in mirror.items()}
    left, right = run_of(one).outcome, run_of(other).outcome
    forward = {pair.id: pair.verdict for pair in compare_runs(left, right).pairs}
    backward = {pair.id: mirror.get(pair.verdict, pair.verdict) for pair in compare_runs(right, left).pairs}
    assert forward == backward


def test_a_longer_bound_gives_later_and_fuller_results() -> None:
    scenario = late_but_allowed()
    compared = compare_runs(run_of(scenario).outcome, run_of(BOUND.write(scenario, 4_000)).outcome)
    wanted = result_id({"row": "pane", "key": "a", "start": 0, "end": 5000})
    first = next(pair for pair in compared.pairs if pair.id == wanted)
    assert [result.row["value"] for result in first.left] == [16, 22]
    assert [result.row["value"] for result in first.right] == [22]
    assert (first.verdict, first.by) == ("earlier", first.right[0].row["at"] - first.left[0].row["at"])
    assert compared.parting is not None
    assert (compared.parting.what, compared.parting.moment) == ("results", 10)
    assert compared.watermark_parting is not None
    assert compared.watermark_parting.moment < 10


def test_a_missing_record_is_identified_by_its_moment() -> None:
    scenario = late_but_allowed()
    left = run_of(scenario)
    without = replace(scenario, stream=(*scenario.stream[:3], *scenario.stream[4:]))
    right = run_of(without, [*left.moments[:3], *left.moments[4:]])
    parting = compare_runs(left.outcome, right.outcome).parting
    assert parting is not None
    assert (parting.moment, parting.what, parting.left, parting.right) == (6, "fate", "on-time", None)


def test_the_parts_of_a_stream_together_have_all_its_records() -> None:
    complete = run_of(late_but_allowed())
    parts = []
    for key in ("a", "b"):
        kept = [
            (item, moment)
            for item, moment in zip(complete.scenario.stream, complete.moments, strict=True)
            if not isinstance(item, Record) or item.key == key
        ]
        scenario = replace(complete.scenario, stream=tuple(item for item, _ in kept))
        parts.append(run_of(scenario, [moment for _, moment in kept]))
    outcome = together(parts)
    assert outcome.fates.keys() == complete.fates.keys()
    assert {result.row["key"] for rows in outcome.results.values() for result in rows} == {"a", "b"}


def day_of_sales(operator: str) -> Scenario:
    return parse(
        f"""
scenario: 1
name: days
operator: {{type: window, {operator}, function: {{call: aggregate, compute: sum}}}}
stream:
  - {{ts: '2026-03-28T20:00:00Z', key: shop, value: 1}}
  - {{ts: '2026-03-28T23:30:00Z', key: shop, value: 2}}
  - {{ts: '2026-03-29T22:30:00Z', key: shop, value: 4}}
  - {{end: true}}
""",
        "days.yaml",
    )


def test_windows_of_other_zones_are_the_same_where_their_instants_are() -> None:
    berlin = day_of_sales("api: tvf, session_zone: Europe/Berlin, assigner: {type: tumbling, size: 1d}")
    fixed = day_of_sales("assigner: {type: tumbling, size: 1d, offset: -1h}")
    compared = compare_runs(run_of(berlin).outcome, run_of(fixed).outcome)
    values = [
        [tuple(each.row["value"] for each in side) for side in (pair.left, pair.right)] for pair in compared.pairs
    ]
    # The second day has 23 hours in Berlin: only the first one begins and ends with the day of the fixed offset.
    assert values == [[(1,), (1,)], [(2,), ()], [(4,), ()], [(), (6,)]]
    assert compared.in_instants


def test_a_record_that_misses_one_of_its_windows_is_not_simply_on_time() -> None:
    scenario = parse("""
scenario: 1
name: hop
operator: {type: window, api: tvf, assigner: {type: sliding, size: 10s, slide: 5s},
           function: {call: aggregate, compute: sum}}
stream:
  - {ts: 6s, key: a, value: 1}
  - {watermark: 10s}
  - {ts: 7s, key: a, value: 2}
  - {ts: 1s, key: a, value: 4}
  - {end: true}
""")
    run = run_of(scenario)
    assert list(run.fates.values()) == ["on-time", "on-time", "dropped"]
    assert run.missed == {2}  # in [5, 15), but too late for [0, 10)


# What would have kept a lost record: the number that is given keeps it, and 1 ms less does not.

ROOT = Path(__file__).parents[2]


def _kept(scenario: Scenario) -> list[Kept]:
    _, trace = simulator.run_traced(scenario)
    facts = timeline.build(scenario, trace)
    return list(keeping(facts))


def _is_kept(kept: Kept, scenario: Scenario, value: int) -> bool:
    try:
        changed = kept.setting.write(scenario, value)
        return keeps(_item(kept))(changed, simulator.run_traced(changed)[1])
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
    assert keeps(1)(scenario, trace), "one of its two windows is over, the other takes it"
    assert not keeps(2)(scenario, trace)
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
