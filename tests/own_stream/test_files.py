"""Which files a path means, which columns are read, and what is refused; none of it starts Spark."""

import gzip
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO, TextIOWrapper
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario.data.columns import UNITS, DataError, formats_of
from tidemark.simulator.scenario.data.columns import Columns as Described
from tidemark.simulator.scenario.data.stream import survey
from tidemark.simulator.scenario.model import Data
from tidemark.simulator.scenario.tables.times import FURTHEST, read_time
from tidemark.spark_bridge.files.request import Columns, Files, FilesError, add_files, files_of, find, refusal
from tidemark.spark_bridge.files.sample import Sample, chosen, described, guessed, other_times, source_of
from tidemark.spark_bridge.files.stream import FileStream, refused_records
from tidemark.spark_bridge.over_files.records import in_order
from tidemark.spark_bridge.spark.stages import CheckFails

from tests.own_stream.tables import read_plainly, write_table

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


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b'{"ts": 1000}\n')))
    parser = ArgumentParser()
    add_files(parser)
    (path,) = files_of(parser.parse_args(["-"])).paths
    assert Path(path).read_bytes() == b'{"ts": 1000}\n'
    assert find(Files((path,))).format == "json", "by its first line, for it has no ending"


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


# Files as Spark reads them: the same records in the same order, with the same times, as a plain reader finds.

ALL = Columns(ts="ts", at="at", key="key", value="value", channel="channel")


def opened(spark: Any, *paths: str | Path, columns: Columns = ALL, **more: Any) -> Any:
    from tidemark.spark_bridge.files.opening import open_files

    return open_files(spark, Files(tuple(map(str, paths)), columns, **more))


def numbered(stream: FileStream) -> list[Any]:
    with in_order(stream) as ordered:
        return ordered.table.orderBy("item").collect()


@contextmanager
def small_blocks(spark: Any) -> Iterator[None]:
    """Spark cuts files into pieces of a few lines."""
    spark.conf.set("spark.sql.files.maxPartitionBytes", "300")
    try:
        yield
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")


def rows_of(number: int, seed: int, text: str = "") -> list[dict[str, Any]]:
    random = Random(seed)
    return [
        {
            "ts": random.randrange(-5000, 5000), "at": random.randrange(20), "key": f"{text}{random.randrange(5)}",
            "value": random.choice([1, 2.5]), "channel": random.choice(["b", "a", "10"]),
        }
        for _ in range(number)
    ]  # fmt: skip


@pytest.mark.spark
@pytest.mark.parametrize("text", ["k", 'two\nlines, "quoted" '])
def test_the_order_is_that_of_a_plain_reader(spark: Any, tmp_path: Path, text: str) -> None:
    paths = [write_table(tmp_path / f"{name}.csv", rows_of(25, seed, text)) for seed, name in enumerate("ca")]
    plain = [(int(row["ts"]), int(row["at"]), row["key"]) for row in read_plainly(paths)]
    with small_blocks(spark):
        in_files = numbered(opened(spark, tmp_path, columns=Columns(ts="ts", key="key")))
        assert [(row.ts, row.key) for row in in_files] == [(ts, key) for ts, _, key in plain]
        if text != "k":
            return
        assert len({(row.file, row.block) for row in in_files}) > 2
        own = opened(spark, tmp_path)
        by_arrival = numbered(own)
    assert own.channels == ("10", "a", "b")
    assert [row.item for row in by_arrival] == list(range(50))
    assert [(row.ts, row.at, row.key) for row in by_arrival] == sorted(plain, key=lambda row: row[1])


@pytest.mark.spark
@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.csv.zst", "a.parquet"])
def test_every_format_gives_the_same_records(spark: Any, tmp_path: Path, name: str) -> None:
    rows = rows_of(40, 3)
    own = opened(spark, write_table(tmp_path / name, rows, row_group_size=7))
    found = [
        (row.ts, row.at, row.key, row.value, own.channels[row.channel])
        for row in own.table.orderBy("file", "block", "row").collect()
    ]
    assert found == [(row["ts"], row["at"], row["key"], row["value"], row["channel"]) for row in rows]
    assert dict(own.table.dtypes) == {
        "file": "int", "block": "bigint", "row": "bigint", "ts": "bigint", "at": "bigint", "key": "string",
        "value": "double", "channel": "int",
    }  # fmt: skip
    assert (own.counted(), own.order) == (0, ("at", "file", "block", "row"))


TIMES = {
    "iso": [
        "2024-01-01", "2024-1-1 5:07", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.123456789+0530", "20240102030405",
        "2024/01/02 03:04:05", "2024.1.2", "20240102T030405Z", "2024-01-02 3:04 pm", "2024-01-02 12:04:05.25 AM +02",
        "1969-12-31T23:59:59.9999", "1850-01-01 12:00Z", "9999-12-31T23:59:59.999Z", "0000-01-01", "2024-02-30", "x",
        "2024-01-01 24:00", "2024年1月2日 3时4分5秒", "2024-01-01, 10:00", "12:30", "2024", "2024-03-31 02:30",
        "2024-10-27 02:30", "2024-01-01 00:00:00 Europe/Paris", "2024-07-01T10:00:00+02:00[Europe/Berlin]",
        "2024-07-01T10:00[Europe/Berlin]", "2024-07-01T10:00:00.5Z[UTC]", "2024-07-01 10:00 America/La_Paz",
        "2024-07-01 10:00 America/Nowhere", "2024-07-01 10:00:00 GMT+2", "2024-07-01 10:00:00 UTC-0330",
        "2024-07-01 10:00:00.25 PDT", "2024-07-01 10:00 CET", "2024-07-01 10:00:00 CST", "2024-07-01 10:00:00 XYZ",
        "2024-07-01 1:00:00 pm NZST", "2024-07-01[Europe/Berlin]", "2024-07-01 10:00:00 MESZ", "2024-07-01 10:00:00+2",
        " 2024-01-01 ", "+2024-01-01",
    ],
    "dmy": ["31.12.2024", "1/2/24 10:00", "01-02-2024 5:06 PM", "32.1.2024"],
    "mdy": ["12/31/2024", "1/2/24 10:00", "13/1/2024"],
    "named": ["1 Jan 2024", "Jan 1, 2024 10:00", "5 Foo 2024", "01/Feb/2024:10:11:12 +0000", "1 Anf 2024",
              "Tue Jun 02 03:16:10 PDT 2009", "Tue Jun  2 03:16:10 2009", "Wed Oct 10 20:19:24 +0000 2018",
              "Tue, 02 Jun 2009 03:16:10 GMT", "Tue Jun 02 2009 03:16:10 GMT-0700 (PDT)",
              "Tue Jun 02 03:16:10 CST 2009",
              "Jun 2, 2009 3:16:10 PM EST", "Tuesday, 2 June 2009 03:16 CEST", "Foo Jun 02 03:16:10 PDT 2009",
              "Tue Jun 02 03:16:10 2009 PDT", "2 Jun 2009 03:16:10 Asia/Tokyo"],
    "s": ["1.6045120943859746E9", "1.6045120943859999999999999E9", "1604512094.38599999999999999999", "16045E5",
          "-0.00000000000000000000001", "-1.0019999999999999999999", "1604512094386E-3", "1e99", "1E-99", "1e20",
          "0", "1700000000", "1700000000.123", "-0.0001", "1.7e9", "1,5", "-1", "x", "", "NaN", "1_0", "9" * 24, "5."],
    "ms": ["0", "-1", "1.5", "-1.5", "1e3", "1700000000123", "9" * 20],
    "us": ["1700000000123456", "-1", "-1000", "-1001", "-1001.5"],
    "ns": ["1700000000123456789", "-1", "12345678901234567890", "-1000000"],
}  # fmt: skip


@pytest.mark.spark
def test_texts_are_read_as_the_wizard_reads_them(spark: Any) -> None:
    from pyspark.sql import functions as F
    from tidemark.spark_bridge.files.times import ms_of

    cases = [(unit, text) for unit, texts in TIMES.items() for text in texts]
    table = spark.createDataFrame(cases, "unit string, text string")
    zones = ("UTC", "Europe/Berlin")
    read = (
        F.coalesce(*(F.when(F.col("unit") == unit, ms_of(F.col("text"), "string", unit, zone)) for unit in TIMES))
        for zone in zones
    )
    for (unit, text), row in zip(cases, table.select(*read).collect(), strict=True):
        for zone, ms in zip(zones, row, strict=True):
            expected = read_time(text.strip(), unit if len(unit) > 2 else f"epoch_{unit}", zone)
            assert ms == (expected.ms if expected else None), (unit, text, zone)
    beyond = spark.createDataFrame([(1_700_000_000_000_000_000,), (FURTHEST + 1,)], "ts bigint")
    assert [row[0] for row in beyond.select(ms_of(F.col("ts"), "bigint", "ms", "UTC")).collect()] == [
        1_700_000_000_000_000_000,
        None,
    ]


@pytest.mark.spark
def test_a_table_is_read_as_a_stream_beside_a_scenario_is(spark: Any, tmp_path: Path) -> None:
    """Times far ahead, as another unit makes them, are records in both; what is further is one in neither."""
    times = ["1700000000123", "253402300800001", "1700000000123456789", "-7", f"{FURTHEST}", f"{FURTHEST + 1}", "x", ""]
    rows = [{"ts": ts, "at": f"2024-01-0{9 - number}", "key": f"k{number}"} for number, ts in enumerate(times)]
    path = Path(write_table(tmp_path / "a.csv.gz", rows))
    own = opened(spark, path, columns=Columns(ts="ts", ts_unit="ms", at="at", key="key"))
    described = Described("ts", "ms", at="at", key="key")
    beside = Data("a.csv.gz", described, found=survey(path, described), folder=str(tmp_path))
    assert [(row.ts, row.at, row.key) for row in own.table.orderBy("at").collect()] == [
        (each.ts, each.at, each.key) for each in beside if isinstance(each, Record)
    ]
    assert [each.ts for each in beside if isinstance(each, Record)] == [int(ts) for ts in times[4::-1]]


@pytest.mark.spark
def test_the_types_of_parquet(spark: Any, tmp_path: Path) -> None:
    ms = [-1, 1_700_000_000_123, None]
    ns = [None if each is None else each * 1_000_000 + 999_999 for each in ms]
    columns = {
        "ns": pa.array(ns, pa.timestamp("ns", "UTC")), "ns_local": pa.array(ns, pa.timestamp("ns")),
        "us": pa.array([each and each // 1000 for each in ns], pa.timestamp("us", "UTC")),
        "ms_local": pa.array(ms, pa.timestamp("ms")), "number": pa.array(ms, pa.int64()),
        "seconds": pa.array([-0.001, 1_700_000_000.123, float("nan")]),
    }  # fmt: skip
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    for name in columns:
        zone = "+01:00" if "local" in name else None
        own = opened(spark, tmp_path / "a.parquet", columns=Columns(ts=name, zone=zone))
        moved = 3_600_000 if zone else 0
        found = [row.ts for row in own.everything.orderBy("row").collect()]
        assert found == [*(each - moved for each in ms[:2]), None], name


@pytest.mark.spark
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_a_date_and_its_time_of_day_may_be_in_two_columns(spark: Any, tmp_path: Path, name: str) -> None:
    dates = [datetime(2008, 2, day, tzinfo=UTC).date() for day in (18, 19, 20)]
    days = dates if name.endswith("parquet") else [f"{day:%d/%m/%Y}" for day in dates]
    rows = [{"Date": day, "Time": clock} for day, clock in zip(days, ("07:24:00", "12:00 AM", None), strict=True)]
    write_table(tmp_path / name, rows)
    expected = [1203319440000, 1203379200000, None]
    own = opened(spark, tmp_path / name, columns=Columns(ts="Date,Time"))
    assert [row.ts for row in own.everything.orderBy("block", "row").collect()] == expected
    guessed = opened(spark, tmp_path / name, columns=Columns())
    assert guessed.columns.ts == "Date,Time"
    with pytest.raises(FilesError, match="has dates without a time of day, and `Time` has times of day; write --ts"):
        opened(spark, tmp_path / name, columns=Columns(ts="Date"))
    own = opened(spark, tmp_path / name, columns=Columns(ts="Date", ts_unit="date"))
    midnights = [row.ts for row in own.everything.orderBy("block", "row").collect()]
    assert midnights == [1203292800000, 1203379200000, 1203465600000]


@pytest.mark.spark
def test_annotated_csv_is_read_below_its_annotations(spark: Any, tmp_path: Path) -> None:
    head = "#group,false,false,true\n#datatype,string,long,string\n#default,_result,,\n,table,_time,host\n"
    for number, name in enumerate(("a.csv", "b.csv.gz")):
        (tmp_path / str(number)).mkdir()
        data = f'{head},0,2021-01-01T00:00:1{number}Z,h1\n,0,x,"#h2"\n'.encode()
        (tmp_path / str(number) / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
        own = opened(spark, tmp_path / str(number), columns=Columns(ts="_time", key="host"))
        found = [(row.ts, row.key) for row in own.everything.orderBy("block", "row").collect()]
        assert found == [(1609459210000 + 1000 * number, "h1"), (None, "#h2")]
        assert ":6:1: 1 of 2 rows" in str(refused_records(own, 1, 1))
    (tmp_path / "twice.csv").write_text(f"{head},0,2021-01-01T00:00:10Z,h1\n\n{head},0,2021-01-01T00:00:10Z,h1\n")
    with pytest.raises(FilesError, match="several tables in one file are not read"):
        opened(spark, tmp_path / "twice.csv", columns=Columns(ts="_time"))
    (tmp_path / "log.csv").write_text("#Version: 1.0\n#Fields: date time\n2024-01-01 10:00:00\n")
    with pytest.raises(FilesError, match="in a line that begins with #"):
        opened(spark, tmp_path / "log.csv", columns=Columns(ts="date"))
    (tmp_path / "numbers.csv").write_text("#1,when\n1,1000\n")
    (tmp_path / "members.jsonl").write_text('{"#id": 1, "when": 1000}\n')
    for name in ("numbers.csv", "members.jsonl"):
        with pytest.raises(FilesError, match="there is no column `ts`"):
            opened(spark, tmp_path / name, columns=Columns(ts="ts"))


@pytest.mark.spark
def test_days_and_members_of_structs(spark: Any, tmp_path: Path) -> None:
    day = datetime(1969, 12, 31, tzinfo=UTC).date()
    write_table(tmp_path / "a.parquet", [{"e": {"day": day, "n": 7}}, {"e": {"day": day + timedelta(2), "n": 8}}])
    own = opened(spark, tmp_path / "a.parquet", columns=Columns(ts="e.day", key="e.n"))
    assert [(row.ts, row.key) for row in own.table.orderBy("row").collect()] == [(-86_400_000, "7"), (86_400_000, "8")]
    write_table(tmp_path / "b.jsonl", [{"e": {"t": 1}, "e.k": "x"}, {"e": {"t": 2}, "e.k": "y"}])
    own = opened(spark, tmp_path / "b.jsonl", columns=Columns(ts="e.t", key="e.k"))
    assert [(row.ts, row.key) for row in own.table.orderBy("row").collect()] == [(1, "x"), (2, "y")]


@pytest.mark.spark
def test_records_that_cannot_be_read_are_counted_and_left_out(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"ts": 1, "value": 3}\nnonsense\n{"ts": null, "value": 4}\n{"ts": "x"}\n\n{"ts": 2, "value": 5}\n')
    own = opened(spark, path, columns=Columns(ts="ts", value="value"))
    assert [(row.item, row.ts, row.value) for row in numbered(own)] == [(0, 1, 3), (1, 2, 5)]
    assert (own.counted(), own.table.count()) == (3, 2)


@pytest.mark.spark
@pytest.mark.parametrize("name", ["header", "separator", "schema", "damaged", "twice", "array", "no_header", "excel"])
def test_files_that_cannot_be_read_are_refused_by_name(spark: Any, tmp_path: Path, name: str) -> None:
    rows = [{"ts": 1, "key": "a"}, {"ts": 2, "key": "b"}]
    several = ("header", "separator", "schema", "damaged")
    other = write_table(tmp_path / ("b.parquet" if name in ("schema", "damaged") else "b.csv"), rows)
    path = Path(other).with_stem("c")
    match name:
        case "header":
            path.write_text("key,ts\na,1\n")
        case "separator":
            path.write_text("ts;key\n1;a\n")
        case "schema":
            write_table(path, [{"ts": "1", "key": "a"}])
        case "damaged":
            path.write_bytes(b"PAR1" + bytes(100))
        case "twice":
            path.write_text("ts,ts\n1,2\n")
        case "array":
            path = path.with_suffix(".json")
            path.write_text('[{"ts": 1},\n{"ts": 2}]')
        case "excel":
            path.write_text("sep=;\nts;key\n1;a\n")
        case "no_header":
            path.write_text("1,a\n2,b\n")
    with pytest.raises(FilesError) as raised:
        opened(spark, *([other, path] if name in several else [path]), columns=Columns(ts="ts"))
    assert str(raised.value).startswith(str(path))


@pytest.mark.spark
def test_a_file_that_changes_or_breaks_while_it_is_read(spark: Any, tmp_path: Path) -> None:
    from threading import Event

    from tidemark.spark_bridge.files.opening import files_as_stream
    from tidemark.spark_bridge.spark.stages import Stages

    path = Path(write_table(tmp_path / "a.csv.gz", [{"ts": n, "key": f"{n * n}"} for n in range(5000)]))
    files, stages = Files((str(path),), Columns(ts="ts")), Stages(None, Event())
    with pytest.raises(FilesError, match="has changed while it was read"), files_as_stream(files, stages, "local[2]"):
        path.touch()
    path.write_bytes(path.read_bytes()[:-3000])
    with pytest.raises(CheckFails, match="damaged or incomplete"), files_as_stream(files, stages, "local[2]") as own:
        own.table.count()


@pytest.mark.spark
def test_other_formats_of_spark(spark: Any, tmp_path: Path) -> None:
    rows = [{"ts": n, "key": f"{n}"} for n in range(9)]
    read = spark.read.parquet(write_table(tmp_path / "a.parquet", rows))
    read.coalesce(1).write.orc(str(tmp_path / "orc"))
    own = opened(spark, tmp_path / "orc", columns=Columns(ts="ts", key="key"), format="orc")
    assert [(row.item, row.ts) for row in numbered(own)] == [(n, n) for n in range(9)]
    with pytest.raises(FilesError, match="spark-sql-kafka-0-10"):
        opened(spark, columns=Columns(), format="kafka", options={"subscribe": "clicks"})


@pytest.mark.spark
def test_a_topic_of_kafka_has_its_columns_in_its_values(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader for Kafka is a package of Spark's; here a file stands for what it finds."""
    arrived = datetime(2026, 1, 1, tzinfo=UTC)
    values = ['{"event_time": 1767225600000, "page": {"id": 7}}', "no object", '{"event_time": 5}']
    rows = [
        {
            "key": f"k{n % 2}".encode(), "value": value.encode(), "topic": "clicks", "partition": n % 2 + 4,
            "offset": 100 + n, "timestamp": arrived + timedelta(seconds=n), "timestampType": 0,
        }
        for n, value in enumerate(values)
    ]  # fmt: skip
    topic = spark.read.parquet(write_table(tmp_path / "topic.parquet", rows))
    monkeypatch.setattr("tidemark.spark_bridge.files.opening.other_table", lambda *_: topic)
    own = opened(spark, columns=Columns(ts="event_time", value="page.id"), format="kafka")
    found = [(row.ts, row.at, row.key, own.channels[row.channel]) for row in own.table.orderBy("at").collect()]
    first = 1_767_225_600_000
    assert found == [(first, first, "k0", 4), (5, first + 2000, "k0", 4)]
    assert (own.counted(), own.channels) == (1, (4,))
    own = opened(spark, columns=Columns(), format="kafka")
    assert own.columns.named["ts"] == "event_time"
    assert own.guessed
