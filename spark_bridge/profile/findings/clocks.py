"""Timestamps that say nothing, and timestamps in another unit."""

from dataclasses import replace

import numpy as np

from spark_bridge.files.columns import SECONDS_TODAY
from spark_bridge.profile.findings.finding import Cause, Where
from spark_bridge.profile.findings.records import LEAST, MOST, Longs, Mask, Records
from spark_bridge.profile.findings.signs import AnotherUnit, Between

MOST_ALIKE = 0.5
"""From this share of one constant on, the timestamps are none."""

FEWEST = 20
"""Of fewer records it cannot be said that they are alike."""

NEARLY_ALL = 0.95
"""From this share on, all timestamps are in another unit."""

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
    return Cause("no-timestamps", bad, Where(first=first), sort, numbers, Between(value, value) if alike else None)


def in_another_unit(records: Records) -> tuple[AnotherUnit | Between | None, dict[int, int]]:
    """The records that have their timestamp in another unit: by which powers of ten it is wrong, with their counts."""
    sign = _truth(records)
    if sign is None:
        return None, {}
    kinds: dict[int, int] = {}
    ratios = sign.ratios(records)
    of_today = (sign.truth if records.at is None else int(records.at[0])) or 0
    for power in (-9, -6, -3, 3, 6):
        count = int(np.count_nonzero(sign.of_power(ratios, power)))
        if count and (of_today > 10**11 or count > max(4, 0.5 * np.count_nonzero(np.abs(ratios - 1) > 0.5))):
            kinds[power] = count
    return (replace(sign, powers=tuple(kinds)) if kinds else None), kinds


def _truth(records: Records) -> AnotherUnit | None:
    """What the timestamps should be about, and how far from it they may be; None if nothing tells."""
    if records.at is not None:
        return AnotherUnit(None, 0.02 if records.at[0] > 10**11 else 0.1, ())
    size = np.abs(records.ts)
    epoch = (size > 5 * 10**11) & (size < 5 * 10**12)
    if epoch.mean() > 0.05:
        return AnotherUnit(int(np.median(records.ts[epoch])), 0.1, ())
    return None


def wrong_unit(records: Records) -> tuple[Cause, Mask] | None:
    """All or some timestamps are in another unit than ms, and which."""
    if not len(records):
        return None
    sign, kinds = in_another_unit(records)
    middle = int(np.median(records.ts))
    if sign is None and records.at is None:
        in_range = (records.ts >= SECONDS_TODAY[0]) & (records.ts <= SECONDS_TODAY[1])
        if in_range.mean() > 0.95:
            sign, kinds = Between(*SECONDS_TODAY, -3), {-3: int(np.count_nonzero(in_range))}
        elif middle > LAST_MS:
            power = 6 if middle > 5 * 10**16 else 3
            sign, kinds = Between(LAST_MS + 1, MOST, power), {power: len(records)}
    if sign is None:
        return None
    found = sign.look(records, LEAST).counted
    power = max(kinds, key=lambda each: kinds[each])
    count = int(np.count_nonzero(found))
    first, last = np.flatnonzero(found)[[0, -1]]
    sort = "all" if count > NEARLY_ALL * len(records) else "some"
    where = Where(_only(records.channel, found), None, None, int(records.item[first]), int(records.item[last]))
    numbers = {"power": power, "count": count, "total": len(records), "ts": int(records.ts[first])}
    return Cause("wrong-unit", count, where, sort, numbers, replace(sign, repairs=sort == "all")), found


def _only(column: Longs | None, found: Mask) -> int | None:
    """The one value that all the found records have, and most records with it are found."""
    if column is None or not found.any():
        return None
    value = column[np.argmax(found)]
    is_it = column == value
    return int(value) if (is_it | ~found).all() and found[is_it].mean() > 0.5 and not is_it.all() else None
