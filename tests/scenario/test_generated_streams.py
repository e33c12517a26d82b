"""The generator of streams: its random numbers equal Spark's xxhash64, and they make a stream."""

import pytest
from tidemark.simulator.engine.values.items import BatchEnd, End, Record
from tidemark.simulator.engine.values.time import wrap
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import column_hash, items
from xxhash import xxh64_intdigest


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
