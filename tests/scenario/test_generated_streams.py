"""The generator of streams: its random numbers equal Spark's xxhash64, and they make a stream."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator.engine.values.items import BatchEnd, End, Record
from tidemark.simulator.engine.values.time import wrap
from tidemark.simulator.scenario import ScenarioError, parse
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.scenario.stream import Arrivals, ClockGrid, arrivals_in, borders_of, column_hash, items
from tidemark.simulator.scenario.writing import as_yaml
from xxhash import xxh64_intdigest

from tidemark import simulator


def scenario(operator: str, inputs: str, generate: str, more: str = "") -> Scenario:
    return parse(
        f"scenario: 1\nname: generated\n{more}\ninputs: {inputs}\noperator: {operator}\n"
        f"stream:\n  generate: {generate}\n"
    )


SORT = "{type: process, function: {call: event-sort}}"
JOIN = "{type: interval-join, lower: 0, upper: 1s}"
COMPLETE = """{events: 200, seed: 7, keys: 4, every: 100ms, disorder: {max: 4s}, late: {fraction: 0.02, by: 20s},
    values: [1, 9], end: true}"""


def test_the_hash_equals_that_of_spark() -> None:
    hashes = [wrap(xxh64_intdigest((0).to_bytes(8, "little"), column_hash(7, column))) for column in range(6)]
    assert hashes == [
        -2319533432267644455,
        5944962967540200925,
        5736600350555626970,
        9168456267884843419,
        -1827226008720761234,
        8069803071711838833,
    ]


def test_records_are_drawn_column_by_column() -> None:
    stream = list(items(scenario(SORT, "{events: {channels: 2}}", COMPLETE)))
    assert stream[:4] == [
        Record("k0", -1258, 7, "events", 1, 0),
        Record("k2", -3019, 3, "events", 1, 100),
        Record("k3", -2781, 9, "events", 1, 200),
        Record("k2", 1, 5, "events", 1, 300),
    ]
    assert stream[26] == Record("k1", -18412, 5, "events", 1, 2600)
    assert len(stream) == 201
    assert stream[200] == End()


def test_only_late_records_are_further_behind_than_the_disorder() -> None:
    records = [each for each in items(scenario(SORT, "{}", COMPLETE)) if isinstance(each, Record)]
    late = [number for number, each in enumerate(records) if (each.at or 0) - (each.ts or 0) > 4000]
    assert late[0] == 26
    assert len(late) < 12


def test_joins_draw_the_input_and_its_channel() -> None:
    stream = items(scenario(JOIN, "{left: {channels: 2}, right: {channels: 2}}", COMPLETE))
    drawn = [(each.input, each.channel) for each in stream if isinstance(each, Record)][:4]
    assert drawn == [("left", 1), ("left", 1), ("right", 1), ("right", 1)]


def test_an_input_of_one_channel_has_no_other() -> None:
    stream = items(scenario(JOIN, "{left: {channels: 3}}", COMPLETE))
    records = [each for each in stream if isinstance(each, Record)]
    assert {each.channel for each in records if each.input == "right"} == {0}
    assert {each.channel for each in records if each.input == "left"} == {0, 1, 2}


def test_absent_parts_change_nothing() -> None:
    plain = scenario(SORT, "{}", "{events: 3, seed: 7, keys: 1, every: 1s}", "origin: 10s")
    assert list(items(plain)) == [
        Record("k0", 10_000, 7, "events", 0, 10_000),
        Record("k0", 11_000, 3, "events", 0, 11_000),
        Record("k0", 12_000, 9, "events", 0, 12_000),
    ]


def test_a_longer_stream_starts_with_the_shorter_one() -> None:
    long = scenario(SORT, "{}", COMPLETE)
    assert list(items(long, 5))[:5] == list(items(long))[:5]
    assert len(list(items(long, 5))) == 6


@pytest.mark.parametrize(("events", "expected"), [(5, "rrbrrbr"), (4, "rrbrr"), (0, "")])
def test_spark_batches_end_between_the_records(events: int, expected: str) -> None:
    spark = scenario(
        "{type: stream-join}",
        "{left: {watermark: {delay: 1s}}, right: {watermark: {delay: 1s}}}",
        f"{{events: {events}, seed: 1, keys: 2, every: 1s, batch_every: 2}}",
        "engine: spark",
    )
    stream = list(items(spark))
    assert "".join("b" if isinstance(each, BatchEnd) else "r" for each in stream) == expected
    assert all(each.at is None for each in stream if isinstance(each, Record))


# Generated streams that seek borders on the clock: a share of the records comes where the clock decides something.

BY_CLOCK = (
    "{type: window, time: processing, assigner: {type: tumbling, size: 1s}, function: {call: aggregate, compute: sum}}"
)
SESSION = BY_CLOCK.replace("tumbling, size: 1s", "session, gap: 700ms")
TICKS = "{channels: 3, watermark: {generator: bounded-out-of-orderness, bound: 2s, emit: 200ms, idle_timeout: 250ms}}"
NO_TICKS = "{watermark: {generator: bounded-out-of-orderness, bound: 2s}}"


def by_the_clock(operator: str, inputs: str, borders: float = 0.4, every: str = "70ms") -> Scenario:
    return parse(
        f"scenario: 1\nname: clock\ninputs: {{events: {inputs}}}\noperator: {operator}\nstream:\n  generate: "
        f"{{events: 3000, seed: 7, keys: 10, every: {every}, disorder: {{max: 4s}}, borders: {borders}}}\n"
    )


def times(of: Scenario) -> list[int]:
    return [each.at or 0 for each in items(of) if isinstance(each, Record)]


def test_records_come_at_a_tick_and_a_millisecond_beside_it() -> None:
    """At a tick of the same millisecond the tick is first, so the record is counted by the next one only."""

    def beside(borders: float) -> Counter[int]:
        return Counter((at + 1) % 200 - 1 for at in times(by_the_clock(SORT, TICKS, borders)))

    assert beside(0)[-1] == beside(0)[1] == 0
    assert min(beside(0.4)[each] for each in (-1, 0, 1)) > 30


def test_a_channel_is_found_idle_at_the_tick_before_which_its_record_would_have_come() -> None:
    of = by_the_clock(SORT, TICKS)
    plain = by_the_clock(SORT, TICKS, 0)
    assert [each for each in simulator.run_rows(of) if each["row"] == "watermark"] != [
        each for each in simulator.run_rows(plain) if each["row"] == "watermark"
    ]


@pytest.mark.parametrize(("operator", "step"), [(BY_CLOCK, 1000), (SESSION, 700)])
def test_records_come_where_a_window_of_the_clock_ends(operator: str, step: int) -> None:
    beside = Counter((at + 1) % step - 1 for at in times(by_the_clock(operator, NO_TICKS)))
    assert min(beside[each] for each in (-1, 0, 1)) >= 5


def test_timestamps_and_all_else_stay_what_they_are() -> None:
    def rest(borders: float) -> list[tuple[object, ...]]:
        made = items(by_the_clock(BY_CLOCK, NO_TICKS, borders))
        return [(each.key, each.ts, each.value) for each in made if isinstance(each, Record)]

    assert rest(0.4) == rest(0)


def test_nothing_that_looks_at_no_clock_comes_at_another_time() -> None:
    assert times(by_the_clock(SORT, NO_TICKS)) == times(by_the_clock(SORT, NO_TICKS, 0))


def test_no_record_can_come_later_within_a_millisecond() -> None:
    with pytest.raises(ScenarioError, match="make `every` at least 2 ms"):
        by_the_clock(BY_CLOCK, NO_TICKS, every="1ms")


GRIDS = st.lists(st.builds(ClockGrid, st.integers(1, 300), st.integers(0, 300)), max_size=3).map(tuple)


@given(
    st.builds(Arrivals, st.integers(-500, 500), st.integers(2, 200), st.integers(0, 9), st.just(500_000), GRIDS),
    st.lists(st.integers(-600, 4000), max_size=20),
)
def test_the_clock_never_goes_back_and_the_first_record_at_a_time_is_found(of: Arrivals, clocks: list[int]) -> None:
    comes = [of.at(index) for index in range(5000 // of.every + 2)]
    assert comes == sorted(comes)
    assert all(-1 <= at - (of.origin + index * of.every) < of.every - 1 for index, at in enumerate(comes))
    for clock in clocks:
        if clock <= comes[-1]:
            assert of.first_at(clock) == next(index for index, at in enumerate(comes) if at >= clock)


def test_a_stream_has_its_arrivals_from_its_scenario() -> None:
    of = by_the_clock(SORT, TICKS)
    assert times(of) == [arrivals_in(of).at(index) for index in range(3000)]


# Generated streams that seek borders: a share of the records is where a comparison of the operator turns.

TUMBLING = "{type: window, assigner: {type: tumbling, size: 5s}, allowed_lateness: 3s, function: {call: aggregate, compute: sum}}"  # noqa: E501
JOIN_BACK = "{type: interval-join, lower: -2s, upper: 3s}"
BOUNDED = "{watermark: {generator: bounded-out-of-orderness, bound: 2s}}"


def with_borders(operator: str = TUMBLING, borders: object = 0.1, inputs: str = f"{{events: {BOUNDED}}}") -> Scenario:
    return parse(
        f"scenario: 1\nname: borders\ninputs: {inputs}\noperator: {operator}\nstream:\n  generate: {{events: 30000, "
        f"seed: 7, keys: 100, every: 10ms, disorder: {{max: 4s}}, late: {{fraction: 0.02, by: 20s}}, "
        f"borders: {borders}}}\n"
    )


def records(of: Scenario) -> list[Record]:
    return [each for each in items(of, 5000) if isinstance(each, Record)]


def test_the_other_records_stay_what_they_are() -> None:
    seeking, plain = records(with_borders()), records(with_borders(borders=0))
    moved = [number for number, pair in enumerate(zip(seeking, plain, strict=True)) if pair[0] != pair[1]]
    assert 450 < len(moved) < 550
    assert all(
        (one.key, one.value, one.at) == (two.key, two.value, two.at) for one, two in zip(seeking, plain, strict=True)
    )


def test_a_record_that_seeks_lies_at_a_border_or_a_millisecond_beside_it() -> None:
    every = records(with_borders(borders=1))
    # The ends of windows; the records by which the watermark reaches them, and the end of the lateness 3 s later.
    places = Counter(((each.ts or 0) + 2) % 5000 - 2 for each in every)
    assert set(places) <= {-2, -1, 0, 1, 1999, 2000, 2001}


def test_the_watermark_stands_exactly_at_the_end_of_the_lateness_and_beside_it() -> None:
    """``lateness + 1``, or ``<`` for ``<=``, changes these rows; without borders there are none."""

    def found(borders: float) -> Counter[tuple[str, int]]:
        counted: Counter[tuple[str, int]] = Counter()
        for row in simulator.run_rows(with_borders(borders=borders)):
            if row["row"] == "dropped":
                counted["dropped", row["watermark"] - (row["ts"] // 5000 * 5000 + 7999)] += 1
            elif row.get("timing") == "late":
                counted["fires again", row["watermark"] - (row["end"] + 2999)] += 1
        return counted

    plain, seeking = found(0), found(0.1)
    assert plain["dropped", 0] == plain["fires again", -1] == 0
    assert seeking["dropped", 0] > 10
    assert seeking["dropped", 1] > 10
    assert seeking["fires again", -1] > 10
    assert seeking["fires again", 0] == 0


def test_pairs_of_a_join_lie_exactly_at_its_bounds() -> None:
    rows = simulator.run_rows(with_borders(JOIN_BACK, 0.3, f"{{left: {BOUNDED}, right: {BOUNDED}}}"))
    apart = Counter(row["right"]["ts"] - row["left"]["ts"] for row in rows if row["row"] == "joined")
    assert min(apart[each] for each in (-2000, -1999, 2999, 3000)) > 5
    assert set(apart) <= set(range(-2000, 3001))


def test_the_watermark_of_several_channels_reaches_borders_too() -> None:
    of = with_borders(SORT, 0.1, f"{{events: {{channels: 3, {BOUNDED[1:]}}}")
    stream = of.stream
    assert isinstance(stream, Generated)
    borders = borders_of(of.operator, of.inputs, stream)
    assert borders is not None
    step = borders.grids[0].step
    steps = [row["ts"] % step for row in simulator.run_rows(of) if row["row"] == "watermark"]
    assert min(steps.count(each) for each in (0, 1, step - 1)) > 10


def test_records_never_come_further_ahead_or_behind_than_is_said() -> None:
    of = with_borders(borders=0.5)
    assert isinstance(of.stream, Generated)
    borders = borders_of(of.operator, of.inputs, of.stream)
    assert borders is not None
    delays = [(each.at or 0) - (each.ts or 0) for each in records(of)]
    assert -borders.ahead <= min(delays) < 0
    assert max(delays) <= 24_000 + borders.behind


@pytest.mark.parametrize("operator", [TUMBLING, SORT, JOIN_BACK])
def test_how_far_a_record_can_move_is_exact(operator: str) -> None:
    inputs = f"{{left: {BOUNDED}, right: {BOUNDED}}}" if operator == JOIN_BACK else f"{{events: {BOUNDED}}}"
    of = with_borders(operator, 0.5, inputs)
    assert isinstance(of.stream, Generated)
    borders = borders_of(of.operator, of.inputs, of.stream)
    assert borders is not None
    moved = [
        borders.time(arrival, arrival, side, number, offset) - arrival
        for arrival in range(6000)
        for side in range(len(of.inputs))
        for number in range(len(borders.grids))
        for offset in (-1, 0, 1)
    ]
    assert (max(moved), min(moved)) == (borders.ahead, -borders.behind)


GLOBAL = TUMBLING.replace("tumbling, size: 5s", "global").replace(
    "allowed_lateness: 3s", "trigger: {type: count, max: 3}"
)


@pytest.mark.parametrize(
    ("operator", "share", "said"),
    [
        (GLOBAL, 0.1, "no borders to seek"),
        (TUMBLING, 1.5, "from 0 to 1"),
        (TUMBLING, "10%", "from 0 to 1"),
    ],
)
def test_what_has_no_borders_is_refused(operator: str, share: object, said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        with_borders(operator, share)


def test_a_stream_is_written_as_it_was_read() -> None:
    of = with_borders(borders=0.25)
    assert '"borders": 0.25' in as_yaml(of)
    assert parse(as_yaml(of)).stream == of.stream
