"""CSV files: every usual way to write one yields the same records; a problem is reported with its line and the fix."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.scenario import ScenarioError, parse
from simulator.scenario.editing import Plain, ScenarioText, insert
from simulator.scenario.records_csv import records_of_csv
from simulator.values.items import Record

EMPTY = """scenario: 1
name: mine
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: process, compute: collect}}
stream: []
"""
TWO = [{"ts": Plain("1s"), "key": "a", "value": 4}, {"ts": Plain("2s500ms"), "key": "b", "value": 5}]


def read(text: str) -> list[dict[str, Any]]:
    return records_of_csv(text, "my.csv")


def problems(text: str) -> list[str]:
    with pytest.raises(ScenarioError) as refused:
        read(text)
    return list(map(str, refused.value.problems))


# --- the same two records ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "ts,key,value\n1s,a,4\n2s500ms,b,5\n",
        "ts;key;value\r\n1s;a;4\r\n2s500ms;b;5\r\n",
        "ts\tkey\tvalue\n1s\ta\t4\n2s500ms\tb\t5",
        "\ufeffkey,value,ts\na,4,1s\nb,5,2s500ms\n",
        "Event Time, Key , VALUE\n1s, a, 4\n2s500ms, b, 5\n",
        '"timestamp","key","value"\n"1s","a","4"\n"2s500ms", "b" ,"5"\n',
        "ts,key,value\n\n1s,a,4\n\n2s500ms,b,5\n\n\n",
        "event-time,user,amount\n1s,a,4\n2s500ms,b,5",
    ],
    ids=["commas", "semicolons", "tabs", "mark and order", "names", "quotes", "empty lines", "aliases"],
)
def test_every_way_to_write_the_records(text: str) -> None:
    assert read(text) == TWO


def test_every_member_of_a_record_in_the_order_of_the_format() -> None:
    (record,) = read("channel,at,in,value,key,ts\n1,5s,left,2.5,true,2017-01-20T06:15:13Z\n")
    assert record == {
        "ts": "2017-01-20T06:15:13Z", "key": True, "value": 2.5, "at": Plain("5s"), "in": "left", "channel": 1,
    }  # fmt: skip
    assert list(record) == ["ts", "key", "value", "at", "in", "channel"]


def test_times_are_written_as_in_a_scenario() -> None:
    times = [each["ts"] for each in read("ts,key\n1500,a\n-8h,a\n2017-01-20T06:15:13.250+08:00,a\n0x10,a\n")]
    assert times == [1500, Plain("-8h"), "2017-01-20T06:15:13.250+08:00", 16]
    assert [type(each) for each in times] == [int, Plain, str, int]


def test_empty_cells_are_left_out() -> None:
    assert read("ts,key,value,at\n1s,a,,\n") == [{"ts": Plain("1s"), "key": "a"}]


def test_members_of_a_value() -> None:
    assert read("ts,key,value.gap,value.Page\n1s,a,200,start\n2s,a,,x\n") == [
        {"ts": Plain("1s"), "key": "a", "value": {"gap": 200, "Page": "start"}},
        {"ts": Plain("2s"), "key": "a", "value": {"Page": "x"}},
    ]


@pytest.mark.parametrize(
    ("cell", "key"),
    [("1", 1), ('"1"', "1"), ("true", True), ("007", "007"), ("1.5", "1.5"), ("null", "null"), ('"a,b"', "a,b"),
     ('"say ""hi"""', 'say "hi"'), ("<b>x</b>", "<b>x</b>"), ('"two\nlines"', "two\nlines"),
     ("99999999999999999999", "99999999999999999999")],
)  # fmt: skip
def test_keys_keep_their_kind(cell: str, key: object) -> None:
    (record,) = read(f"ts,key\n1s,{cell}\n")
    assert record["key"] == key
    assert type(record["key"]) is type(key)


@given(
    st.lists(
        st.tuples(
            st.integers(-(10**12), 10**12),
            st.text(st.characters(blacklist_categories=("Cc", "Cs"), blacklist_characters="\ufffe\uffff"), min_size=1),
            st.none() | st.integers(-(2**63), 2**63 - 1),
        ),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(",;\t"),
)  # fmt: skip
def test_any_records_survive_the_way_through_a_file_into_a_scenario(
    rows: list[tuple[int, str, int | None]], by: str
) -> None:
    lines = [
        f'{ts}{by}"{key.replace(chr(34), chr(34) * 2)}"{by}{"" if value is None else value}' for ts, key, value in rows
    ]
    records = read("\n".join((by.join(("ts", "key", "value")), *lines)))
    stream = parse(insert(ScenarioText(EMPTY), ("stream",), 0, *records).text).stream
    assert isinstance(stream, tuple)
    read_back = [(each.ts, each.key, each.value) for each in stream if isinstance(each, Record)]
    assert read_back == rows


# --- what is wrong -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "my.csv:1:1: the table is empty; its first row must name the columns"),
        (" \n\n", "my.csv:1:1: the table is empty"),
        ("1s,a,4\n2s,b,5\n", "my.csv:1:1: the first row must name the columns"),
        ("2024-05-01T10:00:00Z;a;4\n", "my.csv:1:1: the first row must name the columns"),
        ("ts,key\n2024-05-01 10:00:00,a\n", "`2024-05-01 10:00:00` is not a time here; write `2024-05-01T10:00:00Z`"),
        ("ts,key\n2024-05-01 10:00:00 +08:00,a\n", "write `2024-05-01T10:00:00+08:00`"),
        ("ts,key\n1.5,a\n", "my.csv:2:1: `1.5` is not a time here; write `1s500ms`"),
        ("ts,key\n1s,a\n-0.25s,a\n", "my.csv:3:1: `-0.25s` is not a time here; write `-250ms`"),
        ("ts,key\n", "my.csv:1:1: there are no records"),
        ("ts,value\n1s,2\n", "my.csv:1:1: there is no column for the key"),
        ("key,value\na,2\n", "my.csv:1:1: there is no column for the time"),
        ("ts,kye\n1s,a\n", "my.csv:1:4: a record has nothing called `kye`; did you mean `key`?"),
        ("ts,key,weather\n1s,a,x\n", "my.csv:1:8: a record has nothing called `weather`; columns are"),
        ("ts,key,timestamp\n1s,a,1s\n", "my.csv:1:8: `timestamp` is a second column for `ts`"),
        ("ts,key,value.a,value\n1s,a,1,1\n", "my.csv:1:16: `value` is a second column"),
        ("ts,key\n1s,a,b\n", "my.csv:2:1: this row has 3 cells and the first row has 2"),
        ("ts,key\n1s,a\nsoon,a\n", "my.csv:3:1: `soon` is here instead of a time"),
        ("ts,key\n2017-01-20T06:15:13,a\n", "has no zone; add Z"),
        ("ts,key,value\n1s,a,true\n", "my.csv:2:6: "),
        ("ts,key,channel\n1s,a,-1\n", "my.csv:2:6: -1 is too small"),
        ("ts,key,in\n1s,a,middle\n", "my.csv:2:6: "),
        ("ts,key\n1s,\n", "my.csv:2:4: every record needs a key"),
        ('ts,key\n1s,"a\n', "my.csv:2:4: the quote that begins here is never closed"),
        ('ts,key\n1s,"a"b\n', "my.csv:2:7: `b` follows a closing quote"),
        ("ts,key\n1s,a\x00\n", "U+0000"),
        ("ts,key\n" + "1s,a\n" * 100_001, "a list of more than 100000 items"),
        ("ts,key," + ",".join(f"value.m{n}" for n in range(100)) + "\n", "more than 100 columns"),
        ("ts,key\n" + "1s,aaaaaaaaaaaaaaa\n" * 40_000, "larger than 512 KiB"),
    ],
)  # fmt: skip
def test_a_problem_is_reported_with_its_place(text: str, problem: str) -> None:
    assert problem in problems(text)[0]


def test_all_problems_are_reported_at_once_in_the_order_of_the_file() -> None:
    assert [problem.partition(": ")[0] for problem in problems("ts,key,value\nx,a,1\n1s,a,true\n1s,a\n")] == [
        "my.csv:2:1", "my.csv:3:6", "my.csv:4:1",
    ]  # fmt: skip
    many = problems("ts,key\n" + "x,a\n" * 5_000)
    assert len(many) <= 101
