"""The records of a generated stream: each follows from the number of its item, so it is made where it is used.

The numbers are those of ``simulator.generate``: a hash of the seed, the column and the item.

The stream as two DataFrames: its records, and its signals (explicit watermarks and the end).

The columns are those of ``plan.items``, and ``chunk``. A record also has a ``candidate``, the watermark that it stands
for. Generated records are made in the tasks that work on them; a list comes from the driver.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from tidemark.simulator.scenario.model import EACH_RECORD, Data, Generated
from tidemark.simulator.scenario.stream import MILLION, TICK, TICK_GRID, TICK_OFFSET, Borders, arrivals_in
from tidemark.spark_bridge.execution.rows import by_side, candidate_of, chunk_of_item
from tidemark.spark_bridge.plan.batch import BatchPlan, Chunks, InputPlan
from tidemark.spark_bridge.plan.items import RECORDS, SIGNALS, Row, ends, listed
from tidemark.spark_bridge.spark.columns import long, nothing, quotient
from tidemark.spark_bridge.watermarks.sieve import Grid


def items_of(spark: SparkSession, chunks: Chunks, stream: Generated) -> DataFrame:
    """The ``item`` of each record, with its ``chunk`` and the ``first`` item of that."""
    first = F.col("id") * long(chunks.size)
    last = F.least(first + long(chunks.size), long(stream.events)) - 1
    # The numbers of this particular stream stay in front of the exchange. What follows is the same code for a stream of
    # any length, so Java has compiled it already.
    with_records = spark.range(-(-stream.events // chunks.size))
    spans = with_records.select(F.col("id").alias("chunk"), first.alias("first"), last.alias("last"))
    items = F.explode(F.sequence(F.col("first"), F.col("last"))).alias("item")
    return spans.repartition(chunks.partitions, "chunk").select("chunk", "first", items)


def placed(items: DataFrame, plan: BatchPlan, stream: Generated) -> DataFrame:
    """``items`` with side, channel, time, clock and ``candidate``, and the tick that follows if any input has ticks."""
    own_at = long(plan.scenario.origin) + F.col("item") * long(stream.every)
    late = F.when(_below(stream, 2, MILLION) < stream.late_millionths, long(stream.late_by)).otherwise(long(0))
    channel = by_side(plan, lambda source: long(source.first) + _below(stream, 4, source.channels))
    ts = own_at - _below(stream, 1, stream.disorder + 1) - (late if stream.late_millionths else long(0))
    if plan.borders is not None:
        ts = _sought(stream, plan.borders, own_at, ts)
    table = items.select(  # in this order: later columns refer to earlier ones
        "*",
        _below(stream, 5, len(plan.inputs)).alias("side"),
        channel.alias("channel"),
        arrival(plan, F.col("item")).alias("at"),
        ts.alias("ts"),
        candidate_of(plan, F.col("ts")).alias("candidate"),
    )
    return _before_ticks(table, plan, stream) if plan.is_periodic else table


def _sought(stream: Generated, borders: Borders, at: Column, own: Column) -> Column:
    """The timestamp of a record of input ``side`` that comes at ``at``; ``own``, unless it seeks a border."""
    grids, side = borders.grids, F.col("side").cast("int")
    grid, offset = _below(stream, 7, len(grids)).cast("int"), _below(stream, 8, 3) - long(1)

    def in_grid(numbers: list[int], number: Column = grid) -> Column:
        return F.array(*map(long, numbers))[number]

    def of_side(numbers: list[tuple[int, ...]], number: Column = grid) -> Column:
        sides = len(grids[0].phases)
        return in_grid([each for one in numbers for each in one], number * F.lit(sides) + side)

    def before(time: Column, number: Column = grid) -> Column:
        phase = of_side([each.phases for each in grids], number)
        return time - F.pmod(time - phase, in_grid([each.step for each in grids], number))

    reach = in_grid([-1 if each.reach is None else each.reach for each in grids])
    border = before(at + reach)
    moved = of_side([tuple(map(each.moved_by, range(len(each.phases)))) for each in grids])
    close = (reach >= 0) & (border >= at)
    back = before(own, F.when(reach >= 0, F.lit(0)).otherwise(grid))
    sought = F.when(close, border + moved).otherwise(back) + offset
    return F.when(_below(stream, 6, MILLION) < borders.millionths, sought).otherwise(own)


def arrival(plan: BatchPlan, item: Column) -> Column:
    """When the record ``item`` of a generated stream comes (``Arrivals.at``)."""
    return long(plan.scenario.origin) + _since_origin(plan, item)


def _since_origin(plan: BatchPlan, item: Column) -> Column:
    arrivals, stream = arrivals_in(plan.scenario), plan.scenario.stream
    assert isinstance(stream, Generated)
    own = item * long(arrivals.every)
    if arrivals.are_steady:
        return own
    grid = _below(stream, TICK_GRID, len(arrivals.grids), item).cast("int")
    step, phase = (
        F.array(*(long(number) for number in numbers))[grid]
        for numbers in zip(*((each.step, each.phase - arrivals.origin) for each in arrivals.grids), strict=True)
    )
    first, last = own - long(1), own + long(arrivals.every - 2)
    border = last - F.pmod(last - phase, step)
    beside = border + _below(stream, TICK_OFFSET, 3, item) - long(1)
    seeks = (_below(stream, TICK, MILLION, item) < arrivals.millionths) & (border >= first) & (item > 0)
    return F.when(seeks, F.greatest(first, F.least(beside, last))).otherwise(own)


def _before_ticks(table: DataFrame, plan: BatchPlan, stream: Generated) -> DataFrame:
    """``table`` with the periodic emission that follows each record: on the way to which item, and when.

    ``tick_item`` is null where none follows. Each step is a column of its own: written as one expression, with
    ``first_at`` in it twice, the tree has thousands of nodes, and Spark goes through it for seconds.
    """
    arrivals = arrivals_in(plan.scenario)
    clock, index = F.col("tick_clock"), F.col("tick_index")
    number, next_item = quotient(clock + long(arrivals.every - 1), arrivals.every), index
    if not arrivals.are_steady:  # as in ``Arrivals.first_at``
        number = quotient(clock + long(1), arrivals.every)
        next_item = F.when(_since_origin(plan, index) >= clock, index).otherwise(index + 1)
    return table.select(  # in this order: later columns refer to earlier ones
        "*",
        by_side(plan, lambda source: _next_tick(plan, source, stream)).alias("tick_clock"),
        number.alias("tick_index"),
        next_item.alias("tick_next"),
        F.when(F.col("tick_next") < long(stream.events), F.col("tick_next")).alias("tick_item"),
        (clock * long(plan.channels) + _rank(plan, F.col("channel"))).alias("tick_sub"),
        (long(plan.scenario.origin) + clock).alias("tick_at"),
    ).drop("tick_clock", "tick_index", "tick_next")


def _next_tick(plan: BatchPlan, source: InputPlan, stream: Generated) -> Column:
    """The first periodic emission after a record, in ms since the origin; null if there is none."""
    interval = source.watermark.emit
    if interval == EACH_RECORD or stream.every == 0 or plan.watermark_in_order:
        return nothing("bigint")
    return (quotient(F.col("at") - long(plan.scenario.origin), interval) + 1) * long(interval)


def numbered(table: DataFrame, plan: BatchPlan, stream: Generated) -> DataFrame:
    """What makes up a record apart from its place and its time, by its item; the ``key`` is still a number."""
    lowest, highest = stream.values
    return table.withColumns(
        {
            "side": _below(stream, 5, len(plan.inputs)),
            "key": _below(stream, 0, stream.keys),
            "whole": long(lowest) + _below(stream, 3, highest - lowest + 1),
            "fraction": nothing("double"),
            "text": nothing("string"),
        }
    )


def key_text(number: Column) -> Column:
    """A key as rows have it."""
    return F.concat(F.lit('"k'), number.cast("string"), F.lit('"'))


def detailed(table: DataFrame, plan: BatchPlan, stream: Generated) -> DataFrame:
    """As ``numbered``, with the ``key`` as rows have it."""
    return numbered(table, plan, stream).withColumn("key", key_text(F.col("key")))


def _rank(plan: BatchPlan, channel: Column) -> Column:
    ranks = plan.tick_ranks
    if ranks == list(range(plan.channels)):
        return channel
    return F.array(*map(long, ranks))[channel]


def _below(stream: Generated, column: int, limit: int, item: Column | None = None) -> Column:
    """The generator's number below ``limit`` for a column of the record ``item``, by default that of the row."""
    if limit == 1:
        return long(0)
    digest = F.xxhash64(long(stream.seed), long(column), F.col("item") if item is None else item)
    return F.shiftrightunsigned(digest, 1) % long(limit)


_TEXTS = frozenset({"key", "text", "kind"})


DETAILS = ("side", "key", "ts", "whole", "fraction", "text")
"""What makes up a record, apart from its place, its channel and the clock."""


@dataclass(frozen=True, slots=True)
class StreamTables:
    """The two tables of a stream.

    The scan for the watermark sorts its rows, so they are kept narrow. ``carried`` names the columns that have to go
    through it; ``detailed`` adds the missing ``DETAILS`` to what has come through, from the number of the item.
    """

    records: DataFrame
    signals: DataFrame
    carried: tuple[str, ...]
    detailed: Callable[[DataFrame], DataFrame]


@dataclass(frozen=True, slots=True)
class Sifted:
    """The records of files, of which only some need the watermark before them.

    ``records``: ``item`` and ``DETAILS``, the key as it is; ``key`` turns it into that of a row. ``notable`` gives the
    entries that matter to a ``Grid``: ``DETAILS``, ``item``, ``at``, ``is_record``, ``before`` and ``after``.
    """

    records: DataFrame
    key: Callable[[Column], Column]
    notable: Callable[[Grid], DataFrame]


@dataclass(frozen=True, slots=True)
class FileRecords:
    """The records of a stream from files. ``placed``: in the columns of ``listed.RECORDS``, with chunk and candidate.

    ``sifted``: where tasks can tell in the order of the files which of them matter; else None.
    """

    placed: Callable[[], DataFrame]
    sifted: Sifted | None = None


def source_of(spark: SparkSession, plan: BatchPlan, of_files: FileRecords | None = None) -> StreamTables:
    """The tables of the stream of ``plan``, cut into chunks. ``of_files``: its records, if they come from files."""
    stream = plan.scenario.stream
    if of_files is not None:
        assert isinstance(stream, Data)
        last = max(plan.scenario.origin, stream.known.at[1] if stream.known.at else plan.scenario.origin)
        rows = ends(stream.known.records, last, plan.channels) if stream.end else []
        ending = _with_chunk(_table(spark, SIGNALS, rows), plan)
        return StreamTables(of_files.placed(), ending, DETAILS, lambda table: table)
    if isinstance(stream, Generated):
        end = _with_chunk(_table(spark, SIGNALS, _end(plan, stream)), plan)
        records = placed(items_of(spark, plan.chunks, stream), plan, stream)
        return StreamTables(records, end, ("ts",), lambda table: detailed(table, plan, stream))
    rows, signals = listed(plan)
    records = _with_chunk(_table(spark, RECORDS, rows), plan, candidate=candidate_of(plan, F.col("ts")))
    return StreamTables(records, _with_chunk(_table(spark, SIGNALS, signals), plan), DETAILS, lambda table: table)


def _with_chunk(table: DataFrame, plan: BatchPlan, **given: Column) -> DataFrame:
    chunked = table.withColumns({"chunk": chunk_of_item(F.col("item"), plan)} | given)
    # Partitioned like generated records, so that their union needs no exchange of all the data.
    return chunked.repartition(plan.chunks.partitions, "chunk")


def _table(spark: SparkSession, names: tuple[str, ...], rows: list[Row]) -> DataFrame:
    kinds = {"fraction": pa.float64()} | dict.fromkeys(_TEXTS, pa.string())
    schema = pa.schema([(name, kinds.get(name, pa.int64())) for name in names])
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    arrays = [pa.array(values, type=each.type) for values, each in zip(columns, schema, strict=True)]
    return spark.createDataFrame(pa.table(arrays, schema=schema))


def _end(plan: BatchPlan, stream: Generated) -> list[Row]:
    if not stream.end:
        return []
    clock = arrivals_in(plan.scenario).at(max(0, stream.events - 1))
    return ends(stream.events, clock, plan.channels)
