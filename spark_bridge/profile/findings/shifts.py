"""Shifted timestamps: clocks wrong by a constant, times far ahead, stretches of records that jump back."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from tidemark.spark_bridge.profile.findings.finding import Cause, Where, put_right
from tidemark.spark_bridge.profile.findings.fitting import fitted
from tidemark.spark_bridge.profile.findings.records import (
    AROUND,
    LEAST,
    Ahead,
    Back,
    Cells,
    Expectations,
    Levels,
    Longs,
    Mask,
    Off,
    Progress,
    Records,
    Several,
    against_others,
    cells,
    distinct,
    share_around,
)

QUARTER: Final = 15 * 60_000
"""Time zones differ by multiples of a quarter of an hour."""

NEAR: Final = 30_000
"""So far from a multiple an offset still is one."""

LONGEST_DELAY: Final = 90_000
"""So much of a distance from arrival may be ordinary delay."""

LEAST_SKEW: Final = 2_800
"""A smaller offset is called a slow source."""

FEWEST: Final = 20
"""A group of fewer records has no offset."""

SAME: Final = 1_000
"""Offsets of two groups that differ by no more, in ms, are one, if they are no time zones."""

MOST_TOGETHER: Final = 0.4
"""If more of the records are off by the same time, and it is no time zone, there may be two kinds of sources."""

HALF: Final = 0.5
"""Without arrivals, groups with more of the records than this that agree with each other are right."""

ROUNDS: Final = 8
"""So many offsets are looked for."""

FEWEST_IN_PART: Final = 8
"""A group of fewer records in a part of the stream tells nothing of it."""

PARTS: Final = (16, 4, 1)
"""An offset may begin or end; so many parts of the stream are looked at, each for itself."""

ALONE: Final = 24
"""So many groups are compared with all others, one by one, where there are no arrivals."""


@dataclass(frozen=True)
class Shift:
    """A group of records whose timestamps are off by ``by`` ms in some parts of the stream."""

    column: str
    group: int | None
    by: int
    parts: NDArray[np.bool_]


def is_zone(by: float) -> bool:
    """Whether a wrong time zone makes this offset: a multiple of 15 minutes, 30 minutes or more, less than a day."""
    quarters = round(by / QUARTER)
    return 2 <= abs(quarters) <= 14 * 4 and abs(by - quarters * QUARTER) <= NEAR


def offsets(records: Records, expected: Expectations) -> Iterator[tuple[Cause, Mask, Records]]:
    """Each cause with its rules, which records are off, and all records as these rules leave them.

    Later causes are found among these; without those that no rule puts right.
    """
    left = np.ones(len(records), np.bool_)
    seen = list[Cause]()
    for _ in range(ROUNDS):
        found = _next(records.where(left), expected)
        if found is None:
            return
        cause, is_it = found
        whole = np.zeros(len(records), np.bool_)
        whole[np.flatnonzero(left)[is_it]] = True
        names = set(cause.where.names)
        again = next((each for each in seen if is_alike(each, cause) or _is_of(each, cause)), None)
        if (
            again is None
            or (again.where.column == cause.where.column and not names <= set(again.where.names))
            or cause.records > 0.1 * again.records  # else a few that the first one has left over
        ):
            seen.append(cause)
            sub = np.flatnonzero(left)
            cause = fitted(cause, records.where(left), whole[sub])
            records, left = put_right(cause.rules, records, left, whole)
            yield cause, whole, records
            continue
        left &= ~whole


def _is_of(one: Cause, other: Cause) -> bool:
    """Whether ``other`` is about channels or keys of ``one``."""
    return one.where.column == other.where.column and set(other.where.names) <= set(one.where.names)


def _next(records: Records, expected: Expectations) -> tuple[Cause, Mask] | None:
    if len(records) < FEWEST:
        return None
    progress = Progress(records)
    whole = _of_all(progress)
    shifts = [whole] if whole else _of_a_part(progress, "channel", expected) or _of_a_part(progress, "key", expected)
    if not shifts:
        return None
    signs = [_sign(progress, shift) for shift in shifts]
    sign = signs[0] if len(signs) == 1 else Several(tuple(signs))
    is_it = sign.look(records, LEAST).counted
    if np.count_nonzero(is_it) < FEWEST:
        return None
    return replace(_cause(records, shifts, is_it), sign=sign), is_it


def _of_all(progress: Progress) -> Shift | None:
    """All records are in another zone, from the beginning or from some part on; only arrivals can tell."""
    if progress.records.at is None:
        return None
    for parts in PARTS:
        found = cells(progress.off, np.zeros(len(progress.records), np.int64), 1, parts)
        high, low = found.high[0], found.low[0]
        quarters = np.ceil((high - NEAR) / QUARTER)
        delay = quarters * QUARTER - high
        clear = (delay <= LONGEST_DELAY) & (high - low < QUARTER / 3)
        off = clear & (np.abs(quarters) >= 2) & (np.abs(quarters) <= 56)
        for some in np.unique(quarters[off & (found.count[0] > 0)]):
            own = off & (quarters == some)
            return Shift("", None, int(some) * QUARTER, own | (_between(own) & ~clear))
    return None


def _between(parts: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The parts from the first to the last of ``parts``: what has another cause as well tells nothing of the clock."""
    found: Mask = np.maximum.accumulate(parts) & np.maximum.accumulate(parts[::-1])[::-1]
    return found


def _of_a_part(progress: Progress, column: str, expected: Expectations) -> list[Shift]:
    """The channel or key that is off, and has the most records; behind it all others that are off by the same time."""
    values = getattr(progress.records, column)
    if values is None:
        return []
    names, group = distinct(values)
    if len(names) < 2:
        return []
    alone: dict[int, Longs] = {}
    for parts in PARTS:
        table = _table(progress, group, len(names), parts, alone)
        off = sorted(_candidates(progress, table, expected), key=lambda each: -int(table.count[each[0]][each[2]].sum()))
        for number, by, some in off:
            mates = [each for each in off if each[0] != number and is_same(each[1], by)]
            together = np.isin(group, [number, *(each[0] for each in mates)])
            is_it = group == number
            if progress.records.at is None and mates and together.mean() > HALF:
                if any(np.sign(other) != np.sign(by) for _, other, _ in off):
                    continue  # most agree with each other, and it is the rest that is off, to the other side
                mates = []
            is_usual = together if is_zone(by) or together.mean() < MOST_TOGETHER else is_it
            if not _stands_out(progress, is_it, is_usual, by, some):
                continue
            lead = Shift(column, int(names[number]), by, some)
            others = [Shift(column, int(names[each]), own, when) for each, own, when in mates]
            return [_larger_side(progress.records, group, names, lead), *others]
    return []


def is_same(one: float, other: float) -> bool:
    """Whether two offsets are one: the same time zone, or much the same time."""
    if is_zone(one) and is_zone(other):
        return round(one / QUARTER) == round(other / QUARTER)
    return is_zone(one) == is_zone(other) and abs(one - other) <= SAME


def is_alike(one: Cause, other: Cause) -> bool:
    """Whether two causes of clocks are off by the same time, in the same direction."""
    return (one.code, one.sort) == (other.code, other.sort) and is_same(one.numbers["by"], other.numbers["by"])


def _larger_side(records: Records, group: Longs, names: Longs, shift: Shift) -> Shift:
    """Without arrivals two groups are off from each other: the smaller one is told to be wrong."""
    if records.at is not None or len(names) != 2:
        return shift
    smaller = int(np.argmin(np.bincount(group)))
    by = shift.by if int(names[smaller]) == shift.group else -shift.by
    return Shift(shift.column, int(names[smaller]), by, shift.parts)


def _table(progress: Progress, group: Longs, groups: int, parts: int, alone: dict[int, Longs]) -> Cells:
    """The offsets of all groups. With arrivals: beyond those of the group that is nearest to its arrivals.

    ``alone`` keeps how far each group's records are from the others, for the next call.
    """
    found = cells(progress.off, group, groups, parts)
    if progress.records.at is None:
        return _compared_alone(progress, group, groups, parts, found, alone)
    low, middle, high = found.low.copy(), found.middle.copy(), found.high.copy()
    for part in range(parts):
        count = found.count[:, part]
        order = np.argsort(np.where(count > 0, np.abs(middle[:, part]), np.inf), kind="stable")
        enough = np.searchsorted(np.cumsum(count[order]), 0.1 * count.sum())
        base = order[: int(enough) + 1]
        weight = count[base]
        for table in (low, middle, high):
            table[:, part] -= np.average(table[base, part], weights=weight) if weight.sum() else 0
    return Cells(found.count, low, middle, high)


def _compared_alone(
    progress: Progress, group: Longs, groups: int, parts: int, found: Cells, alone: dict[int, Longs]
) -> Cells:
    """The largest groups, and those that seem to be off, compared with all other records; the rest is not off."""
    size = found.count.sum(axis=1)
    seems = np.where(size >= FEWEST, np.abs(np.nan_to_num(found.middle)).max(axis=1), 0)
    chosen = set(np.argsort(-size)[:ALONE].tolist()) | set(np.argsort(-seems)[:ALONE].tolist())
    low, middle, high = (np.zeros((groups, parts)) for _ in range(3))
    for number in chosen:
        is_it = group == number
        if size[number] < FEWEST or is_it.all():
            continue
        own = alone.get(number)
        if own is None:
            own = alone[number] = against_others(progress.records, is_it)
        start = np.concatenate([[0], np.cumsum(found.count[number])])
        for each in range(parts):
            ordered = np.sort(own[start[each] : start[each + 1]])
            if len(ordered):
                last = len(ordered) - 1
                low[number, each], middle[number, each], high[number, each] = ordered[
                    [last // 10, last // 2, last - last // 10]
                ]
    return Cells(found.count, low, middle, high)


def _candidates(
    progress: Progress, table: Cells, expected: Expectations
) -> Iterator[tuple[int, int, NDArray[np.bool_]]]:
    """Groups that are off by much the same in some parts: their number, by how much, and in which parts."""
    least = max(LEAST_SKEW, expected.bound or 0)
    by = table.middle
    with np.errstate(invalid="ignore"):
        same_sign = (np.sign(table.low) == np.sign(by)) & (np.sign(table.high) == np.sign(by))
        smallest = np.minimum(np.abs(table.low), np.abs(table.high))
        largest = np.maximum(np.abs(table.low), np.abs(table.high))
        alike = same_sign & (smallest >= 0.4 * np.abs(by)) & (largest <= 2.5 * np.abs(by))
        usual = 1.5 * progress.spread(0.5)  # a backlog is far behind at first and hardly behind in the end
        alike &= np.abs(table.high - table.low) <= 0.25 * np.abs(by) + 2 * usual
        off = alike & (np.abs(by) >= least) & (table.count >= FEWEST_IN_PART)
    for number in np.flatnonzero((table.count * off).sum(axis=1) >= FEWEST):
        parts = off[number]
        middle = float(np.median(by[number][parts]))
        is_it = np.abs(np.nan_to_num(by[number]) - middle) <= max(0.2 * abs(middle), 1000)
        parts = parts & is_it
        first, last = np.flatnonzero(parts)[[0, -1]] if parts.any() else (0, -1)
        counts = table.count[number][first : last + 1]
        if first > 0 and last < len(parts) - 1 and last - first < 2:  # too short for a clock: a backlog
            continue
        if counts.sum() and (counts * parts[first : last + 1]).sum() >= 0.8 * counts.sum():
            few = is_it & (table.count[number] < FEWEST_IN_PART)  # a part in which it brings little tells nothing alone
            yield int(number), round(middle), parts | few


def _stands_out(progress: Progress, is_it: Mask, alike: Mask, by: int, off: NDArray[np.bool_]) -> bool:
    """Whether the offset is larger than what the other records, and its own at other times, differ by.

    ``alike``: the records that are not among these others.
    """
    part = np.arange(len(is_it)) * len(off) // len(is_it)
    others = progress.off[~alike & off[part]]
    if not len(others):
        return False
    if progress.records.at is None:
        return True
    own = progress.off[is_it & ~_with_neighbours(off)[part]]
    usual = max(_middle_half(each) for each in (others, own))
    return abs(by) >= 1.5 * usual


def _middle_half(values: Longs) -> float:
    return float(np.subtract(*np.quantile(values, [0.75, 0.25]))) if len(values) else 0.0


def _with_neighbours(parts: NDArray[np.bool_]) -> NDArray[np.bool_]:
    found: Mask = parts | np.concatenate([parts[1:], [False]]) | np.concatenate([[False], parts[:-1]])
    return found


def _sign(progress: Progress, shift: Shift) -> Off:
    """The records that are off: those of the group whose own offset is nearer to the group's than to none."""
    records = progress.records
    parts, total = len(shift.parts), len(records)
    around = _with_neighbours(shift.parts)
    base = 0.0
    if shift.group is None:
        part = np.arange(total) * parts // total
        base = min(0.0, float(np.median(progress.off[shift.parts[part]] - shift.by)))
    own = shift.parts.copy()
    own[-1] |= records.at is None and parts > 1 and own[-2]  # when the others have ended, nothing tells
    inside = own & np.concatenate([own[1:], [True]]) & np.concatenate([[True], own[:-1]])
    starts = records.item[-(-np.arange(1, parts) * total // parts)]
    return Off(shift.column, shift.group, shift.by, starts, inside, around, base, records.at is None)


def _cause(records: Records, shifts: list[Shift], is_it: Mask) -> Cause:
    shift, *others = shifts
    code = "zone-offset" if shift.group is None or is_zone(shift.by) else "skewed-source"
    by = round(shift.by / QUARTER) * QUARTER if code == "zone-offset" else shift.by
    first, last = np.flatnonzero(is_it)[[0, -1]]
    times = records.ts if records.at is None else records.at
    where = Where(
        shift.group if shift.column == "channel" else None,
        shift.group if shift.column == "key" else None,
        int(times[first]),
        int(records.item[first]),
        int(records.item[last]),
        tuple(each.group for each in others),
    )
    numbers = {"by": abs(by), "count": int(np.count_nonzero(is_it)), "total": len(records)}
    return Cause(code, numbers["count"], where, ("ahead" if by > 0 else "behind"), numbers)


LEAST_AHEAD: Final = 30_000
"""A timestamp that is less ahead is no timestamp of the future."""

MOST_AHEAD: Final = 0.1
"""Where more of the records are ahead, it is something else."""

LEAST_BACK: Final = 2_000
"""A shorter jump back is disorder."""

DENSE: Final = 0.25
"""In a stretch that has jumped back, at least this share of the records has."""

MOST_PLACES: Final = 6
"""An outage is rare."""

PACKED: Final = 0.5
"""In a backlog that comes in any order, more than this share of the records is far behind."""

ALL_OLD: Final = 0.9
"""In the stretch of a replay, more than this share of the records is old; in that of a backfill others go on."""

NEVER: Final = 0.3
"""A backfill ends this share of its largest distance behind the stream, or more."""

DRIFT: Final = 10
"""From its beginning to its end a history comes so many times as much nearer as live records are behind, or more."""

APART: Final = 20
"""Disorder rises steadily; where it rises to so many times as much at once, there are records of another kind."""

SHORTEST: Final = 20
"""Fewer records that have jumped back are disorder."""


def future_timestamps(records: Records) -> tuple[Cause, Mask] | None:
    """A few timestamps that are far ahead of everything around them."""
    if len(records) < 3:
        return None
    progress = Progress(records)
    usual = float(np.quantile(progress.ahead, 0.97) - np.median(progress.ahead))
    sign = Ahead(max(LEAST_AHEAD, 6 * usual), None if records.at is None else progress.middle, Levels.of(progress))
    found = progress.ahead > sign.least
    count = int(np.count_nonzero(found))
    if not count or count > MOST_AHEAD * len(records):
        return None
    first, last = np.flatnonzero(found)[[0, -1]]
    times = records.ts if records.at is None else records.at
    whose = _one_of_many(records.channel, found), _one_of_many(records.key, found)
    where = Where(*whose, int(times[first]), int(records.item[first]), int(records.item[last]))
    numbers = {"count": count, "by": int(progress.ahead[found].max()), "item": int(records.item[first])}
    return Cause("future-timestamps", count, where, "one" if count == 1 else "few", numbers, sign), found


def _one_of_many(column: Longs | None, found: Mask) -> int | None:
    """The value that all the found records have, if there are others."""
    if column is None or not (column[found] == column[np.argmax(found)]).all():
        return None
    value = int(column[np.argmax(found)])
    return None if (column == value).all() else value


def replay(records: Records, copies: Mask) -> tuple[Cause, Mask] | None:
    """Stretches of records that are far behind where the stream was before: sent again, or late as a backlog."""
    if len(records) < SHORTEST:
        return None
    progress = Progress(records)
    return _stretch(records, progress, max(LEAST_BACK, 3 * _usual(progress.back)), copies)


def history(records: Records) -> tuple[Cause, Mask] | None:
    """Old records between live ones through much of the stream, told by a gap from its own disorder.

    They come nearer or fall back, as no clock does that is wrong by a constant, but never catch up.
    """
    if len(records) < SHORTEST:
        return None
    progress = Progress(records)
    behind = _below_a_gap(progress.back)
    if behind is None:
        return None
    found = progress.back > max(3 * behind, NEVER * float(np.quantile(progress.back, 0.99)))
    count = int(np.count_nonzero(found))
    if count < SHORTEST:
        return None
    own = progress.back[found]
    begins, ends = (float(np.median(part)) for part in (own[: count // 5], own[-(count // 5) :]))
    if abs(begins - ends) < DRIFT * behind or not _is_history(records.ts, progress.back, found):
        return None
    if any(_are_whole(column, found) for column in (records.channel, records.key) if column is not None):
        return None  # a clock
    first, last = (int(records.item[place]) for place in np.flatnonzero(found)[[0, -1]])
    times = records.ts if records.at is None else records.at
    where = Where(None, None, int(times[np.argmax(found)]), first, last)
    usual = None if records.at is None else progress.middle
    sign = Back(float(own.min()) - 1, 0.0, usual, first, last, (first, first - 1), Levels.of(progress))
    return Cause("backfill", count, where, "", {"count": count, "by": int(own.max()), "item": first}, sign), found


def _are_whole(column: Longs, found: Mask) -> bool:
    """Whether what is found is nearly all that its channels or keys send meanwhile."""
    first, last = np.flatnonzero(found)[[0, -1]]
    meanwhile, some = column[first : last + 1], found[first : last + 1]
    return bool(some[np.isin(meanwhile, np.unique(meanwhile[some]))].mean() > ALL_OLD)


def _below_a_gap(back: Longs) -> float | None:
    """How far most records are behind at most, if the others are much further; None if there is no such gap."""
    steps = np.maximum(np.quantile(back, np.linspace(0.5, 0.98, 49), method="lower"), LEAST_BACK)
    rises = steps[1:] / steps[:-1]
    return float(steps[np.argmax(rises)]) if rises.max() > APART else None


def _usual(back: Longs) -> float:
    """How far records are behind on an ordinary day: in the middle of 16 parts, so that a long stretch is none."""
    parts = np.array_split(back, min(16, len(back)))
    return float(np.median([np.quantile(part, 0.8) for part in parts]))


def _stretch(records: Records, progress: Progress, behind: float, copies: Mask) -> tuple[Cause, Mask] | None:
    found = progress.back > behind
    share = share_around(found)
    least = max(DENSE, 4 * np.count_nonzero(found & (share < DENSE)) / len(records))
    dense = found & (share >= least)
    dense = _without_stragglers(records, progress, dense)
    count = int(np.count_nonzero(dense))
    again = int(np.count_nonzero(copies & dense))
    if count < SHORTEST or (again > count / 2 and not _in_order(records.ts[dense], progress.back[dense])):
        return None
    first, last = np.flatnonzero(dense)[[0, -1]]
    times = records.ts if records.at is None else records.at
    where = Where(None, None, int(times[first]), int(records.item[first]), int(records.item[last]))
    by = int(progress.back[dense].max())
    numbers = {"count": count, "by": by, "again": again, "item": int(records.item[first])}
    ends = (records.item[max(first - AROUND, 0)], records.item[min(last + AROUND, len(records) - 1)])
    near_items = int(ends[0]), int(ends[1])
    usual = None if records.at is None else progress.middle
    between = int(records.item[first]), int(records.item[last])
    sign = Back(behind, float(least), usual, *between, near_items, Levels.of(progress))
    if _all_moved(progress.back, dense, last):
        zone = round(float(np.median(progress.back[dense])) / QUARTER) * QUARTER
        numbers = {"by": zone, "count": count, "total": len(records)}
        return Cause("zone-offset", count, where, "behind", numbers, sign), dense
    counted, places = dense, np.arange(len(records))
    near = (places >= first - AROUND) & (places <= last + AROUND)
    dense = dense | (near & (progress.back > 0))  # also where it has nearly caught up
    if again > count / 2:
        dense = dense | (copies & (near | (again > np.count_nonzero(copies) / 2)))
    if again <= count / 2 and _is_history(records.ts, progress.back, counted):
        return Cause("backfill", count, where, "", numbers, sign), dense
    return Cause("replay", count, where, "again" if again > count / 2 else "backlog", numbers, sign), dense


def _without_stragglers(records: Records, progress: Progress, dense: Mask) -> Mask:
    """The same without those that come last when a burst, or the stream, has ended: they are slow, as some always are.

    There are many such places or only the end of the stream, or they are few, and they come in any order.
    """
    places = np.flatnonzero(dense)
    if not len(places):
        return dense
    runs = np.split(places, np.flatnonzero(np.diff(places) > AROUND) + 1)
    runs = [run for run in runs if _packed(run) or _in_order(records.ts[run], progress.back[run])]
    largest = max((len(run) for run in runs), default=0)
    if not runs or sum(len(run) > 0.2 * largest for run in runs) > MOST_PLACES:
        return np.zeros(len(dense), np.bool_)
    last = runs[-1]
    if last[-1] >= len(records) - AROUND and not _in_order(records.ts[last], progress.back[last]):
        runs = runs if _many(records, last) else runs[:-1]
    left = np.zeros(len(dense), np.bool_)
    left[np.concatenate([*runs, places[:0]])] = True
    return left


def _packed(run: Longs) -> bool:
    """Whether there is hardly anything else between the records: a congestion delays some more and some less."""
    return len(run) >= AROUND and len(run) > PACKED * (run[-1] - run[0] + 1)


def _many(records: Records, last: Longs) -> bool:
    """Whether the last records are too many for stragglers: they come as fast as any, or are a good part of all."""
    if records.at is None or len(last) < 0.03 * len(records):
        return len(last) > 0.05 * len(records)
    took, whole = (int(np.ptp(each)) for each in (records.at[last], records.at))
    return len(last) * whole > 1.5 * len(records) * took


def _in_order(ts: Longs, back: Longs) -> bool:
    """Whether the records follow each other as they did at first; copies that come at any time later do not."""
    return len(ts) > 1 and float(np.median(np.abs(np.diff(ts)))) < 0.15 * float(np.median(back))


def _is_history(ts: Longs, back: Longs, dense: Mask) -> bool:
    """Whether the old records stand, in their order, between live ones and never catch up, as a backlog does."""
    own = back[dense]
    first, last = np.flatnonzero(dense)[[0, -1]]
    if not _in_order(ts[dense], own):
        return False
    ends = float(np.median(own[-max(len(own) // 20, 5) :]))
    return bool(np.mean(dense[first : last + 1]) < ALL_OLD and ends > NEVER * float(own.max()))


def _all_moved(back: Longs, dense: Mask, last: int) -> bool:
    """Whether the stream jumped back by a time zone and went on from there."""
    if last < len(back) - AROUND or not is_zone(float(np.median(back[dense]))):
        return False
    low, high = np.quantile(back[dense], [0.1, 0.9])
    return bool(high - low < QUARTER / 3)
