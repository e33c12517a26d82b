"""The code of the cures: it reads the stream's own columns as they are, and Spark runs it as it is printed."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.spark_bridge.commands import main
from tidemark.spark_bridge.files.opening import open_files
from tidemark.spark_bridge.files.request import Columns, Files
from tidemark.spark_bridge.files.sample import Pattern, Written, WrittenStream, pattern_of
from tidemark.spark_bridge.profile import repairs
from tidemark.spark_bridge.profile.findings.cures import cures_of
from tidemark.spark_bridge.profile.findings.dialects import java_member, java_time, spark_time, sql_time
from tidemark.spark_bridge.profile.findings.finding import Cause, Proof, Rule, Where, applied
from tidemark.spark_bridge.profile.findings.fitting import written_ranges
from tidemark.spark_bridge.profile.findings.judge import judged
from tidemark.spark_bridge.profile.findings.records import Expectations, Records
from tidemark.spark_bridge.profile.findings.whole import rules_of
from tidemark.spark_bridge.profile.findings.wording import price_of, worded
from tidemark.spark_bridge.profile.judging import Judged
from tidemark.spark_bridge.profile.repairs import Healed, proved, replaced

from tests.own_stream.in_memory import uncounted
from tests.own_stream.test_findings import MINUTE

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
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as F

    text, columns = FILES[name]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    zone = spark.conf.get("spark.sql.session.timeZone")
    stream = open_files(spark, Files((str(path),), columns))
    read = spark.read.options(header=True, sep=";" if ";" in text else ",")
    table = read.json(str(path)) if name.endswith("jsonl") else read.csv(str(path))
    as_read = stream.table.orderBy(*stream.order).select("ts", "at").collect()
    times, arrivals = map(list, zip(*as_read, strict=True))
    assert len(times) == 2

    def cured(cause: Cause, df: Any) -> Any:
        exec(cures_of([cause], 5000, stream.written)["spark"], names := {"spark": spark, "F": F, "df": df})
        return names["df"]

    off = [ts - at for ts, at in as_read]
    cases: list[tuple[list[Rule], list[int]]] = [
        ([], times),
        ([Rule("channel", stream.channels[:1], by=HOUR)], [times[0] - HOUR, times[1]]),
        ([Rule("channel", stream.channels[:1], at=(arrivals[0] + 1, None), by=HOUR)], times),
        ([Rule(off=(max(off), None), drops=True)], times[1:]),
        ([Rule(ts=((times[1], times[1] + 1),), arrives=True)], [times[0], arrivals[1]]),
        ([Rule(ts=((10**14, 10**17),), power=3)], times),
        ([Rule(power=3)], [ms // 1000 for ms in times]),
    ]
    spark.conf.set("spark.sql.session.timeZone", stream.written.zone)
    try:
        ts = F.unix_millis(F.col(stream.written.row_time)).alias("ts")
        tables = (
            cured(Cause("", 1, rules=tuple(rules)), table).select(F.lit(number).alias("case"), ts)
            for number, (rules, _) in enumerate(cases)
        )
        found = reduce(DataFrame.unionByName, tables).collect()  # one action: each costs a second
        for number, (_, wanted) in enumerate(cases):
            assert [row.ts for row in found if row.case == number] == wanted, cases[number]
        streamed = spark.readStream.schema(table.schema).format("json").load(str(tmp_path))
        for cause in (Cause("duplicates", 1), Cause("replay", 1, sort="backlog"), Cause("idle-channel", 1)):
            query = cured(cause, streamed)  # what only a streaming query can do is analysed
            assert (query.isStreaming, stream.written.row_time in query.columns) == (True, True)
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)


# What a cure does to the records: the faults that were put in are gone, record by record, and no other is touched.

BEGIN = 1_790_000_000_000
NOON = BEGIN + 4 * HOUR
"""Clocks change here: in the middle of the stream."""

ASKED = Expectations(bound=30_000)
Fault = Callable[[Records], np.ndarray]


def sound(arrivals: bool = True, n: int = 12_000, seed: int = 7) -> Records:
    """Eight hours of four channels and fifty keys; one record in a thousand is up to an hour late."""
    rng = np.random.default_rng(seed)
    ts = BEGIN + np.sort(rng.integers(0, 8 * HOUR, n))
    slow = (rng.random(n) < 0.001) * rng.integers(0, HOUR, n) * arrivals
    at = ts + rng.exponential(2000, n).astype(np.int64) + slow
    order = np.argsort(at, kind="stable")
    columns = (rng.integers(0, most, n)[order] for most in (4, 50, 10**6))
    return Records(np.arange(n), ts[order], at[order], *columns)


def west(records: Records) -> np.ndarray:
    assert records.channel is not None
    return records.channel == 1


FAULTS: dict[str, Fault] = {
    "an hour ahead since noon": lambda r: r.ts + HOUR * (west(r) & (r.ts >= NOON)),
    "a channel an hour behind": lambda r: r.ts - HOUR * west(r),
    "a key seven minutes ahead": lambda r: r.ts + 7 * MINUTE * (r.key == 3),
    "a key in microseconds": lambda r: np.where(r.key == 4, r.ts * 1000, r.ts),
    "a channel an hour ahead, in microseconds": lambda r: np.where(west(r), (r.ts + HOUR) * 1000, r.ts),
    "one of 2099": lambda r: np.where(r.item == 9000, 4_070_908_800_000, r.ts),
    "seven of the future": lambda r: r.ts + 5 * HOUR * (r.item % 1700 == 77),
    "a channel an hour behind, a key seven minutes ahead": lambda r: r.ts - HOUR * west(r) + 7 * MINUTE * (r.key == 5),
    "a channel since noon, and the future": lambda r: (
        r.ts + HOUR * (west(r) & (r.ts >= NOON)) + 20 * HOUR * (r.item % 1700 == 77)
    ),
}
WITH_ARRIVALS: dict[str, Fault] = {
    "two hours ahead until noon": lambda r: r.ts + 2 * HOUR * (west(r) & (r.at < NOON)),
    "an hour behind since noon": lambda r: r.ts - HOUR * (west(r) & (r.ts >= NOON)),
    "an hour behind since a deployment at noon": lambda r: r.ts - HOUR * (west(r) & (r.at >= NOON)),
    "two hours ahead for two hours": lambda r: r.ts + 2 * HOUR * (west(r) & (r.at >= NOON) & (r.at < NOON + 2 * HOUR)),
    "all two hours ahead": lambda r: r.ts + 2 * HOUR,
    "a channel seven minutes ahead since noon": lambda r: r.ts + 7 * MINUTE * (west(r) & (r.at >= NOON)),
    "all an hour ahead since noon": lambda r: r.ts + HOUR * (r.at >= NOON),
}


def with_history(live: Records, begin: float, end: float, n: int = 2_500) -> tuple[Records, int]:
    """A day before yesterday, loaded between these shares of the stream; and how many records that are."""
    rng = np.random.default_rng(3)
    assert live.at is not None
    start, last = (int(live.at[min(int(share * len(live)), len(live) - 1)]) for share in (begin, end))
    at = np.concatenate([live.at, np.linspace(start, last, n).astype(np.int64)])
    order = np.argsort(at, kind="stable")
    ts = np.concatenate([live.ts, BEGIN - 26 * HOUR + 1_400 * np.arange(n)])
    columns = {}
    for name, most in (("channel", 4), ("key", 50), ("value", 10**6)):
        columns[name] = np.concatenate([getattr(live, name), rng.integers(0, most, n) + most * (name == "value")])[
            order
        ]
    return Records(np.arange(len(ts)), ts[order], at[order], **columns), n


@pytest.mark.parametrize(("begin", "end"), [(0.3, 0.4), (0.3, 0.7), (0.1, 0.9), (0.0, 1.0)])
def test_a_history_is_left_out_whole_however_much_of_the_stream_it_goes_through(begin: float, end: float) -> None:
    truth = sound()
    both, n = with_history(truth, begin, end)
    assert [each.code for each in judged(both, ASKED)] == ["backfill"]
    _, dropped = repaired(both)
    assert not (dropped & (both.ts >= BEGIN)).any(), "no live record is left out"
    assert np.count_nonzero(dropped) >= n - 15  # before the first live ones nothing says that they are old


def repaired(records: Records) -> tuple[Records, np.ndarray]:
    """The records as all rules leave them, and which are dropped."""
    found, _, dropped = applied(rules_of(judged(records, ASKED)), records)
    return found, dropped


@pytest.mark.parametrize(
    ("name", "arrivals"),
    [*((name, arrivals) for name in FAULTS for arrivals in (True, False)), *((name, True) for name in WITH_ARRIVALS)],
)
def test_the_cure_puts_every_record_right_and_the_finding_is_gone(name: str, arrivals: bool) -> None:
    truth = sound(arrivals)
    wrong = replace(truth, ts=(FAULTS | WITH_ARRIVALS)[name](truth))
    if not arrivals:
        wrong = replace(wrong, at=None)
    assert judged(wrong, ASKED), "there is a finding"
    found, dropped = repaired(wrong)
    assert np.count_nonzero((found.ts != truth.ts) & ~dropped) <= 2
    assert not (dropped & (wrong.ts == truth.ts)).any(), "no right record is left out"
    left = found.where(~dropped)
    again = judged(replace(left, item=np.arange(len(left))), ASKED)
    assert [each.code for each in again] == [each.code for each in judged(replace(truth, at=wrong.at), ASKED)]


@pytest.mark.parametrize("name", ["an hour behind since noon", "an hour behind since a deployment at noon"])
def test_without_arrivals_what_cannot_be_told_apart_is_left_alone(name: str) -> None:
    truth = sound(arrivals=False)
    wrong = replace(truth, ts=WITH_ARRIVALS[name](truth), at=None)
    found, dropped = repaired(wrong)
    assert not (dropped | ((found.ts != truth.ts) & (wrong.ts == truth.ts))).any(), "no right record is changed"
    assert np.count_nonzero(found.ts != truth.ts) < 0.4 * np.count_nonzero(wrong.ts != truth.ts)


@pytest.mark.parametrize(
    "name", [each for each in (*FAULTS, *WITH_ARRIVALS) if each != "two hours ahead for two hours"]
)
def test_the_rules_of_a_long_stream_are_those_of_the_whole(name: str) -> None:
    truth = sound(n=40_000)
    wrong = replace(truth, ts=(FAULTS | WITH_ARRIVALS)[name](truth))
    found, _, dropped = applied(rules_of(uncounted(wrong, ASKED, 4)), wrong)
    assert np.count_nonzero((found.ts != truth.ts) & ~dropped) <= 4
    assert not (dropped & (wrong.ts == truth.ts)).any()


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(sorted(FAULTS)), st.sampled_from(sorted(FAULTS)), st.integers(0, 99))
def test_two_causes_at_once_leave_no_right_record_changed(one: str, other: str, seed: int) -> None:
    truth = sound(seed=seed)
    wrong = replace(truth, ts=FAULTS[one](truth))
    both = replace(wrong, ts=np.where(FAULTS[other](truth) != truth.ts, FAULTS[other](wrong), wrong.ts))
    if "microseconds" in one or "microseconds" in other:
        both = wrong
    found, dropped = repaired(both)
    untouched = both.ts == truth.ts
    assert np.count_nonzero(untouched & (dropped | (found.ts != truth.ts))) <= 2
    # What two causes have moved at once need not be told apart.
    if not ((wrong.ts != truth.ts) & (FAULTS[other](truth) != truth.ts)).any():
        assert np.count_nonzero((found.ts != truth.ts) & ~dropped) <= 0.01 * len(truth)


@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), max_size=20))
def test_ranges_of_written_times_hold_no_other_record(rows: list[tuple[int, bool]]) -> None:
    ts = np.array([row[0] for row in rows], np.int64)
    is_it = np.array([row[1] for row in rows], np.bool_)
    ranges = written_ranges(ts, is_it, 0.0)
    if not ranges:
        return
    found = Rule(ts=ranges).of(Records(np.arange(len(ts)), ts))
    assert not (found & ~is_it).any()
    alone = [row[1] and (row[0], False) not in rows for row in rows]
    assert found.tolist() == alone


@pytest.mark.parametrize(
    ("line", "path", "expected"),
    [
        ('{"a": 1.50, "t":"2026" }', ("t",), '{"a": 1.50, "t":7 }'),
        (' {"e": {"x": [1, {"t": 3}], "t" : 5}, "t": 6}', ("e", "t"), ' {"e": {"x": [1, {"t": 3}], "t" : 7}, "t": 6}'),
        ('{"e.t": 5, "e": {}}', ("e", "t"), '{"e.t": 7, "e": {}}'),
        ('{"b": "\\"t\\": 1", "t": -1e3}', ("t",), '{"b": "\\"t\\": 1", "t": 7}'),
    ],
)
def test_a_line_keeps_everything_but_its_time(line: str, path: tuple[str, ...], expected: str) -> None:
    assert replaced(line, path, 7) == expected


# Every cure is applied to its stream and judged again: before and after are shown; what does not help is not.

COLUMNS = ("--ts", "time", "--at", "received", "--key", "user", "--value", "id", "--channel", "part")


def written(records: Records, path: Path, unreadable: int = 0) -> list[dict[str, str]]:
    """``records`` as CSV; the rows."""
    names = {"time": "ts", "received": "at", "user": "key", "id": "value", "part": "channel"}
    columns = {name: getattr(records, role).tolist() for name, role in names.items()}
    rows = [dict(zip(columns, map(str, row), strict=True)) for row in zip(*columns.values(), strict=True)]
    for row in rows[:unreadable]:
        row["time"] = "-"
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, columns)
        out.writeheader()
        out.writerows(rows)
    return rows


def profiled(*arguments: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    assert main(["profile", *arguments, *COLUMNS, "--bound", "30s"], out, err) == 0, err.getvalue()
    return out.getvalue()


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_history_and_a_wrong_zone_are_cured_and_the_proof_says_so(tmp_path: Path) -> None:
    truth = replace(sound(), value=np.arange(12_000))
    wrong, is_history = with_history(replace(truth, ts=FAULTS["an hour ahead since noon"](truth)), 0.3, 0.7)
    written(wrong, tmp_path / "a.csv")
    found = json.loads(profiled(str(tmp_path / "a.csv"), "--json", "--repaired", str(tmp_path / "b.csv")))
    assert [(each["code"], each["proof"]["after"]) for each in found["findings"]] == [
        ("backfill", 0), ("zone-offset", 0)
    ]  # fmt: skip
    assert all(each["proof"]["before"] == each["records"] for each in found["findings"])
    assert found["proof"]["findings"] == [["backfill", "zone-offset"], []]
    assert found["proof"]["records"] == [len(wrong), len(truth)]
    before, after = found["proof"]["recommended"]
    assert after < 30_000 < before

    live = {str(value): ts for value, ts in zip(truth.value.tolist(), truth.ts.tolist(), strict=True)}  # type: ignore[union-attr]
    repaired = {row["id"]: int(row["time"]) for row in rows_of(tmp_path / "b.csv")}
    assert sum(repaired[each] != ts for each, ts in live.items()) <= 2
    assert len(rows_of(tmp_path / "b.csv")) == len(truth) == len(wrong) - is_history


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_constant_instead_of_times_becomes_the_arrival(tmp_path: Path) -> None:
    truth = sound(n=3_000)
    written(replace(truth, ts=np.zeros_like(truth.ts)), tmp_path / "a.csv", unreadable=5)
    text = profiled(str(tmp_path / "a.csv"), "--repaired", str(tmp_path / "b.csv"))
    assert "no-timestamps: 3,000 of 3,000 records have no usable timestamp" in text
    assert "judged again: 3,000 records before the cure, 0 after it." in text
    assert "What it costs: No state and no delay" in text
    assert all(row["time"] == row["received"] for row in rows_of(tmp_path / "b.csv"))


CAUSE_AHEAD = Cause("zone-offset", 40, Where(channel=1), "ahead", {"count": 40, "own": 40, "by": HOUR},
              rules=(Rule("channel", (1,), by=HOUR),))  # fmt: skip
FUTURE = Cause("future-timestamps", 9, Where(), "few", {"count": 9, "by": HOUR, "item": 3},
               rules=(Rule(ts=((5 * HOUR, None),), drops=True),))  # fmt: skip


def judged_by(*causes: Cause) -> Judged:
    found = [worded(each, 5000, ["a", "b"], {}) for each in causes]
    return Judged(found, {"spark": "both"}, [each.cause for each in found])


@pytest.mark.parametrize(("left", "shown"), [(0, True), (39, True), (40, False), (41, False)])
def test_a_cure_that_leaves_as_many_records_is_neither_shown_nor_part_of_the_one_cure(
    monkeypatch: pytest.MonkeyPatch, left: int, shown: bool
) -> None:
    tried: list[int] = []

    def healed(_stream: Any, _asked: Expectations, causes: Any) -> Healed:
        tried.append(len(causes))
        return Healed(100, {5000: 0}, 0, [replace(CAUSE_AHEAD, where=Where(channel="b"), records=left)] if left else [])

    monkeypatch.setattr(repairs, "_healed", healed)
    stream: Any = SimpleNamespace(written=WrittenStream())
    found, after = proved(stream, Expectations(5000), judged_by(CAUSE_AHEAD, FUTURE))
    assert after is not None
    ahead, future = found.findings
    assert (ahead.proof, future.proof) == (Proof(40, left), Proof(9, 0))
    assert bool(ahead.cures) is shown
    assert tried == ([2] if shown else [2, 1])
    if not shown:
        assert "left as many of these records as before" in ahead.as_json()["cure"]
        assert "3600000" not in found.cure["spark"], "the one cure has no rule of it"
        assert [each.code for each in found.causes] == ["future-timestamps"], "nor has --repaired"


@pytest.mark.parametrize(
    ("cause", "says"),
    [
        (CAUSE_AHEAD, "No state and no delay: each record is corrected by itself."),
        (FUTURE, "No state and no delay; these records are left out."),
        (replace(FUTURE, code="backfill"), "the old records need a job of their own."),
        (Cause("bound-too-small", 9, numbers={"needed": 65_000}), "each result is emitted 1 min later"),
        (Cause("idle-channel", 9, numbers={"silent": 40_000}), "up to 10 s. What it sends after its silence may"),
        (Cause("replay", 9, sort="backlog", numbers={"by": 60_000}), "each window is kept for 1 min longer"),
        (Cause("duplicates", 9, numbers={"by": HOUR}), "kept for 2 h by the Java"),
    ],
    ids=lambda value: value.code if isinstance(value, Cause) else "",
)  # fmt: skip
def test_a_cure_says_what_it_costs(cause: Cause, says: str) -> None:
    assert says in price_of(cause, (), 5000)
    assert (
        price_of(cause, [FUTURE], 5000)
        == f"{price_of(cause, (), 5000)} Records that the cures before it leave out are left out here, too."
    )
