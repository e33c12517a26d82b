"""Compares the two sides; only a few differing rows, and the bins of distributions, ever come to the driver.

1. The digests of each side, by buckets (see ``digests``): rows that agree as multisets have the same ones.
2. In the buckets that do not agree, the rows that one side has more often than the other. The simulator's are sent to
   Spark. If there are very many, only some buckets are looked at; that the others differ is known already.
3. Of these, rows that are alike in everything but the value are paired; doubles within the tolerance are equal.
4. Of what is left, rows of one place are paired (kind, key, window and pane), and only then come the first hundred
   pairs to the driver. There what has no other row of its place is put beside a similar one.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario.model import Data, Generated
from tidemark.spark_bridge.plan.batch import BatchPlan
from tidemark.spark_bridge.plan.items import clock_of
from tidemark.spark_bridge.results.canonical import COLUMNS, COMPARED, RESULTS, row_of
from tidemark.spark_bridge.results.digests import BUCKETS, HASHED, PLACE, SHIFT, Found, Place
from tidemark.spark_bridge.results.report import MOST_FIRINGS, TOP_KEYS, Difference, Distributions, bin_width, pair_up
from tidemark.spark_bridge.spark.columns import long, quotient

FETCHED = 100
MOST_ROWS = 200_000
"""At most this many rows of both sides together are looked at; those of one bucket in any case."""

TOLERANCE = 1e-9
"""The relative tolerance between two doubles, or a double and an integer."""

_VALUE = ("value_text", "value_number")
_IDENTITY = tuple(name for name in COLUMNS if name not in _VALUE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a comparison.

    ``counts``: the rows of each side by kind. ``differing``: how many rows differ, a lower bound if there were too many
    to look at. ``differences``: the first of those that were looked at.
    """

    counts: dict[str, dict[str, int]]
    differing: int
    differences: tuple[Difference, ...]
    at_least: bool = False


def digests_of(rows: DataFrame) -> Found:
    """The digests of rows in the columns of ``canonical``."""
    digest = F.col("digest")
    hashed = rows.select("row", _bucket().alias("bucket"), F.xxhash64(*HASHED).alias("digest"))
    grouped = hashed.groupBy("row", "bucket").agg(
        F.count(F.lit(1)).alias("rows"),
        F.bit_xor(digest).alias("xor"),
        F.sum(F.shiftrightunsigned(digest, SHIFT)).alias("total"),
    )
    return {(each.row, each.bucket): (each.rows, each.xor, each.total) for each in grouped.collect()}


def compare(
    simulator: Found, spark: Found, rows: DataFrame, simulated: Callable[[frozenset[int]], DataFrame]
) -> Outcome:
    """Compare the sides as multisets of rows: by their digests, and where these differ, row by row.

    ``rows`` are Spark's; ``simulated`` returns the simulator's rows of some buckets.
    """
    counts = {"simulator": _counts(simulator), "spark": _counts(spark)}
    unlike = [place for place in simulator.keys() | spark.keys() if simulator.get(place) != spark.get(place)]
    if not unlike:
        return Outcome(counts, 0, ())
    numbers = {
        bucket: sum(side[kind, bucket][0] for side in (simulator, spark) for kind in COMPARED if (kind, bucket) in side)
        for bucket in sorted({bucket for _, bucket in unlike})
    }
    looked_at, total = set[int](), 0
    for bucket, number in numbers.items():
        total += number
        if not looked_at or total <= MOST_ROWS:
            looked_at.add(bucket)
    ours, theirs = simulated(frozenset(looked_at)), rows.where(_bucket().isin(sorted(looked_at)))
    both = ours.select(*COLUMNS, F.lit("simulator").alias("side")).unionAll(
        theirs.select(*COLUMNS, F.lit("spark").alias("side"))
    )
    # The plan of what is compared several times must be short: Spark writes it out, with all that Spark's rows are made
    # from, once for each time, and planning alone took ten times as long as everything else.
    differing, differences = _differences(both.localCheckpoint())
    missed = [place for place in unlike if place[1] not in looked_at]
    differing += sum(max(1, abs(_rows(simulator, place) - _rows(spark, place))) for place in missed)
    return Outcome(counts, differing, differences, at_least=bool(missed))


def _rows(found: Found, place: Place) -> int:
    return found[place][0] if place in found else 0


def _counts(found: Found) -> dict[str, int]:
    counts: dict[str, int] = {}
    for (kind, _), (rows, _, _) in found.items():
        counts[kind] = counts.get(kind, 0) + rows
    return counts


def _bucket() -> Column:
    return F.pmod(F.xxhash64(*PLACE), F.lit(BUCKETS))


def _differences(both: DataFrame) -> tuple[int, tuple[Difference, ...]]:
    sign = F.when(F.col("side") == "simulator", 1).otherwise(-1)
    surplus = both.groupBy(*COLUMNS).agg(F.sum(sign).alias("surplus")).where(F.col("surplus") != 0)
    copies = surplus.withColumn("copy", F.explode(F.sequence(F.lit(1), F.abs("surplus").cast("int"))))
    alike = _beside(copies.select(*COLUMNS, F.signum("surplus").alias("sign")), _IDENTITY, (_number(), "value_text"))
    pairs = alike.where(F.col("simulator").isNotNull() & F.col("spark").isNotNull() & ~_within_tolerance())
    single = alike.where(F.col("simulator").isNull() | F.col("spark").isNull())
    sign = F.when(F.col("spark").isNull(), 1.0).otherwise(-1.0)
    left = single.select(sign.alias("sign"), F.coalesce("simulator", "spark").alias("own")).select("own.*", "sign")
    unlike = pairs.unionAll(_beside(left, PLACE, ("item", "watermark", "at")))
    found = F.when(F.col("spark").isNull(), "simulator").when(F.col("simulator").isNull(), "spark").otherwise("both")
    unlike = unlike.withColumn("found", found)
    numbers = {row.found: row["count"] for row in unlike.groupBy("found").count().collect()}
    total = sum(numbers.values())
    if not total:
        return 0, ()
    first = unlike.orderBy(F.coalesce("simulator.item", "spark.item")).limit(FETCHED).collect()
    differences = sorted(_paired(first), key=_place)
    if total <= FETCHED:
        return len(differences), tuple(differences)
    return numbers.get("both", 0) + max(numbers.get("simulator", 0), numbers.get("spark", 0)), tuple(differences)


def _beside(rows: DataFrame, same: tuple[str, ...], order: tuple[Column | str, ...]) -> DataFrame:
    """The rows of each side (``sign``), paired with one of the other side that has the same columns ``same``, if there
    is one. Several such rows are paired in their ``order``.
    """
    numbered = rows.withColumn("place", F.row_number().over(Window.partitionBy("sign", *same).orderBy(*order)))
    sides = [
        numbered.where(F.col("sign") == sign).select(F.struct(*COLUMNS).alias(name), F.col("place").alias(place))
        for sign, name, place in ((1, "simulator", "left_place"), (-1, "spark", "right_place"))
    ]
    alike = F.col("left_place") == F.col("right_place")
    for name in same:
        alike &= F.col(f"simulator.{name}").eqNullSafe(F.col(f"spark.{name}"))
    return sides[0].join(sides[1], alike, "full_outer").select("simulator", "spark")


def _number(side: str = "") -> Column:
    """The value as a double if it is a number; a string is written with its quotes, so it is not one."""
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
