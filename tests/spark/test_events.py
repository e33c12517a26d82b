"""``--events`` for every scenario of the library: other records in place of a list, and both sides over them."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.limits import SCENARIO_ITEMS
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.lengthened import is_written_out, with_events
from tidemark.simulator.scenario.model import (
    Deduplicate,
    Generated,
    Global,
    Scenario,
    TemporalJoin,
    Window,
    WindowJoin,
)
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.spark_bridge import NotCovered, check, gaps_of
from tidemark.spark_bridge.plan.batch import plan_of
from tidemark.spark_bridge.plan.operators import KeyedPlan
from tidemark.spark_bridge.results.boundaries import LATENESS, WINDOW, boundaries_of

from tests.spark.plain_ordered import rows_of_plan
from tests.spark.spark_sides import MASTER, compared
from tidemark import simulator

FILES = sorted((Path(__file__).parent.parent.parent / "scenarios").glob("*.yaml"))
LIBRARY = {file.stem: load(file) for file in FILES}
LISTS = [name for name, scenario in LIBRARY.items() if not isinstance(scenario.stream, Generated)]
BY_FLINKS_RULES = [name for name, scenario in LIBRARY.items() if scenario.engine == "flink"]
WRITTEN_OUT = [name for name in LISTS if is_written_out(LIBRARY[name])]
ENOUGH = 2000


def kind(scenario: Scenario) -> tuple[str, ...]:
    """The parts of its operator."""
    operator = scenario.operator
    parts = (operator, *(getattr(operator, name, None) for name in ("assigner", "trigger", "evictor")))
    return (*(type(part).__name__ for part in parts), getattr(operator, "api", ""))


OF_EACH_KIND = list({kind(LIBRARY[name]): name for name in LISTS}.values())


def longer(name: str, events: int = ENOUGH) -> Scenario:
    return with_events(LIBRARY[name], events)


def outcomes(scenario: Scenario) -> Counter[str]:
    """How many rows of each kind there are; of panes, of each timing."""
    rows: list[Any] = list(simulator.run_rows(scenario))
    return Counter(f"{row['row']} {row['timing']}" if "timing" in row else row["row"] for row in rows)


def steps(scenario: Scenario) -> Counter[str]:
    """How many micro-steps of each kind there are."""
    return Counter(type(step.event).__name__ for step in simulator.run_traced(scenario)[1].steps)


def can_drop(scenario: Scenario) -> bool:
    """Whether a record can be late: watermarks are sent, and the operator does not take whatever arrives."""
    operator = scenario.operator
    takes_all = isinstance(getattr(operator, "assigner", None), Global) or isinstance(operator, TemporalJoin)
    takes_all |= getattr(operator, "time", "event") == "processing" or operator == Deduplicate("last")
    return not takes_all and any(each.watermark.makes_watermarks for each in scenario.inputs)


def test_every_scenario_of_the_library_is_covered_with_events() -> None:
    """All but these five at any length, as SPARK.md says."""
    assert len(LISTS) > 75
    assert WRITTEN_OUT == [
        "a-gap-of-its-own",
        "replayed-by-the-clock",
        "restart-forgets-the-watermark",
        "the-watermark-comes-back",
        "twice-in-the-source",
    ]
    assert [name for name in LIBRARY if gaps_of(longer(name, 1000))] == []


@pytest.mark.parametrize("name", LISTS)
def test_the_other_records_make_a_sound_scenario(name: str) -> None:
    made = longer(name, 300)
    assert sum(isinstance(item, Record) for item in items(made)) == 300
    assert replace(parse(as_yaml(made)), marks={}) == replace(made, file="", marks={}, translated_from={})
    assert longer(name, 300) == made


@pytest.mark.parametrize("name", LISTS)
def test_what_the_operator_can_do_happens(name: str) -> None:
    scenario = longer(name)
    found, operator = outcomes(scenario), scenario.operator
    if scenario.engine == "spark":
        assert found["batch"] > 30
        assert min(found["pane"], found["dropped"]) > 0
        return
    results = sum(found[kind] for kind in ("joined", "group", "emitted", "ranked", "pane early", "pane on-time"))
    assert (results > 10) == (name != "nothing-says-when")
    assert found["error"] == 0
    if can_drop(scenario):
        assert found["watermark"] > 50
        assert found["late" if getattr(operator, "late_output", "drop") == "side" else "dropped"] > 20
        if getattr(operator, "allowed_lateness", 0):
            assert found["pane late"] > 20


def test_channels_go_idle_and_come_back() -> None:
    idle = [name for name in LISTS if any(each.watermark.idle_timeout for each in longer(name).inputs)]
    assert len(idle) >= 7
    for name in idle:
        found = steps(longer(name))
        assert min(found["ChannelIdle"], found["ChannelActive"]) > 5


def test_sessions_grow_together() -> None:
    for name in LISTS:
        if getattr(getattr(LIBRARY[name].operator, "assigner", None), "merges", False):
            found = steps(longer(name))
            assert found["WindowsMerged"] + found["SessionsMerged"] > 20


def test_restores_are_followed_by_records() -> None:
    for name in WRITTEN_OUT[1:]:
        kinds = [type(item).__name__ for item in items(longer(name))]
        assert kinds.count("Restore") == 1
        assert kinds[kinds.index("Restore") :].count("Record") > ENOUGH // 10


@pytest.mark.parametrize("name", OF_EACH_KIND)
def test_the_borders_of_the_operator_are_met_exactly(name: str) -> None:
    scenario = longer(name)
    stream = scenario.stream
    if scenario.engine == "spark" or not isinstance(stream, Generated) or not stream.border_millionths:
        return
    exactly = {each.formula: each.exactly for each in boundaries_of(scenario).found if each.exactly is not None}
    if not any(each.watermark.makes_watermarks for each in scenario.inputs):
        exactly = {WINDOW: exactly[WINDOW]} if WINDOW in exactly else {}
    # Without lateness a record of a window that is over is dropped before its trigger is asked.
    exactly.pop("max_timestamp <= watermark", None)
    exactly.pop("timer <= clock", None)  # Flink's clock calls a timer one millisecond after its time
    assert [formula for formula, number in exactly.items() if not number] == []
    if can_drop(scenario) and isinstance(scenario.operator, Window | WindowJoin) and LATENESS in exactly:
        assert exactly[LATENESS] > 0


@pytest.mark.parametrize("name", BY_FLINKS_RULES)
def test_both_sides_are_equal_without_spark(name: str) -> None:
    """The bridge's own functions over the records as a list, each key in order."""
    made = longer(name, 400)
    written = replace(made, stream=tuple(items(made)))
    plan, operator = plan_of(written), written.operator
    stamped = frozenset(side for side, each in enumerate(written.inputs) if each.watermark.makes_watermarks)
    keyed = plan.operator if isinstance(plan.operator, KeyedPlan) else KeyedPlan(operator)
    ours = rows_of_plan(plan, replace(keyed, ordered=True, stamped=stamped))
    assert ours == compared(simulator.run_rows(written))
    assert sum(ours.values()) > 10 or name == "nothing-says-when"


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("late-but-allowed", {}),
        ("last-of-each-key", {"sample": 4}),
        ("stuck-after-idle", {}),
        ("the-watermark-comes-back", {"engine": "batch"}),
        ("spark-one-batch-behind", {"engine": "streaming"}),
    ],
)
def test_spark_is_equal(name: str, options: dict[str, Any]) -> None:
    report = check(LIBRARY[name], 200, master=MASTER, **options)
    assert report.equal
    assert report.events == 200
    assert report.panes > 10
    assert "200 records are generated" in report.notes[0]


def test_what_is_written_out_cannot_be_longer_than_a_list() -> None:
    for name in WRITTEN_OUT:
        with pytest.raises(NotCovered, match=f"at most {SCENARIO_ITEMS:,} items"):
            check(LIBRARY[name], SCENARIO_ITEMS + 1)


def test_versions_end_where_the_file_ends_some() -> None:
    text = """\
scenario: 1
name: ends
inputs: {left: {watermark: {generator: sql, bound: 1s}}, right: {watermark: {generator: sql, bound: 1s}}}
operator: {type: temporal-join, kind: left}
stream:
  - {in: right, ts: 1s, key: a, value: 4}
  - {in: right, ts: 2s, key: a, op: delete}
  - {in: left, ts: 3s, key: a, value: 1}
"""
    made = with_events(parse(text), ENOUGH)
    rows = simulator.run_rows(made)
    assert sum(isinstance(item, Record) and item.op == "delete" for item in items(made)) > 100
    assert {row["right"] is None for row in rows if row["row"] == "joined"} == {True, False}
