"""A stream as its cure leaves it: the rules applied to every record, written as one file, whole or not at all."""

import csv
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
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
from tidemark.spark_bridge.files.errors import FilesError
from tidemark.spark_bridge.files.finding import CSV, JSON
from tidemark.spark_bridge.files.sampling import quoted
from tidemark.spark_bridge.files.stream import OwnStream
from tidemark.spark_bridge.profile.findings.finding import Cause
from tidemark.spark_bridge.profile.proof import KEPT, applied_to

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


def write_repaired(stream: OwnStream, causes: Sequence[Cause], unreadable: int, path: Path) -> Written:
    """Write ``stream``, which was opened with its rows as they are (``raw``), as ``causes`` leave it: those of a
    profile, with the stream's own names. Raises ``FilesError``."""
    applied = applied_to(stream, causes)
    columns = [*applied.changed, *applied.dropped, KEPT]
    table = applied.table.select("raw", "ts", *stream.order, *columns).persist(StorageLevel.DISK_ONLY)
    try:
        row = table.agg(*(F.count(F.when(F.col(name), 1)).alias(name) for name in columns)).first()
        assert row is not None
        _write(stream, table.where(KEPT), path)
        counts = ([(code, row[name]) for name, code in each.items()] for each in (applied.changed, applied.dropped))
        changed, dropped = map(tuple, counts)
        return Written(path, row[KEPT], changed, dropped, unreadable)
    finally:
        table.unpersist()


def _write(stream: OwnStream, table: DataFrame, path: Path) -> None:
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
