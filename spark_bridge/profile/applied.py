"""A stream with its cures applied: what their rules make of every record, as columns of its table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.execution.expressions import floor_start, long
from tidemark.spark_bridge.files.stream import OwnStream
from tidemark.spark_bridge.profile.findings.finding import Cause
from tidemark.spark_bridge.profile.findings.repairs import Range, Rule

KEPT: Final = "kept"
"""The column that says which records the cures do not leave out."""


@dataclass(frozen=True)
class Applied:
    """``table`` has the records of a stream with ``ts`` as the cures leave it, and ``KEPT``.

    ``changed`` and ``dropped`` name its further columns, each with the code of the finding whose cure changes these
    records, or leaves them out.
    """

    table: DataFrame
    changed: dict[str, str]
    dropped: dict[str, str]


def applied_to(stream: OwnStream, causes: Sequence[Cause]) -> Applied:
    """``causes`` are those of a profile, with the stream's own names, in the order in which they were taken out."""
    table = stream.table
    changed, dropped = dict[str, str](), dict[str, str]()
    kept = F.lit(True)
    for place, cause in enumerate(causes):
        if not cause.rules:
            continue
        is_dropped = F.lit(False)
        before = f"ts_{place}"
        table = table.withColumn(before, F.col("ts"))
        for rule in cause.rules:
            which = _condition(rule, stream) & kept
            if rule.drops:
                is_dropped = is_dropped | which
            else:
                table = table.withColumn("ts", F.when(which, _changed(rule)).otherwise(F.col("ts")))
        table = table.withColumn(f"dropped_{place}", is_dropped)
        table = table.withColumn(f"changed_{place}", kept & (F.col("ts") != F.col(before)))
        kept = kept & ~F.col(f"dropped_{place}")
        changed[f"changed_{place}"] = dropped[f"dropped_{place}"] = cause.code
    table = table.withColumn(KEPT, kept)
    again = next((each for each in causes if _is_again(each)), None)
    if again is not None:
        number = F.expr(f"row_number() OVER (PARTITION BY {KEPT}, ts, key, value ORDER BY {', '.join(stream.order)})")
        table = table.withColumn("again", F.col(KEPT) & (number > 1))
        table = table.withColumn(KEPT, F.col(KEPT) & ~F.col("again"))
        dropped["again"] = again.code
    return Applied(table, changed, dropped)


def _is_again(cause: Cause) -> bool:
    return cause.code == "duplicates" or (cause.code, cause.sort) == ("replay", "again")


def _condition(rule: Rule, stream: OwnStream) -> Column:
    """The same as ``Rule.of``, of the table of a stream."""
    found = F.lit(True)
    if rule.column:
        places = [stream.channels.index(each) for each in rule.names] if rule.column == "channel" else list(rule.names)
        found = found & F.col(rule.column).isin(places)
    ranges = [(F.col("at"), (rule.at,)), (F.col("ts"), rule.ts), (F.col("ts") - F.col("at"), (rule.off,))]
    for value, limits in ranges:
        some = [_within(value, each) for each in limits]
        if some:
            either = some[0]
            for each in some[1:]:
                either = either | each
            found = found & either
    return found


def _within(value: Column, limits: Range) -> Column:
    found, (low, high) = F.lit(True), limits
    if low is not None:
        found = found & (value >= long(low))
    return found if high is None else found & (value < long(high))


def _changed(rule: Rule) -> Column:
    ts = F.col("at") if rule.arrives else F.col("ts")
    if rule.power > 0:
        ts = F.call_function("div", floor_start(ts, 0, 10**rule.power), long(10**rule.power))
    elif rule.power:
        ts = ts * long(10**-rule.power)
    return ts - long(rule.by) if rule.by else ts
