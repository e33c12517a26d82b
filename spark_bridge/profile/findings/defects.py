"""Timestamps that say nothing or are in another unit, records that come more than once, channels that bring nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from tidemark.spark_bridge.files.request import SECONDS_TODAY
from tidemark.spark_bridge.profile.findings.finding import Cause, Where
from tidemark.spark_bridge.profile.findings.records import (
    LEAST,
    MOST,
    AnotherUnit,
    Between,
    Longs,
    Mask,
    Progress,
    Reals,
    Records,
    distinct,
)

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


MOST_COPIES: Final = 0.005
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
    if count <= MOST_COPIES * len(records):
        return None
    chance = by_chance(records)
    regular = count < 0.4 * chance  # so no chance is at work, and every copy is one
    if not regular and (count < 2.5 * chance or count - chance <= MOST_COPIES * len(records)):
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


MISSED: Final = 25.0
"""A silence in which so many records of the channel would have been expected is no accident."""

LONGER: Final = 4.0
"""A pause is so much longer than the pauses that the channel usually makes."""

USUAL: Final = 4
"""The longest pauses may be the trouble; the one after these is usual."""

FEW: Final = 10
"""A channel of fewer records can be seen to stop, but its pauses may be its way."""

ALIKE: Final = 0.8
"""Silences that have more than this share in common are one: a broker with several partitions is gone."""

SHORTEST: Final = 2_000
"""A shorter pause, in ms, holds nobody up."""


def empty_channel(records: int, seen: int, channels: int | None) -> Cause | None:
    """Only ``seen`` of ``channels`` bring records, so the watermark never moves for any of these ``records``."""
    if channels is None or seen >= channels:
        return None
    return Cause("empty-channel", records, Where(), "", {"channels": channels, "seen": seen})


def idle_channels(records: Records, sound: Mask, again: Mask) -> list[Cause]:
    """The channels that stop or pause while the others go on.

    Only ``sound`` timestamps tell the time. A channel that comes back with records of ``again`` has had an outage.
    """
    if records.channel is None or not sound.any():
        return []
    time = Progress(records.where(sound)).time[np.maximum(np.cumsum(sound) - 1, 0)]
    found = [_silence(records, time, again, int(number)) for number in np.unique(records.channel)]
    came = np.concatenate([[0], np.cumsum(~again)])  # a backlog of others does not say that they go on
    return [_idle(records, time, came, group) for group in _at_once([each for each in found if each is not None])]


@dataclass(frozen=True)
class _Silence:
    """A channel is silent after the record at ``place`` until the one at ``end``, which need not be there.

    ``before``: how many records it brings up to ``place``.
    """

    channel: int
    place: int
    end: int
    before: int


def _at_once(found: Sequence[_Silence]) -> list[list[_Silence]]:
    """The silences in groups of those that are one: they begin and end at about the same time."""
    groups: list[list[_Silence]] = []
    for each in found:
        mates = next((group for group in groups if _is_one(group[0], each)), None)
        if mates is None:
            groups.append([each])
        else:
            mates.append(each)
    return groups


def _is_one(one: _Silence, other: _Silence) -> bool:
    both = min(one.end, other.end) - max(one.place, other.place)
    return both > ALIKE * (max(one.end, other.end) - min(one.place, other.place))


def _idle(records: Records, time: Longs, came: Longs, group: Sequence[_Silence]) -> Cause:
    """The cause of channels that are silent at once: it lasts while all of them are."""
    last, *others = sorted(group, key=lambda each: -each.place)
    place, end = last.place, min(each.end for each in group)
    times = records.ts if records.at is None else records.at
    until = min(end, len(records) - 1)
    where = Where(last.channel, None, int(times[place]), int(records.item[place]), int(records.item[until]))
    where = replace(where, more=tuple(each.channel for each in others))
    bring = max(int(came[end] - came[place + 1]), 0)
    numbers = {"silent": int(time[until] - time[place]), "others": bring, "records_before": last.before}
    return Cause("idle-channel", bring, where, "stops" if end == len(records) else "pauses", numbers)


def _silence(records: Records, time: Longs, again: Mask, number: int) -> _Silence | None:
    """The silence of a channel, if it has one that is no accident."""
    assert records.channel is not None
    places = np.flatnonzero(records.channel == number)
    if not len(places) or len(places) == len(records):
        return None
    ends = np.append(places[1:], len(records))
    came = np.concatenate([[0], np.cumsum(~again)])  # a backlog of others does not say that they go on
    others = np.maximum(came[ends] - came[places + 1], 0)
    lasts = time[np.minimum(ends, len(records) - 1)] - time[places]
    missed = _missed(records, places, others, lasts, time)
    longest = int(np.argmax(missed))
    if missed[longest] < MISSED or lasts[longest] < SHORTEST:
        return None
    if len(missed) > USUAL and missed[longest] < LONGER * np.partition(missed, -USUAL - 1)[-USUAL - 1]:
        return None
    place, ended = int(places[longest]), int(ends[longest])
    if len(places) < FEW and ended < len(records):
        return None
    if ended < len(records):  # it comes back with what it has kept: a backlog, if what it brings is old
        moved = records.ts[ended] - records.ts[place]
        if moved < 0.5 * lasts[longest] or again[places[longest + 1 : longest + 21]].mean() > 0.25:
            return None
    return _Silence(number, place, ended, longest + 1)


def _missed(records: Records, places: Longs, others: Longs, lasts: Longs, time: Longs) -> Reals:
    """How many records of the channel would have been expected in each of its pauses.

    By what the others bring meanwhile and by how long it takes, whichever is less: at night all are silent, and in a
    burst of one channel hardly any time goes by. The rate is that outside of the longest pause.
    """
    by_count = others / max(len(records) - int(others.max()), 1)
    by_time = lasts / max(int(time[-1] - time[0]), 1)
    found = np.minimum(by_count, by_time)
    longest = int(np.argmax(found))
    by_time = lasts / max(int(time[-1] - time[0] - lasts[longest]), 1)
    by_count = others / max(int(len(records) - others[longest]), 1)
    return np.minimum(by_count, by_time) * len(places)
