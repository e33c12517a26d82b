"""Records of files of which only the notable ones need the watermark: for tasks that go through the files in order."""

from typing import Final

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from tidemark.simulator.scenario.model import EACH_RECORD, Data
from tidemark.spark_bridge.execution.expressions import long, nothing
from tidemark.spark_bridge.execution.source import DETAILS, Sifted
from tidemark.spark_bridge.own.records import OwnRecords, channel_numbers, detailed, json_of, key_of
from tidemark.spark_bridge.plan import BatchPlan
from tidemark.spark_bridge.watermarks.sieve import COLUMNS, Grid, Sieve

_VALUES: Final = {"bigint": pa.int64(), "double": pa.float64()}


def sifted(records: OwnRecords, plan: BatchPlan) -> Sifted | None:
    """``records`` for a plan whose watermark follows from the largest timestamps; None for any other."""
    stream, source = records.ordered.stream, plan.inputs[0]
    if source.watermark.emit != EACH_RECORD or plan.watermark_in_order or plan.channels < len(stream.channels):
        return None
    table = detailed(records.raw).select("item", *DETAILS)
    return Sifted(table, json_of, lambda grid: _notable(records, plan, grid))


def _notable(records: OwnRecords, plan: BatchPlan, grid: Grid) -> DataFrame:
    ordered, watermark = records.ordered, plan.inputs[0].watermark
    kind = records.raw.schema["value"].dataType.simpleString()
    parts, origin, value = ordered.parts, plan.scenario.origin, _VALUES.get(kind, pa.string())
    sieve = Sieve(watermark, plan.channels, parts.before, parts.starts, origin, value, grid)
    has_key, has_value = ordered.stream.columns.key is not None, ordered.stream.columns.value is not None
    found = ordered.feed.mapped(sieve.rows, COLUMNS | {"key": "string", "value": kind}, keys=has_key, values=has_value)
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
