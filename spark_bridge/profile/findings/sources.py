"""Channels that bring nothing: none at all, or no more."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from tidemark.spark_bridge.profile.findings.finding import Cause, Where
from tidemark.spark_bridge.profile.findings.records import Longs, Mask, Progress, Reals, Records

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
