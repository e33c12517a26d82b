"""The distributions of a check, computed where the rows are: only bins come to the driver."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario.model import Data, Generated
from tidemark.spark_bridge.plan.batch import BatchPlan
from tidemark.spark_bridge.plan.items import clock_of
from tidemark.spark_bridge.results.canonical import RESULTS
from tidemark.spark_bridge.results.report import MOST_FIRINGS, TOP_KEYS, Distributions, bin_width
from tidemark.spark_bridge.spark.columns import long, quotient


def distributions(records: DataFrame, rows: DataFrame, plan: BatchPlan) -> Distributions:
    """Of ``records``, each with the watermark ``before`` it, and the ``rows`` that came out (see ``canonical``)."""
    width = bin_width(*delay_bounds(plan))
    results = rows.where(F.col("row").isin(*RESULTS))
    lost = rows.where(F.col("row").isin("dropped", "late"))
    timed = records.where(F.col("ts").isNotNull())
    number = F.least(F.col("pane"), long(MOST_FIRINGS - 1))
    counts = (
        _counted(timed, "record", _bin(F.col("at") - F.col("ts"), width), F.col("before") >= F.col("ts"))
        .union(_counted(lost, "lost", _bin(F.col("at") - F.col("time"), width)))
        .union(_counted(results.where(F.col("pane").isNotNull()), "firing", number))
    ).collect()
    found: dict[str, dict[int, tuple[int, int]]] = {"record": {}, "lost": {}, "firing": {}}
    for row in counts:
        found[row.what][row.place] = (row.number, row.behind)
    delays = (
        (place * width, number, behind, found["lost"].get(place, (0, 0))[0])
        for place, (number, behind) in sorted(found["record"].items())
    )
    per_key = results.groupBy("key").agg(F.count(F.lit(1)).alias("number"))
    top = per_key.orderBy(F.desc("number"), "key").limit(TOP_KEYS).collect()
    span = bin_width(0, top[0].number) if top else 1
    spread = _counted(per_key, "key", _bin(F.col("number"), span)).collect() if top else []
    return Distributions(
        delay_width=width,
        delays=tuple(delays),
        firings=tuple(sorted((place, number) for place, (number, _) in found["firing"].items())),
        keys=sum(row.number for row in spread),
        results_width=span,
        results=tuple(sorted((row.place * span, row.number) for row in spread)),
        top=tuple((row.key, row.number) for row in top),
    )


def _bin(value: Column, width: int) -> Column:
    """The number of the bin that a value is in, rounded down for negative values as well."""
    return quotient(value - F.pmod(value, long(width)), width)


def _counted(table: DataFrame, what: str, place: Column, behind: Column | None = None) -> DataFrame:
    own = F.lit(False) if behind is None else behind
    return table.groupBy(place.alias("place")).agg(
        F.lit(what).alias("what"), F.count(F.lit(1)).alias("number"), F.count_if(own).alias("behind")
    )


def delay_bounds(plan: BatchPlan) -> tuple[int, int]:
    """The smallest and the largest delay (ms) that the stream can hold."""
    stream = plan.scenario.stream
    if isinstance(stream, Generated):
        borders = plan.borders
        ahead, behind = (0, 0) if borders is None else (borders.ahead, borders.behind)
        return -ahead, behind + stream.disorder + (stream.late_by if stream.late_millionths else 0)
    if isinstance(stream, Data):
        found, origin = stream.known, plan.scenario.origin
        ts, at = found.ts or (origin, origin), found.at or (origin, origin)
        return max(at[0], origin) - ts[1], max(at[1], origin) - ts[0]
    clocks = clock_of(stream, plan.scenario.origin)
    delays = [
        clock - item.ts
        for item, clock in zip(stream, clocks, strict=True)
        if isinstance(item, Record) and item.ts is not None
    ]
    return min(delays, default=0), max(delays, default=0)
