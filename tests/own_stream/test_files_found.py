"""Which files a path means, which columns are read, and what is refused; none of it starts Spark."""

import gzip
from argparse import ArgumentParser
from pathlib import Path

import pytest
from tidemark.simulator.scenario.data.cells import UNITS, formats_of
from tidemark.simulator.scenario.data.described import DataError
from tidemark.spark_bridge.files.request import Columns, Files, FilesError, add_files, files_of, find, refusal
from tidemark.spark_bridge.files.sample import Sample, chosen, described, guessed, other_times, source_of

from tests.own_stream.tables import write_table

ROWS = [{"ts": 1000, "key": "a"}, {"ts": 2000, "key": "b"}]


def names_of(folder: Path, *paths: str, format: str | None = None) -> list[str]:
    found = find(Files(tuple(str(folder / path) for path in paths), format=format))
    assert found.is_here
    return [Path(path).name for path in found.paths]


def test_a_folder_means_its_own_files_by_name(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv", "c.csv.gz", "_SUCCESS", ".hidden.csv"):
        write_table(tmp_path / name, ROWS)
    (tmp_path / "deeper").mkdir()
    write_table(tmp_path / "deeper" / "d.csv", ROWS)
    assert names_of(tmp_path, ".") == ["a.csv", "b.csv", "c.csv.gz"]
    assert names_of(tmp_path, "[ab].csv", "b.csv") == ["a.csv", "b.csv"]
    assert names_of(tmp_path, "*") == ["a.csv", "b.csv", "c.csv.gz"], "as a folder, and as Spark"
    assert names_of(tmp_path, "deeper/d.csv", "b.csv") == ["b.csv", "d.csv"]


def test_the_name_says_the_format_or_else_the_first_bytes(tmp_path: Path) -> None:
    write_table(tmp_path / "a.jsonl", ROWS)
    (tmp_path / "a.jsonl").rename(tmp_path / "log")
    assert find(Files((str(tmp_path / "log"),))).format == "json"
    write_table(tmp_path / "b.parquet", ROWS)
    (tmp_path / "b.parquet").rename(tmp_path / "b")
    assert find(Files((str(tmp_path / "b"),))).format == "parquet"
    assert find(Files((str(tmp_path / "log"),), format="csv")).format == "csv"


def test_an_address_goes_to_spark_as_it_is() -> None:
    found = find(Files(("s3a://bucket/day-*.jsonl.gz",)))
    assert (found.format, found.paths, found.is_here) == ("json", ("s3a://bucket/day-*.jsonl.gz",), False)
    assert find(Files((), format="kafka")).format == "kafka"


def refused(*paths: Path | str, format: str | None = None) -> str:
    with pytest.raises(FilesError) as raised:
        find(Files(tuple(map(str, paths)), format=format))
    return str(raised.value)


def test_what_is_no_stream_is_refused_by_name(tmp_path: Path) -> None:
    table = Path(write_table(tmp_path / "a.csv", ROWS))
    columnar = Path(write_table(tmp_path / "a.parquet", ROWS))
    (tmp_path / "nothing").mkdir()
    (tmp_path / "empty.csv").touch()
    (tmp_path / "_a.csv").write_bytes(table.read_bytes())
    (tmp_path / "packed.csv").write_bytes(gzip.compress(b"ts\n1\n"))
    (tmp_path / "plain.csv.gz").write_bytes(table.read_bytes())
    (tmp_path / "book.csv").write_bytes(b"PK\x03\x04")
    for path, says in {
        tmp_path / "none.csv": "no such file",
        tmp_path / "*.txt": "no file matches",
        tmp_path / "nothing": "no file in this folder",
        tmp_path / "empty.csv": "empty",
        tmp_path / "_a.csv": "rename it",
        tmp_path / "packed.csv": "let the name end in .gz",
        tmp_path / "plain.csv.gz": "not compressed",
        tmp_path / "book.csv": "save it as CSV",
    }.items():
        assert refused(path).startswith(f"{path}: ")
        assert says in refused(path)
    assert "different formats" in refused(table, columnar)
    assert "not a Parquet file" in refused(table, format="parquet")
    assert "--format parquet" in refused(columnar, format="csv")
    assert "one kind at a time" in refused(table, "s3a://bucket/a.csv")
    assert "--format" in refused("s3a://bucket/a")
    assert refused().startswith("no file is named; name a file")


def test_a_file_that_may_not_be_read_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(tmp_path / "a.csv", ROWS)

    def denied(_: str) -> list[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.listdir", denied)
    assert refused(tmp_path) == f"{tmp_path}: cannot be read (Permission denied)"


def sample(names: str, *rows: str, types: dict[str, str] | None = None) -> Sample:
    return Sample("a.csv", tuple(names.split()), tuple(row.split() for row in rows), types or {})


LOG = sample(
    "event_time received user amount partition", "1700000000 1700000000500 a 3 0", "1700000001 1700000001500 b 4 1"
)


def test_columns_are_guessed_as_the_wizard_guesses_them_if_none_is_named() -> None:
    columns, guessed = chosen(Columns(), LOG)
    assert columns.named == {
        "ts": "event_time", "at": "received", "key": "user", "value": "amount", "channel": "partition",
    }  # fmt: skip
    assert guessed
    assert "event time `event_time` (milliseconds), arrival `received` (milliseconds)" in described(columns, Columns())
    told = described(columns, Columns(ts="event_time", at="received", key="user", ts_unit="ms"))
    assert "event time" not in told
    assert "key" not in told
    assert "channel `partition`" in told


def test_a_column_that_tells_sources_apart_is_seen_where_none_is_read() -> None:
    assert source_of(Columns(ts="event_time", key="user"), LOG) == "partition"
    assert source_of(Columns(ts="event_time", channel="partition"), LOG) is None
    table = Sample("a.csv", ("ts", "sensor", "gateway"), tuple([str(n), f"s{n % 4}", "g"] for n in range(9)))
    assert guessed(table, ("ts", "key", "channel"))["channel"] == "gateway"
    alone = Sample("a.csv", ("ts", "host"), tuple([str(n), f"h{n % 4}"] for n in range(9)))
    assert guessed(alone, ("ts", "key", "channel")) == {"ts": "ts", "key": "host"}


def test_a_second_column_of_times_is_seen_where_no_arrivals_are_read() -> None:
    assert other_times(Columns(ts="event_time"), LOG) == "received"
    assert other_times(Columns(ts="received", key="user"), LOG) == "event_time"
    assert other_times(Columns(ts="event_time", at="received"), LOG) is None
    rows = "2026-03-02T08:00:02Z 9938124477 41 1700000001", "2026-03-02T08:00:03Z 1400512345 7 1700000002"
    assert other_times(Columns(ts="occurred"), sample("occurred customer took", *rows)) is None
    assert other_times(Columns(ts="occurred"), sample("occurred customer took seen", *rows)) == "seen"
    assert other_times(Columns(ts="n"), sample("n day", "1 x", "2 y", types={"day": "timestamp_ntz"})) == "day"


def test_named_columns_are_all_that_is_read() -> None:
    assert chosen(Columns(ts="event_time", ts_unit="s"), LOG) == (Columns(ts="event_time", ts_unit="s"), False)
    columns, guessed = chosen(Columns(key="user"), LOG)
    assert (columns.named, guessed) == ({"ts": "event_time", "key": "user"}, True)


@pytest.mark.parametrize(
    ("cell", "unit"),
    [
        ("1700000000", "s"), ("1700000000123", "ms"), ("1700000000123456", "us"), ("1700000000123456789", "ns"),
        ("2026-03-31T10:00:00Z", "iso"), ("31.12.2026", "dmy"), ("5", "ms"), ("0", "ms"), ("1.5", "s"), ("n/a", "ms"),
    ],
)  # fmt: skip
def test_the_unit_is_guessed_from_the_cells(cell: str, unit: str) -> None:
    assert chosen(Columns(ts="t"), sample("t", cell, cell))[0].ts_unit == unit


def test_two_columns_of_numbers_have_the_unit_of_the_arrivals_unless_one_is_named() -> None:
    columns, _ = chosen(Columns(ts="event_time", at="received"), LOG)
    assert (columns.ts_unit, columns.at_unit) == ("ms", "ms")
    columns, _ = chosen(Columns(ts="event_time", at="received", ts_unit="s"), LOG)
    assert (columns.ts_unit, columns.at_unit) == ("s", "ms")
    columns, _ = chosen(Columns(ts="t", at="u", ts_unit="s"), sample("t u", "1 2", "3 4"))
    assert columns.at_unit == "s"


def test_the_units_are_those_of_a_stream_beside_a_scenario() -> None:
    """``stream: {data: …}`` and the bridge read one table alike, whatever unit is asked for."""
    times = {"s": "1700000000", "small": "12", "fraction": "1.5", "ms": "1700000000123", "us": "1700000000123456",
             "iso": "2024-01-01T00:00:00Z", "named": "1 Jan 2024"}  # fmt: skip
    for unit in (None, *UNITS):
        for ts in times.values():
            for at in times.values():
                table = Sample("x", ("ts", "at"), ((ts, at),))
                if unit == "date" and not ts.endswith(("Z", "2024")):
                    with pytest.raises(FilesError, match="has no dates"):
                        chosen(Columns(ts="ts", ts_unit=unit, at="at"), table)
                    with pytest.raises(DataError):
                        formats_of(unit, [("ts", [ts]), ("at", [at])])
                    continue
                columns, _ = chosen(Columns(ts="ts", ts_unit=unit, at="at"), table)
                read = tuple(UNITS.get(each or "", each) for each in (columns.ts_unit, columns.at_unit))
                assert read == formats_of(unit, [("ts", [ts]), ("at", [at])]), (unit, ts, at)


def test_a_column_with_a_type_of_its_own_needs_no_unit() -> None:
    typed = sample("t k", "2026-01-01 a", types={"t": "timestamp", "k": "string"})
    assert chosen(Columns(ts="t"), typed) == (Columns(ts="t"), False)
    with pytest.raises(FilesError, match="leave out --ts-unit"):
        chosen(Columns(ts="t", ts_unit="ms"), typed)


def test_columns_that_cannot_be_read_are_refused() -> None:
    for asked, table, says in [
        (Columns(ts="x"), LOG, "no column `x`; the columns are `event_time`, `received`"),
        (Columns(ts="t"), sample("t t", "1 2"), "two columns are called `t`"),
        (Columns(), sample("a b", "x y"), "no column reads as an event time"),
        (
            Columns(),
            sample(" ".join(f"c{n}" for n in range(101)), "1"),
            "101 columns, and they are guessed in tables of up to 100",
        ),
        (Columns(ts="d"), sample("d", "01/02/2026"), "nothing tells the day from the month"),
        (Columns(ts="d"), sample("d", "10:15:00"), "times without a date"),
    ]:
        with pytest.raises(FilesError) as raised:
            chosen(asked, table)
        assert says in str(raised.value)


def test_the_arguments_of_a_command() -> None:
    parser = ArgumentParser()
    add_files(parser)
    asked = files_of(parser.parse_args(["a.csv", "b.csv", "--ts", "t", "--ts-unit", "us", "--zone", "Europe/Berlin"]))
    assert asked == Files(("a.csv", "b.csv"), Columns(ts="t", ts_unit="us", zone="Europe/Berlin"))
    asked = files_of(parser.parse_args(["--format", "kafka", "--option", "subscribe=clicks", "--option", "a.b=c=d"]))
    assert (asked.paths, asked.format, asked.options) == ((), "kafka", {"subscribe": "clicks", "a.b": "c=d"})


@pytest.mark.parametrize("wrong", [["--zone", "Mars"], ["--option", "x"], ["--ts-unit", "min"]])
def test_wrong_arguments_are_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    parser = ArgumentParser()
    add_files(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(["a.csv", *wrong])
    assert wrong[1] in capsys.readouterr().err


def test_what_spark_says_of_files_is_put_into_words() -> None:
    for said, says in {
        "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///data/a%20b.csv.gz. SQLSTATE: KD001\n"
        "Caused by: java.io.EOFException: Unexpected end of input stream": "/data/a b.csv.gz: the file is damaged",
        "[PATH_NOT_FOUND] Path does not exist: file:/data/a.csv. SQLSTATE: 42K03": "/data/a.csv: there is no such file",
        "Failed to find data source: kafka. Please deploy": "spark-sql-kafka-0-10_2.13:4.3.0 pyspark-shell",
        "[DATA_SOURCE_NOT_FOUND] Failed to find the data source: bogus. Make sure": "no format `bogus`",
    }.items():
        described_error = refusal(RuntimeError(said), "x", "4.3.0")
        assert described_error is not None
        assert says in str(described_error)
    assert refusal(RuntimeError("something else"), "x") is None
