"""Files opened as a stream: found, looked at, read, with times in ms and channels numbered.

Files opened in the session of this process, for as long as a block of code works with them.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.limits import STREAM_CHANNELS
from tidemark.spark_bridge.files.distinct import channels_of
from tidemark.spark_bridge.files.errors import FilesError, refusal
from tidemark.spark_bridge.files.finding import CSV, JSON, OURS, PARQUET, Found, find
from tidemark.spark_bridge.files.others import other_table, raw_of_other, sample_of_other, with_defaults
from tidemark.spark_bridge.files.pattern import written_stream
from tidemark.spark_bridge.files.reading import PLACE, arrow_schema, escaped, raw_records
from tidemark.spark_bridge.files.request import DEFAULT_ZONE, Columns, Files
from tidemark.spark_bridge.files.sample import Sample, chosen, few_values, other_times, source_of
from tidemark.spark_bridge.files.sampling import sample_of_table, sample_of_text
from tidemark.spark_bridge.files.stream import NULL_KEY, OwnStream
from tidemark.spark_bridge.files.times import ms_of
from tidemark.spark_bridge.plan.coverage import NotCovered
from tidemark.spark_bridge.spark import session
from tidemark.spark_bridge.spark.columns import nothing
from tidemark.spark_bridge.spark.failures import CheckFails
from tidemark.spark_bridge.spark.java import QUICK_ITEMS, NoJava
from tidemark.spark_bridge.spark.stages import Cancelled, EngineFails, Stages

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
) -> OwnStream:
    """The stream that ``files`` hold. Runs a few jobs: to see the first rows, the channels, and what values are.

    ``typed``: values of a text are numbers if all of them are, which takes a look at every one of them; without it
    they are texts. ``whole``: with the rows as they are in the files. Raises ``FilesError``, ``Cancelled``.
    """
    found = find(files)
    _settle(spark, sum(size for size, *_ in found.here) or _MANY_BYTES)
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


def _opened(
    spark: SparkSession, files: Files, found: Found, stages: Stages | None, typed: bool, whole: bool
) -> OwnStream:
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
    return OwnStream(
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
def own_stream(
    files: Files, stages: Stages, place: str | None = None, *, typed: bool = True, whole: bool = False
) -> Iterator[OwnStream]:
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
def read_once(stream: OwnStream) -> Iterator[OwnStream]:
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
