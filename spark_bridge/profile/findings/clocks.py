"""Timestamps that say nothing, and timestamps in another unit."""

import numpy as np

from spark_bridge.profile.findings.finding import Cause, Where
from spark_bridge.profile.findings.records import Longs, Mask, Records, running_median

MOST_ALIKE = 0.5
"""From this share of one constant on, the timestamps are none."""

FEWEST = 20
"""Of fewer records it cannot be said that they are alike."""

SECONDS_TODAY = (1_200_000_000, 2_300_000_000)
"""Seconds since 1970, from 2008 to 2042. As ms they would all be in January 1970."""

LAST_MS = 5 * 10**13
"""As ms: the year 3554. A larger number is a time of today in a smaller unit."""


def no_timestamps(records: Records) -> Cause | None:
    """Most timestamps are missing, unreadable, zero or one constant."""
    total = len(records) + records.unreadable
    alike, value = 0, 0
    zeros = int(np.count_nonzero(records.ts == 0))
    if len(records) >= FEWEST:
        values, counts = np.unique(records.ts, return_counts=True)
        most = int(np.argmax(counts))
        alike, value = int(counts[most]), int(values[most])
        if alike < 2 or (alike < MOST_ALIKE * total and value != 0 and records.unreadable == 0):
            alike = 0
    bad = records.unreadable + max(alike, zeros if value == 0 else alike + zeros)
    if not total or bad <= MOST_ALIKE * total:
        return None
    sort = "unreadable" if records.unreadable >= bad / 2 else "constant"
    first = None if not alike else int(records.item[np.argmax(records.ts == value)])
    numbers = {"total": total, "unreadable": records.unreadable, "constant": value, "alike": max(alike, zeros)}
    return Cause("no-timestamps", bad, Where(first=first), sort, numbers)


def in_another_unit(records: Records) -> tuple[Mask, dict[str, int]]:
    """Which records have their timestamp in another unit, and by which power of ten it is wrong, with its count."""
    found = np.zeros(len(records), np.bool_)
    kinds: dict[str, int] = {}
    truth, near = _truth(records)
    ratio = np.divide(records.ts, truth, out=np.zeros(len(records)), where=truth > 0)
    for power in (-9, -6, -3, 3, 6):
        is_it = np.abs(ratio * 10.0**-power - 1) < near
        count = int(np.count_nonzero(is_it))
        if count and (truth[0] > 10**11 or count > max(4, 0.5 * np.count_nonzero(np.abs(ratio - 1) > 0.5))):
            kinds[str(power)] = count
            found |= is_it
    return found, kinds


def _truth(records: Records) -> tuple[Longs, float]:
    """What the timestamps should be about, and how far from it they may be, as a share."""
    if records.at is not None:
        return records.at, 0.02 if records.at[0] > 10**11 else 0.1
    size = np.abs(records.ts)
    epoch = (size > 5 * 10**11) & (size < 5 * 10**12)
    if epoch.mean() > 0.05:
        return np.full(len(records), int(np.median(records.ts[epoch]))), 0.1
    return running_median(records.ts), 0.0


def wrong_unit(records: Records) -> tuple[Cause, Mask] | None:
    """All or some timestamps are in another unit than ms, and which."""
    if not len(records):
        return None
    found, kinds = in_another_unit(records)
    middle = int(np.median(records.ts))
    if not found.any() and records.at is None:
        in_range = (records.ts >= SECONDS_TODAY[0]) & (records.ts <= SECONDS_TODAY[1])
        if in_range.mean() > 0.95:
            found, kinds = in_range, {"-3": int(np.count_nonzero(in_range))}
        elif middle > LAST_MS:
            found, kinds = records.ts > LAST_MS, {"6" if middle > 5 * 10**16 else "3": len(records)}
    if not found.any():
        return None
    power = max(kinds, key=lambda each: kinds[each])
    count = int(np.count_nonzero(found))
    first, last = np.flatnonzero(found)[[0, -1]]
    sort = "all" if count > 0.95 * len(records) else "some"
    where = Where(_only(records.channel, found), None, None, int(records.item[first]), int(records.item[last]))
    numbers = {"power": int(power), "count": count, "total": len(records), "ts": int(records.ts[first])}
    return Cause("wrong-unit", count, where, sort, numbers), found


def _only(column: Longs | None, found: Mask) -> int | None:
    """The one value that all the found records have, and most records with it are found."""
    if column is None or not found.any():
        return None
    value = column[np.argmax(found)]
    is_it = column == value
    return int(value) if (is_it | ~found).all() and found[is_it].mean() > 0.5 and not is_it.all() else None
