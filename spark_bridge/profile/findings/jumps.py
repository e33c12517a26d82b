"""Timestamps far ahead, and stretches of records that jump back."""

from typing import Final

import numpy as np

from spark_bridge.profile.findings.finding import Cause, Where
from spark_bridge.profile.findings.offsets import QUARTER, is_zone
from spark_bridge.profile.findings.progress import Progress
from spark_bridge.profile.findings.records import Longs, Mask, Records

LEAST_AHEAD: Final = 30_000
"""A timestamp that is less ahead is no timestamp of the future."""

MOST_AHEAD: Final = 0.1
"""Where more of the records are ahead, it is something else."""

LEAST_BACK: Final = 5_000
"""A shorter jump back is disorder."""

AROUND: Final = 64
"""So many records in a row are one place of the stream."""

DENSE: Final = 0.25
"""In a stretch that has jumped back, at least this share of the records has."""

SHORTEST: Final = 20
"""Fewer records that have jumped back are disorder."""


def future_timestamps(records: Records) -> tuple[Cause, Mask] | None:
    """A few timestamps that are far ahead of everything around them."""
    if len(records) < 3:
        return None
    progress = Progress(records)
    usual = float(np.quantile(progress.ahead, 0.97) - np.median(progress.ahead))
    ahead = progress.ahead
    found = ahead > max(LEAST_AHEAD, 6 * usual)
    count = int(np.count_nonzero(found))
    if not count or count > MOST_AHEAD * len(records):
        return None
    first, last = np.flatnonzero(found)[[0, -1]]
    times = records.ts if records.at is None else records.at
    where = Where(None, None, int(times[first]), int(records.item[first]), int(records.item[last]))
    numbers = {"count": count, "by": int(ahead[found].max()), "item": int(records.item[first])}
    return Cause("future-timestamps", count, where, "one" if count == 1 else "few", numbers), found


def replay(records: Records, copies: Mask) -> tuple[Cause, Mask] | None:
    """Stretches of records that are far behind where the stream was before: sent again, or late as a backlog."""
    if len(records) < SHORTEST:
        return None
    progress = Progress(records)
    back = progress.back
    found = back > max(LEAST_BACK, 3 * float(np.quantile(back, 0.8)))
    return _stretch(records, progress, found, copies)


def _stretch(records: Records, progress: Progress, found: Mask, copies: Mask) -> tuple[Cause, Mask] | None:
    share = np.convolve(found, np.ones(AROUND), "same") / AROUND
    scattered = np.count_nonzero(found & (share < DENSE)) / len(records)
    dense = found & (share >= max(DENSE, 4 * scattered))
    count = int(np.count_nonzero(dense))
    if count < SHORTEST or not _in_order(records.ts[dense], progress.back[dense]):
        return None
    first, last = np.flatnonzero(dense)[[0, -1]]
    times = records.ts if records.at is None else records.at
    where = Where(None, None, int(times[first]), int(records.item[first]), int(records.item[last]))
    by = int(progress.back[dense].max())
    again = int(np.count_nonzero(copies & dense))
    numbers = {"count": count, "by": by, "again": again, "item": int(records.item[first])}
    if _all_moved(progress.back, dense, last):
        zone = round(float(np.median(progress.back[dense])) / QUARTER) * QUARTER
        return Cause("zone-offset", count, where, "behind", {"by": zone, "count": count, "total": len(records)}), dense
    if again > count / 2:  # all that was sent again, also where it has caught up
        places = np.arange(len(records))
        dense = dense | (copies & (places >= first - AROUND) & (places <= last + AROUND))
    return Cause("replay", count, where, "again" if again > count / 2 else "backlog", numbers), dense


def _in_order(ts: Longs, back: Longs) -> bool:
    """Whether the records follow each other as they did at first; copies that come at any time later do not."""
    return float(np.median(np.abs(np.diff(ts)))) < 0.15 * float(np.median(back))


def _all_moved(back: Longs, dense: Mask, last: int) -> bool:
    """Whether the stream jumped back by a time zone and went on from there."""
    if last < len(back) - AROUND or not is_zone(float(np.median(back[dense]))):
        return False
    low, high = np.quantile(back[dense], [0.1, 0.9])
    return bool(high - low < QUARTER / 3)
