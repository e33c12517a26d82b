"""Streams in a file beside the scenario: the same run as the records written out, or one clear message."""

import gzip
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator import run_rows
from tidemark.simulator.commands import main
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.data.columns import Found
from tidemark.simulator.scenario.data.stream import by_arrival
from tidemark.simulator.scenario.identity import digest_of
from tidemark.simulator.scenario.model import Data, Scenario
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.ui.catalogue.walkable import walked
from tidemark.ui.payload.contents import payload

HEAD = """
scenario: 1
name: mine
inputs: {events: {channels: 2, watermark: {generator: bounded-out-of-orderness, bound: 2s}}}
operator: {type: window, assigner: {type: tumbling, size: 10s}, function: {call: aggregate, compute: sum}}
"""
COLUMNS = "ts: when, key: who, value: much, channel: part, at: got"
TABLE = """when,who,much,part,got
1000,a,1,0,1500
12000,b,2,1,12500
15000,a,3,0,15500
2000,a,4,1,13000
,a,4,1,13000
30000,b,2,1,30000
40000,a,2,0,39999
"""
WRITTEN = """
stream:
  - {ts: 1000, key: a, value: 1, at: 1500}
  - {ts: 12000, key: b, value: 2, channel: 1, at: 12500}
  - {ts: 2000, key: a, value: 4, channel: 1, at: 13000}
  - {ts: 15000, key: a, value: 3, at: 15500}
  - {ts: 30000, key: b, value: 2, channel: 1, at: 30000}
  - {ts: 40000, key: a, value: 2, at: 39999}
  - {end: true}
"""


def saved(folder: Path, table: str | bytes, columns: str = COLUMNS, name: str = "mine.csv", head: str = HEAD) -> Path:
    """A scenario with its table beside it."""
    (folder / name).write_bytes(table.encode() if isinstance(table, str) else table)
    file = folder / "mine.yaml"
    file.write_text(f"{head}\nstream: {{data: {{path: {name}, {columns}}}}}\n", encoding="utf-8")
    return file


def refusal(file: Path) -> str:
    with pytest.raises(ScenarioError) as refused:
        load(file)
    assert len(refused.value.problems) == 1
    return refused.value.problems[0].text


def data_of(scenario: Scenario) -> Data:
    assert isinstance(scenario.stream, Data)
    return scenario.stream


def test_the_run_is_that_of_the_records_written_out_by_arrival(tmp_path: Path) -> None:
    ours = load(saved(tmp_path, TABLE, f"{COLUMNS}, end: true"))
    written = parse(HEAD + "origin: 1500\n" + WRITTEN, "mine.yaml")
    assert tuple(ours.stream if isinstance(ours.stream, Data) else ()) == written.stream
    assert run_rows(ours) == run_rows(written)
    assert ours.origin == 1500  # the clock starts with the first arrival
    assert data_of(ours).known.unreadable == 1


def test_what_is_known_of_a_file_before_it_runs(tmp_path: Path) -> None:
    rows = ["1000,a,3,0,1500", "2000,a,-5,1,1500", "3000,a,0.5,0,1600", "4000,a,-0.25,0,1600"]

    def found(*rows: str) -> Found:
        stream = load(saved(tmp_path, "\n".join(["when,who,much,part,got", *rows]) + "\n")).stream
        assert isinstance(stream, Data)
        assert stream.found is not None
        return stream.found

    assert found(*rows).sums == (8, 0.75), "no sum of some of the values is larger"
    assert (found(*rows).ts, found(*rows).at, found(*rows).channels) == ((1000, 4000), (1500, 1600), (0, 1))
    assert found(*rows).in_order, "also where several arrive at once"
    assert not found(*reversed(rows)).in_order


def test_a_file_has_as_many_channels_as_a_stream_may_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark.simulator.scenario.data.stream.STREAM_CHANNELS", 2)
    assert run_rows(load(saved(tmp_path, TABLE)))
    assert "2" in refusal(saved(tmp_path, TABLE + "50000,a,2,2,50000\n"))


def test_gzip_and_json_lines_and_other_separators_say_the_same(tmp_path: Path) -> None:
    rows = run_rows(load(saved(tmp_path, TABLE)))
    lines = [line.split(",") for line in TABLE.splitlines()[1:]]
    objects = "\n".join(
        f'{{"when": {ts or "null"}, "who": "{key}", "x": {{"much": {value}}}, "part": {part}, "got": "{at}"}}'
        for ts, key, value, part, at in lines
    )
    inside = COLUMNS.replace("much", "x.much")
    assert run_rows(load(saved(tmp_path, gzip.compress(TABLE.encode()), name="mine.csv.gz"))) == rows
    assert run_rows(load(saved(tmp_path, TABLE.replace(",", ";")))) == rows
    assert run_rows(load(saved(tmp_path, "\ufeff" + TABLE.replace("\n", "\r\n")))) == rows
    assert run_rows(load(saved(tmp_path, objects, inside, "mine.jsonl"))) == rows


@pytest.mark.parametrize(
    ("unit", "cell"),
    [("ms", "1700000000123"), ("s", "1700000000.123"), ("us", "1700000000123456"), ("ns", "1700000000123456789"),
     ("iso", "2023-11-14T22:13:20.123456Z"), ("iso", "2023-11-15 06:13:20.123+08:00"), (None, "1700000000123"),
     (None, "2023-11-14 22:13:20.123"), ("s", "1.700000000123E9"), (None, "1.7000000001239999999999999999E9"),
     (None, "2023-11-14T23:13:20.123+01:00[Europe/Berlin]"), (None, "2023-11-14T23:13:20.123[Europe/Berlin]"),
     (None, "Tue Nov 14 14:13:20.123 PST 2023"), (None, '"Tue, 14 Nov 2023 22:13:20.123 GMT"'),
     (None, "2023-11-15 00:13:20.123 GMT+2"), (None, "14.11.2023 22:13:20.123")],
)  # fmt: skip
def test_times_in_any_unit(tmp_path: Path, unit: str | None, cell: str) -> None:
    given_unit = f", ts_unit: {unit}" if unit else ""
    scenario = load(saved(tmp_path, f"when,much\n{cell},1\n", f"ts: when, value: much{given_unit}"))
    assert data_of(scenario)[0] == Record("all", 1700000000123, 1)


PAIRS: dict[str, tuple[str, str]] = {
    "mine.csv": ("Date;Time;much\n18/02/2008;07:24:00;1\n19/02/2008;12:00 AM;2\n", "[Date, Time]"),
    "mine.jsonl": (
        '{"d": {"Date": "2008-02-18"}, "Time": "07:24:00"}\n{"d": {"Date": "2008-02-19 00:00:00"}, "Time": "00:00"}\n',
        "'d.Date,Time'",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_date_and_its_time_of_day_may_be_in_two_columns(tmp_path: Path, name: str) -> None:
    table, both = PAIRS[name]
    date, _, clock = both.strip("'[]").partition(",")
    scenario = load(saved(tmp_path, table, f"ts: {both}", name, HEAD.replace("sum", "count")))
    assert [each.ts for each in data_of(scenario) if isinstance(each, Record)] == [1203319440000, 1203379200000]
    assert load(saved(tmp_path, as_yaml(scenario).split("path: ")[0] and table, f"ts: '{date},{clock.strip()}'", name,
                      HEAD.replace("sum", "count"))).stream == scenario.stream  # fmt: skip
    columns = f"ts: {date}"
    said = refusal(saved(tmp_path, table, columns, name))
    assert f"has dates without a time of day, and `{clock.strip()}` has times of day; write ts: [" in said
    days = load(saved(tmp_path, table, f"{columns}, ts_unit: date", name, HEAD.replace("sum", "count")))
    assert [each.ts for each in data_of(days) if isinstance(each, Record)] == [1203292800000, 1203379200000]


def test_half_a_time_in_two_columns_is_no_time(tmp_path: Path) -> None:
    table = "Date,Time\n2024-01-01,10:00\n2024-01-02,\n,10:00\n2024-01-03,soon\n"
    found = data_of(load(saved(tmp_path, table, "ts: [Date, Time]", head=HEAD.replace("sum", "count")))).known
    assert (found.records, found.unreadable) == (1, 3)
    assert found.first_unreadable is not None
    assert found.first_unreadable[0] == 3
    assert "one column, or of two" in refusal(saved(tmp_path, table, "ts: [Date]"))
    assert "has numbers and no dates" in refusal(saved(tmp_path, TABLE, "ts: when, ts_unit: date"))


def test_daily_data_without_any_time_of_day_are_read_as_they_are(tmp_path: Path) -> None:
    scenario = load(saved(tmp_path, "day,much\n2024-01-01,1\n2024-01-02,2\n", "ts: day, value: much"))
    assert [each.ts for each in data_of(scenario) if isinstance(each, Record)] == [1704067200000, 1704153600000]


ANNOTATED = """#group,false,false,true,false
#datatype,string,long,dateTime:RFC3339,double
#default,_result,,,
,result,table,_time,_value
,,0,2021-01-01T00:00:10Z,1.5
,,0,nothing,2.5
"""


def test_annotations_before_the_header_are_passed_over_and_lines_counted(tmp_path: Path) -> None:
    for text in (
        ANNOTATED,
        ANNOTATED.replace("\n", "\r\n"),
        "# made by hand\n\n" + ANNOTATED[ANNOTATED.index(",result") :],
    ):
        found = data_of(load(saved(tmp_path, text, "ts: _time, value: _value"))).known
        assert found.records == 1
        assert found.first_unreadable is not None
        assert found.first_unreadable[0] == (6 if text[1] == "g" else 5)


def test_names_of_columns_in_a_comment_are_no_header(tmp_path: Path) -> None:
    log = "#Version: 1.0\n#Fields: date time cs-uri\n2024-01-01 10:00:00 /\n"
    assert "in a line that begins with # (`#Version: 1.0`)" in refusal(saved(tmp_path, log, "ts: date"))
    for number in ("#", "#1"):
        assert f"there is no column `ts`; there are `{number}`, `when`" in refusal(
            saved(tmp_path, f"{number},when\n1,1000\n", "ts: ts")
        )
    members = '{"#id": 1, "when": 1000}\n'
    assert "in a line that begins" not in refusal(saved(tmp_path, members, "ts: ts", "mine.jsonl"))
    one = load(saved(tmp_path, "#id,ts,much\n1,1000,2\n", "ts: ts, key: '#id', value: much"))
    assert data_of(one)[0] == Record("1", 1000, 2)


def test_a_number_of_json_is_read_as_it_is_written(tmp_path: Path) -> None:
    line = '{"when": 1604512094.38599999999999999999, "much": 1.50, "who": {"n": 1.50, "m": [2.50]}}\n'
    scenario = load(saved(tmp_path, line, "ts: when, value: much, key: who", "mine.jsonl"))
    assert data_of(scenario)[0] == Record('{"n": 1.5, "m": [2.5]}', 1604512094385, 1.5)


def test_an_abbreviation_that_several_zones_share_is_asked_about(tmp_path: Path) -> None:
    table = "when,much\nTue Jun 02 03:16:10 CST 2009,1\n"
    said = refusal(saved(tmp_path, table, "ts: when, value: much"))
    assert "nobody knows which zone `CST` in `Tue Jun 02 03:16:10 CST 2009` is" in said
    for zone, ms in (("Asia/Shanghai", 1243883770000), ("America/Chicago", 1243934170000)):
        scenario = load(saved(tmp_path, table, f"ts: when, value: much, zone: {zone}"))
        assert data_of(scenario)[0] == Record("all", ms, 1)


def test_a_zone_is_that_of_times_without_one(tmp_path: Path) -> None:
    columns = 'ts: when, value: much, zone: "Asia/Shanghai"'
    scenario = load(saved(tmp_path, "when,much\n2023-11-15 06:13:20,1\n2023-11-14T22:13:20Z,1\n", columns))
    assert [each.ts for each in data_of(scenario) if isinstance(each, Record)] == [1700000000000] * 2


def test_the_values_of_a_column_are_of_one_kind(tmp_path: Path) -> None:
    counting = HEAD.replace("compute: sum", "compute: count")

    def values(*cells: str) -> list[object]:
        table = "when,much\n" + "".join(f"{number},{cell}\n" for number, cell in enumerate(cells))
        stream = data_of(load(saved(tmp_path, table, "ts: when, value: much", head=counting)))
        return [each.value for each in stream if isinstance(each, Record)]

    assert values("1", "-2", "") == [1, -2, None]
    assert repr(values("1", "2.5")) == "[1.0, 2.5]"
    assert values("1", "x") == ["1", "x"]


RECORDS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 10**6)), max_size=60)


@given(RECORDS, st.integers(1, 9))
def test_sorting_on_disk_keeps_the_order_of_equal_arrivals(times: list[tuple[int, int]], run: int) -> None:
    records = [Record("a", ts, number, at=at) for number, (at, ts) in enumerate(times)]
    assert list(by_arrival(records, run)) == sorted(records, key=lambda each: each.at or 0)


BROKEN: dict[str, tuple[str | bytes, str, str]] = {
    "missing column": (TABLE, "ts: wen, value: much", "there is no column `wen`"),
    "twice": ("when,when,much\n1,2,3\n", "ts: when, value: much", "two columns are called `when`"),
    "empty": ("\n \n", "ts: when", "is empty"),
    "binary": (b"PK\0\0\1\2", "ts: when", "is not text"),
    "parquet": (b"PAR1....", "ts: when", "spark_bridge"),
    "broken gzip": (gzip.compress(TABLE.encode() * 99)[:60], COLUMNS, "gzip, but broken"),
    "bytes": (b"when,much\n1,2\n\xff,3\n", "ts: when, value: much", "not UTF-8 (byte 0xFF)"),
    "no number": ("when,much\n1,2\n3,NaN\n", "ts: when, value: much", "line 3: `NaN` is no number"),
    "no value": (TABLE, "ts: when", "name the column with `value`"),
    "ambiguous": ("when,much\n01/02/2024 10:00,1\n", "ts: when, value: much", "day and month or month and day"),
    "no times": ("when,much\nx,1\n", "ts: when, value: much", "is no time"),
    "channel": ("when,much,p\n1,1,5\n", "ts: when, value: much, channel: p", "there is no channel 5"),
    "long": ("when,much\n1," + "x" * 1_100_000, "ts: when, value: much", "more than 1,000,000 characters"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_one_message(tmp_path: Path, case: str) -> None:
    table, columns, message = BROKEN[case]
    assert message in refusal(saved(tmp_path, table, columns))


UNREADABLE: dict[str, tuple[str, str, str, int, str]] = {
    "another format": ("mine.csv", "when,much\n2024-01-01 10:00,1\n24/01/2024,2\n", "", 3, "no time as the others"),
    "no time": ("mine.csv", "when,much\n1000,1\n,2\n\n,3\n", "", 3, "`when` is empty"),
    "a short line": ("mine.csv", "much,when\n1,1000\n2\n", "", 3, "`when` is empty"),
    "too far": ("mine.csv", "when,much\n1000,1\n99999999999999999999,2\n", ", ts_unit: ms", 3, "(milliseconds)"),
    "no arrival": ("mine.csv", "when,much,got\n1000,1,5\n1000,1,soon\n", ", at: got", 3, "`soon` in `got`"),
    "null": ("mine.jsonl", '{"when": 1000, "much": 1}\n\n{"when": null, "much": 2}\n', "", 3, "`when` is empty"),
    "a missing member": ("mine.jsonl", '{"when": 1000, "much": 1}\n{"much": 2}\n', "", 2, "`when` is empty"),
    "no JSON": ("mine.jsonl", '{"when": 1000, "much": 1}\n{"when\n', "", 2, "this line is not JSON"),
    "no object": ("mine.jsonl", '{"when": 1000, "much": 1}\n[1]\n', "", 2, "this line is not a JSON object"),
    "packed": ("mine.csv.gz", "when,much\n1000,1\nx,2\n", "", 3, "`x` in `when`"),
}  # fmt: skip


@pytest.mark.parametrize("case", UNREADABLE)
@pytest.mark.parametrize("command", ["run", "trace", "check", "code"])
def test_no_row_is_left_out_unless_somebody_asks_for_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str, command: str
) -> None:
    name, table, columns, line, why = UNREADABLE[case]
    data = gzip.compress(table.encode()) if name.endswith(".gz") else table
    file = saved(tmp_path, data, f"ts: when, value: much, end: true{columns}", name)
    more = ["--to", "flink-java"] if command == "code" else []
    assert main([command, str(file), *more]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"{tmp_path / name}:{line}:1: ")
    assert f"rows have no time that can be read; the first is line {line}: " in said.err
    assert why in said.err
    assert main([command, str(file), *more, "--skip-unreadable"]) == 0
    said = capsys.readouterr()
    assert "left out, since the time cannot be read: " in said.err
    assert said.out


def test_the_rows_left_out_are_counted_in_each_file_and_the_others_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = saved(tmp_path, "when,much\n1000,1\n")
    (tmp_path / "bad").mkdir()
    bad = saved(tmp_path / "bad", "when,much\n1000,1\nx,2\n1500,3\n", "ts: when, value: much").rename(
        tmp_path / "bad.yaml"
    )
    bad.write_text(bad.read_text().replace("name: mine", "name: bad").replace("mine.csv", "bad.csv"))
    (tmp_path / "bad" / "mine.csv").rename(tmp_path / "bad.csv")
    good.write_text(good.read_text().replace(COLUMNS, "ts: when, value: much"))
    out = tmp_path / "out"
    assert main(["run", str(bad), str(good), "--out", str(out)]) == 3
    assert [each.name for each in out.iterdir()] == ["mine.jsonl"]
    assert "1 of 3 rows" in capsys.readouterr().err


def test_json_that_is_no_lines_is_refused(tmp_path: Path) -> None:
    for text in ('[{"when": 1},\n{"when": 2}]', '{\n"when": 1\n}'):
        assert "jq -c '.[]'" in refusal(saved(tmp_path, text, "ts: when", "mine.json"))
    found = refusal(saved(tmp_path, '{"when": 1}\n{"when": NaN}\n', "ts: when", "mine.jsonl"))
    assert "no NaN" in found
    assert "mine.jsonl, line 2" in found


def test_the_player_says_how_many_rows_are_left_out(tmp_path: Path) -> None:
    about = payload(load(saved(tmp_path, TABLE)))["about"]
    assert about.startswith("6 records · 1 row left out: its time cannot be read · ")


def test_nothing_outside_the_folder_is_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text(TABLE)
    folder = tmp_path / "library"
    folder.mkdir()
    file = saved(folder, TABLE)
    (folder / "inside.csv").symlink_to(folder / "mine.csv")
    (folder / "link.csv").symlink_to(secret)
    os.mkfifo(folder / "pipe.csv")
    text = file.read_text()
    for name, message in (
        ("../secret.csv", "plain name"), (str(secret), "plain name"), (".hidden.csv", "plain name"),
        ("link.csv", "leads out"), ("pipe.csv", "not a regular file"), ("gone.csv", "no file `gone.csv`"),
    ):  # fmt: skip
        file.write_text(text.replace("mine.csv", f"'{name}'"))
        assert message in refusal(file), name
    file.write_text(text.replace("mine.csv", "inside.csv"))
    assert len(run_rows(load(file))) > 0


def test_it_is_refused_where_there_is_no_folder_or_no_single_input(tmp_path: Path) -> None:
    text = saved(tmp_path, TABLE).read_text()
    with pytest.raises(ScenarioError, match="beside a link, an upload or a draft"):
        parse(text, "mine.yaml")
    join = "scenario: 1\nname: mine\noperator: {type: interval-join, lower: 0, upper: 1s}"
    assert "one input" in refusal(saved(tmp_path, TABLE, head=join))
    spark = "scenario: 1\nname: mine\nengine: spark\noperator: {type: stream-join}"
    assert "Flink's rules only" in refusal(saved(tmp_path, TABLE, head=spark))


def test_parquet_is_read_by_spark_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = saved(tmp_path, b"PAR1", name="mine.parquet")
    assert data_of(load(file)).found is None
    for command in ("run", "trace", "check"):
        assert main([command, str(file)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("python -m spark_bridge run") == 3


def test_a_file_that_changes_after_it_was_looked_at_is_not_taken_for_the_old_one(tmp_path: Path) -> None:
    file = saved(tmp_path, TABLE)
    scenario = load(file)
    (tmp_path / "mine.csv").write_text(TABLE + "50000,a,1,0,50000\n")
    with pytest.raises(ScenarioError, match="changed while it was read"):
        run_rows(scenario)
    assert digest_of(load(file)) != digest_of(scenario)


def test_it_is_written_as_it_was_read(tmp_path: Path) -> None:
    scenario = load(saved(tmp_path, TABLE, f"{COLUMNS}, end: true"))
    (tmp_path / "mine.yaml").write_text(as_yaml(scenario))
    assert load(tmp_path / "mine.yaml") == scenario


def test_the_walkthrough_has_the_first_records_and_says_so(tmp_path: Path) -> None:
    rows = "".join(f"{number * 100},k{number % 3},1,0,{number * 100}\n" for number in range(1000))
    scenario = load(saved(tmp_path, TABLE.splitlines()[0] + "\n" + rows))
    shown, trace = walked(scenario)
    assert shown == replace(scenario, stream=data_of(scenario)[:300])
    assert max(step.item for step in trace) == 299
    assert "first 300 of 1000 records" in str(payload(scenario))
