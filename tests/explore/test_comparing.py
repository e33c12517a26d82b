"""Two runs compared side by side."""

from dataclasses import replace

from hypothesis import given, settings
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.explore.runs import compare_runs, run_of, together
from tidemark.simulator.explore.settings import BOUND
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.ids import result_id

from tests.examples import examples
from tests.random_scenarios.flink import SHORT, scenarios
from tests.timeline.scenarios import late_but_allowed


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
