"""The records of files as the batch engine wants them: in the order in which they came, each with its number.

A pass finds what each part of the stream brings (``watermarks.behind``): how many records come before it, and the
largest timestamp of each channel by then. Where the files hold all records in order, a record's number follows from
these and from its place in the file. Else Spark sorts the records once, and keeps them on disk. Where the watermark
follows from the largest timestamps, tasks that go through the files in order find the notable records (``sifted``).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.items import End
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.limits import CLOCK_TICKS
from tidemark.simulator.scenario.checks import numbers_needed_by
from tidemark.simulator.scenario.data.columns import NO_KEY, Columns, Found
from tidemark.simulator.scenario.model import EACH_RECORD, Data, Generated, Scenario
from tidemark.simulator.scenario.stream import tick_interval
from tidemark.spark_bridge.execution.rows import candidate_of, chunk_of_item
from tidemark.spark_bridge.execution.source import DETAILS, Sifted
from tidemark.spark_bridge.files.request import PARQUET, FilesError
from tidemark.spark_bridge.files.stream import FileStream
from tidemark.spark_bridge.plan.batch import BatchPlan
from tidemark.spark_bridge.plan.items import value_columns
from tidemark.spark_bridge.profile.counts.counting import parts_of
from tidemark.spark_bridge.profile.counts.feed import (
    Feed,
    ParquetFeed,
    SparkFeed,
    feed_by_arrival,
    feed_of,
    parquet_feed,
)
from tidemark.spark_bridge.simulation.process import PIECE, STAGED, Staged
from tidemark.spark_bridge.spark import session
from tidemark.spark_bridge.spark.columns import long, nothing, quotient
from tidemark.spark_bridge.watermarks.behind import Parts
from tidemark.spark_bridge.watermarks.sieve import NOTABLE, Grid, Sieve

_MOST_LITERALS: Final = 1_000
"""So many numbers stand in an expression; more are joined."""


@dataclass(frozen=True, slots=True)
class InOrder:
    """The readable records of ``stream``: ``table`` has its columns and ``item``, the number of the record from 0.

    ``feed`` has the same records as pieces, with keys and values, for tasks; ``parts``: what its parts bring.
    ``is_kept``: whether they lie on disk, and not only in the files.
    """

    stream: FileStream
    feed: Feed
    parts: Parts
    table: DataFrame
    is_kept: bool

    @property
    def records(self) -> int:
        """How many there are."""
        return sum(self.parts.records)


@contextmanager
def in_order(stream: FileStream) -> Iterator[InOrder]:
    """``stream`` in order, as long as the block lasts. Runs a job or two, and sorts if it has to."""
    kept: list[DataFrame] = []

    def keep(table: DataFrame) -> DataFrame:
        kept.append(table.persist(StorageLevel.DISK_ONLY))
        return table

    try:
        yield _in_order(stream, None if stream.found.format == PARQUET else keep(_readable(stream)), kept)
    finally:
        if session.is_alive():
            for table in reversed(kept):
                table.unpersist()


def _in_order(stream: FileStream, texts: DataFrame | None, kept: list[DataFrame]) -> InOrder:
    """``texts``: what was read of files that take long to read; None for those that tasks may read again."""
    channels = len(stream.channels)
    feed = _feed(stream) if texts is None else SparkFeed(texts, stream.by_arrival)
    parts = parts_of(feed, channels)
    if texts is not None:
        parts = parts.with_unreadable(stream.counted())
    if parts.in_order and (texts is not None or not parts.unreadable):
        table = stream.everything if texts is None else texts
        return InOrder(stream, feed, parts, _numbered(table, _bases(feed, parts)), texts is not None)
    arrived = feed_by_arrival(stream if texts is None else replace(stream, everything=texts), sum(parts.records))
    kept.append(arrived.table)
    parts = parts_of(arrived, channels).with_unreadable(parts.unreadable)
    return InOrder(stream, arrived, parts, _numbered(arrived.table, _bases(arrived, parts)), True)


def _readable(stream: FileStream) -> DataFrame:
    """The readable records, with ``row`` counting these alone."""
    return stream.table.withColumn("row", F.monotonically_increasing_id())


def _feed(stream: FileStream) -> Feed:
    """Tasks read Parquet themselves where keys and values are then the same."""
    here = session.current_place().startswith("local")
    feed = parquet_feed(stream, session.parallelism(), keys=True) if here else None
    return feed_of(stream) if feed is None or not _has_values(feed, stream) else feed


def _has_values(feed: ParquetFeed, stream: FileStream) -> bool:
    """Whether the values that tasks read are those of the table, whole numbers or doubles."""
    name = stream.columns.value
    if name is None:
        return True
    if feed.reader.value is None:
        return False
    type, kind = pq.read_schema(feed.reader.paths[0]).field(name).type, stream.everything.schema["value"].dataType
    is_alike = {"bigint": pa.types.is_integer, "double": pa.types.is_floating}.get(kind.simpleString())
    return is_alike is not None and bool(is_alike(type))


def _bases(feed: Feed, parts: Parts) -> dict[tuple[int, int], int]:
    """For each file and block, what is to be added to the row of a record to have its number."""
    if isinstance(feed, ParquetFeed):
        return {(file, 0): start for file, group, start in feed.reader.parts if group == 0}
    return {(file, block): start - row for (file, block, row), start in parts.starts.items()}


def _numbered(table: DataFrame, bases: Mapping[tuple[int, int], int]) -> DataFrame:
    files = 1 + max((file for file, _ in bases), default=0)
    if files <= _MOST_LITERALS and not any(block for _, block in bases):
        return table.withColumn("item", F.col("row") + _chosen([bases.get((file, 0), 0) for file in range(files)]))
    rows = [(*place, base) for place, base in bases.items()]
    known = table.sparkSession.createDataFrame(rows, "file INT, block BIGINT, base BIGINT")
    joined = table.join(F.broadcast(known), ["file", "block"])
    return joined.withColumn("item", F.col("row") + F.col("base")).drop("base")


def _chosen(numbers: list[int]) -> Column:
    """The number of the record's file."""
    if len(numbers) == 1:
        return long(numbers[0])
    return F.get(F.expr(f"array({','.join(f'{number}L' for number in numbers)})"), F.col("file"))


PIECE_ROWS: Final = 1_000_000

_CONTROL: Final = ("0B", "0E", "0F", "1A", "1B", "1C", "1D", "1E", "1F")
"""Control characters whose number Java writes with capitals and Python without."""


_PLAIN: Final = r"\A[ !#-\[\]-~]*\z"
"""ASCII in which nothing has to be escaped."""


@dataclass(frozen=True)
class InputRecords:
    """``raw``: ``item``, ``side``, ``channel``, ``key`` (as the files have it), ``ts``, ``at`` (the clock), ``value``.

    ``scenario`` has them as its stream. ``ordered``: the same records, in order.
    """

    scenario: Scenario
    ordered: InOrder
    raw: DataFrame

    @property
    def unreadable(self) -> int:
        """The rows that are no records."""
        return self.ordered.parts.unreadable

    @property
    def table(self) -> DataFrame:
        """The records with the key as JSON and with ``whole``, ``fraction`` and ``text`` for the value."""
        return detailed(self.raw).withColumn("key", json_of(F.col("key")))


_LIKE_A_NUMBER: Final = r"""^"\s*[-+]?[.,]*\d[\d.,]*([eE][-+]?\d+)?\s*"$"""


def surveyed(scenario: Scenario, ordered: InOrder, paths: tuple[str, ...]) -> InputRecords:
    """The records of ``ordered`` for the one input of ``scenario``, and the scenario over them.

    Raises ``FilesError`` for what does not fit.
    """
    stream = ordered.stream
    raw = _laid_out(scenario, ordered)
    found = _found(scenario, ordered, raw)
    because = numbers_needed_by(scenario.operator)
    if because is not None and found.no_number is not None:
        item, text = found.no_number
        raise FilesError("no_number", path=paths[0], item=f"{item:,}", found=text, because=because)
    source = scenario.inputs[0]
    origin = found.at[0] if found.at is not None and not scenario.origin else scenario.origin
    source = replace(source, channels=channels_of(scenario, stream))
    interval = tick_interval(source.watermark)
    if interval and found.at is not None:
        ticks = source.channels * max(0, (found.at[1] - origin) // interval)
        if ticks > CLOCK_TICKS:
            raise FilesError("too_many_ticks", path=paths[0], ticks=f"{ticks:,}", limit=f"{CLOCK_TICKS:,}")
    columns = Columns(stream.columns.ts or "", at=stream.columns.at)
    data = Staged(paths[0], columns, ends(scenario), source.name, found)
    over = replace(scenario, stream=data, inputs=(source,), origin=origin, goals=(), walkthrough=())
    clock = F.greatest(F.col("at"), long(origin)) if stream.by_arrival else long(origin)
    return InputRecords(over, ordered, raw.withColumn("at", clock))


def _laid_out(scenario: Scenario, ordered: InOrder) -> DataFrame:
    stream = ordered.stream
    numbers = channel_numbers(stream.channels, channels_of(scenario, stream))
    channel = F.col("channel")
    if numbers != tuple(range(len(numbers))):
        channel = F.array(*map(F.lit, numbers))[channel]
    return ordered.table.select(
        "item",
        long(0).alias("side"),
        channel.cast("bigint").alias("channel"),
        key_of(stream).alias("key"),
        *("ts", "at", "value"),
    )


def key_of(stream: FileStream) -> Column:
    """The text of a record's key, never null."""
    return F.lit(NO_KEY) if stream.columns.key is None else F.col("key")


def detailed(table: DataFrame) -> DataFrame:
    """``table`` with ``whole``, ``fraction`` and ``text`` in place of ``value``."""
    kind = table.schema["value"].dataType.simpleString()
    if kind == "double":
        return table.mapInArrow(_with_doubles, _schema(table))
    whole, text = nothing("bigint"), F.coalesce(json_of(F.col("value")), F.lit("null"))
    if kind == "bigint":
        whole, text = F.col("value"), F.when(F.col("value").isNull(), F.lit("null"))
    return table.withColumns({"whole": whole, "fraction": nothing("double"), "text": text}).drop("value")


def ends(scenario: Scenario) -> bool:
    """Whether the scenario's own stream closes with the end of input; then that of the files does."""
    stream = scenario.stream
    if isinstance(stream, Generated | Data):
        return stream.end
    return any(isinstance(item, End) for item in stream)


def channels_of(scenario: Scenario, stream: FileStream) -> int:
    """One without a column for them; else those of the scenario, or of the files if there are more."""
    return 1 if stream.columns.channel is None else max(scenario.inputs[0].channels, len(stream.channels))


def channel_numbers(names: tuple[int | str, ...], channels: int) -> tuple[int, ...]:
    """The number of each channel: its own if all are whole numbers below ``channels``, else its place."""
    if all(isinstance(each, int) and 0 <= each < channels for each in names):
        return tuple(int(each) for each in names)
    return tuple(range(len(names)))


def staged(records: InputRecords, folder: Path) -> InputRecords:
    """The records also written to ``folder``, for the simulator. Only a Spark on this machine can do that."""
    piece = quotient(F.col("item"), PIECE_ROWS).alias(PIECE)
    table = records.table.select(*STAGED, piece).repartition(PIECE).sortWithinPartitions(PIECE, "item")
    table.write.partitionBy(PIECE).option("compression", "snappy").parquet(folder.as_uri(), mode="overwrite")
    stream = records.scenario.stream
    assert isinstance(stream, Staged)
    return replace(records, scenario=replace(records.scenario, stream=replace(stream, staging=str(folder))))


def placed(table: DataFrame, plan: BatchPlan) -> DataFrame:
    """``table`` with chunk, candidate and the tick that sends the candidate: the records of a ``StreamTables``."""
    columns = {"chunk": chunk_of_item(F.col("item"), plan), "candidate": candidate_of(plan, F.col("ts"))}
    source = plan.inputs[0]
    interval = source.watermark.emit
    if interval == EACH_RECORD or plan.watermark_in_order:
        ticks = dict.fromkeys(("tick_item", "tick_sub", "tick_at"), nothing("bigint"))
        return table.withColumns(columns | ticks).repartition(plan.chunks.partitions, "chunk")
    origin = plan.scenario.origin
    table = table.withColumns(columns | {"span": quotient(F.col("at") - long(origin), interval)})
    following = F.lead("tick_item").over(Window.orderBy("span"))  # at most as many as there may be ticks
    firsts = table.groupBy("span").agg(F.min("item").alias("tick_item"))
    due = (F.col("span") + 1) * long(interval)
    ranks = F.array(*map(long, plan.tick_ranks))[F.col("channel")]
    ticked = table.join(F.broadcast(firsts.select("span", following.alias("tick_item"))), "span").withColumns(
        {
            "tick_sub": F.when(F.col("tick_item").isNotNull(), due * long(plan.channels) + ranks),
            "tick_at": F.when(F.col("tick_item").isNotNull(), due + long(origin)),
        }
    )
    return ticked.drop("span").repartition(plan.chunks.partitions, "chunk")


def clocks_of(table: DataFrame) -> tuple[int, ...]:
    """The clock (ms) at each item, for the few operators whose tasks must know all of them."""
    ordered = table.select("item", "at").orderBy("item").toArrow()
    return tuple(ordered.column("at").to_pylist())


def _found(scenario: Scenario, ordered: InOrder, raw: DataFrame) -> Found:
    """What is known of the records after one look at their values, which the parts do not have."""
    parts, stream = ordered.parts, ordered.stream
    stream.require_some(ordered.records)
    found = Found(
        records=ordered.records,
        ts=_span((*parts.lowest, *parts.highest)),
        at=parts.arrivals if stream.by_arrival else None,
        channels=tuple(range(channels_of(scenario, stream))),
    )
    if stream.columns.value is None:
        return replace(found, no_number=(0, "null"))
    if raw.schema["value"].dataType.simpleString() == "bigint":
        row = raw.agg(F.count("value"), F.min("value"), F.max("value")).first()
        most = 0 if row is None or not row[0] else max(abs(row[1]), abs(row[2])) * row[0]
        if row is not None and row[0] == ordered.records and most <= MAX:
            return replace(found, sums=(most, 0.0))  # the sum is not larger, and that is all that matters
    return _looked_at(found, raw)


def _span(times: tuple[int | None, ...]) -> tuple[int, int]:
    there = [each for each in times if each is not None]
    return min(there), max(there)


def _looked_at(found: Found, raw: DataFrame) -> Found:
    no_number = F.col("whole").isNull() & F.col("fraction").isNull()
    # In a column of texts all are texts, also those that are numbers: the first that is none of these says more.
    like_others = (F.col("text") == "null") | F.col("text").rlike(_LIKE_A_NUMBER)
    first = F.min(F.when(no_number, F.struct(like_others.alias("like_others"), "item", "text")))
    row = (
        detailed(raw)
        .agg(
            F.sum(F.abs(F.col("whole").cast("decimal(20,0)"))).alias("whole"),
            F.sum(F.abs("fraction")).alias("fraction"),
            F.count("fraction").alias("doubles"),
            first.alias("no_number"),
        )
        .first()
    )
    assert row is not None
    text = row.no_number is not None and row.no_number.text not in (None, "null")
    return replace(
        found,
        values="text" if text else "number" if row.doubles else "whole",
        no_number=None if row.no_number is None else (row.no_number.item, row.no_number.text or "null"),
        sums=(int(row.whole or 0), float(row.fraction or 0)),
    )


def json_of(text: Column) -> Column:
    """A text as the simulator writes it in JSON; null for null."""
    written = F.to_json(F.array(text))
    inside = written.substr(F.lit(2), F.length(written) - 2)
    lower = inside
    for code in _CONTROL:
        lower = F.replace(lower, F.lit(f"\\u00{code}"), F.lit(f"\\u00{code.lower()}"))
    strange = text.rlike("[\\x00-\\x07\\x0b\\x0e-\\x1f]")
    quoted = F.concat(F.lit('"'), text, F.lit('"'))  # nearly all texts are plain, and quoted far sooner than written
    return F.when(text.rlike(_PLAIN), quoted).when(text.isNotNull(), F.when(strange, lower).otherwise(inside))


def _schema(table: DataFrame) -> str:
    kinds = {field.name: field.dataType.simpleString() for field in table.schema if field.name != "value"}
    kinds |= {"whole": "bigint", "fraction": "double", "text": "string"}
    return ", ".join(f"{name} {kind}" for name, kind in kinds.items())


def _with_doubles(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Doubles also as the text that the simulator writes, which Java writes otherwise."""
    for batch in batches:
        texts = [value_columns(value)[2] for value in batch.column("value").to_pylist()]
        names = [name for name in batch.schema.names if name != "value"]
        size = batch.num_rows
        columns = [*(batch.column(name) for name in names), pa.nulls(size, pa.int64()), batch.column("value")]
        yield pa.RecordBatch.from_arrays(
            [*columns, pa.array(texts, pa.string())], names=[*names, "whole", "fraction", "text"]
        )


_VALUES: Final = {"bigint": pa.int64(), "double": pa.float64()}


def sifted(records: InputRecords, plan: BatchPlan) -> Sifted | None:
    """``records`` for a plan whose watermark follows from the largest timestamps; None for any other."""
    stream, source = records.ordered.stream, plan.inputs[0]
    if source.watermark.emit != EACH_RECORD or plan.watermark_in_order or plan.channels < len(stream.channels):
        return None
    table = detailed(records.raw).select("item", *DETAILS)
    return Sifted(table, json_of, lambda grid: _notable(records, plan, grid))


def _notable(records: InputRecords, plan: BatchPlan, grid: Grid) -> DataFrame:
    ordered, watermark = records.ordered, plan.inputs[0].watermark
    kind = records.raw.schema["value"].dataType.simpleString()
    parts, origin, value = ordered.parts, plan.scenario.origin, _VALUES.get(kind, pa.string())
    sieve = Sieve(watermark, plan.channels, parts.before, parts.starts, origin, value, grid)
    has_key, has_value = ordered.stream.columns.key is not None, ordered.stream.columns.value is not None
    found = ordered.feed.mapped(sieve.rows, NOTABLE | {"key": "string", "value": kind}, keys=has_key, values=has_value)
    own = {"key": key_of(ordered.stream), "side": long(0), "is_record": F.lit(True)}
    notable = detailed(found.withColumns(own))
    stream = plan.scenario.stream
    assert isinstance(stream, Data)
    if not stream.end:
        return notable
    clock = max(origin, stream.known.at[1]) if stream.known.at else origin
    numbers = channel_numbers(ordered.stream.channels, plan.channels)
    highest = {numbers[index]: each for index, each in enumerate(parts.highest) if each is not None}
    moves = notable.sparkSession.createDataFrame(sieve.at_the_end(highest), "before BIGINT, after BIGINT")
    item, at = long(ordered.records).alias("item"), long(clock).alias("at")
    ended = moves.select(item, at, "before", "after", F.lit(False).alias("is_record"), nothing("bigint").alias("ts"))
    return notable.unionByName(ended, allowMissingColumns=True)
