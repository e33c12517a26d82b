"""Why cards are correct: what a window is said to need is exactly what fires it, in random runs of every kind."""

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from tidemark.simulator import timeline
from tidemark.simulator.engine.trace.events import (
    OperatorFailed,
    PaneFired,
    RecordArrived,
    StateAdded,
    TimerFired,
    TriggerEvaluated,
)
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import Advance, Checkpoint, Record, Restore, Watermark
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import (
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
from tidemark.simulator.scenario.stream import asked_every
from tidemark.simulator.timeline.conditions import conditions, firings
from tidemark.simulator.timeline.facts import Row, Timeline, is_true
from tidemark.simulator.timeline.ids import window_id

from tests.examples import examples
from tests.random_scenarios.flink import SHORT, Uses, scenarios
from tests.timeline.remedies import Standing
from tests.timeline.scenarios import late_but_allowed
from tidemark import simulator

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.yaml"))


class Explained:
    """A run with its conditions, grouped by the thing that they are about."""

    def __init__(self, scenario: Scenario, trace: Trace | None = None, facts: Timeline | None = None) -> None:
        self.trace = simulator.run_traced(scenario)[1] if trace is None else trace
        self.timeline = timeline.build(scenario, self.trace) if facts is None else facts
        self.rows = conditions(self.timeline)
        self.of: dict[str, list[Row]] = defaultdict(list)
        for row in self.rows:
            self.of[row["of"]].append(row)

    def sent_rows(self, step: int) -> bool:
        """Whether rows came of the trigger's answer at ``step``."""
        later = (each.step for each in self.trace if each.step > step and isinstance(each.event, TriggerEvaluated))
        until = next(later, len(self.trace))
        return any(step <= row["step"] < until and row["gave"] for row in firings(self.timeline))

    def at(self, of: str, step: int) -> list[Row]:
        """The conditions of ``of`` at ``step``."""
        return [row for row in self.of[of] if is_true(row, step)]


def _timer_answers_agree(run: Explained) -> None:
    """A condition announced each timer that fired its window, and no timer that did not."""
    fired = None
    for step in run.trace:
        event = step.event
        if isinstance(event, TimerFired):
            fired = step
        if not isinstance(event, TriggerEvaluated) or event.method == "on_element" or fired is None:
            continue
        timer: Any = fired.event
        id = window_id(event.key, event.window)
        before = run.at(id, fired.step - 1)
        if not before:
            continue  # the window was gone, or is not shown
        if before[0]["kind"] == "cleared":
            assert not run.sent_rows(step.step), step  # a timer that Flink leaves behind: there is nothing to send
            continue
        kind = "watermark" if timer.domain == "event" else "clock"
        needs = timer.timestamp + (kind == "clock")
        ways = [row for row in before if row["kind"] == kind and row["needs"] == needs]
        assert bool(ways) == event.fires, (step, before)
        assert all(row["phase"] == "due" for row in ways if is_true(row, fired.step - 1)), (step, ways)


def _record_answers_agree(run: Explained) -> None:
    """A condition announced each record that fired its window at once, and no record that did not."""
    arrived, added = 0, 0
    for step in run.trace:
        event = step.event
        if isinstance(event, RecordArrived):
            arrived, added = step.step, step.step
        if isinstance(event, StateAdded):
            added = step.step
        if not isinstance(event, TriggerEvaluated) or event.method != "on_element":
            continue
        ways = run.at(window_id(event.key, event.window), max(arrived, added))
        if not ways:
            continue
        value = next(s.event.value for s in run.trace if s.step == arrived and isinstance(s.event, RecordArrived))
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


def _every_window_has_a_condition(run: Explained) -> None:
    changes = {row["from_step"] for name in ("windows", "timers", "state") for row in run.timeline.tables[name]}
    for step in changes | {row["until_step"] for row in run.rows if row["until_step"] is not None}:
        for window in run.timeline.at(step, "windows")["windows"]:
            rows = run.at(window["id"], step)
            assert rows, (window, step)
            assert sorted(row["order"] for row in rows) == list(range(len(rows)))
        for name in ("queue", "buffers"):
            for waiting in run.timeline.at(step, name)[name]:
                assert len(run.at(waiting["id"], step)) == 1


def _lifetimes_do_not_overlap(rows: list[Row]) -> None:
    by_id: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        assert row["until_step"] is None or row["from_step"] < row["until_step"]
        by_id[row["id"]].append(row)
    for lives in by_id.values():
        ordered = sorted(lives, key=lambda row: row["from_step"])
        for one, other in pairwise(ordered):
            assert one["until_step"] is not None
            assert one["until_step"] <= other["from_step"]


def assert_conditions(run: Explained) -> None:
    """Each window's are correct, and each record's judgements agree with its fate."""
    _lifetimes_do_not_overlap(run.rows)
    _every_window_has_a_condition(run)
    if isinstance(run.timeline.scenario.operator, Window | WindowJoin):
        _timer_answers_agree(run)
        _record_answers_agree(run)
    _check_judgements(run.timeline)


def _check_judgements(facts: Timeline) -> None:
    """A record's fate agrees with the verdicts of its judgements."""
    rows = facts.notes["judgements"]
    if any(row["event"] == OperatorFailed.__name__ for row in facts.tables["steps"]):
        return  # the run may have failed in the middle of a judgement
    _lifetimes_do_not_overlap(rows)
    for fact in facts.tables["records"]:
        if fact["fate"] in ("ahead", "arrived") or fact["until_step"] is not None:
            continue
        verdicts = {row["verdict"] for row in rows if row["record"] == fact["id"] and row["until_step"] is None}
        match fact["fate"]:
            case "on-time" | "late-accepted":
                assert verdicts & {"taken", "queued", "buffered", "version", "given", "ignored", "none"}, fact
            case fate:
                assert fate in verdicts, (fact, verdicts)
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
"""Event time and the watermark would make the record late, but its windows end by the clock."""


@settings(max_examples=examples(250), deadline=None)
@example(IN_A_GAP_BY_THE_CLOCK)
@given(scenarios())
def test_the_conditions_of_a_window_agree_with_its_trigger(scenario: Scenario) -> None:
    assert_conditions(Explained(scenario))


def test_what_a_window_waits_for_at_each_step() -> None:
    run = Explained(late_but_allowed())
    window = 'window:"a"|0|5000'
    found = [(row["kind"], row["reason"], row["needs"], row["phase"]) for row in run.of[window]]
    assert found == [
        ("asking", "record", None, ""),
        ("watermark", "end", 4999, "waiting"),
        ("watermark", "end", 4999, "due"),
        ("record", "ended", None, ""),
        ("asking", "timer", None, ""),
        ("asking", "row", None, ""),
        ("record", "ended", None, ""),
        ("record", "ended", None, "due"),
        ("asking", "row", None, ""),
        ("record", "ended", None, ""),
        ("never", "closed", None, ""),
        ("asking", "timer", None, ""),
        ("never", "closed", None, ""),
        ("cleared", "", 7999, ""),
    ]
    fired = [(row["cause"], row["gave"]) for row in firings(run.timeline) if row["window"] == window]
    assert fired == [("watermark", True), ("record", True)]


def test_a_firing_is_the_step_of_its_first_row_which_an_evictor_may_delay() -> None:
    run = Explained(load(GOLDEN[0].parents[2] / "scenarios" / "evictor-keeps-all.yaml"))
    for row in firings(run.timeline):
        assert isinstance(run.trace.steps[row["step"]].event, PaneFired), row


def test_a_cleared_window_may_start_again_after_a_restore_rewound_the_watermark() -> None:
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
    scenario = Scenario("again", operator, items, (InputSpec("events"),))
    run = Explained(scenario)
    assert_conditions(run)
    added = max(step.step for step in run.trace if isinstance(step.event, StateAdded))
    found = {row["order"]: (row["kind"], row["reason"]) for row in run.at('window:"b"|0|4000', added)}
    assert found == {0: ("cleared", ""), 1: ("record", "early")}


def test_a_dropped_record_has_its_comparison_with_the_numbers_of_that_step() -> None:
    run = Explained(late_but_allowed())
    rows = [row for row in run.timeline.notes["judgements"] if row["record"] == "record:9"]
    assert [(row["verdict"], row["limit"]) for row in rows] == [
        ("refused", [7999, "<=", 8999]),
        ("dropped", [5800, "<=", 8999]),
    ]
    assert not isinstance(run.timeline.scenario.operator, DeltaTrigger)


# What a condition says would fire a window does fire it; one millisecond less does not.

NO_TICKS = Uses(items=16, ticks=False)
"""Without ticks, because an advancing clock would also move the watermark."""


@settings(max_examples=examples(120), deadline=None)
@given(scenarios(uses=NO_TICKS))
def test_the_clock_that_a_window_needs_fires_it(scenario: Scenario) -> None:
    standing = Standing(scenario)
    for window, needs in standing.nearest("clock").items():
        away = needs - standing.clock
        assert standing.fires(window, [Advance(away)], "on_processing_time"), (window, needs)
        assert not standing.fires(window, [Advance(away - 1)], "on_processing_time"), (window, needs)


PAST = """scenario: 1
name: an-interval-of-the-past
inputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 0s}}}
operator:
  type: window
  assigner: {type: tumbling, size: 5s}
  trigger: {type: continuous-event-time, interval: 1s}
  function: {call: aggregate, compute: count}
stream: [{ts: 2s, key: a, value: 1}, {ts: 0s, key: b, value: 1}]
"""
"""The window of b sets its first interval, 1 s, when the watermark is 1.999 s already."""


FLUSHED_LATE = """scenario: 1
name: a-day-in-shanghai
operator:
  type: window
  api: tvf
  session_zone: Asia/Shanghai
  assigner: {type: tumbling, size: 1d}
  function: {call: aggregate, compute: count}
stream: [{watermark: '2026-03-02T10:00:00Z'}, {ts: '2026-03-02T11:00:00Z', key: a, value: 1}]
"""
"""The day ends at 16:00 in UTC, and the buffer is not emptied before midnight in UTC."""


@settings(max_examples=examples(60), deadline=None)
@given(scenarios(uses=SHORT))
@example(parse(PAST))
@example(parse(FLUSHED_LATE))
def test_the_watermark_that_a_window_needs_on_every_channel_fires_it(scenario: Scenario) -> None:
    standing = Standing(scenario)
    active = [row for row in standing.now("channels") if row["status"] == "active"]
    for window, needs in standing.nearest("watermark").items() if active else ():
        enough, almost = ([Watermark(ts, row["input"], row["channel"]) for row in active] for ts in (needs, needs - 1))
        assert standing.fires(window, enough, "on_event_time"), (window, needs)
        assert not standing.fires(window, almost, "on_event_time"), (window, needs)


BETWEEN_TICKS = """scenario: 1
name: an-interval-between-ticks
inputs: {events: {watermark: {generator: sql, bound: 0s, emit: 1001ms, idle_timeout: 500ms}}}
operator: {type: process, function: {call: event-sort}}
stream: []
"""
"""The ticks, every 100 ms, suit interval and timeout: the watermark is emitted after 1100 ms."""


@settings(max_examples=examples(40), deadline=None)
@given(scenarios(uses=SHORT))
@example(parse(BETWEEN_TICKS))
def test_a_lead_names_the_record_that_produces_a_watermark(scenario: Scenario) -> None:
    standing = Standing(scenario)
    for each in scenario.inputs:
        spec = each.watermark
        if not spec.makes_watermarks or standing.failed:
            continue
        for channel in (row for row in standing.now("channels") if row["input"] == each.name):
            seen = channel["max_timestamp"]
            due = None if seen is None else seen - spec.ahead
            known = [low for low in (spec.floor, channel["watermark"], channel["emitted"], due) if low is not None]
            wanted = max([*known, 0]) + 1000
            record = standing.record(each.name, channel["channel"], wanted + spec.ahead)
            after = Standing(_with(standing.scenario, record, asked_every(spec)))
            sent = next(row["emitted"] for row in after.now("channels") if row["id"] == channel["id"])
            assert sent == wanted or after.failed


def _with(scenario: Scenario, *more: object) -> Scenario:
    items = [Advance(each) if isinstance(each, int) else each for each in more if each != 0]
    return replace(scenario, stream=(*scenario.stream, *items))  # type: ignore[misc, arg-type]


def test_a_day_whose_rows_are_still_buffered_fires_at_the_next_flush_or_never() -> None:
    scenario = parse(FLUSHED_LATE)
    (waiting,) = Standing(scenario).conditions
    midnight = 1_772_496_000_000
    assert (waiting["kind"], waiting["reason"], waiting["needs"]) == ("watermark", "flush", midnight - 1)
    (stranded,) = Standing(_with(scenario, Watermark(midnight - 2))).conditions
    assert (stranded["kind"], stranded["reason"]) == ("never", "stranded")
