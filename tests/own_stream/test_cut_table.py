"""The same cut from files on Spark as from a list in memory."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from threading import Event

import pytest
from tidemark.simulator.scenario import parse
from tidemark.spark_bridge.cut.case import Around, Dropped, FindingOf, WindowOf
from tidemark.spark_bridge.cut.cut import CutRequest, cut_text
from tidemark.spark_bridge.cut.rules import Among, Brought, Judge, Listed, Parts, Rules, StreamRecord

from tidemark import simulator

CHANNELS = ("east", "west")


def records_of(seed: int, count: int = 400) -> list[StreamRecord]:
    """In the order of arrival, many of which are equal."""
    random = Random(seed)
    clock, made = 1_700_000_000_000, []
    for number in range(count):
        clock += random.choice([0, 0, 1000, 2000])
        ts = clock - int(random.expovariate(1 / 2000)) + (3_600_000 if number == 333 else 0)
        key = random.choice("abc")
        made.append(StreamRecord((number,), random.randrange(2), ts, clock, key, random.randrange(9)))
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files; the second one has the earlier half of the records, so that the order of arrival is not theirs."""
    path = tmp_path_factory.mktemp("stream")
    records = records_of(7)
    for name, own in (("a", records[150:]), ("b", records[:150])):
        lines = [
            json.dumps(
                {"ts": each.ts, "at": each.at, "key": each.key, "value": each.value, "from": CHANNELS[each.channel]}
            )
            for each in own
        ]
        (path / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def in_order(records: list[StreamRecord], *, by_arrival: bool) -> Listed:
    """As Spark is to see them: by arrival, equal ones in the order of the files; or in the order of the files."""
    files = records[150:] + records[:150]
    ordered = sorted(files, key=lambda each: each.at or 0) if by_arrival else files
    return Listed(
        [each._replace(place=(number,), at=each.at if by_arrival else None) for number, each in enumerate(ordered)],
        CHANNELS,
    )


def whole_number(whole: Listed) -> int:
    """The number of the record from the future."""
    return max(whole.records, key=lambda each: each.ts).place[0]


def asked(by_arrival: bool) -> CutRequest:
    record = records_of(7)[100]
    around: Around = Dropped() if by_arrival else WindowOf(record.key, record.ts)
    return CutRequest(around, Rules(size=20_000, bound=2000), anonymous=not by_arrival)


@pytest.mark.spark
@pytest.mark.parametrize("by_arrival", [True, False], ids=["by arrival", "by file"])
def test_a_cut_from_files_is_that_from_a_list(folder: Path, by_arrival: bool, java: None) -> None:
    from tidemark.spark_bridge.cut.run import Table, cut_of
    from tidemark.spark_bridge.files.opening import own_stream
    from tidemark.spark_bridge.files.request import Columns, Files
    from tidemark.spark_bridge.profile.findings.records import Expectations
    from tidemark.spark_bridge.spark.stages import Stages

    from tests.spark.spark_sides import MASTER

    whole = in_order(records_of(7), by_arrival=by_arrival)
    columns = Columns(ts="ts", at="at" if by_arrival else None, key="key", value="value", channel="from")
    with own_stream(Files((str(folder),), columns), Stages(None, Event()), MASTER) as stream:
        table = Table(stream)
        assert cut_text(table, asked(by_arrival)) == cut_text(whole, asked(by_arrival))
        if by_arrival:
            among = Among(channel=1, key="b", since=table.record(50).place)
            found = table.dropped(Rules(channels=2, size=20_000), among, 5)
            wanted = whole.dropped(Rules(channels=2, size=20_000), Among(1, "b", (50,)), 5)
            assert table.number(found) == whole.number(wanted)
            assert table.number(table.first(among, 3)) == whole.number(whole.first(Among(1, "b", (50,)), 3))
            assert table.record(400) is None
            future = CutRequest(FindingOf("future-timestamps"))
            known = replace(future, where={"from": whole_number(whole)})
            assert cut_of(stream, future, Expectations()) == cut_text(whole, known)


def test_parts_say_where_a_level_is_reached_and_where_nothing_can_be_dropped() -> None:
    brought = [
        Brought((0,), 0, 3, 1_000, 30_000),
        Brought((0,), 1, 1, 2_000, 2_000),
        Brought((1,), 0, 2, 31_000, 90_000),
        Brought((2,), 1, 4, 500, 61_000),
    ]
    parts = Parts(reversed(brought))
    assert parts.of_number(3) == ((0,), 0)
    assert parts.of_number(4) == ((1,), 4)
    assert parts.of_number(10) is None
    assert parts.levels((1,)) == {0: 30_000, 1: 2_000}
    assert parts.levels(None) == {0: 90_000, 1: 61_000}
    assert [(each.part, each.channel) for each in parts.reached({0: 30_001, 1: 61_001})] == [((1,), 0)]
    assert parts.that_may_drop(Rules(channels=2)) == [(2,)]
    assert parts.that_may_drop(Rules(channels=2, bound=1_001)) == []
    assert parts.that_may_drop(Rules(channels=3)) == []
    assert parts.split([(0,), (1,), (2,)], 5) == ([(0,), (1,)], [(2,)])


def test_the_printed_scenario_runs() -> None:
    whole = in_order(records_of(7), by_arrival=True)
    text = cut_text(whole, CutRequest(Dropped(), Rules(size=20_000, bound=2000)))
    assert [row["row"] for row in simulator.run_rows(parse(text))].count("dropped") == 1


def test_records_of_which_none_can_be_dropped_are_passed_at_once() -> None:
    judge = Judge(Rules(channels=2, bound=1000), {0: 100_000})
    assert judge.passes({0: 150_000}, 0)  # channel 1 has brought nothing yet
    assert judge.passes({1: 60_999}, 0)
    assert not judge.passes({1: 61_000}, 59_999)
    assert judge.passes({1: 61_000}, 60_000)
    assert judge.drops(0, 59_999)
    assert not judge.drops(0, 60_000)
