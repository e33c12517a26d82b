"""Why cards tell the truth: what a window is said to need is exactly what fires it, in random runs of every kind."""

from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings

import simulator
from simulator import timeline
from simulator.scenario import load
from simulator.scenario.model import (
    AfterEndOfWindow,
    Cumulative,
    DeltaTrigger,
    EveryElement,
    Function,
    InputSpec,
    NoWatermarks,
    ProcessingTimeTrigger,
    Scenario,
    Sliding,
    Window,
    WindowJoin,
)
from simulator.timeline.conditions import conditions, firings, judgements
from simulator.timeline.facts import Row, Timeline, is_true
from simulator.timeline.ids import window_id
from simulator.trace.events import OperatorFailed, RecordArrived, StateAdded, TimerFired, TriggerEvaluated
from simulator.trace.trace import Trace
from simulator.values.items import Checkpoint, Record, Restore, Watermark
from tests.random_scenarios.flink import scenarios
from tests.timeline.scenarios import late_but_allowed

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.yaml"))


class Told:
    """A run with its conditions by what they are of."""

    def __init__(self, scenario: Scenario) -> None:
        _, self.trace = simulator.run_traced(scenario)
        self.timeline: Timeline = timeline.build(scenario, self.trace)
        self.rows = conditions(self.timeline, self.trace)
        self.of: dict[str, list[Row]] = defaultdict(list)
        for row in self.rows:
            self.of[row["of"]].append(row)

    def gave(self, step: int) -> bool:
        """Whether the trigger's answer at ``step`` gave rows."""
        return any(row["step"] == step and row["gave"] for row in firings(self.timeline, self.trace))

    def at(self, of: str, step: int) -> list[Row]:
        """What was said of it at ``step``."""
        return [row for row in self.of[of] if is_true(row, step)]


def _timer_answers_agree(told: Told) -> None:
    """A timer that fires its window was told as a way to fire, and one that does not was not."""
    fired = None
    for step in told.trace:
        event = step.event
        if isinstance(event, TimerFired):
            fired = step
        if not isinstance(event, TriggerEvaluated) or event.method == "on_element" or fired is None:
            continue
        timer: Any = fired.event
        id = window_id(event.key, event.window)
        before = told.at(id, fired.step - 1)
        if not before:
            continue  # the window was gone, or is not shown
        if before[0]["kind"] == "cleared":
            assert not told.gave(step.step), step  # a timer that Flink leaves behind: nothing is there to give
            continue
        kind = "watermark" if timer.domain == "event" else "clock"
        needs = timer.timestamp + (kind == "clock")
        ways = [row for row in before if row["kind"] == kind and row["needs"] == needs]
        assert bool(ways) == event.fires, (step, before)
        assert all(row["phase"] == "due" for row in ways if is_true(row, fired.step - 1)), (step, ways)


def _record_answers_agree(told: Told) -> None:
    """A record that fires its window at once was told to, and one that does not was not."""
    arrived, added = 0, 0
    for step in told.trace:
        event = step.event
        if isinstance(event, RecordArrived):
            arrived, added = step.step, step.step
        if isinstance(event, StateAdded):
            added = step.step
        if not isinstance(event, TriggerEvaluated) or event.method != "on_element":
            continue
        ways = told.at(window_id(event.key, event.window), max(arrived, added))
        if not ways:
            continue
        value = next(s.event.value for s in told.trace if s.step == arrived and isinstance(s.event, RecordArrived))
        assert any(_fires(row, value) for row in ways) == event.fires, (step, ways)


def _fires(row: Row, value: Any) -> bool:
    match row["kind"]:
        case "record":
            return True
        case "count":
            return bool(row["has"] + 1 >= row["needs"])
        case "delta":
            return row["has"] is not None and bool(value - row["has"] > row["needs"])
        case _:
            return False


def _every_window_has_a_condition(told: Told) -> None:
    changes = {row["from_step"] for name in ("windows", "timers", "state") for row in told.timeline.tables[name]}
    for step in changes | {row["until_step"] for row in told.rows if row["until_step"] is not None}:
        for window in told.timeline.at(step, "windows")["windows"]:
            rows = told.at(window["id"], step)
            assert rows, (window, step)
            assert sorted(row["order"] for row in rows) == list(range(len(rows)))
        for name in ("queue", "buffers"):
            for waiting in told.timeline.at(step, name)[name]:
                assert len(told.at(waiting["id"], step)) == 1


def _lives_are_apart(rows: list[Row]) -> None:
    by_id: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        assert row["until_step"] is None or row["from_step"] < row["until_step"]
        by_id[row["id"]].append(row)
    for lives in by_id.values():
        ordered = sorted(lives, key=lambda row: row["from_step"])
        for one, other in pairwise(ordered):
            assert one["until_step"] is not None
            assert one["until_step"] <= other["from_step"]


def _tell_the_truth(scenario: Scenario) -> None:
    told = Told(scenario)
    _lives_are_apart(told.rows)
    _every_window_has_a_condition(told)
    if isinstance(scenario.operator, Window | WindowJoin):
        _timer_answers_agree(told)
        _record_answers_agree(told)
    _judged(told.timeline, told.trace)


def _judged(facts: Timeline, trace: Trace) -> None:
    """A record's fate is what its judgements say."""
    rows = judgements(facts, trace)
    if any(isinstance(step.event, OperatorFailed) for step in trace):
        return  # it may have failed amid a judgement
    _lives_are_apart(rows)
    for fact in facts.tables["records"]:
        if fact["fate"] in ("ahead", "arrived") or fact["until_step"] is not None:
            continue
        said = {row["verdict"] for row in rows if row["record"] == fact["id"] and row["until_step"] is None}
        match fact["fate"]:
            case "on-time" | "late-accepted":
                assert said & {"taken", "queued", "buffered", "none"}, fact
            case fate:
                assert fate in said, (fact, said)
    for row in rows:
        for compared in (row["limit"], row["due"]):
            if compared is not None:
                _is_true_comparison(*compared)


def _is_true_comparison(left: int, sign: str, right: int | None) -> None:
    against = -(2**63) if right is None else right
    assert {"<=": left <= against, ">": left > against, "<": left < against, ">=": left >= against}[sign]


IN_A_GAP_BY_THE_CLOCK = Scenario(
    "gap",
    Window(Sliding(3000, 5000), ProcessingTimeTrigger(), Function("reduce", "sum"), time="processing"),
    (Watermark(0), Record("a", 0, 0, at=3000)),
    (InputSpec("events", watermark=NoWatermarks()),),
)
"""Its time and the watermark would make it late, if its windows ended by them."""


@settings(max_examples=250, deadline=None)
@example(IN_A_GAP_BY_THE_CLOCK)
@given(scenarios())
def test_what_is_said_of_a_window_is_what_its_trigger_answers(scenario: Scenario) -> None:
    _tell_the_truth(scenario)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_golden_run_is_explained(path: Path) -> None:
    _tell_the_truth(load(path))


def test_a_window_says_what_it_waits_for_at_each_step() -> None:
    told = Told(late_but_allowed())
    window = 'window:"a"|0|5000'
    said = [(row["kind"], row["reason"], row["needs"], row["phase"]) for row in told.of[window]]
    assert said == [
        ("asking", "record", None, ""),
        ("watermark", "end", 4999, "waiting"),
        ("watermark", "end", 4999, "due"),
        ("record", "ended", None, ""),
        ("asking", "timer", None, ""),
        ("record", "ended", None, ""),
        ("never", "closed", None, ""),
        ("asking", "timer", None, ""),
        ("never", "closed", None, ""),
        ("cleared", "", 7999, ""),
    ]
    fired = [(row["cause"], row["gave"]) for row in firings(told.timeline, told.trace) if row["window"] == window]
    assert fired == [("watermark", True), ("record", True)]


def test_a_window_that_was_cleared_may_begin_anew_where_a_restore_put_the_watermark_back() -> None:
    items = (
        Record("b", 1_447, -3),
        Watermark(12_421),
        Checkpoint("c"),
        Restore("c"),
        Record("b", 2_183, 2),
    )
    operator = Window(
        Cumulative(6_000, 2_000),
        AfterEndOfWindow(EveryElement()),
        Function("aggregate", "sum"),
        api="sql",
        allowed_lateness=2_000,
    )
    scenario = Scenario("anew", operator, items, (InputSpec("events"),))
    _tell_the_truth(scenario)
    told = Told(scenario)
    added = max(step.step for step in told.trace if isinstance(step.event, StateAdded))
    said = {row["order"]: (row["kind"], row["reason"]) for row in told.at('window:"b"|0|4000', added)}
    assert said == {0: ("cleared", ""), 1: ("record", "early")}


def test_a_dropped_record_has_its_comparison_with_the_numbers_that_were_true() -> None:
    told = Told(late_but_allowed())
    rows = [row for row in judgements(told.timeline, told.trace) if row["record"] == "record:9"]
    assert [(row["verdict"], row["limit"]) for row in rows] == [
        ("refused", [7999, "<=", 8999]),
        ("dropped", [5800, "<=", 8999]),
    ]
    assert not isinstance(told.timeline.scenario.operator, DeltaTrigger)
