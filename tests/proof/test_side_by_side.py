"""Flink and Spark on the same records: which results differ, and why."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.values.items import Advance, BatchEnd, End, Item, Record, Watermark
from tidemark.simulator.proof.side_by_side import CODES, LATE, TAKEN, VERDICTS, Entry, SideBySide, side_by_side
from tidemark.simulator.proof.spark_twin import LOST, REFUSED, NoTwin, twin_of, why_no_twin
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    EventTimeTrigger,
    Function,
    Generated,
    InputSpec,
    IntervalJoin,
    MonotonousTimestamps,
    NoWatermarks,
    Process,
    Scenario,
    Session,
    Sliding,
    SparkJoin,
    SparkWindow,
    Tumbling,
    WatermarkSpec,
    Window,
)
from tidemark.simulator.words import section

from tests.examples import examples
from tests.random_scenarios.flink import Uses, scenarios
from tidemark import simulator

BOUNDED = BoundedOutOfOrderness(5)
SUM = Function("aggregate", "sum")
SUMS = Window(Tumbling(10), EventTimeTrigger(), SUM)


def flink(*stream: Item, operator: Any = SUMS, watermark: WatermarkSpec = BOUNDED, channels: int = 1) -> Scenario:
    return Scenario("flink", operator, stream, (InputSpec("events", channels, watermark),))


def record(ts: int, value: int = 1, **rest: Any) -> Record:
    return Record("a", ts, value, **rest)


def compared(scenario: Scenario, **batches: int) -> SideBySide:
    return side_by_side(scenario, twin_of(scenario, **batches))


def verdicts(found: SideBySide) -> list[tuple[int | None, str, list[str]]]:
    """The start, the verdict and the reason codes of each entry."""
    return [(entry.start, entry.verdict, [reason.code for reason in entry.reasons]) for entry in found.entries]


# --- the twin ------------------------------------------------------------------------------------------------------


def test_the_same_records_in_batches_of_two() -> None:
    twin = twin_of(flink(record(1), record(2), record(3), End()), size=2)
    assert twin.scenario.operator == SparkWindow(Tumbling(10), SUM)
    assert twin.scenario.inputs == (InputSpec("events", delay=5),)
    assert twin.scenario.stream == (record(1), record(2), BatchEnd(), record(3))
    assert (twin.origin_of, twin.last_items) == ((0, 1, None, 2), (1, 3))
    assert twin.lost == ("end_of_input",)


def test_batches_by_arrival() -> None:
    """An interval without arrivals becomes one batch without records, however long it lasts."""
    scenario = flink(record(1, at=0), record(2, at=99), record(3, at=100), Advance(500), record(4))
    twin = twin_of(scenario, interval=100)
    batch_end = BatchEnd()
    assert twin.scenario.stream == (
        *(record(1), record(2), batch_end),
        *(record(3), batch_end, batch_end, record(4)),
    )
    assert twin.last_items == (1, 2, 2, 4)


def test_an_interval_join_is_a_stream_join() -> None:
    inputs = (InputSpec("left", 1, BOUNDED), InputSpec("right", 1, BOUNDED))
    join = Scenario("joins", IntervalJoin(-3, 4, lower_exclusive=True), (record(1, input="left"),), inputs)
    assert twin_of(join, size=1).scenario.operator == SparkJoin(-2, 4)
    nothing = replace(join, operator=IntervalJoin(0, 1, lower_exclusive=True, upper_exclusive=True))
    assert why_no_twin(nothing) == ["empty_interval"]


@pytest.mark.parametrize(
    ("scenario", "names"),
    [
        (flink(operator=Process(Function("event-sort"))), ["operator"]),
        (flink(operator=replace(SUMS, assigner=Sliding(5, 10))), ["assigner"]),
        (flink(operator=replace(SUMS, function=Function("process", "collect"))), ["compute"]),
        (flink(Watermark(5), watermark=NoWatermarks()), ["no_delay", "explicit_watermark"]),
        (replace(flink(), stream=Generated(10**6, 1, 1, 1)), ["too_long"]),
        (twin_of(flink(record(1)), size=1).scenario, ["not_flink"]),
    ],
)
def test_no_twin(scenario: Scenario, names: list[str]) -> None:
    assert why_no_twin(scenario) == names
    with pytest.raises(NoTwin):
        twin_of(scenario, size=1)


def test_batches_are_of_one_kind() -> None:
    for batches in ({}, {"size": 1, "interval": 1}, {"size": 0}, {"interval": -1}):
        with pytest.raises(ValueError, match=r"."):
            twin_of(flink(), **batches)


# --- reasons for differences ---------------------------------------------------------------------------------------


def test_the_watermark_of_a_batch_comes_from_the_records_before_it() -> None:
    found = compared(flink(record(1), record(15), record(16), record(17)), size=1)
    (entry,) = found.entries
    assert (entry.flink[0].item, entry.spark[0].item, entry.spark[0].batch) == (1, 2, 2)
    assert verdicts(found) == [(0, "other-moment", ["next_batch"])]
    assert entry.reasons[0].numbers == {"end": 10, "batch": 2, "watermark": 10, "item": 2, "batch_of_record": 1}


def test_a_record_late_for_flink_is_in_time_for_spark_within_the_same_batch() -> None:
    found = compared(flink(record(1, 1), record(15, 2), record(3, 4), record(30)), size=3)
    assert verdicts(found)[0] == (0, "other-value", ["taken_in_batch"])
    entry = found.entries[0]
    assert (entry.flink[-1].value, entry.spark[-1].value) == (1, 5)
    assert entry.reasons[0].items == (2,)
    assert [(fate.flink, fate.spark) for fate in found.records][2] == (LATE, TAKEN)


def test_spark_has_no_allowed_lateness() -> None:
    patient = flink(record(1, 1), record(15), record(3, 4), record(30), operator=replace(SUMS, allowed_lateness=20))
    found = compared(patient, size=1)
    # In batches of one, the late filter uses the watermark of two records ago: the late record still passes.
    assert verdicts(found)[0] == (0, "other-moment", ["fired_again", "next_batch"])
    later = compared(replace(patient, stream=(record(1, 1), record(15), record(16), record(3, 4), record(30))), size=1)
    assert verdicts(later)[0] == (0, "other-value", ["allowed_lateness"])
    assert later.entries[0].reasons[0].items == (3,)


def test_a_query_has_no_end() -> None:
    assert verdicts(compared(flink(record(1), End()), size=1)) == [(0, "only-flink", ["end_of_input"])]


def test_spark_begins_at_the_epoch() -> None:
    found = compared(flink(record(-20), record(15), record(30)), size=3)
    assert verdicts(found)[0] == (-20, "only-flink", ["before_epoch"])


def test_flink_waits_for_the_slowest_channel() -> None:
    found = compared(flink(record(1, channel=0), record(40, channel=0), record(41, channel=0), channels=2), size=1)
    assert verdicts(found) == [(0, "only-spark", ["flink_watermark_behind"])]
    assert found.lost == ("channels",)


def test_a_late_record_joins_an_open_session_in_flink_only() -> None:
    sessions = replace(SUMS, assigner=Session(10))
    stream = (record(15), record(24), record(17), record(7), record(60), record(61), record(62))
    found = compared(flink(*stream, operator=sessions, watermark=MonotonousTimestamps()), size=1)
    assert Counter(entry.verdict for entry in found.entries)["only-flink"] == 1
    assert all("sessions_merge_otherwise" in [each.code for each in entry.reasons] for entry in _unlike(found)[:2])


def _unlike(found: SideBySide) -> list[Entry]:
    return [entry for entry in found.entries if entry.verdict in ("only-flink", "only-spark")]


# --- on random streams ---------------------------------------------------------------------------------------------


RECORDS = Uses(
    items=30,
    keys=(("a", "b"),),
    generators=("bounded-out-of-orderness", "monotonous", "punctuated", "sql"),
    ticks=False,
    controls=(),
    restores=0,
    values=st.integers(1, 9),
    origins=(0,),
)


def with_a_twin() -> st.SearchStrategy[Scenario]:
    """Scenarios with whole numbers, in windows and joins that Spark has too."""
    assigners = st.sampled_from([Tumbling(10), Sliding(10, 5), Tumbling(5, 2), Session(4)])
    sums = st.builds(
        lambda assigner, lateness: replace(SUMS, assigner=assigner, allowed_lateness=lateness),
        assigners,
        st.sampled_from([0, 0, 8]),
    )
    return scenarios(st.one_of(sums, sums, sums, st.just(IntervalJoin(-4, 5))), RECORDS)


@settings(max_examples=examples(150))
@given(with_a_twin(), st.sampled_from([{"size": 1}, {"size": 4}, {"interval": 35}]))
def test_everything_is_listed_and_every_difference_has_a_reason(scenario: Scenario, batches: dict[str, int]) -> None:
    twin = twin_of(scenario, **batches)
    found = side_by_side(scenario, twin)
    for side, run in (("flink", scenario), ("spark", twin.scenario)):
        rows = [row for row in simulator.run_rows(run) if row["row"] in ("pane", "joined")]
        assert len(rows) == sum(len(getattr(entry, side)) for entry in found.entries)
    for entry in found.entries:
        assert entry.verdict in VERDICTS
        assert bool(entry.reasons) == (entry.verdict != "same"), entry
        codes = {reason.code for reason in entry.reasons}
        assert codes <= set(CODES)
        assert "arithmetic" not in codes, "sums of whole numbers do not depend on the order"
        items = [item for reason in entry.reasons for item in reason.items]
        assert all(0 <= item < len(scenario.stream) for item in items), entry
    assert [fate.item for fate in found.records] == [
        index for index, item in enumerate(scenario.stream) if isinstance(item, Record)
    ]


def test_every_code_has_a_text() -> None:
    texts = section("side_by_side")
    assert set(texts["reasons"]) == set(CODES)
    assert set(texts["lost"]) == set(LOST)
    assert set(texts["no_twin"]) == set(REFUSED)
    assert set(texts["verdicts"]) == set(VERDICTS)


@settings(max_examples=examples(60))
@given(with_a_twin())
def test_every_reason_has_the_numbers_for_its_text(scenario: Scenario) -> None:
    for entry in compared(scenario, size=3).entries:
        for reason in entry.reasons:
            section("side_by_side")["reasons"][reason.code].format(**reason.numbers)


def test_a_window_in_local_time_that_spark_does_not_have_is_named_as_such() -> None:
    scenario = parse(
        """
scenario: 1
name: days
inputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 0s}}}
operator:
  {type: window, api: tvf, session_zone: Europe/Berlin, assigner: {type: tumbling, size: 1d},
   function: {call: aggregate, compute: sum}}
stream:
  - {ts: '2026-06-01T21:00:00Z', key: shop, value: 1}
  - {ts: '2026-06-02T21:00:00Z', key: shop, value: 2}
""",
        "days.yaml",
    )
    entries = side_by_side(scenario, twin_of(scenario, size=1)).entries
    found = [(each.verdict, [reason.code for reason in each.reasons]) for each in entries]
    assert found == [("only-flink", ["session_zone"]), ("only-spark", ["session_zone"])]
