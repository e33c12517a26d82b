"""The code of the cures: it reads the stream's own columns as they are, and Spark runs it as it is printed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tidemark.spark_bridge.files.opening import open_files
from tidemark.spark_bridge.files.request import Columns, Files
from tidemark.spark_bridge.files.sample import Pattern, Written, WrittenStream, pattern_of
from tidemark.spark_bridge.profile.findings.cures import cures_of
from tidemark.spark_bridge.profile.findings.dialects import java_member, java_time, spark_time, sql_time
from tidemark.spark_bridge.profile.findings.finding import Cause, Rule

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
AHEAD = Rule("channel", ("web-3",), by=HOUR)


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


def cured(
    code: str, stream: WrittenStream, *rules: Rule, sort: str = "", bound: int = 5000, **numbers: int
) -> dict[str, str]:
    return cures_of([Cause(code, 9, sort=sort, numbers=numbers, rules=rules)], bound, stream)


def test_a_clock_that_is_ahead_is_put_back_whatever_its_times_look_like() -> None:
    cures = cured("zone-offset", CLICKS, AHEAD)
    assert """        long ts = Instant.parse(event.time).toEpochMilli();
        if (event.server.equals("web-3")) {
            ts -= 3600000L;
        }
        return ts;""" in cures["flink_java"]
    time = "TO_TIMESTAMP_LTZ(`time`, 'yyyy-MM-dd''T''HH:mm:ss.SSS''Z''', 'UTC')"
    assert (
        f"WHEN `server` = 'web-3' THEN {time} - INTERVAL '0 01:00:00' DAY TO SECOND ELSE {time} END"
        in cures["flink_sql"]
    )
    assert "= 'web-3' THEN ts - INTERVAL 3600000 MILLISECONDS ELSE ts END" in cures["spark"]


def test_a_cure_is_limited_in_time_by_the_arrival() -> None:
    cures = cured("zone-offset", CLICKS, replace(AHEAD, at=(HOUR, None)))
    read = "Instant.parse(event.received).toEpochMilli()"
    assert f'if (event.server.equals("web-3") && {read} >= 3600000L) {{' in cures["flink_java"]
    assert ", 'UTC') >= TO_TIMESTAMP_LTZ(3600000, 3) THEN" in cures["flink_sql"]
    assert "AND TRY_CAST(`received` AS TIMESTAMP) >= timestamp_millis(3600000) THEN" in cures["spark"]


def test_rules_that_are_never_about_one_record_share_a_case() -> None:
    stream = WrittenStream({"ts": Written(("t",), "bigint", "ms"), "channel": Written(("srv",))})
    other = replace(AHEAD, names=("web-5", "it's"), by=-7)
    cures = cured("zone-offset", stream, AHEAD, other)
    assert cures["flink_sql"].count("CASE") == 1
    assert "WHEN (`srv` = 'web-5' OR `srv` = 'it''s') THEN" in cures["flink_sql"].replace(
        "WHEN `srv` = 'web-5' OR `srv` = 'it''s'", "WHEN (`srv` = 'web-5' OR `srv` = 'it''s')"
    )
    assert 'event.srv.equals("web-5") || event.srv.equals("it\'s")' in cures["flink_java"]


def test_copies_are_told_by_the_members_of_a_struct() -> None:
    cures = cured("duplicates", CLICKS)
    assert "PARTITION BY ts, `user`.`id`, `took_ms` ORDER BY ts" in cures["flink_sql"]
    assert 'event.user.id + " " + event.took_ms' in cures["flink_java"]
    assert '.withColumn("user_id", F.expr("`user`.`id`"))' in cures["spark"]
    assert 'dropDuplicatesWithinWatermark(["ts", "user_id", "took_ms"])' in cures["spark"]


def test_a_row_that_is_left_out_has_a_time_that_moves_no_watermark() -> None:
    cures = cured("future-timestamps", CLICKS, Rule(off=(60_000, None), drops=True))
    assert cures["flink_java"].startswith("stream\n    .filter(event -> {")
    assert "            return false;" in cures["flink_java"]
    assert "+ INTERVAL '60' SECOND THEN TO_TIMESTAMP_LTZ(-1, 3) ELSE" in cures["flink_sql"]
    assert cures["flink_sql"].endswith("SELECT * FROM events WHERE ts >= TO_TIMESTAMP_LTZ(0, 3);")
    assert "CURRENT_TIMESTAMP" not in cures["flink_sql"]
    assert '.where("NOT (ts >= ' in cures["spark"]


def test_flink_sql_takes_two_digits_of_seconds() -> None:
    found = [
        cured("", WrittenStream(), bound=ms)["flink_sql"].split("INTERVAL ")[1]
        for ms in (1500, 433_250, 120 * 24 * HOUR)
    ]
    assert found == ["'1.5' SECOND", "'0 00:07:13.250' DAY TO SECOND", "'120 00:00:00' DAY(3) TO SECOND"]


def test_seconds_taken_for_milliseconds_are_read_as_seconds() -> None:
    stream = WrittenStream({"ts": Written(("event ts",), "bigint", "ms")}, row_time="row_time")
    cures = cured("wrong-unit", stream, Rule(power=-3))
    assert cures["flink_java"].startswith('// event.time: the column "event ts"\nWatermarkStrategy')
    assert "ts *= 1_000L;" in cures["flink_java"]
    assert cures["flink_sql"].startswith("row_time AS TO_TIMESTAMP_LTZ(`event ts`, 0),\nWATERMARK FOR row_time AS")
    assert 'withColumn("row_time", F.expr("timestamp_seconds(`event ts`)"))' in cures["spark"]


def test_of_several_units_the_number_decides_since_a_time_out_of_range_is_none() -> None:
    stream = WrittenStream({"ts": Written(("t",), "bigint", "ms")})
    cures = cured("wrong-unit", stream, Rule(ts=((10**14, 10**17),), power=3), Rule(ts=((10**8, 10**11),), power=-3))
    assert cures["flink_sql"].startswith(
        "ts AS CASE WHEN `t` >= 100000000000000 AND `t` < 100000000000000000 THEN TO_TIMESTAMP_LTZ(`t` / 1000, 3) "
        "WHEN `t` >= 100000000 AND `t` < 100000000000 THEN TO_TIMESTAMP_LTZ(`t`, 0) ELSE TO_TIMESTAMP_LTZ(`t`, 3) END,"
    )
    seconds = WrittenStream({"ts": Written(("t",), "bigint", "s")})
    assert (
        "`t` >= 100000000000 AND `t` < 100000000000000 THEN"
        in cured("wrong-unit", seconds, Rule(ts=((10**14, 10**17),), power=3))["flink_sql"]
    )


def test_a_backlog_is_taken_in_late_and_never_by_a_setting_that_windows_refuse() -> None:
    cures = cured("replay", CLICKS, sort="backlog", by=HOUR)
    assert ".allowedLateness(Duration.ofMillis(3600000))\n    .sideOutputLateData(late)" in cures["flink_java"]
    assert "-- SET 'table.exec.emit.late-fire.enabled'" in cures["flink_sql"]
    assert "\nSET 'table.exec.emit" not in cures["flink_sql"]
    assert '.withWatermark("ts", "5000 milliseconds")' in cures["spark"]
    again = cured("replay", CLICKS, sort="again", by=HOUR)
    assert again == cured("duplicates", CLICKS, by=HOUR)


def test_flink_sql_compares_no_text_with_a_number() -> None:
    text = WrittenStream({"ts": Written(("t",), "", "ms"), "channel": Written(("part",))})
    number = WrittenStream({"ts": Written(("t",), "bigint", "ms"), "channel": Written(("part",), "int")})
    rule = replace(AHEAD, names=(3,))
    assert "CAST(`part` AS STRING) = '3'" in cured("zone-offset", text, rule)["flink_sql"]
    assert "WHEN `part` = 3 THEN" in cured("zone-offset", number, rule)["flink_sql"]


def test_all_causes_together_have_one_time_and_one_watermark() -> None:
    causes = [
        Cause("zone-offset", 9, rules=(AHEAD,)),
        Cause("future-timestamps", 9, rules=(Rule(off=(60_000, None), drops=True),)),
        Cause("idle-channel", 9, numbers={"silent": HOUR}),
        Cause("replay", 9, sort="backlog", numbers={"by": HOUR}),
        Cause("bound-too-small", 9, numbers={"needed": 80_722}),
    ]
    cures = cures_of(causes, 5000, CLICKS)
    assert cures["flink_java"].count("forBoundedOutOfOrderness(Duration.ofMillis(81000))") == 1
    assert cures["flink_java"].count("withIdleness") == cures["flink_sql"].count("WATERMARK FOR") == 1
    assert cures["spark"].count('.withWatermark("ts", "81000 milliseconds")') == cures["spark"].count("Watermark(") == 1


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

    def run(cause: Cause, df: Any) -> Any:
        names = {"spark": spark, "F": F, "df": df}
        try:
            exec(cures_of([cause], 5000, stream.written)["spark"], names)
            return names["df"]
        finally:
            spark.conf.set("spark.sql.session.timeZone", zone)

    def cured_times(*rules: Rule, **numbers: int) -> list[int]:
        ts = F.unix_millis(F.col(stream.written.row_time)).alias("ts")
        spark.conf.set("spark.sql.session.timeZone", stream.written.zone)
        try:
            names = {"spark": spark, "F": F, "df": table}
            exec(cures_of([Cause("", 1, numbers=numbers, rules=rules)], 5000, stream.written)["spark"], names)
            return [row.ts for row in names["df"].select(ts).collect()]
        finally:
            spark.conf.set("spark.sql.session.timeZone", zone)

    arrivals = [row.at for row in stream.table.orderBy(*stream.order).select("at").collect()]
    off = [ts - at for ts, at in zip(times, arrivals, strict=True)]
    assert cured_times() == times
    assert cured_times(Rule("channel", (channel,), by=HOUR)) == [times[0] - HOUR, times[1]]
    assert cured_times(Rule("channel", (channel,), at=(arrivals[0] + 1, None), by=HOUR)) == times
    assert cured_times(Rule(off=(max(off), None), drops=True)) == times[1:]
    assert cured_times(Rule(ts=((times[1], times[1] + 1),), arrives=True)) == [times[0], arrivals[1]]
    assert cured_times(Rule(ts=((10**14, 10**17),), power=3)) == times
    assert cured_times(Rule(power=3)) == [ms // 1000 for ms in times]
    streamed = spark.readStream.schema(table.schema).format("json").load(str(tmp_path))
    for cause in (Cause("duplicates", 1), Cause("replay", 1, sort="backlog"), Cause("idle-channel", 1)):
        found = run(cause, streamed)  # what only a streaming query can do is analysed
        assert found.isStreaming
        assert stream.written.row_time in found.columns
