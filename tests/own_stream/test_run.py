"""A scenario's operator over files on Spark: the rows are the simulator's, and what cannot be done is said."""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator import run_rows
from tidemark.simulator.engine.values.items import End, Item, Record
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.data.columns import Columns, Found
from tidemark.simulator.scenario.model import BoundedOutOfOrderness, Data, Scenario
from tidemark.spark_bridge.check import check
from tidemark.spark_bridge.commands import DONE, NOT_COVERED, REFUSED, main
from tidemark.spark_bridge.files.request import FilesError
from tidemark.spark_bridge.over_files.records import channel_numbers, ends
from tidemark.spark_bridge.over_files.run import Target
from tidemark.spark_bridge.profile.counts.figures import Course, Slicing
from tidemark.spark_bridge.simulation.process import STAGED, Staged
from tidemark.spark_bridge.watermarks.behind import Parts, Piece, summaries
from tidemark.spark_bridge.watermarks.sieve import Grid, Sieve

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
    if way.endswith("sorted"):
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


# Which records of files can matter to windows, by the sieve and by a plain loop over all of them.

CHANNELS = 3
RECORDS = st.lists(st.tuples(st.integers(0, CHANNELS - 1), st.integers(-30, 60)), max_size=60)


def in_parts(records: list[tuple[int, int]], part: int, piece: int) -> Iterator[Piece]:
    for first in range(0, len(records), part):
        for start in range(first, min(first + part, len(records)), piece):
            own = records[start : min(start + piece, first + part)]
            channels, ts = (np.array(column) for column in zip(*own, strict=True))
            yield Piece(
                (first // part, 0, 0), ts, channels.astype(np.uint16), keys=pa.array([str(each) for each in ts])
            )


def watermarks(records: list[tuple[int, int]], bound: int) -> list[int]:
    """Before the first record, and after each."""
    own = [MIN] * CHANNELS
    found = [MIN]
    for channel, ts in records:
        own[channel] = max(own[channel], ts - bound - 1)
        found.append(min(own))
    return found


@settings(deadline=None, max_examples=50)
@given(RECORDS, st.integers(1, 25), st.integers(1, 25), st.integers(0, 9), st.integers(1, 12), st.integers(0, 11))
def test_no_record_that_matters_is_missed(
    records: list[tuple[int, int]], part: int, piece: int, bound: int, step: int, phase: int
) -> None:
    parts = Parts.of(summaries(in_parts(records, part, piece), CHANNELS), CHANNELS)
    watermark, grid = BoundedOutOfOrderness(bound), Grid(step, phase % step, 2)
    sieve = Sieve(watermark, CHANNELS, parts.before, parts.starts, 5, pa.int64(), grid)
    found = {}
    for item, at, ts, before, after, key, value in sieve.rows(in_parts(records, part, piece)):
        columns = zip(item, at, ts, before, after, key.to_pylist(), value.to_pylist(), strict=True)
        found |= {int(row[0]): tuple(row[1:]) for row in columns}
    around = watermarks(records, bound)
    for item, (_, ts) in enumerate(records):
        before, after = around[item], around[item + 1]
        passes = any((time - phase) % step == 0 for time in range(max(before, -60) + 1, after + 1))
        assert (item in found) == (ts <= before + 2 or (after > before == MIN) or passes)
        assert found.get(item, (5, ts, before, after, str(ts), None)) == (5, ts, before, after, str(ts), None)
    highest = {channel: each for channel, each in enumerate(parts.highest) if each is not None}
    moves = sieve.at_the_end(highest)
    assert [MAX, around[-1]] == [moves[-1][1], moves[0][0]]
    assert [after for _, after in moves[:-1]] == [before for before, _ in moves[1:]]


# How a stream goes on: each slice and each limit counted as a loop over all records would count them.

LIMITS = (0, 100, 1000, 5000)
SIZE = 1000


@st.composite
def streams(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    """Timestamps, channels, and where the stream is cut into parts."""
    records = draw(st.integers(1, 400))
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    timestamps = np.arange(records) * 100 - random.integers(0, 3000, records)
    channels = random.integers(0, draw(st.integers(1, 4)), records)
    return timestamps.tolist(), channels.tolist(), sorted({0, records, *random.integers(0, records, 3).tolist()})


def course_of(timestamps: list[int], channels: list[int], cuts: list[int]) -> Course:
    ts, numbers = np.array(timestamps), np.array(channels, np.int32)
    pieces = [Piece((0, k, 0), ts[a:b], numbers[a:b]) for k, (a, b) in enumerate(pairwise(cuts))]
    count = max(channels) + 1
    parts = Parts.of((each for piece in pieces for each in summaries([piece], count)), count)
    slicing = Slicing.of(parts, 1, SIZE, LIMITS)
    # Each task has some of the parts, and their rows come back in any order.
    rows = [
        row for piece in reversed(pieces) for columns in slicing.rows([piece]) for row in zip(*columns, strict=True)
    ]
    return slicing.course(rows)


@given(streams())
def test_the_course_is_that_of_a_loop_over_all_records(stream: tuple[list[int], list[int], list[int]]) -> None:
    timestamps, channels, _ = stream
    slices = min(120, len(timestamps))
    present = len(set(channels))
    largest: dict[int, int] = {}
    behind: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    held: Counter[tuple[int, int]] = Counter()
    dropped = dict.fromkeys(LIMITS, 0)
    for place, (ts, channel) in enumerate(zip(timestamps, channels, strict=True)):
        number = place * slices // len(timestamps)
        m = min(largest.values(), default=None)
        behind[number, channel].append(0 if m is None else max(0, m - ts))
        if m is not None:
            held[number, min(largest, key=lambda each: (largest[each], each))] += 1
            end = (ts // SIZE + 1) * SIZE
            for limit in LIMITS if len(largest) == present else ():
                dropped[limit] += m - 1 >= end - 1 + limit
        largest[channel] = max(largest.get(channel, ts), ts)
    course = course_of(*stream)
    found = {(each.number, each.channel): each for each in course.slices}
    for key, delays in behind.items():
        assert (found[key].records, found[key].longest) == (len(delays), max(delays))
        assert abs(found[key].mean - sum(delays) / len(delays)) < 1e-6
    whole = Counter(place * slices // len(timestamps) for place in range(len(timestamps)))
    assert {key: each.held_share for key, each in found.items() if each.held_share} == {
        key: number / whole[key[0]] for key, number in held.items()
    }
    if present == max(channels) + 1:  # else a channel that never comes holds every window open
        assert dict(course.dropped) == dropped


def test_a_slice_begins_with_its_earliest_record() -> None:
    course = course_of([50, 10, 400], [0, 0, 0], [0, 3])
    assert [(each.number, each.first, each.began) for each in course.slices] == [(0, 0, 50), (1, 1, 10), (2, 2, 400)]
