"""The code of the cures: it reads the stream's own columns as they are, and Spark runs it as it is printed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spark_bridge.files.asked import Files
from spark_bridge.files.columns import Columns
from spark_bridge.files.opening import open_files
from spark_bridge.files.pattern import Pattern, pattern_of
from spark_bridge.files.written import Written, WrittenStream
from spark_bridge.profile.findings.cures import CURES, after, cures_of
from spark_bridge.profile.findings.dialects import java_member, java_time, spark_time, sql_time
from spark_bridge.profile.findings.finding import Cause, Where
from spark_bridge.profile.findings.signs import Between, Off

HOUR = 3_600_000
ISO = Pattern("yyyy-MM-dd'T'HH:mm:ss.SSS", "Z", is_iso=True)
CLICKS = WrittenStream(
    {
        "ts": Written(("time",), "", "iso", ISO),
        "at": Written(("received",), "", "iso", ISO),
        "key": Written(("user", "id")),
        "value": Written(("took_ms",)),
        "channel": Written(("server",)),
    }
)
AHEAD = Cause("zone-offset", 9, Where(channel="web-3"), "ahead", {"by": HOUR})


@pytest.mark.parametrize(
    ("form", "cells", "pattern", "zone"),
    [
        (
            "iso",
            ["2026-03-02T08:00:02.478Z", "2026-03-02T08:00:02.1Z", "2026-03-02T08:00:02.479Z"],
            "yyyy-MM-dd'T'HH:mm:ss[.SSS][.S]",
            "Z",
        ),
        ("iso", ["2026-03-02 08:00:02.478"], "yyyy-MM-dd HH:mm:ss.SSS", ""),
        ("iso", ["2026-03-02T08:00:02+01:00"], "yyyy-MM-dd'T'HH:mm:ss", "+01:00"),
        ("iso", ["2026/03/02 08:00:02,123"], "yyyy/MM/dd HH:mm:ss,SSS", ""),
        ("iso", ["20260302T080002Z"], "yyyyMMdd'T'HHmmss", "Z"),
        ("iso", ["2026年3月2日 8:00:00"], "yyyy'年'M'月'd'日 'H:mm:ss", ""),
        ("iso", ["2026-03-02"], "yyyy-MM-dd", ""),
        ("dmy", ["2.3.2026 8:05", "12.03.2026 18:05"], "d.M.yyyy H:mm", ""),
        ("mdy", ["03/02/26 08:05:01 PM"], "MM/dd/yy hh:mm:ss a", ""),
        ("named", ["2 Mar 2026 08:00:00", "12 Mar 2026 08:00:00"], "d MMM yyyy HH:mm:ss", ""),
        ("named", ["March 2, 2026 08:00"], "MMMM d, yyyy HH:mm", ""),
        ("named", ["Tue Jun 02 03:16:10 PDT 2009", "Wed Dec 02 03:16:10 PST 2009"], "MMM dd HH:mm:ss", " PDT"),
        ("named", ["Wed Oct 03 08:19:24 +0000 2018"], "MMM dd HH:mm:ss", " +0000"),
        ("named", ["Tue, 02 Jun 2009 03:16:10 GMT"], "dd MMM yyyy HH:mm:ss", " GMT"),
        ("iso", ["2026-03-02T08:00:02+01:00[Europe/Berlin]"], "yyyy-MM-dd'T'HH:mm:ss", "+01:00[Europe/Berlin]"),
    ],
)
def test_dates_have_a_pattern(form: str, cells: list[str], pattern: str, zone: str) -> None:
    found = pattern_of(cells, form)
    assert found is not None
    assert (found.text, found.zone) == (pattern, zone)


@pytest.mark.parametrize(
    ("form", "cell", "java", "sql", "spark"),
    [
        (
            "named",
            "Tue Jun 02 03:16:10 PDT 2009",
            'ZonedDateTime.parse(event.t, DateTimeFormatter.ofPattern("EEE MMM dd HH:mm:ss zzz yyyy", Locale.ENGLISH))',
            "TO_TIMESTAMP_LTZ(`t`, 'EEE MMM dd HH:mm:ss ''PDT'' yyyy', '-07:00')",
            "try_to_timestamp(REGEXP_REPLACE(`t`, '^[A-Za-z]+[,.]? +', ''), 'MMM dd HH:mm:ss zzz yyyy')",
        ),
        (
            "named",
            "Tue, 02 Jun 2009 03:16:10 GMT",
            """ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)).atZone(ZoneId.of("UTC"))""",
            "TO_TIMESTAMP_LTZ(`t`, 'EEE, dd MMM yyyy HH:mm:ss ''GMT''', 'UTC')",
            r"'dd MMM yyyy HH:mm:ss \'GMT\'')",
        ),
        (
            "iso",
            "2026-03-02T08:00:02[Europe/Berlin]",
            """yyyy-MM-dd'T'HH:mm:ss'['VV']'", Locale.ENGLISH)).toInstant()""",
            "'yyyy-MM-dd''T''HH:mm:ss''[Europe/Berlin]''', 'Europe/Berlin')",
            r"HH:mm:ss\'[\'VV\']\'')",
        ),
    ],
)
def test_a_time_with_a_day_of_the_week_or_a_zone_by_name_is_read(
    form: str, cell: str, java: str, sql: str, spark: str
) -> None:
    column = Written(("t",), "", form, pattern_of([cell], form))
    assert java in java_time(column, "event.t", "UTC")
    assert sql in sql_time(column, "UTC")
    assert spark in spark_time(column)


def test_a_time_in_two_columns_is_put_together() -> None:
    pattern = pattern_of(["08/02/2008 07:24:00"], "dmy")
    column = Written(("Date",), "", "dmy", pattern, clock=Written(("Time",)))
    assert spark_time(column) == "try_to_timestamp(CONCAT_WS(' ', `Date`, `Time`), 'dd/MM/yyyy HH:mm:ss')"
    assert "TO_TIMESTAMP_LTZ(CONCAT_WS(' ', `Date`, `Time`), 'dd/MM/yyyy HH:mm:ss', 'UTC')" in sql_time(column, "UTC")
    member = java_member(column, "ts")
    assert java_time(column, member, "UTC").startswith('LocalDateTime.parse(event.Date + " " + event.Time, ')


def test_a_clock_that_is_ahead_is_put_back_whatever_its_times_look_like() -> None:
    cures = cures_of(AHEAD, 5000, CLICKS)
    time = "Instant.parse(event.time).toEpochMilli()"
    assert f'{time} - (event.server.equals("web-3") ? 3600000L : 0L)' in cures["flink_java"]
    time = "TO_TIMESTAMP_LTZ(`time`, 'yyyy-MM-dd''T''HH:mm:ss.SSS''Z''', 'UTC')"
    assert (
        f"WHEN `server` = 'web-3' THEN {time} - INTERVAL '0 01:00:00' DAY TO SECOND ELSE {time} END"
        in cures["flink_sql"]
    )
    time = "TRY_CAST(`time` AS TIMESTAMP)"
    assert f"= 'web-3' THEN {time} - INTERVAL 3600000 MILLISECONDS ELSE {time} END" in cures["spark"]


def test_copies_are_told_by_the_members_of_a_struct() -> None:
    cures = cures_of(Cause("duplicates", 9), 5000, CLICKS)
    assert "PARTITION BY ts, `user`.`id`, `took_ms` ORDER BY ts" in cures["flink_sql"]
    assert 'event.user.id + " " + event.took_ms' in cures["flink_java"]
    assert '.withColumn("user_id", F.expr("`user`.`id`"))' in cures["spark"]
    assert 'dropDuplicatesWithinWatermark(["ts", "user_id", "took_ms"])' in cures["spark"]


def test_a_constant_is_left_out_by_its_value() -> None:
    cures = cures_of(Cause("no-timestamps", 9, Where(), "constant", {"constant": 946684800000}), 0, WrittenStream())
    assert "-> event.time != 946684800000L ? event.time : System.currentTimeMillis())" in cures["flink_java"]
    assert "<> TO_TIMESTAMP_LTZ(946684800000, 3) THEN" in cures["flink_sql"]


def test_records_of_the_future_are_left_out_by_every_engine() -> None:
    cures = cures_of(Cause("future-timestamps", 9), 5000, CLICKS)
    assert cures["flink_java"].startswith("stream.filter(event -> Instant.parse(event.time).toEpochMilli() <= ")
    form = "'yyyy-MM-dd''T''HH:mm:ss.SSS''Z''', 'UTC'"
    time, arrival = (f"TO_TIMESTAMP_LTZ(`{name}`, {form})" for name in ("time", "received"))
    is_in_time = f"{time} <= {arrival} + INTERVAL '60' SECOND"
    assert f"CASE WHEN {is_in_time} THEN {time} ELSE {arrival} END" in cures["flink_sql"]
    assert cures["flink_sql"].endswith(f"SELECT * FROM events WHERE {is_in_time}")
    assert ".where(" in cures["spark"]


def test_flink_sql_takes_two_digits_of_seconds() -> None:
    causes = [Cause("bound-too-small", 9, numbers={"needed": ms}) for ms in (1500, 433_250, 120 * 24 * HOUR)]
    found = [cures_of(each, 0, WrittenStream())["flink_sql"].split("INTERVAL ")[1] for each in causes]
    assert found == ["'1.5' SECOND", "'0 00:07:20' DAY TO SECOND", "'120 00:00:00' DAY(3) TO SECOND"]


def test_seconds_taken_for_milliseconds_are_read_as_seconds() -> None:
    stream = WrittenStream({"ts": Written(("event ts",), "bigint", "ms")}, row_time="row_time")
    cures = cures_of(Cause("wrong-unit", 9, sort="all", numbers={"power": -3}), 5000, stream)
    assert cures["flink_java"].startswith('// event.time: the column "event ts"\nWatermarkStrategy')
    assert "event.time * 1_000L" in cures["flink_java"]
    assert cures["flink_sql"].startswith("row_time AS TO_TIMESTAMP_LTZ(`event ts`, 0),\nWATERMARK FOR row_time AS")
    assert 'withColumn("row_time", F.expr("timestamp_seconds(`event ts`)"))' in cures["spark"]


def test_java_reads_fractions_exactly_and_divides_by_more_than_an_int_holds() -> None:
    seconds = WrittenStream({"ts": Written(("t",), "", "s", fraction=True)})
    assert "BigDecimal.valueOf(event.t).movePointRight(3).longValue()" in cures_of(AHEAD, 0, seconds)["flink_java"]
    nanos = WrittenStream({"ts": Written(("t",), "bigint", "ns")})
    cures = cures_of(Cause("wrong-unit", 9, sort="all", numbers={"power": 6}), 0, nanos)
    assert "event.t / 1_000_000_000_000L" in cures["flink_java"]
    offset = WrittenStream({"ts": Written(("t",), "", "iso", pattern_of(["2026-03-02T08:00:02+0100"], "iso"))})
    read = "OffsetDateTime.parse(event.t, DateTimeFormatter.ofPattern(\"yyyy-MM-dd'T'HH:mm:ssxx\", Locale.ENGLISH))"
    assert read in cures_of(AHEAD, 0, offset)["flink_java"]


def test_one_repair_serves_all_whose_clocks_are_off_by_the_same_time() -> None:
    also = [Where(channel="web-5"), Where(channel="it's")]
    cures = cures_of(AHEAD, 5000, CLICKS, also)
    assert 'equals("web-3") || event.server.equals("web-5") || event.server.equals("it\'s") ? 36' in cures["flink_java"]
    assert "WHEN `server` = 'web-3' OR `server` = 'web-5' OR `server` = 'it''s' THEN" in cures["flink_sql"]
    assert "`server` = 'web-3' OR `server` = 'web-5' OR" in cures["spark"]


def test_records_that_come_a_second_time_are_not_let_in() -> None:
    cause = Cause("replay", 9, sort="again", numbers={"by": HOUR})
    assert cures_of(cause, 5000, CLICKS) == cures_of(replace(cause, code="duplicates"), 5000, CLICKS)
    assert "allowedLateness" in cures_of(replace(cause, sort="backlog"), 5000, CLICKS)["flink_java"]


def test_flink_sql_compares_no_text_with_a_number() -> None:
    text = WrittenStream({"ts": Written(("t",), "", "ms"), "channel": Written(("part",))})
    number = WrittenStream({"ts": Written(("t",), "bigint", "ms"), "channel": Written(("part",), "int")})
    cause = Cause("zone-offset", 9, Where(channel=3), "behind", {"by": HOUR})
    assert "CAST(`part` AS STRING) = '3'" in cures_of(cause, 0, text)["flink_sql"]
    assert "WHEN `part` = 3 THEN" in cures_of(cause, 0, number)["flink_sql"]


def test_other_cures_read_timestamps_of_another_unit_or_zone_as_they_are_once_that_is_repaired() -> None:
    numbers = WrittenStream({"ts": Written(("t",), "bigint", "ms")})
    unit = Cause("wrong-unit", 9, sort="all", numbers={"power": -3}, sign=Between(0, 9, -3, repairs=True))
    assert cures_of(AHEAD, 5000, after(unit, numbers))["spark"].count("timestamp_seconds(`t`)") == 2
    all_parts = np.ones(1, np.bool_)
    sign = Off("", None, HOUR, np.zeros(0, np.int64), all_parts, all_parts, 0.0, margin=False, repairs=True)
    cures = cures_of(Cause("idle-channel", 9), 5000, after(replace(AHEAD, sign=sign), CLICKS))
    assert "Instant.parse(event.time).toEpochMilli() - 3600000L)" in cures["flink_java"]
    assert "(`time` AS TIMESTAMP) - INTERVAL 3600000 MILLISECONDS" in cures["spark"]
    some = replace(AHEAD, sign=replace(sign, inside=~all_parts))
    assert after(some, CLICKS) == CLICKS


# What a stream may be written like: the rows of a file, and its columns.
FILES = {
    "clicks.jsonl": (
        """{"time":"2026-03-02T09:00:02.500Z","received":"2026-03-02T08:00:03Z","user":{"id":"u'1"},"n":5,"srv":"w 3"}
{"time":"2026-03-02T08:00:03.000Z","received":"2026-03-02T08:00:03Z","user":{"id":"u2"},"n":5,"srv":"w 4"}
""",
        Columns("time", "iso", at="received", key="user.id", value="n", channel="srv"),
    ),
    "paid.csv": (
        """ts,Recv Time (ms),Terminal ID,a.b
2026-03-02 10:00:02.500,1772438403000,7,1
2026-03-02 09:00:03,1772438403000,8,2
""",
        Columns("ts", "iso", "Europe/Berlin", "Recv Time (ms)", "Terminal ID", "a.b", "Terminal ID"),
    ),
    "seconds.csv": (
        "t,at,k\n1772442002.5,1772438403,x\n1772438403.0,1772438403,y\n",
        Columns("t", "s", at="at", key="k", channel="k"),
    ),
    "days.csv": (
        "t;at;k\n02.03.2026 9:00:02;1772438403000;x\n2.3.2026 8:00:03;1772438403000;y\n",
        Columns("t", at="at", key="k", channel="k"),
    ),
}


@pytest.mark.spark
@pytest.mark.parametrize("name", FILES)
def test_spark_runs_the_cures_as_they_are_printed(spark: Any, tmp_path: Path, name: str) -> None:
    from pyspark.sql import functions as F

    text, columns = FILES[name]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    zone = spark.conf.get("spark.sql.session.timeZone")
    stream = open_files(spark, Files((str(path),), columns))
    read = spark.read.options(header=True, sep=";" if ";" in text else ",")
    table = read.json(str(path)) if name.endswith("jsonl") else read.csv(str(path))
    times = [row.ts for row in stream.table.orderBy(*stream.order).select("ts").collect()]
    assert len(times) == 2
    channel = stream.channels[0]

    def cured(code: str, sort: str = "", **numbers: int) -> list[int]:
        cause = Cause(code, 1, Where(channel=channel), sort, {"needed": 5000, "by": HOUR, "silent": 60_000, **numbers})
        names = {"spark": spark, "F": F, "df": table}
        try:
            exec(cures_of(cause, 5000, stream.written)["spark"], names)
            ts = F.unix_millis(F.col(stream.written.row_time)).alias("ts")
            return [row.ts for row in names["df"].select(ts).collect()]
        finally:
            spark.conf.set("spark.sql.session.timeZone", zone)

    assert cured("idle-channel") == times
    assert cured("zone-offset", "ahead") == [times[0] - HOUR, times[1]]
    assert cured("future-timestamps") == times[1:]
    assert cured("no-timestamps", "constant", constant=times[1])[0] == times[0]
    assert cured("wrong-unit", "some", power=3) == times
    assert cured("wrong-unit", "all", power=3) == [ms // 1000 for ms in times]
    for code in CURES:  # what only a streaming query can do is analysed
        names = {"spark": spark, "F": F, "df": spark.readStream.schema(table.schema).format("json").load(str(tmp_path))}
        cause = Cause(code, 1, Where(channel=channel), "ahead", {"needed": 5000, "by": HOUR})
        exec(cures_of(cause, 5000, stream.written)["spark"], names)
        assert names["df"].isStreaming
        assert stream.written.row_time in names["df"].columns
    spark.conf.set("spark.sql.session.timeZone", zone)
