"""What to configure against each cause: the code, with the numbers of the finding filled in by ``<name>``."""

import re
from collections.abc import Mapping
from typing import Any, Final

_ASSIGNER: Final = """WatermarkStrategy
    .<Event>forBoundedOutOfOrderness(Duration.ofMillis(<bound>))
    .withTimestampAssigner((event, before) -> <ts>)"""
_COLUMN: Final = """ts AS <ts>,
WATERMARK FOR ts AS ts - INTERVAL <bound_s>"""

_FIRST_ONLY: Final = """stream
    .keyBy(event -> event.time + " " + event.key + " " + event.value)
    .filter(new RichFilterFunction<Event>() {
        private transient ValueState<Boolean> seen;

        @Override
        public void open(OpenContext context) {
            ValueStateDescriptor<Boolean> state = new ValueStateDescriptor<>("seen", Boolean.class);
            state.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofHours(1)).build());
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


_SPARK_WAITS_FOR_NONE: Final = """# Nothing to change: Spark's watermark follows the largest timestamp of all channels,
# so none of them holds it back. What comes from one that was silent is late, though.
df.withWatermark("ts", "<bound> milliseconds")"""

CURES: Final[Mapping[str, Mapping[str, str]]] = {
    "no-timestamps": {
        "flink_java": "stream.filter(event -> <usable_java>).assignTimestampsAndWatermarks(\n    "
        + _ASSIGNER.replace("<ts>", "event.time").replace("\n", "\n    ")
        + ")",
        "flink_sql": _COLUMN.replace(
            "<ts>", "TO_TIMESTAMP_LTZ(CASE WHEN <usable_sql> THEN event_time ELSE arrival END, 3)"
        ),
        "spark": 'df.where("<usable_sql>").withColumn("ts", F.timestamp_millis("event_time"))'
        '.withWatermark("ts", "<bound> milliseconds")',
    },
    "wrong-unit": {
        "flink_java": _ASSIGNER.replace("<ts>", "<repaired_java>"),
        "flink_sql": _COLUMN.replace("<ts>", "TO_TIMESTAMP_LTZ(<repaired_sql>, 3)"),
        "spark": 'df.withColumn("ts", F.expr("timestamp_millis(<repaired_spark>)"))'
        '.withWatermark("ts", "<bound> milliseconds")',
    },
    "zone-offset": {
        "flink_java": _ASSIGNER.replace("<ts>", "<mine_java>event.time <back> <by>L<else_java>"),
        "flink_sql": _COLUMN.replace("<ts>", "TO_TIMESTAMP_LTZ(<mine_sql>event_time <back> <by><else_sql>, 3)"),
        "spark": 'df.withColumn("ts", F.expr("timestamp_millis(<mine_sql>event_time <back> <by><else_sql>)"))'
        '.withWatermark("ts", "<bound> milliseconds")',
    },
    "future-timestamps": {
        "flink_java": "stream.filter(event -> event.time <= event.arrival + 60_000)\n"
        "    .assignTimestampsAndWatermarks(\n        "
        + _ASSIGNER.replace("<ts>", "event.time").replace("\n", "\n        ")
        + ")",
        "flink_sql": _COLUMN.replace(
            "<ts>",
            "TO_TIMESTAMP_LTZ(CASE WHEN event_time <= arrival + 60000 THEN event_time ELSE arrival END, 3)",
        ),
        "spark": 'df.where("event_time <= arrival + 60000")\n  .withWatermark("ts", "<bound> milliseconds")',
    },
    "empty-channel": {
        "flink_java": _ASSIGNER.split("\n")[0] + "\n    <bounded>\n    .withIdleness(Duration.ofSeconds(30))",
        "flink_sql": "SET 'table.exec.source.idle-timeout' = '30 s';",
        "spark": _SPARK_WAITS_FOR_NONE,
    },
    "idle-channel": {
        "flink_java": _commented("//", _THEN_LATE)
        + _ASSIGNER.split("\n")[0]
        + "\n    <bounded>\n    .withIdleness(Duration.ofMillis(<idle>))",
        "flink_sql": _commented("--", _THEN_LATE_SQL) + "SET 'table.exec.source.idle-timeout' = '<idle> ms';",
        "spark": _SPARK_WAITS_FOR_NONE,
    },
    "skewed-source": {
        "flink_java": _ASSIGNER.replace("<ts>", "<mine_java>event.time <back> <by>L<else_java>"),
        "flink_sql": _COLUMN.replace("<ts>", "TO_TIMESTAMP_LTZ(<mine_sql>event_time <back> <by><else_sql>, 3)"),
        "spark": 'df.withColumn("ts", F.expr("timestamp_millis(<mine_sql>event_time <back> <by><else_sql>)"))'
        '.withWatermark("ts", "<bound> milliseconds")',
    },
    "replay": {
        "flink_java": ".window(...)\n.allowedLateness(Duration.ofMillis(<by>))\n.sideOutputLateData(late)",
        "flink_sql": "SET 'table.exec.emit.late-fire.enabled' = 'true';\n"
        "SET 'table.exec.emit.late-fire.delay' = '0 ms';\nSET 'table.exec.emit.allow-lateness' = '<by> ms';",
        "spark": 'df.withWatermark("ts", "<by> milliseconds")',
    },
    "duplicates": {
        "flink_java": _FIRST_ONLY,
        "flink_sql": "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY ts, `key`, `value` ORDER BY ts) AS n\n"
        "  FROM events) WHERE n = 1",
        "spark": 'df.withWatermark("ts", "<bound> milliseconds").dropDuplicatesWithinWatermark(["ts", "key", "value"])',
    },
    "bound-too-small": {
        "flink_java": "WatermarkStrategy\n    <bounded>",
        "flink_sql": _COLUMN.split("\n")[1],
        "spark": 'df.withWatermark("ts", "<bound> milliseconds")',
    },
}
"""For each code: Flink in Java, Flink SQL, Spark."""


def cures_of(code: str, numbers: Mapping[str, Any]) -> dict[str, str]:
    """The code against a cause; ``numbers`` as ``wording.fields_of`` makes them."""
    return {name: _filled(text, numbers) for name, text in CURES[code].items()}


def of_columns(text: str, engine: str, columns: Mapping[str, str]) -> str:
    """``text`` with the stream's own columns, by role, in place of those that the cures are written with.

    In SQL they are quoted, since many a name is a reserved word. In Java, where ``event`` is of the reader's own class,
    a name that is no identifier stays out.
    """
    if engine == "flink_java":
        own = {member: name for role, member in _MEMBERS.items() if _is_plain(name := columns.get(role, ""))}
        return _MEMBER.sub(lambda found: f"event.{own.get(found[1], found[1])}", text)

    def named(found: re.Match[str]) -> str:
        name = columns.get(_ROLES[found[2]])
        if name is None:
            return found[0]
        if found[1] == '"' and found[3] == '"':  # a name in Python, not in an expression
            return f'"{name}"'
        quoted = ".".join(f"`{part.replace('`', '``')}`" for part in name.split("."))  # a member of a struct
        return quoted if found[1] == "`" else f"{found[1]}{quoted}{found[3]}"

    return _NAME.sub(named, text)


_MEMBERS: Final = {"ts": "time", "at": "arrival", "key": "key", "value": "value", "channel": "channel"}
"""What a record's members are called in Java, by role."""

_ROLES: Final = {"event_time": "ts", "arrival": "at", "key": "key", "value": "value", "channel": "channel"}
"""The role of each column as SQL and Spark call it here."""

_MEMBER: Final = re.compile(rf"\bevent\.({'|'.join(_MEMBERS.values())})\b(?!\()")
_NAME: Final = re.compile(rf"""(["`]?)(?<!['\w.])({"|".join(_ROLES)})(?!['\w(])(["`]?)""")


def _is_plain(name: str) -> bool:
    return name.isidentifier() and name.isascii()


def _filled(text: str, numbers: Mapping[str, Any]) -> str:
    bounded = ".<Event>forBoundedOutOfOrderness(Duration.ofMillis(<bound>))"
    text = text.replace("<bounded>", bounded)
    for name, value in numbers.items():
        text = text.replace(f"<{name}>", str(value))
    return text
