"""Records that come more than once."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from tidemark.spark_bridge.profile.findings.finding import Cause, Where
from tidemark.spark_bridge.profile.findings.records import Longs, Mask, Reals, Records

MOST: Final = 0.005
"""A larger share of copies is no accident."""

GRIDS: Final = (86_400_000, 3_600_000, 60_000, 1_000, 100, 10)
"""Timestamps are often whole days, hours, minutes, seconds."""

AT_ONCE: Final = 4
"""From so many records with each timestamp on, they are counted and not estimated from the rate."""

SLICE: Final = 64
"""The rate of a stream is that of so many records in a row."""


def identity(records: Records) -> Longs:
    """A number for each record that is equal for equal timestamp, key and value; others differ, but for 2^-64."""
    found = records.ts.astype(np.uint64)
    for column in (records.key, records.value):
        found = mixed(found)
        if column is not None:
            found = found ^ mixed(column.astype(np.uint64) + np.uint64(0x632BE59BD9B4E019))
    return mixed(found).astype(np.int64)


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64: every bit of the result depends on every bit of the number."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def copies(records: Records) -> Mask:
    """Which records have come before."""
    found = np.zeros(len(records), np.bool_)
    number = identity(records)
    ordered = np.sort(number)
    if (ordered[1:] == ordered[:-1]).any():
        _, first = np.unique(number, return_index=True)
        found[:] = True
        found[first] = False
    return found


def by_chance(records: Records) -> float:
    """How many copies there would be if nothing was sent twice and records came at random, at the rates seen."""
    if len(records) < 2 * SLICE:
        return 0.0
    grid = next((each for each in GRIDS if np.mean(records.ts % each == 0) > 0.99), 1)
    at_once = np.unique(records.ts // grid, return_counts=True)[1]
    if at_once.mean() >= AT_ONCE:
        return _alike_at_once(records, at_once)
    ts = np.sort(records.ts)
    whole = ts[: len(ts) // SLICE * SLICE].reshape(-1, SLICE)
    cells = (whole[:, -1] - whole[:, 0]) / grid + 1
    alike = _alike(_kinds(records))
    places = cells / max(alike, 1e-12)  # at which a record can be: so many different ones are as likely as these
    return float((SLICE - places * -np.expm1(-SLICE / places)).sum())


def _kinds(records: Records) -> Reals:
    """How many records there are of each key and value."""
    number = identity(Records(records.item, np.zeros(len(records), np.int64), key=records.key, value=records.value))
    return np.unique(number, return_counts=True)[1].astype(np.float64)


def _alike(kinds: Reals) -> float:
    """The chance that two records have one key and value."""
    total = float(kinds.sum())
    return float((kinds * (kinds - 1)).sum()) / (total * (total - 1))


def _alike_at_once(records: Records, at_once: Longs) -> float:
    """The copies by chance where many records share each timestamp: those of a kind that is there already."""
    kinds = _kinds(records)
    some, times = np.unique(at_once, return_counts=True)
    of_a_kind, many = np.unique(kinds / kinds.sum(), return_counts=True)
    different = np.array([(many * -np.expm1(each * np.log1p(-of_a_kind.clip(max=1 - 1e-12)))).sum() for each in some])
    pairs = some * (some - 1) / 2 * _alike(kinds)  # never more than these; kinds that were seen once may be many more
    return float((np.minimum(some - different, pairs) * times).sum())


def duplicates(records: Records, is_copy: Mask) -> Cause | None:
    """The same timestamp, key and value come again."""
    count = int(np.count_nonzero(is_copy))
    if count <= MOST * len(records):
        return None
    chance = by_chance(records)
    regular = count < 0.4 * chance  # so no chance is at work, and every copy is one
    if not regular and (count < 2.5 * chance or count - chance <= MOST * len(records)):
        return None
    first, last = np.flatnonzero(is_copy)[[0, -1]]
    times = records.ts if records.at is None else records.at
    where = Where(None, None, int(times[first]), int(records.item[first]), int(records.item[last]))
    if one_block(np.flatnonzero(is_copy), records.ts[is_copy], count, len(is_copy)):
        numbers = {"count": count, "again": count, "item": int(records.item[first]), "by": _longest(records, is_copy)}
        return Cause("replay", count, where, "again", numbers)
    return Cause("duplicates", count, where, "", {"count": count, "total": len(records)})


def one_block(places: Longs, ts: Longs, copies: int, records: int) -> bool:
    """Whether nearly all copies come in one stretch, in order, and hardly anything else in it: a part is sent again.

    ``places``: where copies come among the ``records``, all of the ``copies`` or some of them by chance.
    """
    if len(places) < 2:
        return False
    # Copies of one and the same timestamp are in order, and no correlation is defined.
    if ts.min() < ts.max() and np.corrcoef(places, ts)[0, 1] < 0.7:
        return False
    low, high = np.quantile(places, [0.05, 0.95])
    return bool(0.9 * copies > 0.6 * (high - low) and high - low < 0.5 * records)


def _longest(records: Records, is_copy: Mask) -> int:
    """How long after the first of its kind a copy comes at most, as far as timestamps tell (ms)."""
    before = np.maximum.accumulate(records.ts)
    return int((before - records.ts)[is_copy].max())
