"""Files opened as a stream in the session of this process: found, looked at, read, times in ms, channels numbered."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.limits import STREAM_CHANNELS
from tidemark.spark_bridge.files.reading import (
    PLACE,
    arrow_schema,
    escaped,
    other_table,
    raw_of_other,
    raw_records,
    sample_of_other,
    sample_of_table,
    sample_of_text,
    with_defaults,
)
from tidemark.spark_bridge.files.request import (
    BYTES,
    CSV,
    DEFAULT_ZONE,
    JSON,
    OURS,
    PARQUET,
    VIEW,
    Columns,
    Files,
    FilesError,
    Found,
    find,
    refusal,
)
from tidemark.spark_bridge.files.sample import Sample, chosen, few_values, other_times, source_of, written_stream
from tidemark.spark_bridge.files.stream import NULL_KEY, FileStream
from tidemark.spark_bridge.files.times import ms_of
from tidemark.spark_bridge.plan.coverage import NotCovered
from tidemark.spark_bridge.spark import session
from tidemark.spark_bridge.spark.columns import nothing
from tidemark.spark_bridge.spark.java import QUICK_ITEMS, NoJava
from tidemark.spark_bridge.spark.stages import Cancelled, CheckFails, EngineFails, Stages

_ROWS: Final = 1 << 16
_WITHIN: Final = (2**62 - 1) // 1000
"""A time within so many of its unit is readable, whatever the unit."""


def channels_of(found: Found, columns: Columns, most: int) -> set[str] | None:
    """The texts of the channels ("" for none), at least one too many if there are more than ``most``; else None.

    Raises ``FilesError``.
    """
    if found.format != PARQUET or not found.is_here:
        return None
    if columns.channel is None or not all(_is_readable(path, columns) for path in found.paths):
        return None
    texts: set[str] = set()
    with ThreadPoolExecutor() as pool:
        for own in pool.map(lambda path: _channels_in(path, columns.channel or "", most), found.paths):
            texts |= own
    return texts


def _channels_in(path: str, name: str, most: int) -> set[str]:
    texts: set[str] = set()
    try:
        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                texts |= _channels_of_a_group(file, group, name, most)
                if len(texts) > most:
                    break
    except (OSError, pa.ArrowException) as error:
        raise FilesError("broken", path=path, reason=str(error).split("\n")[0]) from error
    return texts


def _channels_of_a_group(file: pq.ParquetFile, group: int, name: str, most: int) -> set[str]:
    """Ends as soon as there cannot be any more: numbers are rarely far from one another, and the file says how far."""
    texts: set[str] = set()
    possible = _possible(file.metadata, group, name)
    for batch in file.iter_batches(_ROWS, row_groups=[group], columns=[name]):
        values = pc.unique(batch.column(0)).cast(pa.string()).to_pylist()
        texts |= {"" if each is None else each for each in values}
        if len(texts) > most or len(texts) == possible:
            break
    return texts


def _possible(metadata: pq.FileMetaData, group: int, name: str) -> int | None:
    """How many channels a row group can have at most, where it says so: whole numbers between two, and nothing else."""
    place = next(each for each in range(metadata.num_columns) if metadata.schema.column(each).path == name)
    said = metadata.row_group(group).column(place).statistics
    if said is None or not said.has_min_max or not said.has_null_count or said.null_count:
        return None
    is_whole = isinstance(said.min, int) and isinstance(said.max, int)
    return said.max - said.min + 1 if is_whole else None


def _is_readable(path: str, columns: Columns) -> bool:
    metadata = pq.read_metadata(path)
    schema = metadata.schema.to_arrow_schema()
    channel = columns.channel
    if channel not in schema.names or not _has_one_text(schema.field(channel).type):
        return False
    return all(name is None or _are_times(metadata, schema, name) for name in (columns.ts, columns.at))


def _has_one_text(type: pa.DataType) -> bool:
    return bool(pa.types.is_signed_integer(type) or pa.types.is_string(type))


def _are_times(metadata: pq.FileMetaData, schema: pa.Schema, name: str) -> bool:
    """Whether the file says that all of them are there, and no whole number is too large."""
    if name not in schema.names:
        return False
    type = schema.field(name).type
    is_instant = pa.types.is_timestamp(type) and type.unit in ("us", "ns")
    if not is_instant and not pa.types.is_signed_integer(type):
        return False
    place = next((each for each in range(metadata.num_columns) if metadata.schema.column(each).path == name), None)
    if place is None:
        return False
    for group in range(metadata.num_row_groups):
        said = metadata.row_group(group).column(place).statistics
        if said is None or not said.has_null_count or said.null_count:
            return False
        if is_instant:
            continue
        if not said.has_min_max or said.min < -_WITHIN or said.max > _WITHIN:
            return False
    return True


FEW_BYTES: Final = 1_000_000
"""Below this, compiling and replanning cost Spark more than they save."""

_PART_BYTES: Final = 32_000_000
_MOST_PARTS: Final = 400
_MANY_BYTES: Final = 10**10
"""Assumed of files whose size only Spark knows."""

_WHOLE: Final = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)
_NUMBER: Final = r"^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,4})?$"
_GROUPED: Final = r"^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$"


def open_files(
    spark: SparkSession, files: Files, stages: Stages | None = None, *, typed: bool = True, whole: bool = False
) -> FileStream:
    """The stream that ``files`` hold. Runs a few jobs: to see the first rows, the channels, and what values are.

    ``typed``: values of a text are numbers if all of them are, which takes a look at every one of them; without it
    they are texts. ``whole``: with the rows as they are in the files. Raises ``FilesError``, ``Cancelled``.
    """
    found = find(files)
    _settle(spark, sum(size for size, *_ in found.here) or _assumed(files))
    try:
        return _opened(spark, files, found, stages, typed, whole)
    except Cancelled:
        raise
    except Exception as error:
        found.require_unchanged()  # if one has changed, everything else only follows from that
        if isinstance(error, FilesError):
            raise
        described = refusal(error, " ".join(found.paths) or found.format, spark.version)
        if described is None:
            raise
        raise described from error


def _assumed(files: Files) -> int:
    """The bytes of what only Spark knows; of a view its caller may know them."""
    return int(files.options.get(BYTES, _MANY_BYTES)) if files.format == VIEW else _MANY_BYTES


def _opened(
    spark: SparkSession, files: Files, found: Found, stages: Stages | None, typed: bool, whole: bool
) -> FileStream:
    if found.format in OURS:
        sample = _sample(spark, found)
        columns, guessed = chosen(files.columns, sample)
        raw = raw_records(spark, found, sample, columns.named, files.options, whole=whole)
    else:
        table = other_table(spark, found, files.options)
        sample = sample_of_other(table, found)
        columns, guessed = chosen(with_defaults(files.columns, sample, found), sample)
        guessed = guessed or columns.named != files.columns.named
        raw = raw_of_other(spark, table, found, columns.named, whole=whole)
    _check(stages)
    zone = columns.zone or DEFAULT_ZONE
    ts = _time(columns.ts, columns.ts_unit, F.col("ts"), sample, zone)
    at = nothing("bigint")
    if columns.at is not None:
        at = _time(columns.at, columns.at_unit, F.col("at"), sample, zone)
        ts = F.when(at.isNotNull(), ts)
    value = nothing("string")
    if columns.value is not None:
        value = _value(raw, sample.types.get(columns.value, "string"), sample.decimal, typed)
        _check(stages)
    key = nothing("string") if columns.key is None else F.coalesce(F.col("key").cast("string"), F.lit(NULL_KEY))
    columns_of = {"ts": ts, "at": at, "key": key, "value": value}
    table = raw.select(
        *PLACE,
        *(each.alias(name) for name, each in columns_of.items()),
        *([] if columns.channel is None else ["channel"]),
        *(["raw"] if whole else []),
    )
    table, channels = _with_channels(spark, table, columns, sample, found)
    _check(stages)
    source, times = source_of(columns, sample), other_times(columns, sample)
    written = written_stream(columns, sample, text=found.format in (CSV, JSON), flat=_flat(sample, found))
    few = few_values(columns, sample) if found.format in OURS else ()
    beside = None
    if few:
        named = {role: name for role, name in columns.named.items() if role in ("ts", "at")}
        named |= {f"c{place}": name for place, name in enumerate(few)}
        beside = raw_records(spark, found, sample, named, files.options).withColumns({"ts": ts, "at": at})
    return FileStream(
        table,
        channels,
        columns,
        guessed,
        columns.at is not None,
        found,
        source,
        times,
        written,
        raw,
        beside,
        few,
        sample,
    )


def _flat(sample: Sample, found: Found) -> tuple[str, ...]:
    """The names that are names of columns, whatever is in them; another with dots is the way to a member."""
    if found.format == CSV:
        return sample.names
    return tuple(arrow_schema(found.paths[0]).names) if found.format == PARQUET and found.is_here else ()


def _settle(spark: SparkSession, size: int) -> None:
    """Settings for jobs over files of ``size`` bytes, whatever was done in the session before."""
    small = size < FEW_BYTES
    parts = max(session.parallelism(), min(_MOST_PARTS, size // _PART_BYTES))
    spark.conf.set("spark.sql.shuffle.partitions", str(parts))
    spark.conf.set("spark.sql.adaptive.enabled", str(not small).lower())
    spark.conf.set("spark.sql.codegen.wholeStage", str(not small).lower())
    spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN" if small else "FALLBACK")
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "10MB")


def _check(stages: Stages | None) -> None:
    if stages is not None:
        stages.check()


def _sample(spark: SparkSession, found: Found) -> Sample:
    if found.format in (CSV, JSON):
        return sample_of_text(spark, found)
    if found.is_here:
        arrow_schema(found.paths[0])
    for path in found.paths:
        sample = sample_of_table(spark.read.parquet(escaped(path)), path)
        if sample.cells:
            return _with_nanoseconds(sample) if found.is_here else sample
    raise FilesError("no_records", path=found.paths[0])


def _with_nanoseconds(sample: Sample) -> Sample:
    """Spark reads times in ns as whole numbers; the file says what they are."""
    schema = arrow_schema(sample.path)
    types = dict(sample.types)
    for name in set(types) & set(schema.names):
        type = schema.field(name).type
        if pa.types.is_timestamp(type) and types[name] == "bigint":
            types[name] = "timestamp_ns" if type.tz else "timestamp_ns_ntz"
    return Sample(sample.path, sample.names, sample.cells, types)


def _time(name: str | None, unit: str | None, column: Column, sample: Sample, zone: str) -> Column:
    return ms_of(column, sample.types.get(name or "", "string"), unit, zone)


def _value(raw: DataFrame, type: str, decimal: str, typed: bool) -> Column:
    column = F.col("value")
    if type in ("tinyint", "smallint", "int", "bigint"):
        return column.cast("bigint")
    if type in ("float", "double") or type.startswith("decimal"):
        return column.cast("double")
    text = F.trim(column.cast("string")) if type == "string" else column.cast("string")
    if type != "string" or not typed:
        return text
    number = F.translate(text, ".,", ",.") if decimal == "," else text
    number = F.when(number.rlike(_GROUPED), F.translate(number, ",", "")).otherwise(number)
    number = F.when(number.rlike(_NUMBER), number)
    whole = number.try_cast("bigint")
    double = number.cast("double")
    double = F.when(F.abs(double) < float("inf"), double)
    given = raw.where(text.isNotNull() & (text != ""))
    counts = given.agg(F.count("*"), F.count(whole), F.count(double)).first()
    assert counts is not None
    if counts[0] == counts[1]:
        return whole
    return double if counts[0] == counts[2] else text


def _with_channels(
    spark: SparkSession, table: DataFrame, columns: Columns, sample: Sample, found: Found
) -> tuple[DataFrame, tuple[int | str, ...]]:
    """``channel`` as an index into the channels, sorted: by number if all are whole numbers, else by name."""
    if columns.channel is None:
        return table.withColumn("channel", F.lit(0)), (0,)
    text = F.coalesce(F.col("channel").cast("string"), F.lit(""))
    said = channels_of(found, columns, STREAM_CHANNELS)
    if said is None:
        readable = table.where(F.col("ts").isNotNull())
        # Made texts after they are made distinct: that is a handful of times and not once a record.
        distinct = readable.select("channel").distinct().select(text)
        said = {row[0] for row in distinct.limit(STREAM_CHANNELS + 2).collect()}
    names = list(said)
    if len(names) > STREAM_CHANNELS:
        raise FilesError("many_channels", path=sample.path, name=columns.channel, most=f"{STREAM_CHANNELS:,}")
    whole = all(_WHOLE.fullmatch(name) for name in names if name)
    names.sort(key=(lambda name: (name == "", int(name or 0))) if whole else (lambda name: (name == "", name)))
    channels: tuple[int | str, ...] = tuple(int(name) if whole and name else name for name in names) or (0,)
    if channels == tuple(range(len(channels))):
        return table.withColumn("channel", F.col("channel").cast("int")), channels
    if len(names) <= 1:
        return table.withColumn("channel", F.lit(0)), channels
    known = spark.createDataFrame([(name, number) for number, name in enumerate(names)], "name STRING, number INT")
    joined = table.withColumn("name", text).join(F.broadcast(known), "name", "left")
    return joined.withColumn("channel", F.col("number")).drop("name", "number"), channels


_POLL_SECONDS: Final = 0.2
_FEWEST_BYTES: Final = 5
"""The fewest bytes of a record, about: how many there may be in files of some size."""


@contextmanager
def files_as_stream(
    files: Files, stages: Stages, place: str | None = None, *, typed: bool = True, whole: bool = False
) -> Iterator[FileStream]:
    """The stream that ``files`` hold, in the session on ``place`` (see ``session.open_session``).

    Opening the session is the stage ``session``, looking at the files the stage ``open``. ``typed`` and ``whole``: see
    ``open_files``. One block at a time in a process, as with checks. Raises ``FilesError``, ``NoJava``, ``Cancelled``;
    whatever Spark raises inside the block comes out as ``CheckFails``, and a file that has changed meanwhile as
    ``FilesError``.
    """
    items = _most_items(files)
    stages.tell("session", 0, 1)
    while not session.LOCK.acquire(timeout=_POLL_SECONDS):
        stages.check()
    try:
        with stages.stage("session"):
            spark = session.open_session(place, stages.cancelled.is_set, items)
            version = spark.version
        try:
            with stages.stage("open"):
                stream = open_files(spark, files, stages, typed=typed, whole=whole)
            try:
                yield stream
            except Cancelled:
                raise
            except Exception:
                stream.require_unchanged()  # if one has changed, everything else only follows from that
                raise
            stream.require_unchanged()
        except (Cancelled, CheckFails, EngineFails, NoJava, NotCovered, ScenarioError, ValueError):
            raise
        except Exception as error:
            if (refused := refusal(error, " ".join(files.paths), version)) is not None:
                raise refused from error
            failed = session.failure(error)
            # What its Java has said of this failure would explain any later one as well.
            session.discard_session()
            raise failed from error
    finally:
        session.LOCK.release()


@contextmanager
def read_once(stream: FileStream) -> Iterator[FileStream]:
    """``stream``, kept on disk as a table where its files are texts: what goes through it more than twice is faster."""
    if stream.found.format not in (CSV, JSON):
        yield stream
        return
    table = stream.everything.persist(StorageLevel.DISK_ONLY)
    try:
        yield replace(stream, everything=table)
    finally:
        if session.is_alive():
            table.unpersist()


def _most_items(files: Files) -> int:
    """As many records as the files may hold: few get along with the Java that starts fast. Raises ``FilesError``."""
    found = find(files)
    return sum(size for size, *_ in found.here) // _FEWEST_BYTES if found.is_here else QUICK_ITEMS + 1
