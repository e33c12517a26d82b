"""Causes with the numbers that were counted in the whole stream."""

from collections.abc import Sequence
from dataclasses import replace

from tidemark.spark_bridge.profile.findings.clocks import NEARLY_ALL
from tidemark.spark_bridge.profile.findings.finding import Cause, Where
from tidemark.spark_bridge.profile.findings.records import Asked
from tidemark.spark_bridge.profile.findings.recount import Count, Silence


def recounted(cause: Cause, count: Count, total: int, key: int | None = None) -> Cause:
    """``cause`` with the records that its sign tells, among ``total``. ``key``: the number of its key in the counts."""
    if count.first is None:
        return replace(cause, records=0)
    numbers, where, sort = dict(cause.numbers), cause.where, cause.sort
    exact = {"count": count.number, "total": total, "item": count.first.item, "again": count.number, "own": count.own}
    if cause.sign is not None:
        del exact["again"]  # so many of these, not all
    numbers |= {name: number for name, number in exact.items() if name in numbers}
    if cause.code == "wrong-unit":
        numbers["ts"] = count.first.ts
        sort = "all" if count.number > NEARLY_ALL * total else "some"
    elif cause.code == "future-timestamps":
        sort = "one" if count.number == 1 else "few"
        if count.channels != (where.channel, where.channel):
            where = replace(where, channel=None)
        if count.keys != (key, key):
            where = replace(where, key=None)
    if count.by:
        numbers["by"] = numbers["by"] if cause.code == "zone-offset" else count.by
    at = None if cause.code == "wrong-unit" else count.first.time
    where = replace(where, at=at, first=count.first.item, last=count.last)
    return replace(cause, records=count.number, where=where, sort=sort, numbers=numbers)


def without_timestamps(cause: Cause, counts: Sequence[Count], records: int, unreadable: int) -> Cause:
    """The cause of a stream whose timestamps say nothing. ``counts``: of the constant if there is one, and of zeros."""
    alike, zeros = counts[0] if len(counts) > 1 else Count(), counts[-1].number
    is_zero = cause.numbers["constant"] == 0
    if is_zero:
        zeros = max(zeros, alike.number)
    bad = unreadable + (max(alike.number, zeros) if is_zero else alike.number + zeros)
    numbers = cause.numbers | {
        "total": records + unreadable, "unreadable": unreadable, "alike": max(alike.number, zeros)
    }  # fmt: skip
    sort = "unreadable" if unreadable >= bad / 2 else "constant"
    first = None if alike.first is None else alike.first.item
    return replace(cause, records=bad, where=Where(first=first), sort=sort, numbers=numbers)


def at_once(cause: Cause, silences: Sequence[Silence]) -> tuple[Cause, Silence]:
    """The time in which all channels of ``cause`` are silent, from their ``silences``; the last one comes first."""
    order = sorted(range(len(silences)), key=lambda each: silences[each].last, reverse=True)
    nexts = [each.next for each in silences if each.next is not None]
    names = cause.where.names
    return (
        replace(cause, where=cause.where.called([names[each] for each in order])),
        replace(silences[order[0]], next=min(nexts, default=None)),
    )


def silent(cause: Cause, silence: Silence, records: int, backlog: int) -> Cause:
    """The cause of a channel that is silent. ``backlog``: so many records meanwhile are one, and do not count."""
    if silence.first is None:
        return replace(cause, records=0)
    until, ends = silence.end if silence.next is None else silence.next
    others = (records if silence.next is None else until) - silence.first.item - 1 - backlog
    numbers = {"silent": ends - silence.last[1], "others": others, "records_before": silence.before}
    where = replace(cause.where, at=silence.first.time, first=silence.first.item, last=until)
    sort = "stops" if silence.next is None else "pauses"
    return replace(cause, records=others, where=where, sort=sort, numbers=numbers)


def too_small(late: Count, records: int, asked: Asked, needed: int) -> Cause:
    """The cause of records that are ``late`` for no other reason."""
    assert late.first is not None
    where = Where(None, None, late.first.time, late.first.item, None)
    numbers = {
        "bound": asked.bound, "count": late.number, "total": records, "needed": needed, "target": asked.target
    }  # fmt: skip
    return Cause("bound-too-small", late.number, where, "", numbers)
