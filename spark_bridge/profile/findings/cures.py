"""What to configure against each cause: code for Flink and Spark that reads the stream's own columns as they are.

``<name>`` in a text is filled in. Each piece says how the time of a row is made, so that it can be pasted as it stands:
the Java after ``stream`` or into ``assignTimestampsAndWatermarks``, the columns of Flink SQL into a CREATE TABLE.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from spark_bridge.files.written import Written, WrittenStream
from spark_bridge.profile.advice import rounded_up
from spark_bridge.profile.findings import dialects
from spark_bridge.profile.findings.finding import Cause, Where
from spark_bridge.profile.findings.signs import Off, repairs

_ASSIGNER: Final = """WatermarkStrategy
    .<Event>forBoundedOutOfOrderness(Duration.ofMillis(<bound>))
    .withTimestampAssigner((event, before) -> <ts>)"""
_STRATEGY: Final = _ASSIGNER.replace("<ts>", "<java>")
_COLUMN: Final = """<zone_sql><row> AS <ts>,
WATERMARK FOR <row> AS <row> - INTERVAL <bound_s>"""
_SPARK: Final = """<zone_spark>df = (
    df.withColumn("<row>", F.expr(<ts>))
    .withWatermark("<row>", "<bound> milliseconds")
)"""
_PLAIN_SPARK: Final = _SPARK.replace("<ts>", "<spark>")

_FIRST_ONLY: Final = """stream
    .keyBy(event -> <same_java>)
    .filter(new RichFilterFunction<Event>() {
        private transient ValueState<Boolean> seen;

        @Override
        public void open(OpenContext context) {
            ValueStateDescriptor<Boolean> state = new ValueStateDescriptor<>("seen", Boolean.class);
            state.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofHours(<hours>)).build());
            seen = getRuntimeContext().getState(state);
        }

        @Override
        public boolean filter(Event event) throws Exception {
            boolean isFirst = seen.value() == null;
            seen.update(true);
            return isFirst;
        }
    })"""

_THEN_LATE: Final = """Idle channels do not hold back the watermark. What one brings after its silence
may then be late: keep it with .allowedLateness(...) or a side output."""

_THEN_LATE_SQL: Final = """Idle channels do not hold back the watermark. What one brings after its silence
may then be late, and is dropped: see 'table.exec.emit.allow-lateness'."""


def _commented(mark: str, text: str) -> str:
    return "".join(f"{mark} {line}\n" for line in text.split("\n"))


_SPARK_WAITS_FOR_NONE: Final = (
    """# Nothing to change: Spark's watermark follows the largest timestamp of all channels,
# so none of them holds it back. What comes from one that was silent is late, though.
"""
    + _PLAIN_SPARK
)

_FILTERED: Final = (
    "stream.filter(event -> <usable>)\n    .assignTimestampsAndWatermarks(\n        "
    + _STRATEGY.replace("\n", "\n        ")
    + ")"
)

_SHIFTED: Final = {
    "flink_java": _ASSIGNER.replace("<ts>", "<shifted_java>"),
    "flink_sql": _COLUMN.replace("<ts>", "<shifted_sql>"),
    "spark": _SPARK.replace("<ts>", "<shifted_spark>"),
}

CURES: Final[Mapping[str, Mapping[str, str]]] = {
    "no-timestamps": {
        "flink_java": _ASSIGNER.replace("<ts>", "<usable_java> ? <java> : <arrival_java>"),
        "flink_sql": _COLUMN.replace("<ts>", "CASE WHEN <usable_sql> THEN <sql> ELSE <arrival_sql> END"),
        "spark": _SPARK.replace("<ts>", "<usable_spark>"),
    },
    "wrong-unit": {
        "flink_java": _ASSIGNER.replace("<ts>", "<repaired_java>"),
        "flink_sql": _COLUMN.replace("<ts>", "<repaired_sql>"),
        "spark": _SPARK.replace("<ts>", "<repaired_spark>"),
    },
    "zone-offset": _SHIFTED,
    "future-timestamps": {
        "flink_java": _FILTERED.replace("<usable>", "<java> <= <arrival_java> + 60_000"),
        "flink_sql": "-- in CREATE TABLE events (...):\n"
        + _COLUMN.replace("<ts>", "CASE WHEN <in_time_sql> THEN <sql> ELSE <arrival_sql> END")
        + "\n\n-- A row needs a time, so these have their arrival for it; the query leaves them out.\n"
        "SELECT * FROM events WHERE <in_time_sql>",
        "spark": _PLAIN_SPARK.replace("    .withW", "    .where(<in_time_spark>)\n    .withW"),
    },
    "empty-channel": {
        "flink_java": _STRATEGY + "\n    .withIdleness(Duration.ofSeconds(30))",
        "flink_sql": "SET 'table.exec.source.idle-timeout' = '30 s';",
        "spark": _SPARK_WAITS_FOR_NONE,
    },
    "idle-channel": {
        "flink_java": _commented("//", _THEN_LATE) + _STRATEGY + "\n    .withIdleness(Duration.ofMillis(<idle>))",
        "flink_sql": _commented("--", _THEN_LATE_SQL) + "SET 'table.exec.source.idle-timeout' = '<idle> ms';",
        "spark": _SPARK_WAITS_FOR_NONE,
    },
    "skewed-source": _SHIFTED,
    "replay": {
        "flink_java": ".window(...)\n.allowedLateness(Duration.ofMillis(<by>))\n.sideOutputLateData(late)",
        "flink_sql": "SET 'table.exec.emit.late-fire.enabled' = 'true';\n"
        "SET 'table.exec.emit.late-fire.delay' = '0 ms';\nSET 'table.exec.emit.allow-lateness' = '<by> ms';",
        "spark": _PLAIN_SPARK.replace("<bound>", "<by>"),
    },
    "duplicates": {
        "flink_java": _FIRST_ONLY,
        "flink_sql": "-- in CREATE TABLE events (...):\n"
        + _COLUMN.replace("<ts>", "<sql>")
        + "\n\nSELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY <same_sql> ORDER BY <row>) AS n\n"
        "  FROM events) WHERE n = 1",
        "spark": _PLAIN_SPARK.replace("\n)", "\n    .dropDuplicatesWithinWatermark(<same_spark>)\n)").replace(
            "    .withW", "<members_spark>    .withW"
        ),
    },
    "bound-too-small": {
        "flink_java": _STRATEGY,
        "flink_sql": _COLUMN.replace("<ts>", "<sql>"),
        "spark": _PLAIN_SPARK,
    },
}
"""For each code: Flink in Java, Flink SQL, Spark."""

_LONGEST_IDLE: Final = 60_000
_MEMBERS: Final = {"ts": "time", "at": "arrival", "key": "key", "value": "value", "channel": "channel"}
"""What a column of an event is called in Java where its own name is none there."""

_LIMIT: Final = {-9: 10**11, -6: 10**11, -3: 10**11, 3: 10**14, 6: 10**14}
"""Between the times of today in ms and those in the other unit, by the power of ten that these are too large by."""


def cures_of(cause: Cause, bound: int, stream: WrittenStream, also: Sequence[Where] = ()) -> dict[str, str]:
    """The code against ``cause``, by engine. ``bound`` is in ms; the cause has the stream's own names.

    ``also``: the other channels or keys that are off by the same time.
    """
    if cause.code == "bound-too-small":
        bound = rounded_up(int(cause.numbers["needed"]))
    fields = _fields(cause, bound, stream) | _shifted(cause, stream, also)
    code = {engine: _filled(text, fields) for engine, text in CURES[_cure_of(cause)].items()}
    return code | {"flink_java": _called_in_java(stream, code["flink_java"]) + code["flink_java"]}


def _cure_of(cause: Cause) -> str:
    """Whose cure it is: records that come a second time are copies, which must not be let in."""
    return "duplicates" if (cause.code, cause.sort) == ("replay", "again") else cause.code


def _called_in_java(stream: WrittenStream, code: str) -> str:
    """A comment for each member in ``code`` that is not called like its column."""
    lines = dict[str, None]()
    for role, column in stream.columns.items():
        name, member = ".".join(column.path), _member(stream, role)
        if member != f"event.{name}" and re.search(rf"{re.escape(member)}\b", code):
            lines[f"// {member}: the column {json.dumps(name, ensure_ascii=False)}\n"] = None
    return "".join(lines)


def _filled(text: str, fields: Mapping[str, Any]) -> str:
    for name, value in fields.items():
        text = text.replace(f"<{name}>", str(value))
    return text


def _fields(cause: Cause, bound: int, stream: WrittenStream) -> dict[str, Any]:
    ts, at = (_column(stream, role) for role in ("ts", "at"))
    zone, numbers = stream.zone, cause.numbers
    java = dialects.java_time(ts, _member(stream, "ts"), zone)
    sql, spark = dialects.sql_time(ts, zone), dialects.spark_time(ts)
    arrival_java, arrival_sql, arrival_spark = "System.currentTimeMillis()", "CURRENT_TIMESTAMP", "current_timestamp()"
    if "at" in stream.columns:
        arrival_java = dialects.java_time(at, _member(stream, "at"), zone)
        arrival_sql, arrival_spark = dialects.sql_time(at, zone), dialects.spark_time(at)
    used = [ts, at] if cause.code in ("no-timestamps", "future-timestamps") and "at" in stream.columns else [ts]
    in_zone = any(map(dialects.needs_spark_zone, used))
    typed = any(each.type in ("timestamp_ntz", "date", "timestamp_ns_ntz") for each in used)
    fields: dict[str, Any] = {
        **_usable(cause, java, sql, spark, arrival_spark),
        **_repaired(cause, ts, stream),
        **_same(stream),
        "in_time_spark": dialects.python_text(f"{stream.row_time} <= {arrival_spark} + INTERVAL 60000 MILLISECONDS"),
        "java": java,
        "in_time_sql": f"{sql} <= {arrival_sql} + INTERVAL '60' SECOND",
        "sql": sql,
        "spark": dialects.python_text(spark),
        "arrival_java": arrival_java,
        "arrival_sql": arrival_sql,
        "zone_spark": f'spark.conf.set("spark.sql.session.timeZone", "{zone}")\n' if in_zone else "",
        "zone_sql": f"-- SET 'table.local-time-zone' = '{zone}';\n" if typed else "",
        "row": stream.row_time,
        "bound": bound,
        "bound_s": dialects.sql_interval(bound),
        "by": int(numbers.get("by", 0)),
        "hours": int(numbers.get("by", 0)) // 3_600_000 + 1,  # longer than the copies come after the first
        "idle": max(min(int(numbers.get("silent", 0)) // 4, _LONGEST_IDLE), 1_000),
    }
    return fields


def _column(stream: WrittenStream, role: str) -> Written:
    """The column of a role; without one, a column in ms."""
    return stream.columns.get(role) or Written(({"ts": "event_time", "at": "arrival"}.get(role, role),), "", "ms")


def _member(stream: WrittenStream, role: str) -> str:
    column = stream.columns.get(role)
    return f"event.{_MEMBERS[role]}" if column is None else dialects.java_member(column, _MEMBERS[role])


def _usable(cause: Cause, java: str, sql: str, spark: str, arrival: str) -> dict[str, str]:
    """Which times are usable: those that are not the constant that most of them are; those after 1970."""
    constant = int(cause.numbers.get("constant", 0)) if cause.sort == "constant" else 0
    than = "<>" if constant else ">"
    usable = f"{spark} {than} timestamp_millis({constant})"
    return {
        "usable_java": f"{java} {'!=' if constant else '>'} {f'{constant}L' if constant else 0}",
        "usable_sql": f"{sql} {than} TO_TIMESTAMP_LTZ({constant}, 3)",
        "usable_spark": dialects.python_text(f"CASE WHEN {usable} THEN {spark} ELSE {arrival} END"),
    }


def _repaired(cause: Cause, ts: Written, stream: WrittenStream) -> dict[str, str]:
    """The time in the unit that it is really in: all of them, or those beyond the times of today."""
    power = int(cause.numbers.get("power", -3))
    member, zone = _member(stream, "ts"), stream.zone
    java = dialects.java_time(ts, member, zone, power)
    sql, spark = dialects.sql_time(ts, zone, power), dialects.spark_time(ts, power)
    if cause.sort == "some":
        than, limit = "<" if power < 0 else ">", _LIMIT[power]
        own_java, own_sql, own_spark = (
            dialects.java_time(ts, member, zone), dialects.sql_time(ts, zone), dialects.spark_time(ts)
        )  # fmt: skip
        java = f"{own_java} {than} {limit:_}L ? {java} : {own_java}"
        sql = f"CASE WHEN {own_sql} {than} TO_TIMESTAMP_LTZ({limit}, 3) THEN {sql} ELSE {own_sql} END"
        spark = f"CASE WHEN {own_spark} {than} timestamp_millis({limit}) THEN {spark} ELSE {own_spark} END"
    return {"repaired_java": java, "repaired_sql": sql, "repaired_spark": dialects.python_text(spark)}


def _shifted(cause: Cause, stream: WrittenStream, also: Sequence[Where]) -> dict[str, str]:
    """The time moved back or on by the offset: of all records, or of the channels or keys that have it."""
    ts, zone = _column(stream, "ts"), stream.zone
    java, sql = dialects.java_time(ts, _member(stream, "ts"), zone), dialects.sql_time(ts, zone)
    spark = dialects.spark_time(ts)
    by, sign = int(cause.numbers.get("by", 0)), "-" if cause.sort == "ahead" else "+"
    moved_java, moved_sql = f"{java} {sign} {by}L", f"{sql} {sign} INTERVAL {dialects.sql_interval(by)}"
    moved_spark = f"{spark} {sign} INTERVAL {by} MILLISECONDS"
    for role in ("channel", "key"):
        values = [own for each in (cause.where, *also) if getattr(each, role) is not None for own in each.names]
        if getattr(cause.where, role) is not None:
            column, member = _column(stream, role), _member(stream, role)
            is_java = " || ".join(dialects.java_is(member, column, value) for value in values)
            is_sql = " OR ".join(dialects.sql_is(column, value) for value in values)
            is_spark = " OR ".join(dialects.spark_is(column, value) for value in values)
            moved_java = f"{java} {sign} ({is_java} ? {by}L : 0L)"
            moved_sql = f"CASE WHEN {is_sql} THEN {moved_sql} ELSE {sql} END"
            moved_spark = f"CASE WHEN {is_spark} THEN {moved_spark} ELSE {spark} END"
            break
    return {
        "shifted_java": moved_java,
        "shifted_sql": moved_sql,
        "shifted_spark": dialects.python_text(moved_spark),
    }


def _same(stream: WrittenStream) -> dict[str, str]:
    """What copies have alike: the time, and key and value where the stream has them."""
    columns = {role: stream.columns[role] for role in ("key", "value") if role in stream.columns}
    if not stream.columns:
        columns = {role: _column(stream, role) for role in ("key", "value")}
    made = {"_".join(each.path): dialects.spark_name(each) for each in columns.values() if len(each.path) > 1}
    members = (f'    .withColumn("{name}", F.expr({dialects.python_text(own)}))\n' for name, own in made.items())
    names = ["_".join(each.path) for each in columns.values()]
    return {
        "same_java": ' + " " + '.join(_member(stream, role) for role in ("ts", *columns)),
        "same_sql": ", ".join([stream.row_time, *map(dialects.spark_name, columns.values())]),
        "same_spark": f"[{', '.join(map(dialects.python_text, [stream.row_time, *names]))}]",
        "members_spark": "".join(members),
    }


def after(cause: Cause, stream: WrittenStream) -> WrittenStream:
    """How the columns have to be read once ``cause`` is repaired, if all timestamps are wrong in the same way."""
    ts, sign = stream.columns.get("ts"), cause.sign
    if ts is None or sign is None or not repairs(sign):
        return stream
    power, ahead = int(cause.numbers.get("power", 0)), 0
    if isinstance(sign, Off):
        if not sign.inside.all():
            return stream  # off for some time only, which no unit and no zone says
        ahead = int(cause.numbers["by"]) * (1 if cause.sort == "ahead" else -1)
    return replace(stream, columns={**stream.columns, "ts": dialects.put_right(ts, power, ahead)})
