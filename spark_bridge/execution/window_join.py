"""The window join and the coGroup: a window over both inputs, whose firings emit pairs or both sides at once."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.execution.expressions import nothing
from tidemark.spark_bridge.execution.rows import record_json, stamped_json, two_sided, typed
from tidemark.spark_bridge.execution.windows import Keep, Stream, firings, too_late_rows
from tidemark.spark_bridge.operator_plans import WindowJoinPlan
from tidemark.spark_bridge.plan import BatchPlan


def window_join_rows(stream: Stream, plan: BatchPlan, join: WindowJoinPlan, keep: Keep) -> DataFrame:
    """The ``joined`` or ``group`` rows, and the ``dropped`` ones."""
    results = firings(stream, plan, join.window, keep)
    sides = {"left": _side(0), "right": _side(1)}
    rows = _pairs(results.withColumns(sides)) if join.pairs else _groups(results.withColumns(sides), join)
    return rows.unionByName(too_late_rows(stream, plan, join.window))


def _side(number: int) -> Column:
    return F.filter("values", lambda record: record["side"] == number)


def _pairs(results: DataFrame) -> DataFrame:
    pairs = results.withColumn("one", F.explode("left")).withColumn("other", F.explode("right"))
    return _rows(pairs, "joined", two_sided(stamped_json(F.col("one")), stamped_json(F.col("other"))))


def _groups(results: DataFrame, join: WindowJoinPlan) -> DataFrame:
    for needed, side in ((join.needs_left, "left"), (join.needs_right, "right")):
        if needed:
            results = results.where(F.size(side) > 0)
    return _rows(results, "group", two_sided(_list("left"), _list("right")))


def _list(side: str) -> Column:
    return F.concat(F.lit("["), F.array_join(F.transform(side, record_json), ","), F.lit("]"))


def _rows(results: DataFrame, kind: str, text: Column) -> DataFrame:
    columns = {"row": F.lit(kind), "value_text": text, "timing": nothing("string"), "pane": nothing("bigint")}
    return typed(results, time=F.col("end") - 1, **columns)
