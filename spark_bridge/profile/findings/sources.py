"""Channels that bring nothing: none at all, or no more."""

from typing import Final

import numpy as np

from spark_bridge.profile.findings.finding import Cause, Where
from spark_bridge.profile.findings.progress import Progress, Reals
from spark_bridge.profile.findings.records import Longs, Mask, Records

MISSED: Final = 25.0
"""A silence in which so many records of the channel would have been expected is no accident."""

LONGER: Final = 4.0
"""A pause is so much longer than the pauses that the channel usually makes."""

USUAL: Final = 4
"""The longest pauses may be the trouble; the one after these is usual."""

FEW: Final = 10
"""A channel of fewer records can be seen to stop, but its pauses may be its way."""

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
    found = [_idle(records, time, again, int(number)) for number in np.unique(records.channel)]
    return [cause for cause in found if cause is not None]


def _idle(records: Records, time: Longs, again: Mask, number: int) -> Cause | None:
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
    times = records.ts if records.at is None else records.at
    until = int(records.item[min(ended, len(records) - 1)])
    where = Where(number, None, int(times[place]), int(records.item[place]), until)
    numbers = {"silent": int(lasts[longest]), "others": int(others[longest]), "records_before": longest + 1}
    return Cause("idle-channel", int(others[longest]), where, "stops" if ended == len(records) else "pauses", numbers)


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
