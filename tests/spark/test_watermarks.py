"""Watermarks computed in order, without Spark: idle channels, statuses, the sql generator's own emissions."""

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.values.items import Advance, End, Record, Status, Watermark
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.model import (
    Function,
    InputSpec,
    IntervalJoin,
    MonotonousTimestamps,
    Process,
    Scenario,
    SqlWatermark,
)
from tidemark.spark_bridge.plan.batch import BatchPlan, plan_of
from tidemark.spark_bridge.plan.coverage import gaps_of
from tidemark.spark_bridge.plan.items import course_of
from tidemark.spark_bridge.plan.operators import KeyedPlan
from tidemark.spark_bridge.watermarks.order import Wiring

from tests.examples import examples
from tests.random_scenarios.flink import Uses, scenarios
from tests.spark.plain import passed
from tests.watermarks import watermark_spec
from tidemark import simulator

GOLDEN = Path(__file__).parent.parent / "golden"
IN_ORDER = {
    file.stem: plan
    for file in sorted(GOLDEN.glob("*.yaml"))
    if not gaps_of(scenario := load(file), "batch") and (plan := plan_of(scenario)).watermark_in_order
    if not (isinstance(plan.operator, KeyedPlan) and plan.operator.keeps_watermark)
}
"""But for operators that keep their watermark over a restore: they forward it again, while the inputs start again."""
SORT = Process(Function("event-sort"))
JOIN = IntervalJoin(-500, 500)


def moves_of(plan: BatchPlan) -> list[tuple[int, int, int]]:
    """(watermark, clock, item) of each move that the bridge finds, except those that a restore withdraws."""
    course = course_of(plan)
    moves = ((step.watermark, step.at, course.number_of(step.item)) for step in passed(plan)[1])
    return [(watermark, at, item) for watermark, at, item in moves if item is not None]


def watermark_rows(rows: list[dict[str, Any]]) -> list[tuple[int, int, int]]:
    """(watermark, clock, item) of each watermark row."""
    return [(row["ts"], row["at"], row["item"]) for row in rows if row["row"] == "watermark"]


@pytest.mark.parametrize("name", IN_ORDER)
def test_same_as_flink(name: str) -> None:
    lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    assert moves_of(IN_ORDER[name]) == watermark_rows([json.loads(line) for line in lines])


def test_every_kind_is_recorded() -> None:
    assert len(IN_ORDER) >= 9


# --- random streams ------------------------------------------------------------------------------------------------


FEW_TIMES = Uses(
    items=30,
    keys=(("a",),),
    channels=3,
    controls=("watermark", "status", "status", "advance", "end"),
    values=st.just(1),
)
"""Streams with everything that moves or holds a watermark."""


TWO_AT_ONCE = Scenario(
    "two-at-once",
    JOIN,
    (
        Watermark(5, "left", 0),
        Watermark(8, "left", 1),
        Watermark(20, "right"),
        Status("idle", "left", 1),
        Status("idle", "left", 0),
    ),
    (InputSpec("left", 2), InputSpec("right")),
)
"""The last status moves the watermark twice: to the flushed watermark of the left input, then to the right input's."""


BEHIND = Scenario(
    "behind",
    SORT,
    (
        Status("idle", channel=2),
        Watermark(10, channel=0),
        Watermark(20, channel=1),
        Status("active", channel=2),
        *(Status("idle", channel=channel) for channel in (1, 0, 2)),
    ),
    (InputSpec("events", 3),),
)
"""The last channel to turn idle was not aligned: it did not hold back the watermark, so nothing moves."""

LATER = replace(
    BEHIND,
    stream=(
        *(Status("idle", channel=2), Watermark(15, channel=0), Watermark(20, channel=1)),
        *(Status("idle", channel=1), Status("active", channel=2), Status("idle", channel=0)),
        *(Status("active", channel=1), Watermark(6, channel=2)),
    ),
)
"""The only active channel is ahead of the watermark; this takes effect with the next watermark of any channel."""


def both(scenario: Scenario) -> tuple[list[Any], list[Any]]:
    """For both sides: each move with its clock and item, and each late record with the watermark at its arrival."""
    plan = plan_of(scenario)
    course = course_of(plan)
    rows = list(simulator.run_rows(scenario))
    slack = 0 if scenario.operator is SORT else 1
    came = ((each.ts, each.before, course.number_of(each.item)) for each in passed(plan)[0]['"a"'])
    late = [(ts, before, item) for ts, before, item in came if ts + slack <= before and item is not None]
    dropped = [(row["ts"], row["watermark"], row["item"]) for row in rows if row["row"] == "dropped"]
    return [*moves_of(plan), *late], watermark_rows(rows) + dropped


def test_a_channel_turns_idle_before_it_is_aligned() -> None:
    ours, theirs = both(BEHIND)
    assert ours == theirs == [(10, 0, 2)]


def test_an_active_channel_ahead_of_the_watermark_takes_effect_later() -> None:
    ours, theirs = both(LATER)
    assert ours == theirs == [(15, 0, 2), (20, 0, 7)]


def test_one_status_may_move_the_watermark_twice() -> None:
    ours, theirs = both(TWO_AT_ONCE)
    assert ours == theirs == [(5, 0, 2), (8, 0, 4), (20, 0, 4)]


@pytest.mark.parametrize("generator", ["sql", "punctuated"])
def test_a_generator_does_not_emit_the_final_watermark_twice(generator: str) -> None:
    inputs = (InputSpec("events", 1, watermark_spec(generator)),)
    lost = (Record("a", 3, 1), Status("idle"), Record("a", MAX, 1), End(), Record("a", 4, 1))
    ours, theirs = both(Scenario("lost", SORT, lost, inputs))
    assert ours == theirs == [(3, 0, 0)]


def test_a_watermark_pending_at_the_end_of_input_is_emitted_by_the_next_tick() -> None:
    inputs = (InputSpec("events", 1, SqlWatermark(0, 1000)),)
    stream = (Record("a", MAX - 500, 1), Record("a", MAX, 1), End(), Advance(1500))
    ours, theirs = both(Scenario("waits", SORT, stream, inputs))
    assert ours == theirs == [(MAX - 500, 0, 0), (MAX, 1000, 3)]


@settings(max_examples=examples(200))
@given(scenarios(st.sampled_from([SORT, JOIN]), FEW_TIMES))
def test_same_as_the_simulator(scenario: Scenario) -> None:
    ours, theirs = both(scenario)
    assert ours == theirs


# --- long streams --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("generator", ["monotonous", "sql"])
def test_a_long_silence_costs_nothing(generator: str) -> None:
    """Some 10^14 ticks without a record: the channel is idle at the first that sees it, and at no other."""
    passage = Wiring(((watermark_spec(generator, 0, 1, 1000), 2),), 0, False).passage()
    passage.come_to(0, 10)
    passage.record(0, 5000)
    passage.come_to(1, 20)
    passage.record(1, 3000)
    passage.come_to(2, 500)
    passage.record(0, 5100)
    passage.come_to(3, 10**17)
    moves = [(move.after, move.item) for move in passage.moves]
    # The first channel's last watermark is forwarded when the second, which holds it back, is found idle.
    assert moves[-1] == (5100, 3)
    assert 1020 <= passage.moves[-1].at <= 1500


def test_pending_ticks_do_not_pile_up() -> None:
    """Each record makes the tick obsolete that would have found its channel idle a day later."""
    passage = Wiring(((MonotonousTimestamps(1, 86_400_000), 1),), 0, False).passage()
    tracemalloc.start()
    for number in range(5000):
        passage.come_to(number, number * 3)
        passage.record(0, number)
        passage.moves.clear()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000
