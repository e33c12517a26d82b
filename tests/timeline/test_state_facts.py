"""Facts of keyed state, timers and valves equal the engine's own state after every item, over random scenarios."""

from bisect import bisect_left
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator import run_traced
from tidemark.simulator.engine.operators.merging_window_operator import MERGING_SET
from tidemark.simulator.engine.pipeline import Pipeline
from tidemark.simulator.engine.trace.events import Rule, TimerFired, WatermarkIgnored
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import Checkpoint, End, Item, Record, Restore, Status, Watermark, key_of
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.engine.values.window import GLOBAL_WINDOW, SideNamespace, TimeWindow
from tidemark.simulator.scenario import builder, parse
from tidemark.simulator.scenario.model import (
    AfterEndOfWindow,
    ContinuousEventTimeTrigger,
    CountEvictor,
    EventTimeTrigger,
    Function,
    Global,
    InputSpec,
    IntervalJoin,
    NeverTrigger,
    Scenario,
    Session,
    Tumbling,
    Window,
)
from tidemark.simulator.timeline import Timeline, build
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.ids import key_id, result_id, scope_id, timer_id, window_id, window_id_of
from tidemark.simulator.timeline.state import bars, lifetimes

from tests.examples import examples
from tests.random_scenarios.flink import SHORT, Uses, scenarios
from tests.timeline.scenarios import BOUNDED, late_but_allowed

Seen = list[tuple[int, Any]]


CHECKPOINTED = Uses(
    items=16, keys=(("a", "b"),), channels=1, generators=("none",), clock=False, controls=("watermark",), restores=2
)
"""A few keys that recur between checkpoints and restores."""


def states() -> st.SearchStrategy[Scenario]:
    """Any scenario, and scenarios that depend on their state in particular."""
    return st.one_of(scenarios(uses=SHORT), scenarios(uses=CHECKPOINTED))


def run(scenario: Scenario, look: Any) -> tuple[Timeline, Seen]:
    """The timeline, and after each item the result of ``look(pipeline)`` with the last step so far."""
    trace = Trace()
    pipeline = Pipeline(builder.plan(scenario), lambda row: None, trace)
    seen: Seen = []

    def after_item(index: int) -> None:
        if len(trace):
            seen.append((len(trace) - 1, look(pipeline)))

    assert isinstance(scenario.stream, tuple)
    pipeline.run(scenario.stream, after_item=after_item)
    return build(scenario, trace), seen


def namespace_of(name: str, namespace: Any) -> Any:
    return None if namespace is None or namespace.start is None else tuple(namespace)


def sharing_of_engine(pipeline: Pipeline) -> dict[Any, tuple[int, int, bool]]:
    """(state, key, namespace) → (key group, version, shared), from ``inspect``; namespaces as bounds."""
    return {
        (name, key, namespace_of(name, namespace)): (group, held.version, held.shared)
        for name, groups in pipeline.state.inspect().items()
        for group, entries in groups.items()
        for (key, namespace), held in entries.items()
    }


def sharing_of_facts(rows: list[Row]) -> dict[Any, tuple[int, int, bool]]:
    """The same from the table ``state``, where the windows of a merging set share one entry."""
    found: dict[Any, tuple[int, int, bool]] = {}
    for row in rows:
        bounds = None if row["start"] is None or row["state"] == MERGING_SET else (row["start"], row["end"])
        entry = row["state"], key_of(row["key"]), bounds
        sharing = row["group"], row["version"], row["shared"]
        assert found.setdefault(entry, sharing) == sharing, "the rows of one entry differ"
    return found


@settings(max_examples=examples(150))
@given(states())
def test_key_groups_versions_and_sharing_equal_those_of_inspect_after_every_item(scenario: Scenario) -> None:
    timeline, seen = run(scenario, sharing_of_engine)
    for step, engine in seen:
        assert sharing_of_facts(timeline.at(step, "state")["state"]) == engine


@given(states())
def test_held_counts_the_values_in_the_state_and_its_peak_so_far(scenario: Scenario) -> None:
    def values_in(pipeline: Pipeline) -> int:
        tables = pipeline.operator.visible_state().values()
        return sum(len(value) if isinstance(value, list | dict) else 1 for each in tables for value in each.values())

    timeline, seen = run(scenario, values_in)
    for step, values in seen:
        (held,) = timeline.at(step, "held")["held"]
        assert held["values"] == values
        assert held["peak"] == max(row["values"] for row in timeline.tables["held"] if row["from_step"] <= step)


@given(scenarios(uses=SHORT))
def test_each_valve_has_sent_the_same_watermark_as_the_engines(scenario: Scenario) -> None:
    def sent(pipeline: Pipeline) -> dict[str, int]:
        return {each.input: pipeline.inputs.valve_of(each).last_output for each in pipeline.inputs.channels}

    timeline, seen = run(scenario, sent)
    for step, engine in seen:
        for valve in timeline.at(step, "valves")["valves"]:
            for name in engine if valve["input"] is None else [valve["input"]]:
                assert (MIN if valve["watermark"] is None else valve["watermark"]) == engine[name]


def test_an_idle_channel_releases_the_watermark_only_where_it_held_it() -> None:
    """Channel 3 comes back behind what was sent, and does not count; those that count are then ahead of it."""
    marks = [Watermark(each, channel=channel) for channel, each in enumerate((12, 11, 10, 5))]
    turns = [(3, "idle"), (3, "active"), (0, "idle"), (1, "idle"), (2, "idle"), (0, "active"), (1, "active"),
             (1, "idle"), (0, "idle"), (3, "idle")]  # fmt: skip
    items = (*marks, *(Status(status, channel=channel) for channel, status in turns))
    operator = Window(Tumbling(5), EventTimeTrigger(), Function("aggregate", "count"))
    scenario = Scenario("one", operator, items, (InputSpec("events", 4),))
    timeline, seen = run(scenario, lambda pipeline: pipeline.inputs.valve_of(pipeline.inputs.channels[0]).last_output)
    sent = [timeline.at(step, "valves")["valves"][0]["watermark"] for step, _ in seen]
    assert sent == [None if engine == MIN else engine for _, engine in seen]
    assert sent[3:] == [5, *[10] * 10]


@given(scenarios(uses=SHORT))
def test_a_timer_waits_for_the_watermark_and_leaves_the_queue_in_order(scenario: Scenario) -> None:
    _, trace = run_traced(scenario)
    timeline = build(scenario, trace)
    assert_timers_leave_in_order(timeline, trace)
    assert_timers_wait_for_the_watermark(timeline, trace)


def assert_timers_leave_in_order(timeline: Timeline, trace: Trace) -> None:
    events = {step.step: type(step.event).__name__ for step in trace}
    for gone in timeline.tables["gone_timers"]:
        step = gone["from_step"]
        assert gone["until_step"] == step + 1
        assert events[step] == {"fired": "TimerFired", "deleted": "TimerDeleted"}[gone["how"]]
        before = [row for row in timeline.at(step - 1, "timers")["timers"] if row["domain"] == gone["domain"]]
        assert gone["timer"] in {row["id"] for row in before}
        assert gone["timer"] not in {row["id"] for row in timeline.at(step, "timers")["timers"]}
        if gone["how"] == "fired":
            first = min(before, key=lambda row: (row["timestamp"], row["order"]))
            assert first["id"] == gone["timer"], "only the head of the queue may fire"
            assert first["status"] == "due" or gone["domain"] == "processing"
        assert events[gone["registered"]] == "TimerRegistered"


def assert_timers_wait_for_the_watermark(timeline: Timeline, trace: Trace) -> None:
    # Fact by fact, not step by step: a trigger that fires every millisecond makes thousands of steps, and to look
    # through all facts at each of them would take minutes.
    watermarks = [step.watermark for step in trace]
    forwarded = [step.step for step in trace if type(step.event).__name__ == "WatermarkForwarded"]
    for timer in timeline.tables["timers"]:
        if timer["domain"] != "event":
            continue
        begin, end = timer["from_step"], timer["until_step"]
        during = watermarks[begin:end]
        reached = {mark is not None and timer["timestamp"] <= mark for mark in during}
        assert reached == {timer["status"] != "waiting"}, timer
        if timer["status"] == "due":
            at = forwarded[bisect_left(forwarded, begin) :][:1]
            assert not at or (end is not None and end <= at[0]), "every due timer has fired by then"


# --- by example -----------------------------------------------------------------------------------------------------


def facts_of(operator: Any, *stream: Item) -> Timeline:
    sides = ("left", "right") if isinstance(operator, IntervalJoin) else ("events",)
    scenario = Scenario("example", operator, stream, tuple(InputSpec(side, 1, BOUNDED) for side in sides))
    return build(scenario, run_traced(scenario)[1])


def last(timeline: Timeline, table: str) -> list[Row]:
    return timeline.at(timeline.number_of_steps - 1, table)[table]


def test_after_a_checkpoint_only_the_entry_that_is_written_is_copied() -> None:
    window = Window(Tumbling(5000), EventTimeTrigger(), Function("process", "collect"))
    before = (Record("a", 1000, 1), Record("b", 1500, 2))
    facts = facts_of(window, *before, Checkpoint("c1"), Record("a", 2000, 3))
    entries = {row["key"]: (row["version"], row["shared"], row["entries"]) for row in last(facts, "state")}
    assert entries == {"a": (1, False, 2), "b": (0, True, 1)}
    assert [(row["name"], row["latest"], row["entries"]) for row in last(facts, "checkpoints")] == [("c1", True, 2)]
    restored = facts_of(window, *before, Checkpoint("c1"), Record("a", 2000, 3), Checkpoint("c2"), Restore("c1"))
    rows = [row for row in restored.tables["state"] if row["shared"] and row["version"] == 0]
    assert {row["key"] for row in rows} == {"a", "b"}
    there = [(row["name"], row["latest"]) for row in last(restored, "checkpoints")]
    assert there == [("c1", True)], "later checkpoints are discarded"


def test_a_merging_set_that_a_record_does_not_change_stays_shared() -> None:
    session = Window(Session(2000), EventTimeTrigger(), Function("aggregate", "sum"))
    before = (Record("a", 9000, 1), Watermark(8000), Checkpoint("c1"))
    for more, shared in (
        (Record("a", 9000, 1), True),
        (Record("a", 1000, 1), True),  # late: its window is tracked, then retired at once
        (Record("a", 9500, 1), False),
    ):
        scenario = Scenario("example", session, (*before, more), (InputSpec("events"),))
        timeline, seen = run(scenario, sharing_of_engine)
        sharing = sharing_of_facts(last(timeline, "state"))
        assert sharing == seen[-1][1]
        assert sharing[MERGING_SET, "a", None][2] == shared


def test_a_timer_names_the_call_and_the_record_that_set_it() -> None:
    facts = build(late_but_allowed(), run_traced(late_but_allowed())[1])
    timers = {(row["key"], row["timestamp"]): row for row in facts.tables["timers"]}
    assert (timers["a", 4999]["by"], timers["a", 4999]["item"]) == ("on_element", 0)
    assert (timers["a", 7999]["by"], timers["a", 7999]["purpose"]) == ("register_cleanup_timer", "cleanup")

    every = facts_of(Window(Tumbling(5000), ContinuousEventTimeTrigger(2000), Function("aggregate", "sum")),
                     Record("a", 100, 1), Record("a", 4500, 1))  # fmt: skip
    again = {row["timestamp"]: row["by"] for row in every.tables["timers"]}
    assert again == {2000: "on_element", 4000: "on_event_time", 4999: "on_element"}

    session = facts_of(Window(Session(2000), EventTimeTrigger(), Function("aggregate", "sum")),
                       Record("a", 1000, 1), Record("a", 2500, 1))  # fmt: skip
    assert [(row["timestamp"], row["by"]) for row in last(session, "timers")] == [(4499, "on_merge")]

    join = facts_of(IntervalJoin(-1000, 1000), Record("a", 5000, 1, "left"), Record("a", 5000, 1, "right"))
    assert {(row["side"], row["by"]) for row in last(join, "timers")} == {
        ("left", "process_element"), ("right", "process_element")}  # fmt: skip


def test_a_timer_set_for_the_past_waits_for_the_next_advance() -> None:
    sums = Function("aggregate", "sum")
    session = Window(Session(2000), AfterEndOfWindow(None, None), sums, api="sql", allowed_lateness=9000)
    facts = facts_of(session, Record("a", 1000, 1), Record("b", 9000, 1), Record("a", 2500, 1), Record("b", 9500, 1))
    past = [row for row in facts.tables["timers"] if row["status"] == "past"]
    assert [(row["key"], row["timestamp"], row["item"]) for row in past] == [("a", 4499, 2)]
    fired = next(row for row in facts.tables["gone_timers"] if row["timestamp"] == 4499)
    assert (fired["how"], fired["status"]) == ("fired", "due")


def test_an_evictor_keeps_every_record_and_an_aggregate_keeps_one_value() -> None:
    records = [Record("a", 100 * number, number) for number in range(6)]
    aggregate = facts_of(Window(Global(), NeverTrigger(), Function("aggregate", "sum")), *records)
    evicting = facts_of(
        Window(Global(), NeverTrigger(), Function("aggregate", "sum"), evictor=CountEvictor(9)), *records
    )
    assert last(aggregate, "held")[0]["values"] == 1
    assert last(evicting, "held")[0]["values"] == 6


def test_a_channel_names_the_record_of_its_maximum_and_its_time() -> None:
    facts = build(late_but_allowed(), run_traced(late_but_allowed())[1])
    step = next(row["step"] for row in facts.tables["steps"] if row["item"] == 9)
    first, second = facts.at(step, "channels")["channels"]
    maxima = {row["channel"]: (row["max_timestamp"], row["max_item"], row["max_at"]) for row in (first, second)}
    assert maxima == {0: (12600, 8, 13000), 1: (11000, 7, 11400)}


def test_nothing_waits_after_the_end_of_a_run() -> None:
    facts = facts_of(
        Window(Tumbling(5000), EventTimeTrigger(), Function("aggregate", "sum")), Record("a", 1000, 1), End()
    )
    assert last(facts, "timers") == []
    assert last(facts, "held")[0]["values"] == 0
    assert last(facts, "held")[0]["peak"] == 1


# --- lifetimes ------------------------------------------------------------------------------------------------------


@given(states())
def test_a_bar_covers_exactly_the_steps_at_which_its_window_or_record_is_kept(scenario: Scenario) -> None:
    timeline, _ = run(scenario, lambda pipeline: None)
    found = bars(timeline)
    for step in range(timeline.number_of_steps):
        true = timeline.at(step)
        kept = {row["id"] for row in true["windows"] if row["status"] in ("open", "fired")}
        kept |= {row["id"] for table in ("queue", "buffers") for row in true[table]}
        assert {bar.id for bar in found if any(covers(life, step) for life in bar.lives)} == kept, step
    for bar in found:
        for step, _ in bar.fired:
            assert any(covers(life, step) for life in bar.lives)


def covers(life: list[Any], step: int) -> bool:
    begin, end, _ = life
    return bool(begin <= step and (end is None or step < end))


def test_many_windows_are_folded_by_key_and_none_is_lost() -> None:
    records = [Record(f"k{number % 7}", 5000 * number, 1) for number in range(100)]
    facts = facts_of(Window(Tumbling(5000), EventTimeTrigger(), Function("aggregate", "sum")), *records)
    shown = lifetimes(facts)
    assert "bars" not in shown
    assert [(row["key"], row["keys"]) for row in shown["keys"]] == [(f"k{number}", 1) for number in range(7)]
    assert sum(row["bars"] for row in shown["keys"]) == shown["total"] == 100
    last_step = facts.number_of_steps - 1
    open_now = sum(row["status"] == "open" for row in facts.at(last_step, "windows")["windows"])
    assert sum(row["alive"][-1][1] for row in shown["keys"]) == open_now

    def of_keys(count: int) -> dict[str, Any]:
        operator = Window(Tumbling(5000), EventTimeTrigger(), Function("aggregate", "sum"))
        return lifetimes(facts_of(operator, *(Record(f"k{number}", 1000, 1) for number in range(count))))

    assert len(of_keys(60)["bars"]) == 60
    for keys in (61, 75):
        rows = of_keys(keys)["keys"]
        assert [(row["key"], row["keys"], row["bars"]) for row in rows[:-1]] == [(f"k{n}", 1, 1) for n in range(59)]
        assert (rows[-1]["key"], rows[-1]["keys"], rows[-1]["bars"]) == (None, keys - 59, keys - 59)


def test_a_window_lives_from_its_first_record_through_its_firings_to_its_cleanup() -> None:
    facts = build(late_but_allowed(), run_traced(late_but_allowed())[1])
    (bar,) = [bar for bar in bars(facts) if (bar.key, bar.start) == ("a", 0)]
    ((begin, end, how),) = bar.lives
    steps = {row["step"]: row["event"] for row in facts.tables["steps"]}
    assert (steps[begin], steps[end], how) == ("StateAdded", "WindowCleaned", "cleared")
    assert [(steps[step], timing) for step, timing in bar.fired] == [("PaneFired", "on-time"), ("PaneFired", "late")]


# The identity of keys, windows and results; ``tests/js/identity.test.js`` checks the same in the browser.


def test_keys_of_different_kinds_are_different_keys() -> None:
    assert [key_id(key) for key in (1, "1", True, "true", "é")] == ["1", '"1"', "true", '"true"', '"é"']


def test_a_key_of_the_engine_and_its_json_form_have_one_identity() -> None:
    assert [key_id(key_of(key)) for key in (1, "1", True, False)] == [key_id(key) for key in (1, "1", True, False)]


def test_a_window_has_the_same_identity_in_an_event_and_in_a_fact() -> None:
    assert window_id(key_of(True), TimeWindow(0, 5)) == window_id_of({"key": True, "start": 0, "end": 5})
    assert window_id("a", GLOBAL_WINDOW) == window_id_of({"key": "a", "start": None, "end": None})
    assert scope_id("a", 0, 5) != scope_id("a", None, None)


def test_the_identity_of_a_timer_includes_its_side() -> None:
    left, right = (timer_id("event", 7, "a", SideNamespace(side)) for side in ("left", "right"))
    assert left != right != timer_id("event", 7, "a", None)


def test_all_panes_of_a_window_share_an_identity() -> None:
    first = {"row": "pane", "key": "a", "start": 0, "end": 5, "pane": 0, "value": 1}
    assert result_id(first) == result_id(first | {"pane": 1, "value": 2})
    assert result_id(first) != result_id(first | {"key": 1})


def test_a_joined_pair_is_identified_by_both_records() -> None:
    pair = {"row": "joined", "key": "a", "left": {"ts": 1, "value": 2}, "right": {"ts": 3, "value": 4}}
    assert result_id(pair) != result_id(pair | {"right": {"ts": 3, "value": "4"}})


# What a rule calls the clock or the watermark is the clock, the watermark, of its step.

FACTS = {"clock": "clock", "now": "clock", "watermark": "watermark"}


def other_numbers(timeline: Timeline, trace: Trace) -> list[tuple[int, str, int, int]]:
    """The numbers of rules that are not those of the facts at their step: step, name, what the rule says, the fact."""
    found = []
    for number, step in enumerate(trace):
        rule = getattr(step.event, "rule", None)
        if not isinstance(rule, Rule) or isinstance(step.event, WatermarkIgnored):
            continue  # the rule of an ignored watermark compares the one that arrived
        for name, value in rule.numbers:
            if name in FACTS:
                (row,) = timeline.at(number, FACTS[name])[FACTS[name]]
                fact = MIN if row["value"] is None else row["value"]
                if value != fact:
                    found.append((number, name, value, fact))
    return found


def test_a_timer_that_was_set_for_the_past_is_compared_with_the_clock_of_today() -> None:
    scenario = parse("""
scenario: 1
name: history
origin: 2024-08-15T10:00:00Z
inputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 0}}}
operator:
  type: window
  assigner: {type: tumbling, size: 1d}
  trigger: {type: continuous-processing-time, interval: 5s}
  function: {call: aggregate, compute: sum}
stream:
  - {ts: 2024-08-01T03:00:00Z, key: a, value: 1, at: 2024-08-15T10:00:01Z}
""")
    _, trace = run_traced(scenario)
    (numbers,) = [dict(each.event.rule.numbers) for each in trace if isinstance(each.event, TimerFired)]
    assert numbers == {"timer": 1722556799999, "clock": 1723716001000}
    assert other_numbers(build(scenario, trace), trace) == []
