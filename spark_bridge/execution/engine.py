"""The batch engine: from a plan to its rows."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from types import TracebackType

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from tidemark.simulator.scenario.model import Generated
from tidemark.spark_bridge.execution.keyed import keyed_rows, ordered_rows
from tidemark.spark_bridge.execution.notable import Interest, grid_of, notable_entries, of_windows
from tidemark.spark_bridge.execution.operators import (
    first_rows,
    interval_join_rows,
    last_rows,
    over_rows,
    ranked_rows,
    sorted_rows,
    window_join_rows,
)
from tidemark.spark_bridge.execution.rows import sampled
from tidemark.spark_bridge.execution.sessions import have_clusters, of_sessions, session_rows
from tidemark.spark_bridge.execution.source import FileRecords, Sifted, StreamTables, key_text, numbered, source_of
from tidemark.spark_bridge.execution.structs import evaluated
from tidemark.spark_bridge.execution.watermark import (
    all_reached,
    entries,
    entries_in_order,
    moves,
    prefix,
    prefix_of_entries,
    reached,
    records_of,
    steps,
)
from tidemark.spark_bridge.execution.windows import Stream, may_fire, window_rows
from tidemark.spark_bridge.plan.batch import BatchPlan, Prefix, possible_ends
from tidemark.spark_bridge.plan.operators import (
    DeduplicatePlan,
    IntervalJoinPlan,
    KeyedPlan,
    OverPlan,
    TopNPlan,
    WindowJoinPlan,
    WindowPlan,
)
from tidemark.spark_bridge.watermarks.sieve import Grid


class Execution(AbstractContextManager["Execution"]):
    """One run of the batch engine. ``rows`` lives until the end of the ``with`` block.

    ``of_files``: the records of a stream from files.
    What is used more than once is persisted on the executors' disks, so that memory does not grow with the data.
    """

    def __init__(self, spark: SparkSession, plan: BatchPlan, of_files: FileRecords | None = None) -> None:
        self._spark = spark
        self._of_files = of_files
        self._plan = plan
        self._persisted: list[DataFrame] = []
        self.records: Callable[[], DataFrame] | None = None
        """Returns the records of the stream, each with the watermark before it; set by ``rows``."""
        self.keys: Callable[[], DataFrame] | None = None
        """Returns the ``key`` of each record; set by ``rows``."""

    def rows(self) -> DataFrame:
        """All rows of the operator, in the columns of ``canonical``. Computed when first used."""
        structs = self._plan.structs
        if structs is None:
            return self._rows()
        found = evaluated(self._spark, structs, self._plan.scenario)
        self._plan = replace(self._plan, scenario=found.scenario)
        return found.written(self._spark, self._rows())

    def _rows(self) -> DataFrame:
        plan = self._plan
        self._spark.conf.set("spark.sql.shuffle.partitions", str(plan.chunks.partitions))
        # Replanning between stages and compiling them pays off for much data, not for a handful of rows.
        window = None if isinstance(plan.operator, TopNPlan) else plan.windows
        sifted = None if self._of_files is None else self._of_files.sifted
        is_filtered = isinstance(plan.scenario.stream, Generated) or sifted is not None
        ends = possible_ends(plan, window) if window is not None and is_filtered else None
        large = str(not plan.chunks.are_small).lower()
        # Where the possible windows are known, the plan is made once, beforehand.
        self._spark.conf.set("spark.sql.adaptive.enabled", large if ends is None else "false")
        self._spark.conf.set("spark.sql.codegen.wholeStage", large)
        self._spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN" if plan.chunks.are_small else "FALLBACK")
        # Spark takes a table made of a range of numbers to be as small as these; what is to be broadcast is marked
        # instead.
        self._spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "10MB" if plan.chunks.are_small else "-1")
        # A window function buffers a chunk: in plain memory, unless it is very long, not in a sorter that may spill.
        held = min(plan.chunks.size + 4096, 200_000)
        self._spark.conf.set("spark.sql.windowExec.buffer.in.memory.threshold", str(held))
        # What is persisted is read again within seconds: compressing it would take longer than reading more.
        self._spark.conf.set("spark.sql.inMemoryColumnarStorage.compressed", "false")
        if window is not None and sifted is not None and ends is not None:
            stream, notable = self._of_sifted(sifted, of_windows(window), grid_of(window))
            fires = all_reached(moves(notable, may_fire(window)), ends)
            return self._of_windows(replace(stream, reached=fires), window)
        source = source_of(self._spark, plan, self._of_files)
        self.keys = lambda: source.detailed(source.records).select("key").where(F.col("key").isNotNull())
        if window is not None and ends is not None:
            stream, notable, _ = self._generated(source, of_windows(window))
            fires = all_reached(moves(notable, may_fire(window)), ends)
            return self._of_windows(replace(stream, reached=fires), window)
        if isinstance(plan.operator, KeyedPlan) and have_clusters(plan):
            stream, notable, chunk_prefix = self._generated(source, of_sessions())
            return session_rows(stream, notable, plan, plan.operator, chunk_prefix)
        table, chunk_prefix = self._entries(source)
        records = sampled(records_of(table, source), plan, F.col("key"))
        self.records = lambda: records if plan.numbers is None else self._not_withdrawn(records)
        if window is not None:
            fires = steps(table, may_fire(window))
            return self._of_windows(Stream(records, records, lambda ends: reached(ends, fires, chunk_prefix)), window)
        match plan.operator:
            case IntervalJoinPlan():
                return interval_join_rows(records, plan, plan.operator)
            case DeduplicatePlan(keep="first"):
                return first_rows(records, steps(table), plan, chunk_prefix)
            case DeduplicatePlan():
                return last_rows(records)
            case OverPlan() as over:
                return over_rows(records, steps(table), plan, over, chunk_prefix)
            case TopNPlan() as top:
                return ranked_rows(records, steps(table, may_fire(top.window)), plan, top, chunk_prefix)
            case KeyedPlan(ordered=True):
                # What timers of the clock do depends on those of all keys.
                all_rows = ordered_rows(self._spark, source.detailed(table), plan, plan.operator)
                return sampled(all_rows, plan, F.col("key"))
            case KeyedPlan():
                return keyed_rows(records, steps(table), plan, plan.operator, chunk_prefix)
            case _:
                return sorted_rows(records, steps(table), plan, chunk_prefix)

    def _of_windows(self, stream: Stream, window: WindowPlan) -> DataFrame:
        join = self._plan.operator
        if isinstance(join, WindowJoinPlan):
            return window_join_rows(stream, self._plan, join, self.keep)
        return window_rows(stream, self._plan, window, self.keep)

    def _generated(self, source: StreamTables, interest: Interest) -> tuple[Stream, DataFrame, Prefix]:
        """A generated stream of which only the notable entries are persisted, these, and the prefix of the chunks."""
        stream = self._plan.scenario.stream
        assert isinstance(stream, Generated)
        notable, chunk_prefix = notable_entries(self._spark, source, self._plan, stream, interest, self.keep)
        self.records = lambda: records_of(entries(self._spark, source, self._plan, chunk_prefix), source)
        behind = notable.where(F.col("is_record") & (F.col("ts") < interest.behind(F.col("before"))))
        records, late = (
            sampled(numbered(table, self._plan, stream), self._plan, key_text(F.col("key")))
            for table in (source.records, behind)
        )
        return Stream(records, late, notable, key_text), notable, chunk_prefix

    def _of_sifted(self, sifted: Sifted, interest: Interest, grid: Grid) -> tuple[Stream, DataFrame]:
        """The same for a stream from files."""
        notable = self.keep(sifted.notable(grid))
        self.keys = lambda: sifted.records.select(sifted.key(F.col("key")).alias("key"))
        behind = notable.where(F.col("is_record") & (F.col("ts") < interest.behind(F.col("before"))))
        records, late = (sampled(table, self._plan, sifted.key(F.col("key"))) for table in (sifted.records, behind))
        return Stream(records, late, notable, sifted.key), notable

    def _entries(self, source: StreamTables) -> tuple[DataFrame, Prefix]:
        """The entries with the watermark before and after each, and the prefix of the chunks."""
        if self._plan.watermark_in_order:
            table = self.keep(entries_in_order(source, self._plan))
            if isinstance(self._plan.operator, KeyedPlan) and self._plan.operator.ordered:
                return table, Prefix.of_one_chunk(self._plan.channels)  # nothing is looked up by chunk
            return table, prefix_of_entries(table, self._plan)
        chunk_prefix = prefix(source, self._plan)
        return self.keep(entries(self._spark, source, self._plan, chunk_prefix)), chunk_prefix

    def _not_withdrawn(self, records: DataFrame) -> DataFrame:
        """The records whose rows no restore withdraws."""
        places = [place for place in range(self._plan.chunks.items) if place not in self._plan.withdrawn]
        standing = self._spark.createDataFrame(pa.table({"item": places}))
        return records.join(F.broadcast(standing), "item", "left_semi")

    def keep(self, table: DataFrame) -> DataFrame:
        """``table``, stored until the end of the ``with`` block at least, so that it is computed only once.

        A small one goes on as rows without their history: Spark analyses the whole history of a table whenever
        something is done with it, which takes longer than all work on a few rows.
        """
        if self._plan.chunks.are_small:
            return table.localCheckpoint(eager=False)
        self._persisted.append(table.persist(StorageLevel.DISK_ONLY))
        return table

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The original error must not be hidden by one that it causes here.
        with suppress(Exception) if error is not None else nullcontext():
            # The last one first: Spark replans every persisted table that depends on one that goes.
            for table in reversed(self._persisted):
                table.unpersist()
