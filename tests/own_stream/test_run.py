"""A scenario's operator over files on Spark: the rows are the simulator's, and what cannot be done is said."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tidemark.simulator import run_rows
from tidemark.simulator.engine.values.items import End, Item, Record
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.data.described import Columns, Found
from tidemark.simulator.scenario.model import Data, Scenario
from tidemark.spark_bridge.check import check
from tidemark.spark_bridge.commands import DONE, NOT_COVERED, REFUSED, main
from tidemark.spark_bridge.files.request import FilesError
from tidemark.spark_bridge.over_files.records import channel_numbers, ends
from tidemark.spark_bridge.over_files.run import Target
from tidemark.spark_bridge.simulation.process import STAGED, Staged

HEAD = """
scenario: 1
name: mine
inputs: {events: {channels: 2, watermark: {generator: bounded-out-of-orderness, bound: 1s, emit: 700ms}}}
operator:
  type: window
  assigner: {type: tumbling, size: 5s}
  allowed_lateness: 1s
  function: {call: aggregate, compute: sum}
"""
NAMED = ("--ts", "ts", "--at", "at", "--key", "key", "--value", "value", "--channel", "channel")


def rows(number: int = 150) -> list[tuple[int, str, float, int, int]]:
    """Records with disorder, equal arrivals and doubles, in no order of arrival."""
    drawn = random.Random(7)
    clock, made = 1_700_000_000_000, []
    for _ in range(number):
        clock += drawn.choice((0, 100, 250, 900))
        ts = clock - drawn.choice((0, 0, 300, 1200, 5000))
        key, value = drawn.choice(("a", 'ü"b', "7")), drawn.choice((1.5, 2.0, 0.1, -3.25, 1e-7))
        made.append((ts, key, value, drawn.randrange(2), clock))
    drawn.shuffle(made)
    return made


def saved(folder: Path, made: list[tuple[int, str, float, int, int]]) -> Path:
    file = folder / "mine.parquet"
    names = ("ts", "key", "value", "channel", "at")
    table = pa.table(dict(zip(names, map(list, zip(*made, strict=True)), strict=True)))
    pq.write_table(table, file, row_group_size=40)
    return file


def written_out(made: list[tuple[int, str, float, int, int]], head: str) -> Scenario:
    records = [Record(key, ts, value, "events", channel, at) for ts, key, value, channel, at in made]
    stream: tuple[Item, ...] = (*sorted(records, key=lambda each: each.at or 0), End())
    return replace(parse(head + "stream: []", "mine.yaml"), stream=stream, origin=min(row[4] for row in made))


def alike(row: dict[str, Any]) -> str:
    """A row with members that are there, its value to nine digits: sums of doubles may differ behind."""
    kept = {name: value for name, value in row.items() if value is not None}
    return json.dumps(kept | {"value": f"{kept['value']:.8g}"}, sort_keys=True)


@pytest.mark.spark
@pytest.mark.parametrize("way", ["every entry", "notable ones", "notable ones, sorted"])
def test_rows_over_files_are_those_of_the_simulator(spark: Any, tmp_path: Path, way: str) -> None:
    made, head = rows(), HEAD
    if way != "every entry":
        head = HEAD.replace(", emit: 700ms", "")
        made = made if way.endswith("sorted") else sorted(made, key=lambda row: row[4])
    table, scenario, out = saved(tmp_path, made), tmp_path / "mine.yaml", tmp_path / "out"
    scenario.write_text(head + "stream: [{end: true}]")
    command = [str(scenario), "--data", str(table), *NAMED]
    assert main(["run", *command, "--write", str(out), "--format", "jsonl"]) == DONE
    lines = [json.loads(line) for file in out.glob("outcome=*/*") for line in file.read_text().splitlines()]
    assert sorted(map(alike, lines)) == sorted(
        alike(dict(row)) for row in run_rows(written_out(made, head)) if row["row"] != "watermark"
    )
    assert {folder.name for folder in out.iterdir()} == {"outcome=on-time", "outcome=late-firing", "outcome=dropped"}
    assert main(["check", *command]) == DONE
    assert sorted(each.name for each in tmp_path.iterdir()) == ["mine.parquet", "mine.yaml", "out"]  # nothing beside


@pytest.mark.spark
def test_a_file_beside_the_scenario_is_checked_as_it_is(spark: Any, tmp_path: Path) -> None:
    made = rows(60)
    saved(tmp_path, made)
    columns = "ts: ts, at: at, key: key, value: value, channel: channel, end: true"
    sessions = HEAD.replace("{type: tumbling, size: 5s}", "{type: session, gap: 400ms}")
    (tmp_path / "mine.yaml").write_text(f"{sessions}stream: {{data: {{path: mine.parquet, {columns}}}}}")
    report = check(load(tmp_path / "mine.yaml"))
    assert report.equal
    assert report.way == "keyed"
    assert report.events == 60


@pytest.mark.spark
def test_of_mixed_values_the_one_that_is_no_number_is_named(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.yaml").write_text(HEAD + "stream: []")
    (tmp_path / "mixed.csv").write_text("ts,key,value\n1000,a,1\n2000,a,\n3000,a,2.5\n4000,a,x\n")
    named = ["--ts", "ts", "--ts-unit", "ms", "--key", "key", "--value", "value"]
    command = ["run", str(tmp_path / "mine.yaml"), "--data", str(tmp_path / "mixed.csv"), *named]
    assert main([*command, "--write", str(tmp_path / "out")]) == REFUSED
    assert 'the value of record 3 (counting from 0) is `"x"`' in capsys.readouterr().err
    (tmp_path / "mixed.csv").write_text('ts,key,value\n1000,"a,1\n2000,a,2\n')
    assert main([*command, "--write", str(tmp_path / "out")]) == REFUSED
    assert "the quoted cell that begins in line 2 is never closed" in capsys.readouterr().err


def test_an_option_that_cannot_be_read_is_answered_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for asked in (["profile", "x.csv", "--bound", "5x"], ["cut", "x.csv", "--around", "nonsense"], ["profil"], []):
        with pytest.raises(SystemExit, match="2"):
            main(asked)
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("python -m spark_bridge")


def test_what_files_cannot_feed_is_not_covered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = tmp_path / "mine.yaml"
    command = [str(scenario), "--data", str(saved(tmp_path, rows(3)))]
    for operator, reason in (
        ("{type: interval-join, lower: 0, upper: 1s}", "files bring one input"),
        ("{type: window, assigner: {type: dynamic-session, gap_field: g}, function: {call: reduce, compute: sum}}",
         "a column has no members"),
    ):  # fmt: skip
        scenario.write_text(f"scenario: 1\nname: mine\noperator: {operator}\nstream: []")
        assert main(["check", *command]) == NOT_COVERED
        assert main(["run", *command, "--write", str(tmp_path / "out")]) == NOT_COVERED
        assert capsys.readouterr().err.count(reason) == 2
    assert not (tmp_path / "out").exists()


def test_columns_without_files_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.yaml").write_text(HEAD + "stream: []")
    assert main(["check", str(tmp_path / "mine.yaml"), "--ts", "ts"]) == REFUSED
    assert "--data" in capsys.readouterr().err
    assert main(["run", str(tmp_path / "mine.yaml"), "--write", str(tmp_path / "out")]) == REFUSED
    assert capsys.readouterr().err.startswith(
        "mine: the scenario has no file of records, and none is named; add --data"
    )
    assert main(["profile"]) == REFUSED
    assert capsys.readouterr().err.startswith("no file is named; name a file, a folder")


def test_a_folder_gets_its_name_when_everything_is_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "out"
    with Target(folder) as unfinished:  # not finished: an error, or Ctrl-C
        unfinished.mkdir()
        (unfinished / "part").write_text("1")
    assert list(tmp_path.iterdir()) == []
    folder.mkdir(parents=True)  # an empty one is as good as none
    target = Target(folder)
    with target as unfinished:
        unfinished.mkdir()
        (unfinished / "part").write_text("1")
        (unfinished / "_SUCCESS").touch()
        target.finish()
    assert [each.name for each in folder.iterdir()] == ["part"]
    with pytest.raises(FilesError, match="is not empty"), Target(folder):
        pass
    assert [each.name for each in folder.parent.iterdir()] == ["out"]
    with pytest.raises(FilesError, match="part is no folder; name one that"), Target(folder / "part" / "deeper"):
        pass


def test_channels_keep_their_numbers_where_they_have_some() -> None:
    assert channel_numbers((0, 2), 3) == (0, 2)
    assert channel_numbers((0, 7), 3) == (0, 1)
    assert channel_numbers(("east", "west"), 2) == (0, 1)


def test_the_stream_of_files_ends_as_the_scenario_s_own_does() -> None:
    assert not ends(parse(HEAD + "stream: []"))
    assert ends(parse(HEAD + "stream: [{end: true}]"))
    assert ends(parse(HEAD + "stream: {generate: {events: 1, seed: 1, keys: 1, every: 1s, end: true}}"))
    data = Data("x.csv", Columns("ts"), end=True)
    assert ends(replace(parse(HEAD + "stream: []"), stream=data))


def test_what_spark_has_written_is_streamed_piece_by_piece(tmp_path: Path) -> None:
    for piece, values in (
        (10, [(2, '"b"', 3, None, 2.5, None)]),
        (9, [(0, '"a"', 1, 7, None, None), (1, '"a"', 2, None, None, "null")]),
    ):
        folder = tmp_path / f"piece={piece}"
        folder.mkdir()
        columns = list(zip(*((*row, 0, 50) for row in values), strict=True))
        kinds = {"key": pa.string(), "text": pa.string(), "fraction": pa.float64()}
        arrays = [pa.array(column, kinds.get(name, pa.int64())) for name, column in zip(STAGED, columns, strict=True)]
        pq.write_table(pa.table(arrays, names=list(STAGED)), folder / "part.parquet")
    stream = Staged("x", Columns("ts"), True, "events", Found(records=3), staging=str(tmp_path))
    assert list(stream) == [
        Record("a", 1, 7, "events", 0, None), Record("a", 2, None, "events", 0, None),
        Record("b", 3, 2.5, "events", 0, None), End(),
    ]  # fmt: skip
    assert next(iter(replace(stream, found=Found(records=3, at=(0, 50))))) == Record("a", 1, 7, "events", 0, 50)
