"""Tables of any make: what is guessed of them, which records they give, and which lines give none."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.limits import TABLE_RECORDS
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.editing import ScenarioText, insert
from tidemark.simulator.scenario.tables import Choice, Column, Filter, Look, Reading, look, read
from tidemark.simulator.scenario.tables.columns import value_of
from tidemark.simulator.scenario.tables.rows import ENCODINGS, decoded, guess_encoding
from tidemark.simulator.scenario.tables.times import FURTHEST, MOST_MS, Time, read_time

from tests.examples import examples

EMPTY = """scenario: 1
name: mine
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: process, compute: collect}}
stream: []
"""
TAXI = """VendorID,tpep_pickup_datetime,tpep_dropoff_datetime,passenger_count,trip_distance,fare_amount,total_amount
2,2024-01-01 00:57:55,2024-01-01 01:17:43,1,1.72,17.7,22.7
1,2024-01-01 00:03:00,2024-01-01 00:09:36,1,1.8,10.0,18.75
"""
CHINESE = "时间,用户,金额,备注\n2024-01-01 08:00:00,张三,12.5,早餐\n2024-01-01 08:00:05,李四,3,公交\n"
GERMAN = "Zeitpunkt;Gerät;Messwert\r\n31.03.2024 01:30;Müller;1,5\r\n31.03.2024 12:30;Köln;1.234,75\r\n"
JAPANESE = "日時,センサー,値\n2024/05/01 10:00:00,東京,1.5\n2024/05/01 10:00:05,大阪,2.5\n"


TYPED = st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\ufffd\ufffe\uffff")


def roles(table: Look) -> dict[str, str]:
    return {column.name: column.role for column in table.choice.columns if column.role != "skip"}


def all_of(table: str | bytes, **given: Any) -> Reading:
    data = table if isinstance(table, bytes) else table.encode()
    found = look(data, given)
    assert found.problem == ""
    return read(data, found.choice)


# --- what is guessed -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (TAXI, {"VendorID": "key", "tpep_pickup_datetime": "ts", "fare_amount": "value"}),
        (CHINESE, {"时间": "ts", "用户": "key", "金额": "value"}),
        (GERMAN, {"Zeitpunkt": "ts", "Gerät": "key", "Messwert": "value"}),
        ("2024-05-01T10:00:00Z,a,4\n2024-05-01T10:00:05Z,b,5\n", {"#1": "ts", "#2": "key", "#3": "value"}),
        ("ts,key,price,price\n1s,a,4,5\n", {"ts": "ts", "key": "key", "price": "value"}),
        ("when\thost\tbytes\n10/Oct/2000:13:55:36 -0700\tx\t2326\n", {"when": "ts", "host": "key", "bytes": "value"}),
        ("sep=|\nevent time|key|value.a|value.b\n1s|a|1|2\n",
         {"event time": "ts", "key": "key", "value.a": "member", "value.b": "member"}),
        ("partition,timestamp,key,received_at\n3,1714557600000,a,1714557600500\n",
         {"partition": "channel", "timestamp": "ts", "key": "key", "received_at": "at"}),
        ('{"event":{"ts":1714557600123},"user":{"id":"u1","tier":null},"amount":3,"tags":["x"]}\n',
         {"event.ts": "ts", "user.id": "key", "amount": "value"}),
        ('[\n {"timestamp": "2024-05-01T10:00:00Z", "sensor": 7,\n  "temp": 20.5}\n]',
         {"timestamp": "ts", "sensor": "key", "temp": "value"}),
        ("user_id,created_at,n\n1714557600,2024-05-01 10:00:00,1\n",
         {"user_id": "key", "created_at": "ts", "n": "value"}),
    ],
    ids=["taxi", "chinese", "german", "no header", "two of one name", "apache", "excel's separator", "kafka",
         "JSON Lines", "JSON array", "large ids"],
)  # fmt: skip
def test_what_each_column_is(table: str, expected: dict[str, str]) -> None:
    assert roles(look(table.encode())) == expected


def seconds(*numbers: int) -> list[str]:
    """Times of a day in May as seconds of it, as ISO text."""
    return [f"2024-05-01T10:{number // 60:02}:{number % 60:02}Z" for number in numbers]


HAPPENED = seconds(3, 1, 12, 7, 15, 14, 20, 31, 25, 33, 30, 41)
LOGGED = seconds(4, 5, 13, 14, 16, 18, 21, 32, 33, 35, 39, 42)


@pytest.mark.parametrize(
    ("event", "arrival"),
    [
        ("created_at", "timestamp"), ("event_time", "timestamp"), ("time", "ts"), ("ts", "load_ts"), ("ts", "log_time"),
        ("eventTime", "processingTime"), ("occurred_at", "logged_at"), ("timestamp", "kafka_timestamp"),
        ("_time", "_indextime"), ("@timestamp", "event.ingested"), ("when", "then"), ("client_time", "server_time"),
        ("event_timestamp", "publish_time"), ("发生时间", "入库时间"), ("时间", "到达时间"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("turned", [False, True], ids=["event first", "arrival first"])
def test_the_arrival_is_the_time_that_the_rows_are_in_the_order_of(event: str, arrival: str, turned: bool) -> None:
    """Whatever the names say or do not say, and whichever column comes first."""
    names, cells = ([arrival, event], [LOGGED, HAPPENED]) if turned else ([event, arrival], [HAPPENED, LOGGED])
    rows = [f"{one},{other},a,4" for one, other in zip(*cells, strict=True)]
    found = look("\n".join([f"{names[0]},{names[1]},key,value", *rows]).encode())
    assert roles(found) == {event: "ts", arrival: "at", "key": "key", "value": "value"}


@pytest.mark.parametrize("began", ["start_time", "pickup_datetime", "valid_from"])
def test_a_time_at_which_something_began_is_no_event_time_of_a_log(began: str) -> None:
    rows = [f"{one},{other},a,4" for one, other in zip(HAPPENED, LOGGED, strict=True)]
    assert roles(look("\n".join([f"{began},timestamp,key,value", *rows]).encode()))["timestamp"] == "ts"


@pytest.mark.parametrize("name", ["paid", "latency", "longest", "decoded", "monthly", "portion", "lines", "nonzero"])
def test_an_amount_is_one_whatever_its_name_begins_or_ends_with(name: str) -> None:
    assert roles(look(f"ts,key,{name}\n1s,a,4\n2s,b,5\n".encode()))[name] == "value"


def test_what_tells_rows_apart_is_no_key_and_what_nobody_adds_up_no_value() -> None:
    names = "id,event_time,zip,lat,offset,device,year,level,temp_c"
    rows = [f"{n * 7919 % 9973},{HAPPENED[n]},{10115 + n % 3},52.{n},{900 + n % 4},d{n % 3},2024,info,{n}.5"
            for n in range(12)]  # fmt: skip
    found = roles(look("\n".join([names, *rows]).encode()))
    assert found == {"event_time": "ts", "device": "key", "temp_c": "value"}


@pytest.mark.parametrize(
    ("cells", "format"),
    [
        (["2024-01-01 00:57:55", "2024-01-01T00:57:55.250+08:00"], "iso"),
        (["2024年1月2日 08时05分07秒"], "iso"),
        (["20240101T005755Z"], "iso"),
        (["31/01/2024 13:05", "01/02/2024 13:05"], "dmy"),
        (["01/31/2024 1:05 PM"], "mdy"),
        (["01.02.2024 13:05"], "dmy"),
        (["1714557600", "1714557601.5"], "epoch_s"),
        (["1714557600000"], "epoch_ms"),
        (["1714557600000000"], "epoch_us"),
        (["1714557600000000000"], "epoch_ns"),
        (["0,5", "1,5"], "seconds"),
        (["1", "2", "12"], "seconds"),
        (["1200", "3400"], "milliseconds"),
        (["1m30s", "250ms"], "duration"),
        (["13:05", "13:06:07.5"], "clock"),
        (["01/02/2024 13:05", "03/04/2024 13:05"], ""),
    ],
)
def test_the_format_of_a_time(cells: list[str], format: str) -> None:
    table = "ts;key\n" + "".join(f"{cell};a\n" for cell in cells)
    found = look(table.encode())
    assert found.choice.columns[0] == Column("ts", "ts", format)
    assert found.problem == ("" if format else "no_format")
    assert found.guesses[0].ask is (format == "")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CHINESE, "gb18030"), (CHINESE, "utf-8"), (CHINESE, "utf-16-le"), (JAPANESE, "cp932"), (JAPANESE, "utf-8"),
        (GERMAN, "cp1252"), (GERMAN, "utf-8"), (TAXI, "utf-16-le"), (TAXI, "utf-16-be"), ("ts\nÑandú\n", "cp1252"),
        ("ts\ncafé", "cp1252"),
    ],
)  # fmt: skip
def test_the_encoding_is_recognised(text: str, encoding: str) -> None:
    if encoding == "utf-16-le" and text is CHINESE:
        data = text.encode("utf-16")
    else:
        data = text.encode(encoding)
    assert guess_encoding(data)[0] == encoding
    assert decoded(data, encoding) == text


def test_an_encoding_can_be_chosen_and_a_wrong_one_is_seen_in_the_lines() -> None:
    data = CHINESE.encode("gb18030")
    wrong = look(data, {"encoding": "utf-8"})
    assert wrong.choice.encoding == "utf-8"
    assert wrong.problem == "nothing_readable"
    assert all(look(data, {"encoding": each}).choice.encoding == each for each in ENCODINGS)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "empty"), (b"\n \n", "empty"), (b"ts,key,value\n", "only_header"), (b"a,b\nx,y\n", "no_time"),
        (b"PK\x03\x04...", "workbook"), (b"\x1f\x8b...", "packed"), (b"PAR1...", "parquet"),
        (("ts," + ",".join(map(str, range(200))) + "\n1s\n").encode(), "many_columns"),
        (b"{broken", "nothing_readable"), (b"#Version: 1.0\n#Fields: date time\nx y\n", "header_in_comment"),
        (b"#,b\n1,y\n", "no_time"), (b"#1,b\n1,y\n", "no_time"), (b'{"#id": "x"}\n', "no_time"),
        (b"x,a\ny,b\n", "no_time"),
    ],
)  # fmt: skip
def test_what_gives_no_record_says_why(data: bytes, problem: str) -> None:
    assert look(data).problem == problem


# --- records -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "table",
    [
        "ts,key,value\n1s,a,4\n2s500ms,b,5\n",
        "ts;key;value\r\n1s;a;4\r\n2s500ms;b;5\r\n",
        "ts\tkey\tvalue\n1s\ta\t4\n2s500ms\tb\t5",
        "\ufeffkey,value,ts\na,4,1s\nb,5,2s500ms\n",
        '"timestamp","key","value"\n"1s","a","4"\n"2s500ms", "b" ,"5"\n',
        "event-time|user|amount\n\n1s|a|4\n\n2s500ms|b|5\n\n",
        '{"ts":"1s","key":"a","value":4}\n{"ts":"2s500ms","key":"b","value":5.0}\n',
    ],
)
def test_every_way_to_write_the_same_records(table: str) -> None:
    assert all_of(table).records == [{"ts": "1s", "key": "a", "value": 4}, {"ts": "2s500ms", "key": "b", "value": 5}]


def test_decimal_commas_and_dots_between_thousands() -> None:
    assert [record["value"] for record in all_of(GERMAN).records] == [1.5, 1234.75]


def test_no_time_is_rounded() -> None:
    table = "time,key\n1714557600.123,a\n1714557600.1239999,a\n9007199254.740993,a\n"
    reading = all_of(table)
    assert [record["ts"][-5:] for record in reading.records] == [".123Z", ".123Z", ".740Z"]
    assert reading.notes["finer"] == 2


def test_a_zone_is_for_times_without_one_and_a_change_of_clocks_is_said() -> None:
    table = "ts,key\n2024-03-31 01:30,a\n2024-03-31 02:30,a\n2024-10-27 02:30,a\n2024-03-31 02:30Z,a\n"
    reading = all_of(table, zone="Europe/Berlin")
    assert [record["ts"] for record in reading.records] == [
        "2024-03-31T00:30:00Z", "2024-03-31T01:30:00Z", "2024-10-27T00:30:00Z", "2024-03-31T02:30:00Z",
    ]  # fmt: skip
    assert (reading.notes["gap"], reading.notes["overlap"]) == (1, 1)


def test_times_of_day_pass_midnight() -> None:
    table = "ts,key\n23:59:50,a\n00:00:03,a\n23:59:59,a\n00:00:05,a\n"
    assert [record["ts"] for record in all_of(table).records] == ["23h59m50s", "1d3s", "23h59m59s", "1d5s"]


@pytest.mark.parametrize(
    ("cell", "key"),
    [("1", 1), ('"1"', "1"), ("true", True), ("007", "007"), ("1.5", "1.5"), ("null", "null"), ('"a,b"', "a,b"),
     ('"say ""hi"""', 'say "hi"'), ("<b>x</b>", "<b>x</b>"), ('"two\nlines"', "two\nlines"),
     ("99999999999999999999", "99999999999999999999")],
)  # fmt: skip
def test_keys_keep_their_kind(cell: str, key: object) -> None:
    (record,) = all_of(f"ts,key\n1s,{cell}\n").records
    assert record["key"] == key
    assert type(record["key"]) is type(key)


def test_columns_become_members_or_are_left_out_and_empty_cells_are_no_members() -> None:
    table = b"ts,key,amount,city,note\n1s,a,1.5,Rome,x\n2s,a,,Oslo,y\n"
    found = look(table)
    columns = tuple(replace(each, role="member") if each.name == "city" else each for each in found.choice.columns)
    reading = read(table, replace(found.choice, columns=columns))
    assert [record["value"] for record in reading.records] == [{"amount": 1.5, "city": "Rome"}, {"city": "Oslo"}]


def test_without_a_column_for_the_key_all_records_have_one_key() -> None:
    table = b"ts,value\n1s,4\n"
    assert read(table, replace(look(table).choice, key="x")).records == [{"ts": "1s", "key": "x", "value": 4}]


def test_partitions_become_channels_without_gaps() -> None:
    table = "ts,key,partition\n1s,a,12\n2s,a,3\n3s,a,\n"
    reading = all_of(table)
    assert [record.get("channel") for record in reading.records] == [1, 0, None]
    assert reading.notes["renumbered"] == 2
    kept = all_of("ts,key,partition\n1s,a,1\n2s,a,0\n")
    assert [record["channel"] for record in kept.records] == [1, 0]
    assert not kept.notes["renumbered"]


def test_rows_with_arrivals_are_sorted_by_them() -> None:
    reading = all_of("ts,key,at\n1s,a,3s\n2s,b,1s\n")
    assert [record["key"] for record in reading.records] == ["b", "a"]
    assert reading.lines == [3, 2]


@given(
    st.lists(
        st.tuples(
            st.integers(-(10**12), 10**12),
            st.text(TYPED, min_size=1),
            st.none() | st.integers(-(2**63), 2**63 - 1),
        ),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(",;\t|"),
    st.sampled_from(["utf-8", "utf-16-le", "gb18030"]),
)  # fmt: skip
def test_any_records_survive_the_way_through_a_file_into_a_scenario(
    rows: list[tuple[int, str, int | None]], by: str, encoding: str
) -> None:
    lines = [
        f'{ts}{by}"{key.replace(chr(34), chr(34) * 2)}"{by}{"" if value is None else value}' for ts, key, value in rows
    ]
    columns = (Column("ts", "ts", "milliseconds"), Column("key", "key"), Column("value", "value"))
    choice = Choice(encoding=encoding, delimiter=by, columns=columns)
    reading = read("\n".join((by.join(("ts", "key", "value")), *lines)).encode(encoding), choice)
    assert reading.refused == []
    stream = parse(insert(ScenarioText(EMPTY), ("stream",), 0, *reading.records).text).stream
    assert isinstance(stream, tuple)
    assert [(each.ts, each.key, each.value) for each in stream if isinstance(each, Record)] == rows


# --- lines that give no record -------------------------------------------------------------------------------------


def test_lines_that_cannot_be_read_are_listed_and_the_others_are_not_touched() -> None:
    table = (
        'ts,key,value\n1s,"a,4\n2s,"b",5\n3s,"c"x,6\n4s,"two\nlines",7\n5s,5" nail,8\nsoon,d,9\n6s,,1\n7s,e\n8s,f,1,,\n'
    )
    reading = all_of(table)
    assert [record["key"] for record in reading.records] == ["b", "two\nlines", '5" nail', "f"]
    assert [each.line for each in reading.refused] == [2, 4, 8, 9, 10]
    assert reading.refused[2].why == "says soon in ts, which is not a time of this format"
    assert reading.refused[4].why == "has 2 cells instead of 3"


def test_bytes_that_are_no_text_spoil_their_own_line() -> None:
    reading = all_of(b"ts,key\n1s,a\n2s,b\x00\n3s,\xff\xfe\xfa\n4s,d\n", encoding="utf-8")
    assert [(each.line, each.why) for each in reading.refused] == [
        (3, "has the control character U+0000"),
        (4, "has bytes that this encoding does not have"),
    ]


def test_json_lines_that_cannot_be_read() -> None:
    table = '{"ts":"1s","key":"a"}\n{"broken\n[1,2]\n7\n{"key":"b"}\n{"ts":"2s","key":"c"}\n'
    reading = all_of(table)
    assert [record["key"] for record in reading.records] == ["a", "c"]
    assert [each.line for each in reading.refused] == [2, 3, 4, 5]


@given(st.binary(max_size=300))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    found = look(data)
    read(data, found.choice)
    read(b"ts,key\n" + data, look(b"ts,key\n1s,a\n").choice)
    read(data, Choice(form="json", columns=(Column("ts", "ts", "iso"),)))


@settings(max_examples=examples(40))
@given(
    st.dictionaries(st.sampled_from(list(Choice().as_json())), st.none() | st.booleans() | st.integers() | st.text())
)
def test_no_choice_makes_it_fail(given: dict[str, Any]) -> None:
    look(TAXI.encode(), given)


def test_a_choice_survives_its_way_through_a_browser() -> None:
    choice = look(GERMAN.encode()).choice
    assert look(GERMAN.encode(), json.loads(json.dumps(choice.as_json()))).choice == choice


# --- which rows ----------------------------------------------------------------------------------------------------

MANY = b"ts,key,value\n" + b"".join(b"%ds,k%d,%d\n" % (n, n % 3, n) for n in range(100))


def wanted(**how: Any) -> list[int]:
    return [record["value"] for record in read(MANY, replace(look(MANY).choice, **how)).records]


def test_rows_are_filtered_and_sampled() -> None:
    assert wanted(every=40) == [0, 40, 80]
    assert wanted(first=2) == [0, 1]
    assert wanted(from_line=10, to_line=12) == [8, 9, 10]
    assert wanted(filters=(Filter(1, "is", "k2"),), first=2) == [2, 5]
    assert wanted(filters=(Filter(1, "is_not", "k2"),), first=3) == [0, 1, 3]
    assert wanted(filters=(Filter(1, "contains", "K1"), Filter(2, "between", "90", ""))) == [91, 94, 97]
    assert wanted(filters=(Filter(0, "between", "1m35s", "97"),)) == [95, 96, 97]


def test_pieces_of_a_file_give_what_the_whole_file_gives() -> None:
    choice = replace(look(MANY).choice, every=7, filters=(Filter(1, "is", "k1"),))
    whole = read(MANY, choice)
    cut = MANY.index(b"50s")
    one = read(MANY[:cut], choice)
    two = read(MANY[cut:], choice, line=52, matched=one.matched, taken=len(one.records))
    assert one.records + two.records == whole.records
    assert one.lines + two.lines == whole.lines
    kept = "\n".join([*one.kept, *two.kept]).encode()
    assert read(kept, choice.of_all_rows()).records == whole.records


def test_pieces_of_a_file_give_no_more_records_together_than_a_scenario_takes() -> None:
    choice = look(MANY).choice
    piece = read(MANY[MANY.index(b"50s") :], choice, line=52, matched=TABLE_RECORDS - 3, taken=TABLE_RECORDS - 3)
    assert (len(piece.records), piece.over) == (3, True)


def test_more_records_than_a_scenario_takes_are_not_read() -> None:
    table = b"ts,key\n" + b"1s,a\n" * (TABLE_RECORDS + 500)
    reading = read(table, look(table[:1000]).choice)
    assert reading.over
    assert len(reading.records) == TABLE_RECORDS


# Cells of a table: times to the millisecond, and nothing for what is no time; numbers of 64 bits.

HOUR, DAY = 3_600_000, 86_400_000


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("0:00", Time(0)),
        ("23:59:59.999", Time(DAY - 1)),
        ("23:59:59.999000", Time(DAY - 1)),
        ("23:59:59,9999", Time(DAY - 1, "finer")),
        ("12:04 AM", Time(240_000)),
        ("12:04 PM", Time(12 * HOUR + 240_000)),
        ("1:04 p.m.", Time(13 * HOUR + 240_000)),
        ("11:59 am", Time(12 * HOUR - 60_000)),
    ],
)
def test_a_time_of_day(text: str, time: Time) -> None:
    assert read_time(text, "clock", "UTC") == time
    of_day_one = read_time(f"1970-01-01 {text}", "iso", "UTC")
    assert of_day_one == time


@pytest.mark.parametrize("text", ["24:00", "23:60", "23:59:60", "13:00 PM", "0:30 AM", "0:30 pm", "1:2", "12"])
def test_no_time_of_day(text: str) -> None:
    assert read_time(text, "clock", "UTC") is None
    assert read_time(f"1970-01-01 {text}", "iso", "UTC") is None


@pytest.mark.parametrize("most", [MOST_MS, FURTHEST])
def test_a_number_reaches_as_far_as_it_may(most: int) -> None:
    for sign in ("", "-"):
        assert read_time(f"{sign}{most}", "epoch_ms", "UTC", most) == Time(int(f"{sign}{most}"))
        assert read_time(f"{sign}{most + 1}", "epoch_ms", "UTC", most) is None
    assert read_time(f"{most}.9", "epoch_ms", "UTC", most) == Time(most, "finer")
    assert read_time(f"-{most}.1", "epoch_ms", "UTC", most) is None


@pytest.mark.parametrize(
    ("text", "format", "time"),
    [
        ("-1.5", "epoch_ms", Time(-2, "finer")),
        ("-0.0001", "epoch_s", Time(-1, "finer")),
        ("1,5", "epoch_s", Time(1500)),
        ("1999", "epoch_us", Time(1, "finer")),
        ("-1000000", "epoch_ns", Time(-1)),
    ],
)
def test_a_number_is_cut_off_towards_the_past(text: str, format: str, time: Time) -> None:
    assert read_time(text, format, "UTC") == time


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775808", 2.0**63),
        ("-9223372036854775809", -(2.0**63)),
        ("1e400", "1e400"),
    ],
)
def test_a_number_is_whole_where_64_bits_hold_it(cell: str, value: object) -> None:
    assert value_of(cell, ".") == value
    assert type(value_of(cell, ".")) is type(value)
