"""A text that becomes a time: what is read is the time that Flink 2.3 makes of it, and what it makes NULL is refused.

The times come from ``DateTimeUtils.parseTimestampData`` of Flink 2.3.0, called with each text and pattern.
"""

import pytest
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario import parse
from tidemark.simulator.sql import RecordsProblem, from_sql

SECONDS = "yyyy-MM-dd HH:mm:ss"
ZULU = "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'"
TEN = 1767261600000
"""2026-01-01 10:00:00 UTC, in ms."""
HOUR, DAY = 3_600_000, 86_400_000

READ = [
    ("", "2026-01-01 10:00:00", TEN),
    ("", "2026-01-01 10:00:00.5", TEN + 500),
    ("", "2026-01-01", TEN - 36_000_000),
    (SECONDS, "2026-01-01 10:00:00", TEN),
    (SECONDS, "2026-01-01 10:00:00.5", TEN + 500),
    (SECONDS, "2026-01-01", TEN - 36_000_000),
    (ZULU, "2026-01-01T10:00:00.123Z", TEN + 123),
    (ZULU, "2026-01-01 10:00:00", TEN),
    ("yyyy/MM/dd HH:mm:ss", "2026/01/01 10:00:00", TEN),
    ("yyyy-MM-dd HH:mm", "2026-01-01 10:00", TEN),
    ("yyyy-MM-dd HH:mm", "2026-01-01 10:00:01", TEN + 1000),
    ("yyyy-MM-dd'T'HH:mm'Z'", "2026-01-01T10:00Z", TEN),
    ("yyyy-MM-dd HH:mm:ss,SSS", "2026-01-01 10:00:00,123", TEN + 123),
    ("", "2026-1-1 10:0:0", TEN),
    ("", "2026-01-01 10:0:00.", TEN),
    ("", "2026-02-30 10:00:00", TEN + 58 * DAY),
    ("", "2026-01-01 24:00:00", TEN + 14 * HOUR),
    (SECONDS, "2026-1-1 10:0:0.5", TEN + 500),
    (SECONDS, '" 2026-01-01 10:00:00 "', TEN),
    (SECONDS, '"\t2026-1-1"', TEN - 10 * HOUR),
    (SECONDS, "2026-02-30 10:00:00", TEN + 58 * DAY),
    (SECONDS, "2026-2-30 10:00:00", TEN + 60 * DAY),
    (SECONDS, "2026-01-01 24:00:00", TEN + 14 * HOUR),
    (SECONDS, "2026-01-01 10:00:60", TEN + 60_000),
    ("yyyy/MM/dd HH:mm", '" 2026-01-01 10:00:60"', TEN + 60_000),
    ("dd/MM/yyyy HH:mm", "01/01/2026 10:00", TEN),
    ("MM/dd/yy hh:mm:ss a", "01/01/26 10:00:00 AM", TEN),
    ("MM/dd/yy hh:mm:ss a", "01/01/26 12:00:00 AM", TEN - 10 * HOUR),
    ("MM/dd/yy hh:mm:ss a", "01/01/26 12:00:00 PM", TEN + 2 * HOUR),
    ("dd/MMM/yyyy:HH:mm:ss", "01/Jan/2026:10:00:00", TEN),
    ("MMMM d yyyy H:mm", "January 1 2026 10:00", TEN),
    ("EEE MMM d HH:mm:ss yyyy", "Thu Jan 1 10:00:00 2026", TEN),
    ("yyyyMMdd'T'HHmmss", "20260101T100000", TEN),
    ("dd.MM.yyyy Hmmss", "01.01.2026 100000", TEN),
    ("dd.MM.yyyy Hmmss", "01.01.2026 95959", TEN - 1000),
    ("yyyy-MM-dd HH:mm:ss[.SSS][.S]", "2026-01-01 10:00:00.5", TEN + 500),
    ("yyyy年M月d日 H:mm", "2026年1月1日 10:00", TEN),
]
NULL = [
    ("", '" 2026-01-01 10:00:00"'),
    ("", "2026-01-01 10:00:60"),
    ("", "2026-01-32"),
    ("", "2026-00-01"),
    ("", "2026-01-01 24:00:01"),
    ("", "2026-01-01 24:00:00.5"),
    (SECONDS, "2026-13-01 10:00:00"),
    (SECONDS, "2026-01-01 10:00:00."),
    ("dd/MMM/yyyy:HH:mm:ss", "01/jan/2026:10:00:00"),
    ("MM/dd/yy hh:mm:ss a", "01/01/26 10:00:00 am"),
    ("EEE MMM d HH:mm:ss yyyy", "Fri Jan 1 10:00:00 2026"),
    ("", "2026-01-01T10:00:00"),
    ("", "2026-01-01 10:00:00Z"),
    ("", "2026-01-01T10:00:00Z"),
    ("", "2026-01-01 10:00"),
    ("", "2026-01-01 10:00:00,5"),
    ("", "2026/01/01 10:00:00"),
    ("", "2026-01-01 10:00:00+02:00"),
    ("", "1767261600000"),
    ("", "20260101"),
    (SECONDS, "2026-01-01T10:00:00"),
    (SECONDS, "2026-01-01 10:00"),
    (SECONDS, "2026/01/01 10:00:00"),
    ("yyyy-MM-dd HH:mm", "2026-01-01 1:00"),
    (ZULU, "2026-01-01T10:00:00Z"),
    (ZULU, "2026-01-01T10:00:00.123"),
    ("yyyy/MM/dd HH:mm:ss", "2026/01/01"),
    ("yyyy-MM-dd HH:mm:ss,SSS", "2026-01-01 10:00:00,5"),
]


def scenario_of(pattern: str, text: str) -> str:
    """Two rows with the same time, by the column ``told``."""
    quoted = pattern.replace("'", "''")
    of_text = f"told, '{quoted}'" if pattern else "told"
    sql = (
        f"CREATE TABLE c (k STRING, told STRING, rt AS TO_TIMESTAMP({of_text}), WATERMARK FOR rt AS rt);"
        "SELECT k, COUNT(*) FROM c GROUP BY k, TUMBLE(rt, INTERVAL '5' SECOND)"
    )
    return from_sql(sql, files={"": f"k;told\na;{text}\nb;{text}\n".encode()})


@pytest.mark.parametrize(("pattern", "text", "ms"), READ)
def test_what_is_read_is_flinks_time(pattern: str, text: str, ms: int) -> None:
    stream = parse(scenario_of(pattern, text)).stream
    assert isinstance(stream, tuple)
    assert [each.ts for each in stream if isinstance(each, Record)] == [ms, ms]


@pytest.mark.parametrize(("pattern", "text"), NULL)
def test_what_flink_makes_null_is_refused_by_its_line(pattern: str, text: str) -> None:
    with pytest.raises(RecordsProblem, match="`rt` is NULL for told = "):
        scenario_of(pattern, text)
