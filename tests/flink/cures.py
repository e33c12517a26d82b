"""The Java of the cures: it compiles with Flink's own classes, and reads each way of writing a time as Spark's does.

A stream of events has a class ``Event`` with a field for each column; OWN-STREAM.md says of which type. A cure
stands where ``spark_bridge/profile/findings/cures.py`` says: by itself, or in ``assignTimestampsAndWatermarks``.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tidemark.simulator.scenario.tables.times import read_time
from tidemark.spark_bridge.files.sample import Written, WrittenStream, pattern_of
from tidemark.spark_bridge.profile.findings.cures import cures_of
from tidemark.spark_bridge.profile.findings.finding import Cause, Rule

from tests.flink.environment import Environment, call

HOUR = 3_600_000
TYPED = {
    "timestamp": ("Instant", "Instant.parse({})"),
    "timestamp_ntz": ("LocalDateTime", "LocalDateTime.parse({})"),
    "date": ("LocalDate", "LocalDate.parse({})"),
    "decimal(20,6)": ("BigDecimal", "new BigDecimal({})"),
    "double": ("double", "Double.parseDouble({})"),
    "bigint": ("long", "Long.parseLong({})"),
}
"""Of a type of Spark: that of the field, and how it is made of a text."""

CELLS = (
    ("1772438402500", "ms", ""), ("1772438402", "s", ""), ("1772438402500123", "us", "bigint"),
    ("1772438402500123456", "ns", "bigint"), ("1772438402.517", "s", ""), ("1772438402.517", "s", "double"),
    ("1772438402.517", "s", "decimal(20,6)"), ("1772438402500.25", "ms", ""), ("1772438402500.25", "ms", "double"),
    ("2026-03-02T08:00:02.478Z", "iso", ""), ("2026-03-02 08:00:02.478", "iso", ""),
    ("2026-03-02T08:00:02.478", "iso", ""), ("2026-03-02T08:00:02UTC", "iso", ""),
    ("2026-03-02T08:00:02+01", "iso", ""),
    ("2026-03-02T08:00:02+01:00", "iso", ""), ("2026-03-02T08:00:02.5+0100", "iso", ""),
    ("2026/03/02 08:00:02,123", "iso", ""), ("20260302T080002Z", "iso", ""), ("2026年3月2日 8:00:00", "iso", ""),
    ("2026-03-02", "iso", ""), ("2026-03-02 08:00:02 UTC", "iso", ""), ("2.3.2026 8:05", "dmy", ""),
    ("03/02/26 08:05:01 PM", "mdy", ""), ("2 Mar 2026 08:00:00", "named", ""), ("March 2, 2026 08:00", "named", ""),
    ("2026-03-02T08:00:02.5Z", None, "timestamp"), ("2026-03-02T08:00:02.5", None, "timestamp_ntz"),
    ("2026-03-02", None, "date"),
)  # fmt: skip
"""A time as it is written, the unit, and Spark's type of the column."""

ZONE = "Europe/Berlin"

_HEAD = """import java.math.BigDecimal;
import java.time.*;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.apache.flink.api.common.eventtime.*;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFilterFunction;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.util.OutputTag;

"""


@dataclass(frozen=True)
class Stream:
    """How the columns are written, and an event: the time that its cell says (ms), and the cell."""

    columns: WrittenStream
    ms: int
    cell: str


def streams() -> Iterator[Stream]:
    """One for each way of writing a time, with columns of text and of numbers, at the top and in a struct."""
    for number, (cell, unit, type) in enumerate(CELLS):
        pattern = pattern_of([cell], unit) if unit in ("iso", "dmy", "mdy", "named") else None
        path = ("when", "made") if number % 3 == 0 else ("time",)
        own = Written(path, type, unit, pattern, fraction="." in cell)
        at = Written(("Recv Time",), "", "ms") if number % 2 else own
        key, channel = Written(("user", "id")), Written(("partition",), "int" if number % 2 else "")
        columns = {"ts": own, "at": at, "key": key, "value": Written(("took_ms",), "bigint"), "channel": channel}
        format = {"s": "epoch_s", "ms": "epoch_ms", "us": "epoch_us", "ns": "epoch_ns"}.get(
            unit or "iso", unit or "iso"
        )
        read = read_time(cell, format, ZONE)
        assert read is not None, cell
        yield Stream(WrittenStream(columns, ZONE), int(read.ms), cell)


def causes(stream: Stream) -> Iterator[Cause]:
    """One for each kind of rule, and for each setting."""
    channel = 3 if stream.columns.columns["channel"].is_number else 'web "3"'
    rules = [
        *(Rule(power=power) for power in (-9, -6, -3, 3, 6)),
        Rule(ts=((10**14, 10**17), (None, 5)), power=3),
        *(Rule(by=by) for by in (HOUR, -HOUR)),
        Rule("channel", (channel, channel), by=HOUR),
        Rule("key", ("u'1",), at=(HOUR, 2 * HOUR), off=(None, -HOUR), by=-HOUR),
        Rule(off=(60_000, None), drops=True),
        Rule(ts=((0, 1),), arrives=True),
    ]
    yield from (Cause("", 9, rules=(rule,)) for rule in rules)
    yield Cause("", 9, rules=tuple(rules[5:]))
    settings = (
        ("idle-channel", ""),
        ("empty-channel", ""),
        ("replay", "again"),
        ("replay", "backlog"),
        ("duplicates", ""),
    )
    yield from (Cause(code, 9, sort=sort, numbers={"by": HOUR, "silent": HOUR}) for code, sort in settings)
    yield Cause("backfill", 9, rules=(Rule(off=(None, -HOUR), drops=True),))


def field_of(column: Written) -> tuple[str, str]:
    """The type of the field of a column of times, and how it is made of a text."""
    if column.pattern is not None:
        return "String", "{}"
    if column.type:
        return TYPED[column.type]
    return TYPED["double" if column.fraction else "bigint"]


def program(number: int, stream: Stream) -> str:
    """A class with an event of ``stream`` and all its cures; ``ms`` is the time that they read."""
    columns, fields = stream.columns.columns, dict[str, str]()
    for role, name in (("ts", "time"), ("at", "arrival")):
        type, made = field_of(columns[role])
        cell = json.dumps(stream.cell if columns[role] is columns["ts"] else str(stream.ms), ensure_ascii=False)
        path = columns[role].path
        if len(path) > 1:
            fields[path[0]] = f"static class Made {{ {type} made = {made.format(cell)}; }} Made {path[0]} = new Made();"
        else:
            fields[name] = f"{type} {name} = {made.format(cell)};"
    partition = "int partition = 3;" if columns["channel"].is_number else 'String partition = "a";'
    cured = "\n".join(
        _cured(place, cures_of([cause], 5000, stream.columns)["flink_java"])
        for place, cause in enumerate(causes(stream))
    )
    plain = cures_of([Cause("bound-too-small", 9, numbers={"needed": 5000})], 5000, stream.columns)["flink_java"]
    return f"""class Stream{number} {{
static class User {{ String id = "u1"; }}
static class Event {{ User user = new User(); long took_ms = 5; {partition} {" ".join(fields.values())} }}
static final OutputTag<Event> late = new OutputTag<>("late") {{}};
static long ms() {{
    return {plain}.createTimestampAssigner(null).extractTimestamp(new Event(), 0);
}}
{cured}
}}
"""


def _cured(number: int, code: str) -> str:
    """A method in which a cure stands where it belongs; comments may come before its first line."""
    begins = next(line for line in code.splitlines() if not line.startswith("//"))
    windows = "(TumblingEventTimeWindows.of(Duration.ofMinutes(1)))"
    code = code.replace(".window(...)", f".window{windows}").replace(".windowAll(...)", f".windowAll{windows}")
    if not begins.startswith("stream"):
        code = f"stream.assignTimestampsAndWatermarks(\n{code})"
    return f"static Object cure{number}(DataStream<Event> stream) {{ return {code}; }}"


def java_cures(given: Environment, folder: Path) -> tuple[int, list[str]]:
    """How many cures there are, and what is wrong with them."""
    folder.mkdir(parents=True)
    found = list(streams())
    calls = "\n".join(f"System.out.println(Stream{number}.ms());" for number in range(len(found)))
    main = f"public class Cures {{ public static void main(String[] of) {{\n{calls}\n}} }}\n"
    text = _HEAD + "\n".join(program(number, each) for number, each in enumerate(found)) + main
    (folder / "Cures.java").write_text(text, encoding="utf-8")
    compiling = [given.tool("javac"), "-encoding", "UTF-8", "-nowarn", "-cp", given.classpath, "-d", str(folder)]
    if not call([*compiling, str(folder / "Cures.java")], given, folder / "javac.log"):
        return 0, ["the cures do not compile"]
    out = folder / "out.txt"
    if not call([given.tool("java"), "-cp", f"{given.classpath}:{folder}", "Cures"], given, out):
        return 0, ["the cures do not run"]
    read = [int(line) for line in out.read_text(encoding="utf-8").split() if line.lstrip("-").isdigit()]
    different = [
        f"{stream.cell}: {ms} instead of {stream.ms}" for stream, ms in zip(found, read, strict=True) if ms != stream.ms
    ]
    return sum(len(list(causes(each))) for each in found), different
