"""Streams in a file beside the scenario: the same run as the records written out, or one clear message."""

import gzip
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator import run_rows
from simulator.commands import main
from simulator.scenario import load, parse
from simulator.scenario.data.arrival import by_arrival
from simulator.scenario.identity import digest_of
from simulator.scenario.model import Data, Scenario
from simulator.scenario.writing import as_yaml
from simulator.values.errors import ScenarioError
from simulator.values.items import Record
from ui.payload.contents import payload
from ui.walkable import walked

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
     (None, "2023-11-14 22:13:20.123"), (None, "14.11.2023 22:13:20.123")],
)  # fmt: skip
def test_times_in_any_unit(tmp_path: Path, unit: str | None, cell: str) -> None:
    given_unit = f", ts_unit: {unit}" if unit else ""
    scenario = load(saved(tmp_path, f"when,much\n{cell},1\n", f"ts: when, value: much{given_unit}"))
    assert data_of(scenario)[0] == Record("all", 1700000000123, 1)


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


@pytest.mark.parametrize(
    ("line", "message"),
    [("{", "is not JSON"), ("[1]", "not a JSON object"), ('{"when": NaN}', "no NaN")],
)
def test_a_line_that_is_no_object_is_named(tmp_path: Path, line: str, message: str) -> None:
    found = refusal(saved(tmp_path, f'{{"when": 1, "much": 2}}\n{line}\n', "ts: when, value: much", "mine.jsonl"))
    assert message in found
    assert "mine.jsonl, line 2" in found


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
