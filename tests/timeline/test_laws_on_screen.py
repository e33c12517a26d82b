"""The laws that the player shows: they hold in every recorded and every random run, and a wrong fact breaks them."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from tidemark.simulator.scenario import load, model
from tidemark.simulator.timeline import build
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.timeline.laws import ALL_COME, ALL_LOST, ALL_SORTED, FORWARD, LOWEST, laws_of

from tests.examples import examples
from tests.random_scenarios.flink import scenarios
from tidemark import simulator

ROOT = Path(__file__).resolve().parents[2]
FILES = [*sorted((ROOT / "tests" / "golden").glob("*.yaml")), *sorted((ROOT / "scenarios").glob("*.yaml"))]


def timeline_of(scenario: model.Scenario) -> Timeline:
    _, trace = simulator.run_traced(scenario)
    return build(scenario, trace)


def broken(timeline: Timeline) -> set[str]:
    return {row["law"] for row in laws_of(timeline) if not row["holds"]}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_they_hold_in_every_run_of_a_file(file: Path) -> None:
    assert broken(timeline_of(load(file))) == set()


@settings(max_examples=examples(150))
@given(scenarios())
def test_they_hold_in_random_runs(scenario: model.Scenario) -> None:
    assert broken(timeline_of(scenario)) == set()


def test_the_laws_at_the_end_of_a_run() -> None:
    rows = laws_of(timeline_of(load(ROOT / "scenarios" / "late-but-allowed.yaml")))
    last = {row["law"]: row["numbers"] for row in rows if row["until_step"] is None}
    fates = {"on-time": 10, "late-accepted": 1, "dropped": 1, "side": 0, "skipped": 0, "arrived": 0}
    assert last[ALL_COME] == {"came": 12} | fates
    assert last[ALL_LOST] == {"lost": 1, "rows": 1}
    assert set(last) == {ALL_COME, ALL_LOST, FORWARD, LOWEST}
    for law in last:
        mine = [row for row in rows if row["law"] == law]
        assert [row["until_step"] for row in mine[:-1]] == [row["from_step"] for row in mine[1:]], "no gap, no overlap"
        assert mine[0]["from_step"] == 0


def first(timeline: Timeline, table: str, **having: object) -> dict[str, object]:
    return next(row for row in timeline.tables[table] if all(row[name] == value for name, value in having.items()))


def test_a_wrong_fact_breaks_them() -> None:
    def late() -> Timeline:
        return timeline_of(load(ROOT / "scenarios" / "late-but-allowed.yaml"))

    timeline = late()
    timeline.tables["records"].remove(first(timeline, "records", fate="late-accepted"))
    assert broken(timeline) == {ALL_COME}
    timeline = late()
    first(timeline, "records", fate="dropped")["fate"] = "on-time"
    assert broken(timeline) == {ALL_LOST}
    timeline = late()
    first(timeline, "watermark", value=4199)["value"] = 9000
    assert broken(timeline) == {FORWARD, LOWEST}
    timeline = timeline_of(load(ROOT / "scenarios" / "car-trace.yaml"))
    timeline.tables["queue"].pop()
    assert ALL_SORTED in broken(timeline)
