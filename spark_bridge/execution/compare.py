"""The two sides compared inside Spark; only a few differing rows ever come to the driver.

1. A digest of each side in buckets: rows that agree as multisets have the same (count, xor, sum) of hashes.
2. Of the buckets that do not agree, the rows that one side has more often than the other.
3. Of these, rows alike in everything but the value are put beside each other; doubles within the tolerance are equal.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F

from spark_bridge.canonical import COLUMNS, row_of
from spark_bridge.report import Difference, pair_up

BUCKETS = 64
FETCHED = 100
TOLERANCE = 1e-9
"""Relative, between two doubles, or a double and an integer."""

_VALUE = ("value_text", "value_number")
_IDENTITY = tuple(name for name in COLUMNS if name not in _VALUE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """``counts``: the rows of each side by kind. ``differing``: how many rows differ; ``differences``: the first."""

    counts: dict[str, dict[str, int]]
    differing: int
    differences: tuple[Difference, ...]


def compare(simulator: DataFrame, spark: DataFrame) -> Outcome:
    """Compare the sides, both in the columns of ``canonical``, as multisets of rows."""
    both = simulator.select(*COLUMNS, F.lit("simulator").alias("side")).unionAll(
        spark.select(*COLUMNS, F.lit("spark").alias("side"))
    )
    digests = _digests(both)
    counts: dict[str, dict[str, int]] = {"simulator": {}, "spark": {}}
    by_bucket: dict[tuple[str, int], dict[str, tuple[int, ...]]] = {}
    for digest in digests:
        of_side = counts[digest.side]
        of_side[digest.row] = of_side.get(digest.row, 0) + digest.rows
        by_bucket.setdefault((digest.row, digest.bucket), {})[digest.side] = tuple(digest[3:])
    unlike = [place for place, sides in by_bucket.items() if sides.get("simulator") != sides.get("spark")]
    if not unlike:
        return Outcome(counts, 0, ())
    buckets = sorted({bucket for _, bucket in unlike})
    return Outcome(counts, *_differences(both.where(_bucket().isin(buckets))))


def _hash() -> Column:
    return F.xxhash64(*COLUMNS)


def _bucket() -> Column:
    return F.pmod(_hash(), F.lit(BUCKETS))


def _digests(both: DataFrame) -> list[Row]:
    hashed = both.withColumn("hash", _hash())
    grouped = hashed.groupBy("side", "row", _bucket().alias("bucket")).agg(
        F.count(F.lit(1)).alias("rows"),
        F.bit_xor("hash").alias("xor"),
        F.sum(F.shiftrightunsigned("hash", 20)).alias("total"),
    )
    return grouped.collect()


def _differences(both: DataFrame) -> tuple[int, tuple[Difference, ...]]:
    sign = F.when(F.col("side") == "simulator", 1).otherwise(-1)
    surplus = both.groupBy(*COLUMNS).agg(F.sum(sign).alias("surplus")).where(F.col("surplus") != 0)
    beside = _beside(surplus)
    found = F.when(F.col("spark").isNull(), "simulator").when(F.col("simulator").isNull(), "spark").otherwise("both")
    unlike = beside.where(~_within_tolerance()).withColumn("found", found)
    numbers = {row.found: row["count"] for row in unlike.groupBy("found").count().collect()}
    total = sum(numbers.values())
    if not total:
        return 0, ()
    first = unlike.orderBy(F.coalesce("simulator.item", "spark.item")).limit(FETCHED).collect()
    differences = sorted(_paired(first), key=_place)
    if total <= FETCHED:
        return len(differences), tuple(differences)
    return numbers.get("both", 0) + max(numbers.get("simulator", 0), numbers.get("spark", 0)), tuple(differences)


def _beside(surplus: DataFrame) -> DataFrame:
    """The rows of each side beside one of the other that has the same identity, if there is one."""
    copies = surplus.withColumn("copy", F.explode(F.sequence(F.lit(1), F.abs("surplus").cast("int"))))
    by_value = Window.partitionBy(F.signum("surplus"), *_IDENTITY).orderBy(_number(), "value_text", "copy")
    numbered = copies.withColumn("place", F.row_number().over(by_value))
    sides = [
        numbered.where(F.signum("surplus") == sign).select(F.struct(*COLUMNS).alias(name), F.col("place").alias(place))
        for sign, name, place in ((1, "simulator", "left_place"), (-1, "spark", "right_place"))
    ]
    alike = F.col("left_place") == F.col("right_place")
    for name in _IDENTITY:
        alike &= F.col(f"simulator.{name}").eqNullSafe(F.col(f"spark.{name}"))
    return sides[0].join(sides[1], alike, "full_outer").select("simulator", "spark")


def _number(side: str = "") -> Column:
    """The value as a double if it is a number; a string is written with its quotes, so it is none."""
    text = F.col(f"{side}value_text")
    return F.coalesce(F.col(f"{side}value_number"), F.when(text.rlike("^-?[0-9]+$"), text.cast("double")))


def _within_tolerance() -> Column:
    """Whether both values are numbers, not both integers, and nearly the same."""
    left, right = _number("simulator."), _number("spark.")
    integers = F.col("simulator.value_text").isNotNull() & F.col("spark.value_text").isNotNull()
    near = F.abs(left - right) <= F.lit(TOLERANCE) * F.greatest(F.abs(left), F.abs(right))
    return F.coalesce(near & ~integers, F.lit(False))


def _paired(rows: list[Row]) -> Iterator[Difference]:
    plain = [
        tuple(None if side is None else row_of(tuple(side)) for side in (row.simulator, row.spark)) for row in rows
    ]
    for simulator, spark in plain:
        if simulator is not None and spark is not None:
            yield Difference(simulator, spark)
    yield from pair_up(
        [simulator for simulator, spark in plain if simulator is not None and spark is None],
        [spark for simulator, spark in plain if spark is not None and simulator is None],
    )


def _place(difference: Difference) -> tuple[int, str]:
    row = difference.simulator or difference.spark or {}
    return row["item"], repr(row)
