"""Timestamps that say nothing, and timestamps in another unit."""

from dataclasses import replace

import numpy as np
from tidemark.spark_bridge.files.request import SECONDS_TODAY
from tidemark.spark_bridge.profile.findings.finding import Cause, Where
from tidemark.spark_bridge.profile.findings.records import LEAST, MOST, Longs, Mask, Records, distinct
from tidemark.spark_bridge.profile.findings.signs import AnotherUnit, Between

MOST_ALIKE = 0.5
"""From this share of one constant on, the timestamps are none."""

FEWEST = 20
"""Of fewer records it cannot be said that they are alike."""

FEWEST_OF_ONE = 5
"""So many records of each channel or key say, on average, that it is in another unit."""

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
        if value != 0 and alike < MOST_ALIKE * len(records):
            alike = 0  # coarse clocks write the same time now and then
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


def wrong_unit(records: Records) -> list[tuple[Cause, Mask]]:
    """All or some timestamps are in another unit than ms, and which: a cause for all of them, or for each unit."""
    if not len(records):
        return []
    sign, kinds = in_another_unit(records)
    middle = int(np.median(records.ts))
    if sign is None and records.at is None:
        in_range = (records.ts >= SECONDS_TODAY[0]) & (records.ts <= SECONDS_TODAY[1])
        if in_range.mean() > 0.95:
            sign, kinds = Between(*SECONDS_TODAY), {-3: int(np.count_nonzero(in_range))}
        elif middle > LAST_MS:
            power = 6 if middle > 5 * 10**16 else 3
            sign, kinds = Between(LAST_MS + 1, MOST), {power: len(records)}
    if sign is None:
        return []
    power = max(kinds, key=lambda each: kinds[each])
    if sum(kinds.values()) > NEARLY_ALL * len(records) or not isinstance(sign, AnotherUnit):
        return [_in_unit(records, sign, power)]
    return [_in_unit(records, replace(sign, powers=(each,)), each) for each in sorted(kinds, key=lambda e: -kinds[e])]


def _in_unit(records: Records, sign: AnotherUnit | Between, power: int) -> tuple[Cause, Mask]:
    found = sign.look(records, LEAST).counted
    count = int(np.count_nonzero(found))
    first, last = np.flatnonzero(found)[[0, -1]]
    sort = "all" if count > NEARLY_ALL * len(records) else "some"
    channels = _only(records.channel, found)
    keys = () if channels else _only(records.key, found)
    where = Where(None, None, None, int(records.item[first]), int(records.item[last]))
    if channels or keys:
        where = (replace(where, channel=0) if channels else replace(where, key=0)).called(channels or keys)
    numbers = {"power": power, "count": count, "total": len(records), "ts": int(records.ts[first])}
    return Cause("wrong-unit", count, where, sort, numbers, sign), found


def _only(column: Longs | None, found: Mask) -> tuple[int, ...]:
    """The values that all the found records have, and most records with any of them are found; () if these are all
    values, or if hardly two records have the same one."""
    if column is None or not found.any():
        return ()
    values, own = distinct(column)
    totals, counts = np.bincount(own), np.bincount(own[found], minlength=len(values))
    some = np.flatnonzero(counts)
    if len(some) == len(values) or counts.sum() < FEWEST_OF_ONE * len(some) or (counts <= 0.5 * totals)[some].any():
        return ()
    return tuple(values[some[np.argsort(-counts[some], kind="stable")]].tolist())
