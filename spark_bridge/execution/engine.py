"""From a plan to its rows."""

from contextlib import AbstractContextManager, nullcontext, suppress
from types import TracebackType

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_bridge.ends import possible_ends
from spark_bridge.execution.event_sort import sorted_rows
from spark_bridge.execution.in_order import entries_in_order, prefix_of_entries
from spark_bridge.execution.interval_join import interval_join_rows
from spark_bridge.execution.keyed import keyed_rows
from spark_bridge.execution.ordered import ordered_rows
from spark_bridge.execution.source import Source, source_of
from spark_bridge.execution.watermark import entries, prefix, records_of, steps
from spark_bridge.execution.window_join import window_join_rows
from spark_bridge.execution.windows import Stream, is_notable, may_fire, window_rows
from spark_bridge.keyed.planned import KeyedPlan
from spark_bridge.plan import BatchPlan, IntervalJoinPlan, Prefix, SortPlan, WindowJoinPlan, WindowPlan


class Execution(AbstractContextManager["Execution"]):
    """One run of the batch engine. ``rows`` lives until the end of the ``with`` block.

    What is used more than once is kept on the executors' disks, so that memory does not grow with the data.
    """

    def __init__(self, spark: SparkSession, plan: BatchPlan) -> None:
        self._spark = spark
        self._plan = plan
        self._kept: list[DataFrame] = []
        self.records: DataFrame | None = None
        """The stream's records, each with the watermark before it, once ``rows`` was called."""

    def rows(self) -> DataFrame:
        """All rows that the operator gives, in the columns of ``canonical``. Computed when first used."""
        plan = self._plan
        self._spark.conf.set("spark.sql.shuffle.partitions", str(plan.chunks.partitions))
        # Replanning between stages and compiling what they do pay for data, not for a handful of rows.
        large = str(not plan.chunks.are_small).lower()
        self._spark.conf.set("spark.sql.adaptive.enabled", large)
        self._spark.conf.set("spark.sql.codegen.wholeStage", large)
        self._spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN" if plan.chunks.are_small else "FALLBACK")
        # Spark takes a table made of numbers for as small as those; what is to be joined by sending it says so.
        self._spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "10MB" if plan.chunks.are_small else "-1")
        # Windows hold a chunk: in plain memory, unless it is a very long one, and not in a sorter that may spill.
        held = min(plan.chunks.size + 4096, 200_000)
        self._spark.conf.set("spark.sql.windowExec.buffer.in.memory.threshold", str(held))
        source = source_of(self._spark, plan)
        window = _window_of(plan)
        ends = None if window is None or plan.watermark_in_order else possible_ends(plan, window)
        table, known = self._entries(source, keeps=ends is None)
        records = records_of(table, source)
        self.records = records if plan.numbers is None else self._not_withdrawn(records)
        match plan.operator:
            case WindowPlan():
                stream = self._stream(source, table, plan.operator, ends)
                rows = window_rows(stream, plan, plan.operator, known, self.keep)
            case WindowJoinPlan():
                stream = self._stream(source, table, plan.operator.window, ends)
                rows = window_join_rows(stream, plan, plan.operator, known, self.keep)
            case IntervalJoinPlan():
                rows = interval_join_rows(records, plan, plan.operator)
            case KeyedPlan(ordered=True):
                rows = ordered_rows(self._spark, source.detailed(table), plan, plan.operator)
            case KeyedPlan():
                rows = keyed_rows(records, steps(table), plan, plan.operator, known)
            case SortPlan():
                rows = sorted_rows(records, steps(table), plan, known)
        return rows

    def _stream(self, source: Source, table: DataFrame, window: WindowPlan, ends: range | None) -> Stream:
        """The stream for windows; where it is known which ``ends`` there are, only what is behind one is kept."""
        if ends is None:
            records = records_of(table, source)
            return Stream(records, records, steps(table, may_fire(window)))
        notable = self.keep(table.where(is_notable(window)))
        possible = self._spark.range(ends.start, ends.stop, ends.step).withColumnRenamed("id", "end")
        records = source.detailed(source.records)
        return Stream(records, records_of(notable, source), steps(notable, may_fire(window)), possible)

    def _entries(self, source: Source, *, keeps: bool) -> tuple[DataFrame, Prefix]:
        """The entries with the watermark before and after each, and what the driver knows of the chunks."""
        if self._plan.watermark_in_order:
            table = self.keep(entries_in_order(source, self._plan))
            if isinstance(self._plan.operator, KeyedPlan) and self._plan.operator.ordered:
                return table, Prefix.of_one_chunk(self._plan.channels)  # nothing is looked up by chunk
            return table, prefix_of_entries(table, self._plan)
        known = prefix(source, self._plan)
        table = entries(self._spark, source, self._plan, known)
        return self.keep(table) if keeps else table, known

    def _not_withdrawn(self, records: DataFrame) -> DataFrame:
        """The records of which no restore takes back what they gave."""
        places = [place for place in range(self._plan.chunks.items) if place not in self._plan.withdrawn]
        told = self._spark.createDataFrame(pa.table({"item": places}))
        return records.join(F.broadcast(told), "item", "left_semi")

    def keep(self, table: DataFrame) -> DataFrame:
        """``table``, made once if it is used again, until the end of the ``with`` block."""
        self._kept.append(table.persist(StorageLevel.DISK_ONLY))
        return table

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # What went wrong is not to be covered by what goes wrong for that reason.
        with suppress(Exception) if error is not None else nullcontext():
            for table in self._kept:
                table.unpersist()


def _window_of(plan: BatchPlan) -> WindowPlan | None:
    match plan.operator:
        case WindowPlan() as window:
            return window
        case WindowJoinPlan(window=window):
            return window
        case _:
            return None
