"""One cause at work in several channels or keys is one finding.

All causes of a stream: each is put right before the rest is judged, so that one cause brings one finding.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from tidemark.spark_bridge.profile.findings.defects import (
    copies,
    duplicates,
    empty_channel,
    idle_channels,
    no_timestamps,
    wrong_unit,
)
from tidemark.spark_bridge.profile.findings.finding import CODES, Cause, Where, put_right
from tidemark.spark_bridge.profile.findings.fitting import fitted
from tidemark.spark_bridge.profile.findings.records import Expectations, Longs, Mask, Off, Records, Several
from tidemark.spark_bridge.profile.findings.shifts import future_timestamps, history, is_alike, offsets, replay


def together(found: Sequence[Cause]) -> list[Cause]:
    """The causes of clocks, with those of one column that are off by the same time as one, in the place of the first.

    The rules find them one by one where they are off in other parts of the stream.
    """
    causes: list[Cause] = []
    for cause in found:
        place = next((place for place, each in enumerate(causes) if _is_one(each, cause)), None)
        if place is None:
            causes.append(cause)
        else:
            causes[place] = _joined(causes[place], cause)
    return causes


def _is_one(one: Cause, other: Cause) -> bool:
    are_groups = all(isinstance(each.sign, Off | Several) and each.where.column is not None for each in (one, other))
    return are_groups and one.where.column == other.where.column and is_alike(one, other)


def _joined(one: Cause, other: Cause) -> Cause:
    first, second = sorted((one.where, other.where), key=lambda where: where.first or 0)
    names = tuple(dict.fromkeys((*one.where.names, *other.where.names)))
    where = Where(None, None, first.at, first.first, max(first.last or 0, second.last or 0))
    where = replace(where, **{one.where.column or "key": names[0]}, more=names[1:])
    numbers = {name: own for name, own in one.numbers.items() if other.numbers.get(name) == own}
    numbers |= {name: one.numbers[name] + other.numbers[name] for name in ("count", "own")} | {
        "total": one.numbers["total"]
    }
    sign = Several((*_signs(one), *_signs(other)))
    rules = (*one.rules, *other.rules)
    return replace(one, records=one.records + other.records, where=where, numbers=numbers, sign=sign, rules=rules)


def _signs(cause: Cause) -> tuple[Off, ...]:
    return cause.sign.signs if isinstance(cause.sign, Several) else (cause.sign,)


AHEAD: Final = ("ahead", "one", "few")
"""Causes of this sort push the watermark, so that other records come late."""


def causes(records: Records, expected: Expectations) -> list[Cause]:
    """What is wrong with a stream, most harmful first; nothing for a healthy one."""
    return in_order(judged(records, expected))


def judged(records: Records, expected: Expectations) -> list[Cause]:
    """The same in the order in which the rules take the causes out."""
    found: list[Cause] = []
    nothing = no_timestamps(records)
    if nothing is not None:
        return [fitted(nothing, records, np.zeros(len(records), np.bool_))]
    empty = empty_channel(len(records), records.channels, expected.channels)
    timed = np.ones(len(records), np.bool_)
    for cause, is_it in wrong_unit(records):
        cause = fitted(cause, records, is_it)
        found.append(cause)
        records, timed = put_right(cause.rules, records, timed, is_it)
    if timed.any():
        found += _in_time(records, timed, expected)
    return [*found, *([empty] if empty is not None else [])]


def in_order(found: list[Cause]) -> list[Cause]:
    """The causes, most harmful first."""
    return sorted(found, key=harm)


def harm(cause: Cause) -> tuple[bool, int, int]:
    """What causes are sorted by: the records concerned; a stream without a watermark is the worst."""
    return cause.code != "empty-channel", -cause.records, CODES.index(cause.code)


def _in_time(everything: Records, timed: Mask, expected: Expectations) -> list[Cause]:
    """What is wrong with the records that are ``timed`` in ms; the others only tell that their channels are alive.

    Each cause is found in the stream as the rules of those before it leave it.
    """
    found: list[Cause] = []
    records = everything.where(timed)
    left = np.ones(len(records), np.bool_)

    def take(cause: Cause, whole: Longs) -> None:
        nonlocal records, everything
        others = left.copy()
        others[whole] = False
        after, still = put_right(cause.rules, records, left, left & ~others)
        if cause.sort in AHEAD:
            made_late = _late(records, left, others, expected) - _late(after, still, others, expected)
            cause = replace(cause, records=cause.records + max(0, made_late))
        left[:] = still
        found.append(cause)
        if after is not records:
            records, everything = after, _with(everything, timed, after)

    old = history(records)
    if old is not None and 2 * np.count_nonzero(copies(records) & old[1]) < old[0].records:
        take(fitted(old[0], records, old[1]), np.flatnonzero(old[1]))
    live = np.flatnonzero(left)
    for cause, is_it, _ in offsets(records.where(left), expected):
        take(cause, live[is_it])
    found[:] = together(found)
    is_copy = copies(records)
    sound = left.copy()
    again = replay(records.where(left), is_copy[left])
    if again is not None:
        cause, places = again[0], np.flatnonzero(left)[again[1]]
        take(fitted(cause, records.where(left), again[1]), places)
    backlog = sound & ~left
    twice = duplicates(records.where(left), is_copy[left])
    if twice is not None:
        take(twice, np.flatnonzero(left & is_copy))
    future = future_timestamps(records.where(left))
    if future is not None:
        cause = fitted(future[0], records.where(left), future[1])
        take(cause, np.flatnonzero(left)[future[1]])
    found += idle_channels(everything, _among(timed, left), _among(timed, backlog))
    rest = records.where(left)
    small = bound_too_small(rest, expected)
    return [*found, *([small] if small is not None else [])]


def _among(chosen: Mask, some: Mask) -> Mask:
    """The ``some`` of the chosen records, as places among all records."""
    found = np.zeros(len(chosen), np.bool_)
    found[chosen] = some
    return found


def _with(everything: Records, timed: Mask, some: Records) -> Records:
    """All records, those that are ``timed`` with the timestamps that they have in ``some``."""
    ts = everything.ts.copy()
    ts[timed] = some.ts
    return replace(everything, ts=ts)


def _late(records: Records, left: Mask, others: Mask, expected: Expectations) -> int:
    """How many of ``others`` are late in a stream of all that are ``left``."""
    return int(np.count_nonzero(records.where(left).behind(expected.wanted)[others[left]] > (expected.bound or 0)))


def is_too_small(late: int, records: int, expected: Expectations) -> bool:
    """Whether so many late records are more than ordinary disorder may bring."""
    return late > 2 * expected.target * records


def bound_too_small(records: Records, expected: Expectations) -> Cause | None:
    """More records are late than allowed, and there is no other cause."""
    if expected.bound is None or not len(records):
        return None
    behind = records.behind(expected.wanted)
    late = behind > expected.bound
    count = int(np.count_nonzero(late))
    if not is_too_small(count, len(records), expected):
        return None
    first = int(np.argmax(late))
    times = records.ts if records.at is None else records.at
    where = Where(None, None, int(times[first]), int(records.item[first]), None)
    needed = int(np.sort(behind)[int(np.ceil((1 - float(expected.target)) * len(behind))) - 1])
    numbers = {
        "bound": expected.bound,
        "count": count,
        "total": len(records),
        "needed": needed,
        "target": expected.target,
    }
    return Cause("bound-too-small", count, where, "", numbers)
