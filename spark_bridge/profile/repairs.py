"""A stream as its cures leave it: the proof that they help, and the stream itself as one file, whole or not at all.

The cures are applied to the very stream, which is then judged again. Rules and what leaves copies out are applied to
its records, all causes together, as the one cure of the stream has them. What a setting does follows from the stream
that this leaves: a bound and an allowed lateness from how far its records come behind, an idle timeout from what
arrives until the channel counts as idle. A cure after which as many records are left as before does not help: it is not
shown, and is no part of the one cure.
"""

import csv
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from io import StringIO
from pathlib import Path
from tempfile import mkdtemp, mkstemp
from typing import Final

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, MapType, StructType
from tidemark.simulator.words import words
from tidemark.spark_bridge.files.reading import quoted
from tidemark.spark_bridge.files.request import CSV, JSON, FilesError
from tidemark.spark_bridge.files.stream import FileStream
from tidemark.spark_bridge.profile.counts.counting import Counting
from tidemark.spark_bridge.profile.counts.figures import Wanted
from tidemark.spark_bridge.profile.findings.cures import cures_of, needed
from tidemark.spark_bridge.profile.findings.finding import Cause, Finding, Proof, Range, Rule
from tidemark.spark_bridge.profile.findings.records import Expectations
from tidemark.spark_bridge.profile.findings.wording import cure_bound
from tidemark.spark_bridge.profile.judging import Judged, in_order, judged_stream
from tidemark.spark_bridge.profile.profile import Healed
from tidemark.spark_bridge.spark.columns import floor_start, long

STAYS: Final = "kept"
"""The column that says which records the cures do not leave out."""


@dataclass(frozen=True)
class Applied:
    """``table`` has the records of a stream with ``ts`` as the cures leave it, and ``STAYS``.

    ``changed`` and ``dropped`` name its further columns, each with the code of the finding whose cure changes these
    records, or leaves them out.
    """

    table: DataFrame
    changed: dict[str, str]
    dropped: dict[str, str]


def applied_to(stream: FileStream, causes: Sequence[Cause]) -> Applied:
    """``causes`` are those of a profile, with the stream's own names, in the order in which they were taken out."""
    table = stream.table
    changed, dropped = dict[str, str](), dict[str, str]()
    kept = F.lit(True)
    for place, cause in enumerate(causes):
        if not cause.rules:
            continue
        is_dropped = F.lit(False)
        before = f"ts_{place}"
        table = table.withColumn(before, F.col("ts"))
        for rule in cause.rules:
            which = _condition(rule, stream) & kept
            if rule.drops:
                is_dropped = is_dropped | which
            else:
                table = table.withColumn("ts", F.when(which, _changed(rule)).otherwise(F.col("ts")))
        table = table.withColumn(f"dropped_{place}", is_dropped)
        table = table.withColumn(f"changed_{place}", kept & (F.col("ts") != F.col(before)))
        kept = kept & ~F.col(f"dropped_{place}")
        changed[f"changed_{place}"] = dropped[f"dropped_{place}"] = cause.code
    table = table.withColumn(STAYS, kept)
    again = next((each for each in causes if _is_again(each)), None)
    if again is not None:
        number = F.expr(f"row_number() OVER (PARTITION BY {STAYS}, ts, key, value ORDER BY {', '.join(stream.order)})")
        table = table.withColumn("again", F.col(STAYS) & (number > 1))
        table = table.withColumn(STAYS, F.col(STAYS) & ~F.col("again"))
        dropped["again"] = again.code
    return Applied(table, changed, dropped)


def _is_again(cause: Cause) -> bool:
    return cause.code == "duplicates" or (cause.code, cause.sort) == ("replay", "again")


def _condition(rule: Rule, stream: FileStream) -> Column:
    """The same as ``Rule.of``, of the table of a stream."""
    found = F.lit(True)
    if rule.column:
        places = [stream.channels.index(each) for each in rule.names] if rule.column == "channel" else list(rule.names)
        found = found & F.col(rule.column).isin(places)
    ranges = [(F.col("at"), (rule.at,)), (F.col("ts"), rule.ts), (F.col("ts") - F.col("at"), (rule.off,))]
    for value, limits in ranges:
        some = [_within(value, each) for each in limits]
        if some:
            either = some[0]
            for each in some[1:]:
                either = either | each
            found = found & either
    return found


def _within(value: Column, limits: Range) -> Column:
    found, (low, high) = F.lit(True), limits
    if low is not None:
        found = found & (value >= long(low))
    return found if high is None else found & (value < long(high))


def _changed(rule: Rule) -> Column:
    ts = F.col("at") if rule.arrives else F.col("ts")
    if rule.power > 0:
        ts = F.call_function("div", floor_start(ts, 0, 10**rule.power), long(10**rule.power))
    elif rule.power:
        ts = ts * long(10**-rule.power)
    return ts - long(rule.by) if rule.by else ts


def proved(stream: FileStream, expected: Expectations, found: Judged) -> tuple[Judged, Healed | None]:
    """``found`` with the proof of each cure, without those that do not help; and the stream as the cures leave it,
    None if there is no cure. Runs about as many jobs as a profile."""
    if not any(each.cures for each in found.findings):
        return found, None
    bound = cure_bound(expected.bound)
    healed = _healed(stream, expected, found.causes)
    findings = [_with_proof(each, stream, healed, bound) for each in found.findings]
    failed = [each.cause for each in findings if each.proof is not None and not each.proof.helps]
    if not failed:
        return replace(found, findings=findings), healed
    causes = [each for each in found.causes if each not in failed]
    findings = [replace(each, cures={}) if each.cause in failed else each for each in findings]
    if not any(each.cures for each in findings):
        return Judged(findings, {}, causes), None
    return Judged(findings, cures_of(causes, bound, stream.written), causes), _healed(stream, expected, causes)


def _healed(stream: FileStream, expected: Expectations, causes: Sequence[Cause]) -> Healed:
    if any(each.code == "empty-channel" for each in causes):
        expected = replace(expected, channels=None)  # the channels that bring nothing are idle
    bound = cure_bound(expected.bound)
    needs = [needed([each], bound) for each in causes]
    bounds = {bound, *(need.bound + (need.late or 0) for need in needs)}
    table = applied_to(stream, causes).table.where(STAYS).select(*stream.everything.columns)
    channels = len(stream.channels)
    with in_order(replace(stream, everything=table), keys=False, as_written=False) as ordered:
        parts = ordered.parts
        if not sum(parts.records):
            return Healed(0, dict.fromkeys(bounds, 0), 0, [])
        counting = Counting(parts.before, channels, expected.wanted)
        wanted = Wanted(parts.records, tuple(sorted(bounds)), Fraction(expected.target))
        figures = ordered.figures(counting, wanted)
        late = dict(figures.late)
        known = None if expected.bound is None else (late[expected.bound], figures.recommended)
        causes = judged_stream(ordered, expected, known).causes
    return Healed(sum(parts.records), {each: late[each] for each in bounds}, figures.recommended, causes)


def _with_proof(finding: Finding, stream: FileStream, healed: Healed, bound: int) -> Finding:
    if not finding.cures:
        return finding
    return replace(finding, proof=Proof(finding.records, _left(finding.cause, stream, healed, bound)))


def _left(cause: Cause, stream: FileStream, healed: Healed, bound: int) -> int:
    """How many records of ``cause`` its cure leaves."""
    need = needed([cause], bound)
    if cause.code == "bound-too-small" or need.late is not None:
        return healed.late[need.bound + (need.late or 0)]
    if need.idle is not None:
        return _until_idle(cause, stream, need.idle)
    return sum(each.records for each in healed.causes if _comes_again(cause, each))


def _comes_again(cause: Cause, found: Cause) -> bool:
    ours, others = set(cause.where.names), set(found.where.names)
    return cause.code == found.code and (not ours or not others or bool(ours & others))


def _until_idle(cause: Cause, stream: FileStream, idle: int) -> int:
    """How many records arrive, without a watermark that moves, until a channel counts as idle."""
    time = F.col("at" if stream.by_arrival else "ts")
    table = stream.table
    start = cause.where.at
    if start is None:  # no channel has brought anything yet
        row = table.agg(F.min(time)).first()
        start = 0 if row is None or row[0] is None else int(row[0])
    names = [stream.channels.index(each) for each in cause.where.names]
    arrives = (time >= long(start)) & (time < long(start + idle))
    return table.where(arrives & ~F.col("channel").isin(names) if names else arrives).count()


ENDINGS: Final = (".csv", ".jsonl", ".parquet")


@dataclass(frozen=True)
class Written:
    """How many ``records`` were written to ``path``, and how many each finding ``changed`` and ``dropped``."""

    path: Path
    records: int
    changed: tuple[tuple[str, int], ...]
    dropped: tuple[tuple[str, int], ...]
    unreadable: int

    def lines(self) -> list[str]:
        """The same for people."""
        lines = [words("own_profile.repaired.records", path=str(self.path), records=f"{self.records:,}")]
        for how, counts in (("changed", self.changed), ("dropped", self.dropped)):
            lines += [words(f"own_profile.repaired.{how}", code=code, records=f"{n:,}") for code, n in counts if n]
        if self.unreadable:
            lines.append(words("own_profile.repaired.unreadable", records=f"{self.unreadable:,}"))
        if len(lines) == 1:
            lines.append(words("own_profile.repaired.nothing"))
        return lines


def require_new(path: Path) -> None:
    """Raise ``FilesError`` if no stream can be written to ``path``: better before one is read than after it."""
    if path.suffix.lower() not in ENDINGS:
        raise FilesError("repaired_name", path=str(path), endings=", ".join(ENDINGS))
    if path.exists() or path.is_symlink():
        raise FilesError("repaired_exists", path=str(path))
    try:
        number, temporary = mkstemp(dir=path.parent, prefix=f".{path.name}-")
        os.close(number)
        os.unlink(temporary)
    except OSError as error:
        raise FilesError("repaired", path=str(path), reason=error.strerror or str(error)) from error


def write_repaired(stream: FileStream, causes: Sequence[Cause], unreadable: int, path: Path) -> Written:
    """Write ``stream``, which was opened with its rows as they are (``raw``), as ``causes`` leave it: those of a
    profile, with the stream's own names. Raises ``FilesError``."""
    applied = applied_to(stream, causes)
    columns = [*applied.changed, *applied.dropped, STAYS]
    table = applied.table.select("raw", "ts", *stream.order, *columns).persist(StorageLevel.DISK_ONLY)
    try:
        row = table.agg(*(F.count(F.when(F.col(name), 1)).alias(name) for name in columns)).first()
        assert row is not None
        _write(stream, table.where(STAYS), path)
        counts = ([(code, row[name]) for name, code in each.items()] for each in (applied.changed, applied.dropped))
        changed, dropped = map(tuple, counts)
        return Written(path, row[STAYS], changed, dropped, unreadable)
    finally:
        table.unpersist()


def _write(stream: FileStream, table: DataFrame, path: Path) -> None:
    """One file, in the order of arrival. Spark writes it beside its place; then it is moved."""
    ending = path.suffix.lower()
    own = stream.written.columns["ts"].path
    columns = stream.sample.names if stream.found.format == CSV and stream.sample is not None else None
    own = (f"c{columns.index(own[0])}",) if columns else own
    is_text = stream.found.format == JSON
    head = b""
    if is_text and ending == ".jsonl":
        table = _with_lines(table, own)
    elif is_text:
        schema = table.sparkSession.read.json(table.select("raw")).schema
        table = table.withColumn("raw", F.from_json("raw", schema))
        own = (".".join(own),) if ".".join(own) in schema.names else own
    if not (is_text and ending == ".jsonl"):
        table = table.withColumn("raw", _with_time(F.col("raw"), own))
    one = table.repartition(1).sortWithinPartitions(*stream.order)
    folder = Path(mkdtemp(dir=path.parent, prefix=f".{path.name}-"))
    out = folder / "out"
    try:
        spark = table.sparkSession
        if ending == ".parquet":
            spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
            struct = one.schema["raw"].dataType
            assert isinstance(struct, StructType)
            named = [F.col(f"raw.{quoted(each)}").alias(columns[n] if columns else each)
                     for n, each in enumerate(struct.names)]  # fmt: skip
            one.select(*named).write.parquet(str(out))
        elif ending == ".jsonl":
            line = F.col("raw") if is_text else F.to_json(_renamed(one, columns), {"ignoreNullFields": "false"})
            one.select(line.alias("value")).write.text(str(out))
        else:
            cells, titles = _cells(one, columns)
            separator = stream.sample.delimiter if columns and stream.sample is not None else ","
            head = _line(titles, separator)
            one.select(*cells).write.options(
                sep=separator, quote='"', escape='"', header="false", emptyValue="", nullValue="", encoding="UTF-8",
                ignoreLeadingWhiteSpace="false", ignoreTrailingWhiteSpace="false",
            ).csv(str(out))  # fmt: skip
        parts = sorted(out.glob("part-*"))
        whole = folder / "whole"
        with whole.open("wb") as file:
            file.write(head)
            for part in parts:
                with part.open("rb") as own_part:
                    shutil.copyfileobj(own_part, file)
        os.chmod(whole, 0o644)
        try:
            os.link(whole, path)  # never in the place of a file that has come meanwhile
        except FileExistsError as error:
            raise FilesError("repaired_exists", path=str(path)) from error
    except OSError as error:
        raise FilesError("repaired", path=str(path), reason=error.strerror or str(error)) from error
    finally:
        with suppress(OSError):
            shutil.rmtree(folder)


def _with_time(raw: Column, path: Sequence[str]) -> Column:
    """The row with its time in ms."""
    return raw.withField(".".join(map(quoted, path)), F.col("ts"))


def _renamed(table: DataFrame, columns: Sequence[str] | None) -> Column:
    if columns is None:
        return F.col("raw")
    return F.struct(*(F.col(f"raw.c{number}").alias(name) for number, name in enumerate(columns)))


def _cells(table: DataFrame, columns: Sequence[str] | None) -> tuple[list[Column], list[str]]:
    """Every member of the rows as a column of its own; lists and maps as JSON."""
    struct = table.schema["raw"].dataType
    assert isinstance(struct, StructType)
    if columns is not None:
        return [F.col(f"raw.{quoted(name)}") for name in struct.names], list(columns)
    found = list(_leaves(struct, ()))
    cells = [
        (F.to_json(cell) if is_list else cell.cast("string")).alias(f"c{number}")
        for number, (path, is_list) in enumerate(found)
        for cell in (F.col(".".join(map(quoted, ("raw", *path)))),)
    ]
    return cells, [".".join(path) for path, _ in found]


def _leaves(struct: StructType, before: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], bool]]:
    for each in struct.fields:
        path = (*before, each.name)
        if isinstance(each.dataType, StructType):
            yield from _leaves(each.dataType, path)
        else:
            yield path, isinstance(each.dataType, ArrayType | MapType)


def _line(cells: Sequence[str], separator: str) -> bytes:
    """A line of CSV."""
    text = StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def _with_lines(table: DataFrame, path: Sequence[str]) -> DataFrame:
    """The lines with the time of each record in the place of what was there; all else as it is, to the letter."""
    names = [name for name in table.columns if name not in ("raw", "ts")]

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            lines = batch.column("raw").to_pylist()
            times = batch.column("ts").to_pylist()
            new = pa.array([replaced(line, path, ms) for line, ms in zip(lines, times, strict=True)], pa.string())
            columns = [new, *(batch.column(name) for name in names)]
            yield pa.RecordBatch.from_arrays(columns, names=["raw", *names])

    kept = table.select("raw", "ts", *names)
    schema = ", ".join(["raw string", *(f"{each.name} {each.dataType.simpleString()}" for each in kept.schema
                                        if each.name in names)])  # fmt: skip
    return kept.mapInArrow(work, schema)


_SPACE: Final = " \t\r\n"
_DECODER: Final = json.JSONDecoder()


def replaced(line: str, path: Sequence[str], ms: int) -> str:
    """``line``, a JSON object, with ``ms`` as its member at ``path``, or as the member that is called so with dots."""
    for own in ((".".join(path),), tuple(path)):
        found = _member(line, own)
        if found is not None:
            return f"{line[: found[0]]}{ms}{line[found[1] :]}"
    return line


def _member(line: str, path: Sequence[str]) -> tuple[int, int] | None:
    """From where to where the last member at ``path`` stands in ``line``."""
    span = (_blank(line, 0), len(line))
    for name in path:
        members = dict(_members(line, span[0]))
        if name not in members:
            return None
        span = members[name]
    return span


def _members(line: str, place: int) -> Iterator[tuple[str, tuple[int, int]]]:
    if line[place : place + 1] != "{":
        return
    place = _blank(line, place + 1)
    while line[place : place + 1] == '"':
        name, place = _DECODER.raw_decode(line, place)
        start = _blank(line, _blank(line, place) + 1)
        _, end = _DECODER.raw_decode(line, start)
        yield name, (start, end)
        place = _blank(line, end)
        if line[place : place + 1] != ",":
            return
        place = _blank(line, place + 1)


def _blank(line: str, place: int) -> int:
    while place < len(line) and line[place] in _SPACE:
        place += 1
    return place
