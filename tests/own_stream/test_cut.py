"""Cuts: what is shown by a few records is what happens in the whole stream, at the same watermark."""

import json
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from random import Random
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.trace.events import RecordArrived
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import Function, Scenario
from tidemark.simulator.teaching.lint import problems_of_run
from tidemark.spark_bridge.commands import main
from tidemark.spark_bridge.cut.case import Around, CutFails, Dropped, FindingOf, RecordOf, WindowOf, around_of
from tidemark.spark_bridge.cut.cut import CutRequest, cut, cut_text
from tidemark.spark_bridge.cut.rules import Among, Brought, Judge, Listed, Parts, Rules, StreamRecord
from tidemark.spark_bridge.cut.writing import input_of, operator_of
from tidemark.spark_bridge.profile.findings.finding import CODES

from tests.examples import examples
from tidemark import simulator

Row = dict[str, Any]


def stream(*records: tuple[int, str] | tuple[int, str, int], channels: int = 1) -> Listed:
    """Records as (seconds, key) or (seconds, key, channel), each with its number as its value."""
    made = [
        StreamRecord((number,), each[2] if len(each) > 2 else 0, each[0] * 1000, None, each[1], number)
        for number, each in enumerate(records)
    ]
    return Listed(made, tuple(range(channels)))


def whole_run(whole: Listed, rules: Rules) -> tuple[list[Row], list[Any]]:
    """The rows of the whole stream, and the watermark at the arrival of each record."""
    items = tuple(Record(each.key, each.ts, each.place[0], channel=each.channel) for each in whole.records)
    channels = max(len(whole.channels), rules.channels)
    operator = operator_of(rules, Function("process", "collect"))
    rows, trace = simulator.run_traced(Scenario("whole", operator, items, (input_of(rules, channels),)))
    return rows, [step.watermark for step in trace if isinstance(step.event, RecordArrived)]


MINUTES = stream((1, "a"), (30, "b"), (50, "a"), (70, "a"), (65, "b"), (125, "a"), (20, "a"), (130, "b"), (58, "a"))


def test_the_first_dropped_record_is_dropped_at_the_same_watermark() -> None:
    shown = cut(MINUTES, CutRequest(Dropped()))
    rows = simulator.run_rows(shown)
    assert [(row["ts"], row["watermark"]) for row in rows if row["row"] == "dropped"] == [(20_000, 124_999)]
    first = next(row for row in rows if row["row"] == "pane")
    assert (first["key"], first["start"], first["watermark"], first["value"]) == ("a", 0, 69_999, 0 + 2)


def test_its_story_names_the_records_of_the_whole_stream_and_what_would_have_kept_it() -> None:
    shown = cut(MINUTES, CutRequest(Dropped()))
    assert shown.title == {"en": "Record 6 is dropped", "zh": "记录 6 被丢弃"}
    assert (
        "The watermark at that moment follows from record 5, whose timestamp is 1 min 45 s later" in shown.summary["en"]
    )
    assert shown.takeaway["en"].startswith("A bound of 1 min 5.001 s or an allowed lateness of 1 min 5.001 s would")
    kept = Rules(bound=65_001)
    with pytest.raises(CutFails, match="no record is dropped"):
        cut(stream(*((each.ts // 1000, each.key) for each in MINUTES.records[:8])), CutRequest(Dropped(), kept))


@pytest.mark.parametrize(("inside", "kept"), [(6, 6), (7, 1)])
def test_a_small_window_keeps_all_its_records_so_its_result_is_that_of_the_whole_stream(inside: int, kept: int) -> None:
    whole = stream(*((second, "a") for second in range(1, inside + 1)), (70, "b"), (20, "a"))
    shown = cut(whole, CutRequest(Dropped()))
    first = next(row for row in simulator.run_rows(shown) if row["row"] == "pane")
    assert (first["key"], first["value"]) == ("a", sum(range(kept)))
    assert isinstance(shown.stream, tuple)
    assert sum(isinstance(each, Record) and each.ts <= inside * 1000 for each in shown.stream) == kept


def test_a_cut_without_names_has_none_and_keeps_the_distances() -> None:
    day = 1_700_000_000
    secret = stream((day + 1, "Ann"), (day + 70, "Ben"), (day + 5, "Ann"), (day + 140, "Ben"))
    text = cut_text(secret, CutRequest(WindowOf("Ann", (day + 1) * 1000), Rules(size=10_000), anonymous=True))
    assert "Ann" not in text
    assert "17000" not in text
    plain = cut(secret, CutRequest(Dropped(), Rules(size=10_000)))
    hidden = cut(secret, CutRequest(Dropped(), Rules(size=10_000), anonymous=True))
    assert [each.ts - hidden.origin for each in hidden.stream] == [each.ts - plain.origin for each in plain.stream]
    assert {each.key for each in hidden.stream} == {"key-1", "key-2"}
    assert simulator.run_rows(hidden)[-1]["row"] == simulator.run_rows(plain)[-1]["row"]


def test_a_window_that_waits_for_a_slow_channel() -> None:
    whole = stream((1, "a", 0), (2, "b", 1), (70, "a", 0), (80, "a", 0), (30, "b", 1), (90, "a", 0), channels=2)
    shown = cut(whole, CutRequest(WindowOf("a", 5_000)))
    assert "Channel 1 sends nothing later than record 4" in shown.summary["en"]
    rows = simulator.run_rows(shown)
    assert [row["ts"] for row in rows if row["row"] == "watermark"][-1] == 29_999
    assert not [row for row in rows if row["row"] == "pane"]


def test_the_record_that_the_watermark_follows_from_need_not_have_ended_the_window() -> None:
    """Record 2 lets the window fire; when record 5 comes, channel 0 holds the watermark, where record 1 put it."""
    whole = stream((1, "a", 0), (70, "a", 0), (61, "b", 1), (65, "b", 1), (72, "b", 1), (50, "a", 0), channels=2)
    shown = cut(whole, CutRequest(Dropped(), Rules(bound=1_000)))
    (row,) = [row for row in simulator.run_rows(shown) if row["row"] == "dropped"]
    assert row["watermark"] == 70_000 - 1_000 - 1
    assert "The watermark at that moment follows from record 1," in shown.summary["en"]
    assert "这时的水位线由记录 1 决定" in shown.summary["zh"]
    said = [beat.say["en"] for beat in shown.walkthrough if beat.say]
    assert sum("The watermark that record 5 meets follows from it." in each for each in said) == 1


def test_of_many_channels_only_those_stay_that_matter() -> None:
    records = [(second, f"k{channel}", channel) for second in range(0, 200, 5) for channel in range(50)]
    whole = stream(*records, (10, "late", 7), channels=50)
    shown = cut(whole, CutRequest(Dropped()))
    assert shown.inputs[0].channels == 2
    row = next(row for row in simulator.run_rows(shown) if row["row"] == "dropped")
    assert (row["key"], row["watermark"]) == ("late", whole_run(whole, Rules())[1][-1])


def test_a_channel_that_brings_nothing() -> None:
    shown = cut(MINUTES, CutRequest(RecordOf(3), Rules(channels=3)))
    assert "At least one channel has not sent a single record" in shown.summary["en"]
    assert not [row for row in simulator.run_rows(shown) if row["row"] != "watermark"]


def test_a_record_from_the_future_and_what_it_costs() -> None:
    whole = stream((1, "a"), (2, "b"), (7200, "x"), *((second, "a") for second in range(3, 20)))
    shown = cut(whole, CutRequest(FindingOf("future-timestamps"), where={"from": 2, "to": 2}))
    assert shown.title["en"] == "Record 2 has a time in the future"
    assert "this cut has 15 of them" in shown.summary["en"]
    assert sum(row["row"] == "dropped" for row in simulator.run_rows(shown)) == 15


def test_a_record_from_the_future_does_no_harm_while_another_channel_holds_the_watermark() -> None:
    whole = stream((1, "a", 0), (2, "b", 1), (7200, "x", 0), (61, "b", 1), (3, "a", 0), (130, "b", 1), channels=2)
    shown = cut(whole, CutRequest(FindingOf("future-timestamps"), where={"from": 2, "to": 2}))
    assert shown.title["en"] == "Record 2 has a time in the future"
    assert "Another channel holds the watermark" in shown.summary["en"]


def test_a_channel_that_falls_silent_holds_a_window_that_others_have_passed() -> None:
    others = [(second, "b", 1) for second in range(2, 200, 7)]
    whole = stream((1, "a", 0), (20, "a", 0), *others, (150, "a", 0), channels=2)
    shown = cut(whole, CutRequest(FindingOf("idle-channel"), where={"channel": 0, "from": 1, "to": 31}))
    assert shown.title["en"] == "A silent channel holds the watermark"
    rows = [row for row in simulator.run_rows(shown) if row["row"] in ("pane", "watermark")]
    assert [row["ts"] for row in rows if row["row"] == "watermark"][-1] == 149_999
    first = next(row for row in rows if row["row"] == "pane" and row["key"] == "b")
    assert (first["start"], first["watermark"]) == (0, 149_999)
    assert any(record.ts >= 60_000 and record.channel == 1 for record in shown.stream[:-1])


def test_the_silent_channel_is_the_only_one_and_has_the_name_that_it_has_in_the_stream() -> None:
    silent = (1, "a", 3)
    others = [(second, f"k{second % 4}", second % 4 if second % 4 < 3 else 4) for second in range(2, 400)]
    whole = replace(stream(silent, *others, channels=5), channels=("a", "b", "c", "d", "e"))
    shown = cut(whole, CutRequest(FindingOf("idle-channel"), where={"channel": "d", "from": 0, "to": 398}))
    assert "Channel d (3 in this cut) sends nothing later than record 0" in shown.summary["en"]
    reached = {each.channel: each.ts for each in shown.stream}
    assert [channel for channel, ts in reached.items() if ts < 60_000] == [3]
    middle = [each.channel for each in shown.stream if 190_000 < each.ts < 220_000]
    assert sorted(middle) == [0, 1, 2, 4]  # the others go on, and are seen to


def test_a_replay_is_seen_as_one() -> None:
    day = [(second, f"k{second % 3}") for second in range(0, 600, 5)]
    whole = stream(*day, *day[24:60], (605, "a"))
    shown = cut(whole, CutRequest(FindingOf("replay"), where={"from": 120, "to": 155}))
    assert "Record 119 had moved the stream 7 min 55 s ahead before record 120 arrived." in shown.summary["en"]
    times = [each.ts for each in shown.stream]
    assert times[times.index(595_000) :][1:4] == [120_000, 125_000, 130_000]
    assert times.count(120_000) == 2, "the original, and the copy"


def test_a_record_that_comes_twice_is_beside_its_original() -> None:
    records = [StreamRecord((n,), 0, ts, None, "a", v) for n, (ts, v) in enumerate([(1, 5), (9, 6), (1, 5), (7, 1)])]
    shown = cut(Listed(records), CutRequest(FindingOf("duplicates"), where={"from": 2}))
    assert [(each.ts, each.value) for each in shown.stream].count((1, 5)) == 2


def test_a_clock_that_is_ahead_is_shown_with_a_record_of_another_source_that_it_costs() -> None:
    hour = 3600
    times = [
        (10, "a"),
        (hour + 20, "ahead"),
        (30, "a"),
        (40, "b"),
        (hour + 70, "ahead"),
        (hour + 30, "ahead"),
        (80, "b"),
    ]
    shown = cut(stream(*times), CutRequest(FindingOf("zone-offset"), where={"from": 1, "key": "ahead"}))
    assert "follows from record 1, whose timestamp is 59 min 50 s later" in shown.summary["en"]
    (lost, *_) = [row for row in simulator.run_rows(shown) if row["row"] == "dropped"]
    assert (lost["key"], lost["ts"]) == ("a", 30_000)


def test_a_clock_that_is_behind_is_shown_with_a_record_of_its_own() -> None:
    times = [(3600, "a"), (5, "behind"), (3700, "a"), (3650, "a"), (3630, "a"), (90, "behind")]
    shown = cut(stream(*times), CutRequest(FindingOf("skewed-source"), where={"from": 1, "keys": ["behind", "b"]}))
    assert next(row["key"] for row in simulator.run_rows(shown) if row["row"] == "dropped") == "behind"


def test_a_clock_that_costs_nothing_is_not_shown_with_what_another_source_loses() -> None:
    """Channel 1 holds the watermark, and loses a record of its own disorder; the clocks of 2 and 3 are ahead of it."""
    hour = 3600
    times = [(1, "k", 1), (hour, "k", 2), (2 * hour, "k", 3), (100, "k", 1), (5, "k", 1)]
    whole = stream(*times, channels=4)
    whole = Listed([each._replace(channel=each.channel - 1) for each in whole.records], (1, 2, 3))
    for channel, first in ((2, 1), (3, 2)):
        shown = cut(whole, CutRequest(FindingOf("zone-offset"), where={"from": first, "channel": channel}))
        assert isinstance(shown.stream, tuple)
        assert times[first][0] * 1000 in [each.ts for each in shown.stream if isinstance(each, Record)]
        assert not [row for row in simulator.run_rows(shown) if row["row"] == "dropped"]


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("first", [0, 6])
def test_every_finding_has_a_story_in_both_languages(code: str, first: int) -> None:
    channels = 2 if code == "empty-channel" else 1
    text = cut_text(MINUTES, CutRequest(FindingOf(code), Rules(channels=channels), where={"from": first, "key": "a"}))
    shown = parse(text)
    assert shown.name == f"cut-{code}"
    for said in (shown.title, shown.summary, shown.look_for, shown.takeaway):
        assert said["en"] != said["zh"]
        assert "−" not in said["en"]


@pytest.mark.parametrize(
    ("text", "around"),
    [
        ("dropped", Dropped()),
        ("record:3812", RecordOf(3812)),
        ("window:a@b@-5", WindowOf("a@b", -5)),
        ("window:a@1970-01-01T00:01:00Z", WindowOf("a", 60_000)),
        ("finding:replay", FindingOf("replay")),
        ("finding:replay:2", FindingOf("replay", 2)),
    ],
)
def test_what_a_cut_is_made_around(text: str, around: Around) -> None:
    assert around_of(text) == around


@pytest.mark.parametrize(
    "text", ["", "drop", "record:-1", "record:x", "window:a", "window:a@noon", "dropped:2", "finding:replay:0"]
)
def test_nothing_to_cut_around(text: str) -> None:
    with pytest.raises(CutFails, match="is nothing to cut around"):
        around_of(text)


def test_what_there_is_not_is_said() -> None:
    with pytest.raises(CutFails, match="there is no record 99"):
        cut(MINUTES, CutRequest(RecordOf(99)))
    with pytest.raises(CutFails, match="key `c` has no record in the window"):
        cut(MINUTES, CutRequest(WindowOf("c", 0)))
    with pytest.raises(CutFails, match="it takes --records 2"):
        cut(MINUTES, CutRequest(Dropped(), most=1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--around", "drop"], "`drop` is nothing to cut around; write dropped, record:N"),
        (["--around", "dropped", "--window", "0"], "a window of 0 holds no record"),
        (["--around", "dropped", "--bound", "-1"], "`-1` is not a duration"),
        (["--around", "dropped", "--bound", "soon"], "`soon` is not a duration"),
        (["--around", "dropped", "--records", "0"], "write a whole number from 1, not `0`"),
        ([], "required: --around"),
    ],
)
def test_what_cannot_be_asked(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["cut", "day.csv", *arguments])
    assert message in capsys.readouterr().err


@st.composite
def streams(draw: st.DrawFn) -> Listed:
    channels = draw(st.integers(1, 5))
    times = st.integers(-100_000, 300_000) | st.sampled_from([0, 59_999, 60_000, 119_999, 10**13])
    keys = st.sampled_from(["a", "b", "{c}", "", "null", "1", "键", "\t\x00\u2028"])
    values = st.none() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5)
    records = draw(st.lists(st.tuples(st.integers(0, channels - 1), times, keys, values), min_size=1, max_size=60))
    with_at = draw(st.booleans())
    return Listed(
        [StreamRecord((n,), c, ts, 1000 * n if with_at else None, k, v) for n, (c, ts, k, v) in enumerate(records)],
        tuple(range(channels)),
    )


RULES = st.builds(
    Rules,
    channels=st.integers(1, 6),
    size=st.sampled_from([1000, 7000, 60_000]),
    bound=st.sampled_from([0, 2000, 50_000]),
    lateness=st.sampled_from([0, 1, 30_000]),
)


@settings(max_examples=examples(120), deadline=None)
@given(streams(), RULES, st.data())
def test_every_record_of_a_cut_fares_as_in_the_whole_stream(whole: Listed, rules: Rules, data: st.DataObject) -> None:
    """The law: any record, its window, the first dropped one; checked against a run of the whole stream."""
    record = data.draw(st.sampled_from(whole.records))
    around = data.draw(st.sampled_from([RecordOf(record.place[0]), WindowOf(record.key, record.ts), Dropped()]))
    most = data.draw(st.sampled_from([4, 12, 40]))
    asked = CutRequest(around, rules, most, anonymous=data.draw(st.booleans()))
    rows, watermarks = whole_run(whole, rules)
    lost = [row for row in rows if row["row"] == "dropped"]
    if not lost and around == Dropped():
        with pytest.raises(CutFails, match="no record is dropped"):
            cut_text(whole, asked)
        return
    try:
        text = cut_text(whole, asked)
    except CutFails as fails:
        if fails.kind != "too_few":
            raise
        return
    shown = parse(text)
    assert not problems_of_run(shown)
    assert len(shown.stream) <= most
    if asked.anonymous:
        return
    given_rows = simulator.run_rows(shown)
    gone = {(row["ts"], row["key"], row["watermark"]) for row in given_rows if row["row"] == "dropped"}
    assert gone <= {(row["ts"], row["key"], row["watermark"]) for row in lost}
    match around:
        case Dropped():
            assert (lost[0]["ts"], lost[0]["key"], lost[0]["watermark"]) in gone
        case RecordOf(number):
            is_lost = any(row["value"] == number for row in lost)
            assert is_lost == ((record.ts, record.key, watermarks[number]) in gone)
        case WindowOf():
            window = rules.window_of(record.ts)
            ours, theirs = (
                [row["watermark"] for row in side if row["row"] == "pane" and row["key"] == record.key
                 and row["start"] == window.start][:1]
                for side in (given_rows, rows)
            )  # fmt: skip
            assert ours == theirs or gone


# The same cut from files on Spark as from a list in memory.

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


def asked(by_arrival: bool) -> CutRequest:
    record = records_of(7)[100]
    around: Around = Dropped() if by_arrival else WindowOf(record.key, record.ts)
    return CutRequest(around, Rules(size=20_000, bound=2000), anonymous=not by_arrival)


@pytest.mark.spark
@pytest.mark.parametrize("by_arrival", [True, False], ids=["by arrival", "by file"])
def test_a_cut_from_files_is_that_from_a_list(folder: Path, by_arrival: bool, java: None) -> None:
    from tidemark.spark_bridge.cut.run import Table
    from tidemark.spark_bridge.files.opening import files_as_stream
    from tidemark.spark_bridge.files.request import Columns, Files
    from tidemark.spark_bridge.spark.stages import Stages

    from tests.spark.spark_sides import MASTER

    whole = in_order(records_of(7), by_arrival=by_arrival)
    columns = Columns(ts="ts", at="at" if by_arrival else None, key="key", value="value", channel="from")
    with files_as_stream(Files((str(folder),), columns), Stages(None, Event()), MASTER) as stream:
        table = Table(stream)
        assert cut_text(table, asked(by_arrival)) == cut_text(whole, asked(by_arrival))
        if by_arrival:
            among = Among(channel=1, key="b", since=table.record(50).place)
            found = table.dropped(Rules(channels=2, size=20_000), among, 5)
            wanted = whole.dropped(Rules(channels=2, size=20_000), Among(1, "b", (50,)), 5)
            assert table.number(found) == whole.number(wanted)
            assert table.number(table.first(among, 3)) == whole.number(whole.first(Among(1, "b", (50,)), 3))
            assert table.record(400) is None


def test_a_finding_is_meant_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    from tidemark.spark_bridge.cut import run
    from tidemark.spark_bridge.profile.findings.records import Expectations

    found = [SimpleNamespace(code="zone-offset", where={"channel": name}) for name in ("west", "east")]
    monkeypatch.setattr(run, "in_order", lambda *_, **__: nullcontext())
    monkeypatch.setattr(run, "findings_of", lambda *_: found)

    def where(code: str, nth: int) -> Any:
        return run._where(cast("Any", None), FindingOf(code, nth), Expectations())

    assert [where("zone-offset", nth)["channel"] for nth in (1, 2)] == ["west", "east"]
    with pytest.raises(CutFails, match="of the findings `zone-offset` there is no number 3 in this stream"):
        where("zone-offset", 3)
    with pytest.raises(CutFails, match="there is no finding `replay` in this stream"):
        where("replay", 1)


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
