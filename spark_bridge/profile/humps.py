"""Delays with two humps, and a column of few values, named by nobody, whose sources they belong to."""

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.spark.columns import long

STEP: Final = 900_000
"""Delays are counted in steps of 15 minutes: clocks in wrong zones are off by such."""

LEAST_MS: Final = 1_800_000
"""Records that are behind by less need no second hump to explain it."""

_FAR: Final = 0.01
"""The least share of the records that is a hump of its own."""

_STRAY: Final = 0.02
"""The most of a hump that may be elsewhere: in between, or with other sources."""

_MOST: Final = 100_000


class Humps(NamedTuple):
    """``records`` arrive about ``by`` (ms) later or earlier than the others: those of ``values`` of ``column``."""

    column: str
    values: tuple[str, ...]
    records: int
    by: int

    def as_json(self) -> dict[str, object]:
        """What the profile's JSON has of it."""
        return {"column": self.column, "values": list(self.values), "records": self.records, "by": self.by}


def humps_in(beside: DataFrame, names: tuple[str, ...]) -> Humps | None:
    """The column of ``names`` that separates two humps of the delays. Runs a job.

    ``beside``: ``ts`` and ``at`` of each record, and the columns as ``c0``, ``c1`` and so on.
    """
    step = F.round((F.col("at") - F.col("ts")) / long(STEP)).cast("bigint").alias("step")
    cells = F.array(*(F.coalesce(F.col(f"c{place}").cast("string"), F.lit("")) for place in range(len(names))))
    delays = beside.where(F.col("ts").isNotNull() & F.col("at").isNotNull()).select(step, F.posexplode(cells))
    rows = delays.groupBy("step", "pos", "col").count().limit(_MOST).collect()
    return separated(((row["step"], names[row["pos"]], row["col"], row["count"]) for row in rows), names)


def separated(counts: Iterable[tuple[int, str, str, int]], names: tuple[str, ...]) -> Humps | None:
    """The same of (step, column, value, records)."""
    counted = list(counts)
    steps = Counter[int]()
    for step, column, _, records in counted:
        if column == names[0]:
            steps[step] += records
    total = steps.total()
    if not total:
        return None
    (near, _), *_ = steps.most_common(1)
    others = [(records, step) for step, records in steps.items() if abs(step - near) >= 2]
    far = max(others, default=(0, near))[1]
    in_far = sum(steps[far + each] for each in (-1, 0, 1) if abs(far + each - near) > 1)
    between = sum(records for step, records in steps.items() if min(near, far) + 1 < step < max(near, far) - 1)
    if in_far < _FAR * total or between > _STRAY * in_far:
        return None
    for name in names:
        own, whole = Counter[str](), Counter[str]()
        for step, column, value, records in counted:
            if column == name:
                whole[value] += records
                own[value] += records if abs(step - far) <= 1 and abs(step - near) > 1 else 0
        values = [value for value, records in own.most_common() if records > _STRAY * in_far]
        apart = sum(own[value] for value in values) >= (1 - _STRAY) * in_far
        if apart and 0 < len(values) <= len(whole) / 2:
            return Humps(name, tuple(sorted(values)), in_far, (far - near) * STEP)
    return None
