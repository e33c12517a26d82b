"""The passes over a stream, as Spark jobs: what each part brings, what is counted, and the figures of all counts."""

import pickle
from collections.abc import Iterator
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.profile.counts.counting import Counting, Rows
from tidemark.spark_bridge.profile.counts.feed import Feed
from tidemark.spark_bridge.profile.counts.figures import Figures, Reading, Wanted
from tidemark.spark_bridge.profile.counts.slices import TYPES as SLICE_TYPES
from tidemark.spark_bridge.profile.counts.slices import Course, Slicing
from tidemark.spark_bridge.watermarks.parts import TYPES, Parts, Piece, Summary, summaries

_ACCEPTED = {"key": "string", "end": "bigint", "late": "bigint", "records": "bigint"}
COUNTS = dict.fromkeys(Rows._fields, "bigint")
"""The columns of what tasks count, as Spark declares them."""


def parts_of(feed: Feed, channels: int) -> Parts:
    """What each part brings: a few numbers for each part and channel, put together here."""

    def work(pieces: Iterator[Piece]) -> Iterator[tuple[Any, ...]]:
        found = list(summaries(pieces, channels))
        if found:
            yield tuple(zip(*found, strict=True))

    return Parts.of((Summary(*row) for row in feed.mapped(work, TYPES).collect()), channels)


def figures_of(feed: Feed, counting: Counting, wanted: Wanted) -> Figures:
    """The figures of the whole stream.

    The tasks count, Spark adds up, and one task reads the sums in order; the driver gets the figures alone.
    """
    counts = feed.mapped(counting.rows, COUNTS)
    summed = counts.groupBy("figure", "slot", "value").agg(F.sum("number").alias("number"))
    return _read(summed.repartition(1).sortWithinPartitions("figure", "value"), wanted)


def late_firings_of(feed: Feed, counting: Counting, *, has_keys: bool) -> int:
    """How many results come again because of late records.

    Each late record of a window that is still kept makes it fire, and the first firing of all is no late one.
    """
    late = feed.mapped(partial(_accepted, counting), _ACCEPTED, keys=has_keys)
    windows = late.groupBy("key", "end").agg(F.sum("late").alias("late"), F.sum("records").alias("records"))
    again = F.when(F.col("late") == F.col("records"), F.col("late") - F.lit(1)).otherwise(F.col("late"))
    row = windows.agg(F.sum(again)).first()
    return int(row[0] or 0) if row else 0


def course_of(feed: Feed, slicing: Slicing) -> Course:
    """How the stream goes on: a few hundred numbers for each task."""
    return slicing.course(feed.mapped(slicing.rows, SLICE_TYPES).collect())


def _accepted(counting: Counting, pieces: Iterator[Piece]) -> Iterator[tuple[Any, ...]]:
    """For each key and window of a piece, how many records it takes, and how many of them after it may have fired."""
    for piece, ends, late in counting.accepted(pieces):
        keys = pa.nulls(len(piece.timestamps), pa.string()) if piece.keys is None else piece.keys
        kept = pa.array(late >= 0)
        table = pa.table({"key": keys, "end": ends, "late": late}).filter(kept)
        found = table.group_by(["key", "end"]).aggregate([("late", "sum"), ("late", "count")])
        yield tuple(found.column(name).combine_chunks() for name in ("key", "end", "late_sum", "late_count"))


def _read(summed: DataFrame, wanted: Wanted) -> Figures:
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        reading = Reading(wanted)
        for batch in batches:
            if len(batch):
                reading.add(*(batch.column(name).to_numpy() for name in Rows._fields))
        yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(reading.figures())])], names=["figures"])

    row = summed.mapInArrow(run, "figures BINARY").first()
    if row is None:  # no record at all can be read, so no task had anything to do
        return Reading(wanted).figures()
    figures: Figures = pickle.loads(row.figures)
    return figures
