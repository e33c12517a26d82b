"""The cures at work: streams with planted faults run through Flink with the cure as it is printed, in Java and in SQL.

Flink must make of each record what the rules make of it, leave out what they leave out, and drop the copies.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from tidemark.spark_bridge.files.sample import Written, WrittenStream
from tidemark.spark_bridge.profile.findings.cures import cures_of
from tidemark.spark_bridge.profile.findings.finding import Cause, applied
from tidemark.spark_bridge.profile.findings.judge import judged
from tidemark.spark_bridge.profile.findings.records import Records
from tidemark.spark_bridge.profile.findings.whole import rules_of
from tidemark.spark_bridge.profile.findings.wording import named

from tests.flink.environment import Environment, call
from tests.own_stream.test_cures import ASKED, FAULTS, WITH_ARRIVALS, sound

RECORDS = 12_000
ROLES = {"ts": "time", "at": "received", "key": "user", "value": "id", "channel": "part"}

_JAVA = """import java.math.BigDecimal;
import java.nio.file.*;
import java.time.*;
import java.util.*;
import org.apache.flink.api.common.eventtime.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.*;

public class Healing {
    public static class Event { public long time, received; public String user, id, part; }
    <cures>
    static class Read extends ProcessFunction<Event, String> {
        @Override
        public void processElement(Event event, Context context, Collector<String> out) {
            out.collect(context.timestamp() + "," + event.user + "," + event.id);
        }
    }
    static void heal(Path folder, java.util.function.Function<DataStream<Event>, DataStream<Event>> cure)
            throws Exception {
        List<Event> events = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("in.csv"))) {
            String[] cells = line.split(",", -1);
            Event event = new Event();
            event.time = Long.parseLong(cells[0]);
            event.received = Long.parseLong(cells[1]);
            event.user = cells[2];
            event.id = cells[3];
            event.part = cells[4];
            events.add(event);
        }
        StreamExecutionEnvironment flink = StreamExecutionEnvironment.getExecutionEnvironment();
        flink.setParallelism(1);
        List<String> found = new ArrayList<>();
        DataStream<String> read = cure.apply(flink.fromData(events)).process(new Read());
        try (CloseableIterator<String> rows = read.executeAndCollect()) {
            rows.forEachRemaining(found::add);
        }
        Files.write(folder.resolve("java.csv"), found);
    }
    public static void main(String[] of) throws Exception {
        <calls>
        System.exit(0);
    }
}
"""


@dataclass(frozen=True)
class Case:
    """A stream with its cures, and what becomes of it: how often there is which (event time in ms, key, value).

    ``late``: rows that SQL may drop. Its deduplication drops what is behind the watermark, which moves now and then.
    """

    name: str
    records: Records
    cures: dict[str, str]
    expected: Counter[tuple[int, str, str]]
    late: Counter[tuple[int, str, str]]


def cases() -> Iterator[Case]:
    """Each fault with and without arrivals, the future among them, and copies: scattered, and sent again as a block."""
    for name, fault in (FAULTS | WITH_ARRIVALS).items():
        for arrivals in (True, False) if name in FAULTS else (True,):
            truth = sound(arrivals, n=RECORDS)
            wrong = replace(truth, ts=fault(truth), at=truth.at if arrivals else None)
            yield _case(f"{name}, {'with' if arrivals else 'without'} arrivals", wrong)
    truth = sound(n=RECORDS)
    for name, chosen in (("scattered copies", truth.item % 40 == 7), ("a block again", truth.item // 600 == 8)):
        both = np.concatenate([np.arange(len(truth)), np.flatnonzero(chosen)])
        assert truth.at is not None
        late = 200 if name == "scattered copies" else int(truth.at[9_000] - truth.at[4_800])
        at = np.concatenate([truth.at, truth.at[chosen] + late])
        order = np.argsort(at, kind="stable")
        again = replace(truth.where(np.ones(len(truth), np.bool_)), item=np.arange(len(both)))
        columns = {each: getattr(truth, each)[both][order] for each in ("ts", "channel", "key", "value")}
        yield _case(name, replace(again, at=at[order], **columns))


def _case(name: str, records: Records) -> Case:
    roles = {role: own for role, own in ROLES.items() if role != "at" or records.at is not None}
    stream = WrittenStream({role: Written((own,), "", "ms" if role in ("ts", "at") else None)
                            for role, own in roles.items()})  # fmt: skip
    assert records.channel is not None
    assert records.key is not None
    assert records.value is not None
    found = judged(records, ASKED)
    assert found, name
    channels, keys = [f"p{each}" for each in range(4)], {each: f"u{each}" for each in range(50)}
    causes = [named(each, channels, keys, stream) for each in found]
    healed, _, dropped = applied(rules_of(found), records)
    rows = zip(healed.ts.tolist(), records.key.tolist(), records.value.tolist(), dropped.tolist(), strict=True)
    left = [(ts, f"u{key}", f"v{value}") for ts, key, value, is_dropped in rows if not is_dropped]
    late = list[tuple[int, str, str]]()
    if _has_copies(causes):
        reached = np.maximum.accumulate([ts for ts, _, _ in left])
        late = [row for row, most in zip(left, reached, strict=True) if row[0] < most - (ASKED.bound or 0)]
        left = list(set(left))
    return Case(name, records, cures_of(causes, ASKED.bound or 0, stream), Counter(left), Counter(late))


def _has_copies(causes: list[Cause]) -> bool:
    return any(each.code in ("duplicates", "replay") for each in causes)


def healing(given: Environment, folder: Path) -> tuple[int, list[str]]:
    """How many cures have run, and what is wrong with them."""
    folder.mkdir(parents=True)
    found = list(cases())
    for number, case in enumerate(found):
        own = folder / str(number)
        own.mkdir()
        _write(case.records, own / "in.csv")
        (own / "cure.json").write_text(json.dumps(_statements(case.cures["flink_sql"], own)), encoding="utf-8")
    calls = "\n".join(f'heal(Path.of("{folder}/{number}"), Healing::cure{number});' for number in range(len(found)))
    cures = "\n".join(_java(number, case.cures["flink_java"]) for number, case in enumerate(found))
    (folder / "Healing.java").write_text(_JAVA.replace("<cures>", cures).replace("<calls>", calls), encoding="utf-8")
    where = f"{given.classpath}:{folder}"
    compiling = [
        given.tool("javac"),
        "-nowarn",
        "-cp",
        given.classpath,
        "-d",
        str(folder),
        str(folder / "Healing.java"),
    ]
    opened = [f"--add-opens=java.base/{each}=ALL-UNNAMED" for each in ("java.util", "java.lang", "java.time")]
    if call(compiling, given, folder / "javac.log"):
        call([given.tool("java"), *opened, "-cp", where, "Healing"], given, folder / "java.log")
    runner = str(Path(__file__).with_name("curing.py"))
    call([str(given.python), runner, str(folder), str(len(found))], given, folder / "sql.log")
    return 2 * len(found), [
        each for number, case in enumerate(found) for each in _different(case, folder / str(number))
    ]


def _write(records: Records, path: Path) -> None:
    assert records.channel is not None
    assert records.key is not None
    assert records.value is not None
    at = records.ts if records.at is None else records.at
    with path.open("w", newline="", encoding="utf-8") as file:
        for row in zip(records.ts, at, records.key, records.value, records.channel, strict=True):
            csv.writer(file).writerow([row[0], row[1], f"u{row[2]}", f"v{row[3]}", f"p{row[4]}"])


def _statements(code: str, folder: Path) -> dict[str, object]:
    """The settings and statements of a cure, and the table or view that is read in the end."""
    text = "\n".join(line for line in code.splitlines() if not line.startswith("--"))
    settings = dict(re.findall(r"SET '([^']+)' = '([^']*)';", text))
    columns, *views = [each.strip() for each in re.sub(r"SET [^;]*;", "", text).strip().split("\n\n")]
    table = (
        f"CREATE TABLE events (`time` BIGINT, received BIGINT, `user` STRING, id STRING, part STRING,\n{columns}\n) "
        f"WITH ('connector' = 'filesystem', 'path' = 'file://{folder}/in.csv', 'format' = 'csv')"
    )
    names = [re.findall(r"CREATE VIEW (\w+)", each)[0] for each in views]
    return {"settings": settings, "statements": [table, *(each.rstrip(";") for each in views)],
            "from": [each for each in ("events", *names) if each != "late_events"][-1]}  # fmt: skip


def _java(number: int, code: str) -> str:
    begins = next(line for line in code.splitlines() if not line.startswith("//"))
    if not begins.startswith("stream"):
        code = f"stream.assignTimestampsAndWatermarks(\n{code})"
    return f"static DataStream<Event> cure{number}(DataStream<Event> stream) {{ return {code}; }}"


def _different(case: Case, folder: Path) -> Iterator[str]:
    for engine in ("java", "sql"):
        path = folder / f"{engine}.csv"
        if not path.exists():
            problem = folder / f"{engine}.error.txt"
            yield f"{case.name}: no rows in {engine}{f': {problem.read_text()}' if problem.exists() else ''}"
            continue
        rows = (line.split(",") for line in path.read_text(encoding="utf-8").split())
        found = Counter((int(ts), key, value) for ts, key, value in rows)
        more, less = found - case.expected, case.expected - found - (case.late if engine == "sql" else Counter())
        if more or less:
            example = next(iter(more or less))
            yield f"{case.name} in {engine}: {more.total()} other rows, {less.total()} missing, as {example}"
