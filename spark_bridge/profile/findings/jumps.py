"""Timestamps far ahead, and stretches of records that jump back."""

from typing import Final

import numpy as np
from tidemark.spark_bridge.profile.findings.finding import Cause, Where
from tidemark.spark_bridge.profile.findings.offsets import QUARTER, is_zone
from tidemark.spark_bridge.profile.findings.records import Longs, Mask, Progress, Records
from tidemark.spark_bridge.profile.findings.signs import AROUND, Ahead, Back, Levels, share_around

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
