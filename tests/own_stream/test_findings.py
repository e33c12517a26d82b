"""The findings: each cause comes first in the streams that have it, and healthy streams have none."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator.words import speaking
from tidemark.spark_bridge.profile.counts.figures import Spread, Windows
from tidemark.spark_bridge.profile.findings.defects import copies, no_timestamps, one_block
from tidemark.spark_bridge.profile.findings.finding import CODES, Cause, Finding, Where
from tidemark.spark_bridge.profile.findings.judge import causes
from tidemark.spark_bridge.profile.findings.records import Expectations, Records, running_median
from tidemark.spark_bridge.profile.findings.wording import sentence_of, worded
from tidemark.spark_bridge.profile.profile import (
    ChannelProfile,
    Profile,
    ProfileRequest,
    WindowProfile,
    as_text,
    tables_of,
    windows_of,
)

from tests.own_stream import on_call
from tests.own_stream.incidents import INCIDENTS, stream_of
from tests.own_stream.ordinary_days import HEALTHY
from tests.own_stream.trial import judged
from tests.own_stream.troubles import TROUBLES, healthy, trouble

MINUTE, HOUR = 60_000, 3_600_000
START = 1_780_000_000_000
NUMBERS = {"bound": 0, "count": 9, "total": 100, "needed": 1500, "target": 0.001}


def calm(n: int = 6000, channels: int = 3, every: int = 1000) -> Records:
    """A healthy stream by hand: a record a second, up to two seconds of delay, keys and channels in turn."""
    rng = np.random.default_rng(1)
    number = np.arange(n)
    ts = START + number * every
    at = ts + rng.integers(0, 2000, n)
    order = np.argsort(at, kind="stable")
    return Records(number, ts[order], at[order], number[order] % channels, number[order] % 7, rng.integers(0, 10**6, n))


def changed(records: Records, is_it: np.ndarray, by: int) -> Records:
    return records.moved(np.where(is_it, by, 0))


def codes(records: Records, **asked: int) -> list[str]:
    return [cause.code for cause in causes(records, Expectations(**asked))]


@pytest.mark.parametrize("code", CODES)
def test_a_cause_comes_first_in_its_streams(code: str) -> None:
    streams = [trouble(code)(np.random.default_rng([77, number]), 20_000) for number in range(8)]
    assert {stream.name: judged(stream)[:1] for stream in streams} == {stream.name: [code] for stream in streams}


def test_healthy_streams_have_no_findings() -> None:
    streams = [healthy(np.random.default_rng([78, number]), 20_000) for number in range(20)]
    assert {stream.name: judged(stream) for stream in streams if judged(stream)} == {}


def test_incidents_told_in_a_sentence_are_named_and_healthy_streams_are_left_alone() -> None:
    told = [(code, make) for code, makes in INCIDENTS.items() for make in makes] + [(None, make) for make in HEALTHY]
    wrong = {}
    for number, (code, make) in enumerate(told):
        rng = np.random.default_rng([79, number])
        found = judged(stream_of(rng, make.__name__, code, make(rng)))
        if found[:1] != [code] * (code is not None):
            wrong[make.__name__] = found
    assert wrong == {}


def test_streams_that_people_on_call_remember() -> None:
    told = [(code, make) for code, makes in on_call.INCIDENTS.items() for make in makes]
    wrong = {}
    for number, (code, make) in enumerate([*told, *((None, make) for make in on_call.HEALTHY)]):
        for seed in range(3):
            rng = np.random.default_rng([80, number, seed])
            found = judged(stream_of(rng, make.__name__, code, make(rng)))
            if set(found) != {code} - {None}:
                wrong[make.__name__, seed] = found
    assert wrong == {}


def test_there_is_a_maker_of_streams_for_every_code() -> None:
    assert sorted(maker.__name__.replace("_", "-") for maker in TROUBLES) == sorted(CODES)


def test_a_calm_stream_has_no_findings_with_or_without_arrivals_and_bound() -> None:
    records = calm()
    assert codes(records) == codes(records, bound=3000, channels=3) == []
    assert codes(Records(records.item, records.ts)) == []


def test_one_timestamp_of_the_future_and_all_that_are_late_because_of_it() -> None:
    records = calm(channels=1)
    (cause,) = causes(changed(records, records.item == 1000, 120 * MINUTE), Expectations(bound=5000))
    assert (cause.code, cause.where.first, cause.where.last) == ("future-timestamps", 1000, 1000)
    assert cause.records == 5000, "itself, and the 4999 after it: they last for 83 minutes"
    found = worded(cause, 5000, None, {})
    assert found.text.startswith("Record 1,000 has a timestamp 2 h in the future.")
    with speaking("zh"):
        assert worded(cause, 5000, None, {}).text.startswith("第 1,000 条记录的时间戳超前 2 h")


def test_a_channel_in_another_time_zone_is_named_as_the_file_names_it() -> None:
    records = calm()
    (cause,) = causes(changed(records, records.channel == 2, -90 * MINUTE), Expectations())
    found = worded(cause, 2000, ("a", "b", "north"), {})
    assert found.as_json()["where"]["channel"] == "north"
    assert found.text.startswith("The clock of channel north is 1 h 30 min behind in 2,000 of its 2,000 records")
    step = 'if (event.channel.equals("north")) {\n            ts += 5400000L;\n'
    assert step in found.cures["flink_java"]


def test_an_offset_that_is_no_zone_is_a_skewed_source() -> None:
    records = calm()
    (cause,) = causes(changed(records, records.key == 4, 7 * MINUTE), Expectations())
    assert (cause.code, cause.where.key, cause.sort) == ("skewed-source", 4, "ahead")
    assert abs(cause.numbers["by"] - 7 * MINUTE) < 500


def devices(n: int = 12_000, keys: int = 40) -> Records:
    """A calm stream of that many devices."""
    return replace(calm(n), key=calm(n).item % keys)


@pytest.mark.parametrize("has_arrivals", [True, False])
@pytest.mark.parametrize(("who", "by"), [((3,), HOUR), ((3, 17, 31), HOUR), (tuple(range(0, 30, 2)), -2 * HOUR)])
def test_devices_with_one_wrong_zone_are_one_finding(who: tuple[int, ...], by: int, has_arrivals: bool) -> None:
    records = devices() if has_arrivals else replace(devices(), at=None)
    is_it = np.isin(records.key, who)
    (cause,) = causes(changed(records, is_it, by), Expectations(bound=5000))
    assert (cause.code, set(cause.where.keys)) == ("zone-offset", set(who))
    assert cause.numbers["count"] == np.count_nonzero(is_it)
    assert (cause.where.first, cause.where.last) == (np.flatnonzero(is_it)[0], np.flatnonzero(is_it)[-1])


def test_several_devices_are_named_in_sentence_place_and_cure() -> None:
    is_it = np.isin(devices().key, (3, 17, 31))
    (cause,) = causes(changed(devices(), is_it, HOUR), Expectations(bound=5000))
    found = worded(cause, 5000, ("a", "b", "c"), {key: f"d-{key}" for key in range(40)})
    assert found.text.startswith("The clocks of keys d-3, d-17 and d-31 are 1 h ahead in 900 of their 900 records")
    assert found.where["key"] == "d-3"
    assert found.where["keys"] == ["d-3", "d-17", "d-31"]
    assert all(f"d-{key}" in found.cures[engine] for key in (3, 17, 31) for engine in found.cures)
    with speaking("zh"):
        assert sentence_of(found).startswith("键 d-3、d-17 和 d-31 的时钟都快了 1 h")


def test_of_very_many_devices_the_first_ones_are_named_in_the_sentence() -> None:
    names = tuple(range(20))
    found = worded(Cause("zone-offset", 9, Where(key=0, more=names[1:]), "ahead", NUMBERS | {"by": HOUR}), 0, None,
                   {key: f"d{key}" for key in names})  # fmt: skip
    assert "keys d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11 and 8 more are 1 h ahead" in found.text
    assert found.where["keys"] == [f"d{key}" for key in names]


def test_other_offsets_are_other_findings() -> None:
    records = devices()
    for key, by in ((1, HOUR), (2, HOUR), (3, 2 * HOUR), (4, -HOUR), (5, 7 * MINUTE), (6, 7 * MINUTE), (7, 8 * MINUTE)):
        records = changed(records, records.key == key, by)
    found = causes(records, Expectations(bound=5000))
    assert {frozenset(each.where.keys) for each in found} == {
        frozenset(each) for each in ((1, 2), (3,), (4,), (5, 6), (7,))
    }


def test_devices_that_change_their_clocks_at_other_times_are_one_finding() -> None:
    records = devices()
    is_it = (records.key == 5) | ((records.key == 6) & (records.item > 7000)) | (records.key == 7)
    (cause,) = causes(changed(records, is_it, HOUR), Expectations(bound=5000))
    assert set(cause.where.keys) == {5, 6, 7}
    assert abs(cause.numbers["count"] - np.count_nonzero(is_it)) < 20


def test_services_in_other_units_are_named() -> None:
    records = devices()
    in_seconds, in_microseconds = np.isin(records.key, (1, 2, 3)), records.key == 9
    ts = np.where(in_seconds, records.ts // 1000, np.where(in_microseconds, records.ts * 1000, records.ts))
    first, second = causes(replace(records, ts=ts), Expectations(bound=5000))
    assert (first.code, first.numbers["power"], set(first.where.keys), first.records) == (
        "wrong-unit", -3, {1, 2, 3}, np.count_nonzero(in_seconds)
    )  # fmt: skip
    assert (second.code, second.numbers["power"], second.where.keys) == ("wrong-unit", 3, (9,))
    text = worded(first, 5000, None, {key: f"d-{key}" for key in range(40)}).text
    assert text.endswith("All of them belong to keys d-1, d-2 and d-3.")
    some = np.random.default_rng(1).random(len(records)) < 0.01
    (cause,) = causes(replace(records, ts=np.where(some, records.ts // 1000, records.ts)), Expectations(bound=5000))
    assert cause.where.column is None


def test_channels_that_are_silent_at_once_are_one_finding() -> None:
    records = calm(channels=5)
    gone = np.isin(records.channel, (1, 3)) & (records.item > 3000)
    (cause,) = causes(records.where(~gone), Expectations(bound=5000))
    assert (cause.code, cause.sort, set(cause.where.names)) == ("idle-channel", "stops", {1, 3})
    first = cause.where.first
    assert cause.records == np.count_nonzero(~gone & (records.item > first))
    text = worded(cause, 5000, ("a", "b", "c", "d", "e"), {}).text
    assert text.startswith("From about the same moment on, channels b and d send nothing more. They hold back")
    apart = gone & ((records.channel == 1) | (records.item > 4500))
    assert codes(records.where(~apart), bound=5000) == ["idle-channel"] * 2
    pause = gone & (records.item < 5000)
    (cause,) = causes(records.where(~pause), Expectations(bound=5000))
    assert (cause.sort, len(cause.where.names)) == ("pauses", 2)


def test_an_offset_within_the_bound_is_no_finding() -> None:
    records = changed(calm(), calm().channel == 1, -4000)
    assert codes(records) == ["skewed-source"]
    assert codes(records, bound=8000) == []


def test_seconds_among_milliseconds() -> None:
    records = calm()
    mixed = Records(records.item, np.where(records.key == 3, records.ts // 1000, records.ts), records.at)
    (cause,) = causes(mixed, Expectations())
    assert (cause.code, cause.sort, cause.numbers["power"]) == ("wrong-unit", "some", -3)
    assert cause.records == np.count_nonzero(records.key == 3)


def test_a_channel_that_pauses() -> None:
    records = calm()
    silent = (records.channel == 0) & (records.item > 2000) & (records.item < 4000)
    (cause,) = causes(records.where(~silent), Expectations())
    assert (cause.code, cause.where.channel, cause.sort) == ("idle-channel", 0, "pauses")
    assert 1990 * 1000 < cause.numbers["silent"] < 2010 * 1000


def test_a_channel_that_comes_back_with_a_backlog_has_had_an_outage() -> None:
    records = calm()
    late = (records.channel == 0) & (records.item > 2000) & (records.item < 4000)
    assert records.at is not None
    at = np.where(late, START + 4_000_000 + records.item, records.at)
    order = np.argsort(at, kind="stable")
    columns = {name: getattr(records, name)[order] for name in ("ts", "channel", "key", "value")}
    assert codes(Records(records.item, at=at[order], **columns)) == ["replay"]


def test_night_is_no_pause_and_the_morning_not_the_future() -> None:
    records = calm()
    night = np.where(records.item > 3000, 8 * 60 * MINUTE, 0)
    assert records.at is not None
    columns = {"channel": records.channel, "key": records.key, "value": records.value}
    assert codes(Records(records.item, records.ts + night, records.at + night, **columns)) == []
    assert codes(Records(records.item, records.ts + night, None, **columns)) == []


def test_equal_rows_of_a_coarse_clock_are_no_duplicates() -> None:
    rng = np.random.default_rng(5)
    ts = np.sort(START + rng.integers(0, 3600, 20_000) * 1000)
    same = np.zeros(20_000, np.int64)
    assert codes(Records(np.arange(20_000), ts, ts, key=rng.integers(0, 5, 20_000), value=same)) == []


@pytest.mark.parametrize("name", ["us", "ns", "two hours behind", "half a day ahead"])
def test_what_is_wrong_beside_a_unit_or_a_zone_is_found_as_if_that_was_repaired(name: str) -> None:
    future = changed(calm(), np.isin(np.arange(6000), [70, 4000]), 5 * HOUR)
    sound = future.where((future.channel != 1) | (future.item < 3000))
    ts = {"us": sound.ts * 1000, "ns": sound.ts * 10**6, "two hours behind": sound.ts - 2 * HOUR}
    wrong = replace(sound, ts=ts.get(name, sound.ts + 12 * HOUR))
    first, *others = causes(wrong, Expectations(bound=5000))
    assert (first.code, first.sort) in [("wrong-unit", "all"), ("zone-offset", "behind"), ("zone-offset", "ahead")]
    assert others == causes(sound, Expectations(bound=5000))
    assert {each.code for each in others} >= {"idle-channel", "future-timestamps"}


def test_one_record_is_not_told_of_as_many() -> None:
    one = worded(Cause("bound-too-small", 1, numbers=NUMBERS | {"count": 1}), 0, None, {})
    assert one.text.startswith("1 of 100 records is late with a bound of 0 s.")
    stops = Cause("idle-channel", 70, Where(0), "stops", {"silent": 9000, "others": 70, "records_before": 1})
    assert worded(stops, 0, ("a",), {}).text.startswith("After a single record, channel a sends nothing more.")


@pytest.mark.parametrize(
    ("alike", "unreadable", "expected"),
    [
        (0, 400, None),  # as many are read, and ten of each second are no constant
        (0, 401, ("unreadable", 401)),
        (200, 0, None),
        (201, 0, ("constant", 201)),
        (200, 1, ("constant", 201)),
        (199, 200, None),
        (200, 201, ("unreadable", 401)),
        (201, 200, ("constant", 401)),
        (201, 201, ("unreadable", 402)),
    ],
)
def test_a_time_that_half_of_the_records_share_is_none_and_one_that_a_few_share_is(
    alike: int, unreadable: int, expected: tuple[str, int] | None
) -> None:
    seconds = START + np.arange(400) // 10 * 1000
    records = Records(np.arange(400), np.where(np.arange(400) < alike, START - HOUR, seconds), unreadable=unreadable)
    cause = no_timestamps(records)
    assert (None if cause is None else (cause.sort, cause.records)) == expected


@pytest.mark.filterwarnings("error")
def test_copies_of_one_timestamp_are_a_block_and_need_no_correlation() -> None:
    places = np.arange(40)
    assert one_block(places, np.full(40, START), copies=40, records=400)
    assert not one_block(places, START - places, copies=40, records=400)


@pytest.mark.parametrize(
    ("apart", "copies", "records", "is_one"),
    [
        (1, 41, 1000, True),
        (1, 41, 73, True),
        (1, 41, 72, False),  # half of the stream
        (2.5, 61, 1000, True),
        (2.5, 60, 1000, False),  # two of three in the stretch, but for its ends
        (10, 41, 1000, False),
    ],
)
def test_a_block_is_hardly_anything_but_copies_and_less_than_half_of_the_stream(
    apart: float, copies: int, records: int, is_one: bool
) -> None:
    places = (np.arange(41) * apart).astype(np.int64)
    assert one_block(places, START + places, copies, records) == is_one


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)), max_size=30))
def test_a_copy_is_a_record_that_has_come_before(rows: list[tuple[int, int, int]]) -> None:
    columns = np.array(rows, np.int64).reshape(-1, 3).T
    found = copies(Records(np.arange(len(rows)), columns[0], key=columns[1], value=columns[2]))
    assert found.tolist() == [row in rows[:number] for number, row in enumerate(rows)]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-20, 20)), max_size=30))
def test_behind_is_as_defined(rows: list[tuple[int, int]]) -> None:
    largest: dict[int, int] = {}
    expected = []
    for channel, ts in rows:
        expected.append(max(0, min(largest.values()) - ts) if largest else 0)
        largest[channel] = max(ts, largest.get(channel, ts))
    columns = np.array(rows, np.int64).reshape(-1, 2).T
    assert Records(np.arange(len(rows)), columns[1], channel=columns[0]).behind().tolist() == expected


def test_the_running_median_follows_the_middle_of_a_window() -> None:
    assert np.abs(running_median(np.arange(1000))[40:-40] - np.arange(40, 960)).max() <= 8
    assert running_median(np.array([3, 1, 2])).tolist() == [2, 2, 2]


def test_few_records_or_none_are_no_trouble() -> None:
    empty = np.zeros(0, np.int64)
    assert codes(Records(empty, empty)) == []
    assert codes(Records(empty, empty, unreadable=3)) == ["no-timestamps"]
    assert codes(Records(np.arange(2), np.array([5, 3]))) == []


def test_a_stream_in_which_nothing_can_be_read_is_told_why_in_the_text() -> None:
    empty = np.zeros(0, np.int64)
    (cause,) = causes(Records(empty, empty, unreadable=3), Expectations())
    found = worded(cause, None, None, {})
    nothing = Spread(0, 0, 0, 0, 0)
    profile = Profile(ProfileRequest(), 0, 3, 0, None, None, (), nothing, (), 0, None, None, (found,))
    assert "no-timestamps: 3 of 3 records have no usable timestamp" in as_text(profile)


# What the text of a profile advises: no bound that only covers up a fault, and no time that nobody waits.

SPREAD = Spread(0, 10, 200, 900, HOUR)
SOUND = Profile(
    request=ProfileRequest((2000,), window=60_000),
    records=1000, unreadable=0, keys=3, times=(0, HOUR), arrivals=None,
    channels=(ChannelProfile(0, 1000, 0, HOUR, 1000, SPREAD),), behind=SPREAD,
    late=((0, 300), (1000, 1), (2000, 1), (HOUR, 0)), recommended=900, lateness_instead=0,
    windows=WindowProfile(Windows(60_000, 2000), 1, 0, (2100, 9000)),
)  # fmt: skip


def finding(code: str) -> Finding:
    return Finding(code, 12, {}, "", {}, Cause(code, 12, Where()))


def test_a_healthy_stream_is_told_which_bound_is_enough() -> None:
    assert windows_of(SOUND)[-2:] == [
        "With a bound of 900ms, at most 0.1 % of the records are late.",
        "With a bound of 2s and an allowed lateness of 0s, windows drop at most 0.1 %.",
    ]


@pytest.mark.parametrize(
    ("code", "advises"), [("bound-too-small", True), ("future-timestamps", False), ("replay", False)]
)
def test_a_bound_that_covers_a_fault_is_a_figure_and_no_advice(code: str, advises: bool) -> None:
    lines = windows_of(replace(SOUND, recommended=HOUR + 789, findings=(finding(code),)))
    assert ("With a bound of 1h1m, at most 0.1 % of the records are late." in lines) is advises
    assert ("As it is, 1h789ms is the smallest bound with at most 0.1 % late records." in lines) is not advises
    assert any("allowed lateness of 0s, windows drop" in line for line in lines) is advises


@pytest.mark.parametrize(
    ("wait", "line"),
    [
        ((2100, 9000), "from the end of a window to its result: half of them take up to 2s100ms, 99 % up to 9s"),
        ((-3595386, 4000),
         "half of the results are emitted 59m55s386ms or more before their window ends: the event times are ahead of "
         "the arrivals"),
        (None, "no window fires, so there is no delay to report"),
    ],
)  # fmt: skip
def test_a_wait_is_a_time_that_somebody_waits(wait: tuple[int, int] | None, line: str) -> None:
    windows = WindowProfile(Windows(60_000, 2000), 1, 0, wait)
    assert f"  {line}" in windows_of(replace(SOUND, windows=windows))


def test_bounds_that_all_lose_the_same_are_said_to() -> None:
    told = "Choosing among bounds of up to 2s changes nothing: with each of them 87.5 % of the records are late."
    alike = replace(SOUND, late=((0, 875), (1000, 875), (2000, 875), (5 * HOUR, 0)))
    assert told in windows_of(alike)
    assert not any("Choosing among" in line for line in windows_of(SOUND))


def test_the_table_of_bounds_ends_where_no_record_is_late() -> None:
    """Also where that is no round number: the last one before it may be far below the longest delay."""
    minutes = ((0, 300), (2_000_000, 40), (3_200_000, 2), (4_000_000, 0))
    _, (_, *rows) = tables_of(replace(SOUND, request=ProfileRequest(), late=minutes))[1]
    assert rows == [["0s", "300", "30 %"], ["33m20s", "40", "4 %"], ["1h6m40s", "0", "0 %"]]
