"""One maker of streams for each cause of trouble, and the makers of healthy ones."""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from tests.own_stream.streams import (
    DAY,
    HOUR,
    MINUTE,
    QUARTER,
    SECOND,
    Events,
    Longs,
    Stream,
    delays,
    events,
    happened,
    pick,
    seen,
)


def _whole(number: object) -> int:
    assert isinstance(number, int | np.integer)
    return int(number)


def _part(rng: Generator, made: Events, least: float = 0.02) -> tuple[np.ndarray, str]:
    """The records of a channel or of a key that has a share of at least ``least``, and the columns that tell."""
    if made.channels > 1 and rng.random() < 0.6:
        return made.channel == int(rng.integers(made.channels)), "channel"
    keys, counts = np.unique(made.key, return_counts=True)
    large = keys[(counts >= max(least * len(made.key), 100)) & (counts < len(made.key) / 2)]
    if len(large):
        return made.key == rng.choice(large), "key"
    if made.channels > 1:
        return made.channel == int(rng.integers(made.channels)), "channel"
    key = rng.integers(0, 5, len(made.key))
    made.key[:] = key
    return key == 0, "key"


def no_timestamps(rng: Generator, most: int) -> Stream:
    made = events(rng, most=most)
    bad = rng.random(len(made.ts)) < rng.uniform(0.6, 1.0)
    make = pick(rng, "missing", "zero", "constant", "mixture", "epoch")
    ts, missing = made.ts.copy(), made.missing.copy()
    if make == "missing":
        missing |= bad
    elif make == "mixture":
        missing |= bad & (rng.random(len(ts)) < 0.5)
        ts[bad] = 0
    else:
        ts[bad] = {"zero": 0, "constant": int(made.ts[0]), "epoch": -1}[str(make)]
    return seen(rng, f"no-timestamps/{make}", "no-timestamps", replace(made, ts=ts, missing=missing))


def wrong_unit(rng: Generator, most: int) -> Stream:
    made = events(rng, most=most)
    if made.ts[0] < 10**12:
        made = replace(made, ts=made.ts + 1_650_000_000_000, at=made.at + 1_650_000_000_000)
    who = pick(rng, "all", "some", "part", "since")
    columns = ""
    wrong = np.ones(len(made.ts), np.bool_)
    if who == "some":
        wrong = rng.random(len(made.ts)) < np.exp(rng.uniform(np.log(0.002), np.log(0.5)))
    elif who == "part":
        wrong, columns = _part(rng, made)
    elif who == "since":
        wrong = made.at > made.moment(rng, 0.2, 0.9)
    unit = pick(rng, "s", "s", "us", "ns")
    ts = made.ts.copy()
    ts[wrong] = {"s": ts[wrong] // 1000, "us": ts[wrong] * 1000, "ns": ts[wrong] * 1_000_000}[str(unit)]
    return seen(rng, f"wrong-unit/{who}/{unit}", "wrong-unit", replace(made, ts=ts), columns=columns)


def zone_offset(rng: Generator, most: int) -> Stream:
    made = events(rng, most=most)
    who = pick(rng, "all", "part", "part", "since", "all since")
    quarters = pick(rng, 2, 4, 4, 8, 20, 22, 23, 24, 32, 38, 44, 56)
    shift = _whole(quarters) * QUARTER * (1 if rng.random() < 0.5 else -1)
    if who == "part" or who == "since":
        wrong, columns = _part(rng, made)
    else:
        wrong, columns = np.ones(len(made.ts), np.bool_), "at"
    if who in ("since", "all since"):
        wrong = wrong & (made.at > made.moment(rng, 0.2, 0.8))
    ts = made.ts + shift * wrong
    name = f"zone-offset/{who}/{columns}/{shift / HOUR:g}h"
    return seen(rng, name, "zone-offset", replace(made, ts=ts), columns=columns)


def future_timestamps(rng: Generator, most: int) -> Stream:
    made = events(rng, most=most)
    n = len(made.ts)
    make = pick(rng, "one", "few", "repeated", "burst")
    count = {"one": 1, "few": int(rng.integers(2, 20)), "repeated": max(5, int(n * rng.uniform(0.0005, 0.01)))}
    if make == "burst":
        first = int(rng.integers(n // 10, n * 8 // 10))
        chosen = np.arange(first, first + int(rng.integers(3, 30)))
    else:
        chosen = rng.choice(n * 9 // 10, count[str(make)], replace=False)
    far = pick(rng, "minutes", "hours", "days", "years", "one hour")
    scale = {"minutes": 10 * MINUTE, "hours": HOUR, "days": DAY, "years": 365 * DAY, "one hour": HOUR}[str(far)]
    ahead = rng.uniform(1, 20, len(chosen)) if far != "one hour" else np.ones(len(chosen))
    ts = made.ts.copy()
    ts[chosen] += (ahead * scale).astype(np.int64)
    return seen(rng, f"future-timestamps/{make}/{far}", "future-timestamps", replace(made, ts=ts))


def empty_channel(rng: Generator, most: int) -> Stream:
    made = events(rng, most=most)
    made = replace(made, told={"channels": made.channels + int(rng.integers(1, 5))})
    return seen(rng, "empty-channel", "empty-channel", made, columns="channel")


def idle_channel(rng: Generator, most: int) -> Stream:
    made = events(rng, channels=_whole(pick(rng, 2, 3, 4, 8, 16, 32)), most=most)
    shares = np.bincount(made.channel) / len(made.ts)
    idle = int(rng.choice(np.flatnonzero(shares > min(0.02, shares.max() / 2))))
    make = pick(rng, "stops", "stops at the end", "pauses once", "pauses twice")
    if make == "stops":
        gaps = [(made.moment(rng, 0.1, 0.8), np.inf)]
    elif make == "stops at the end":
        gaps = [(made.moment(rng, 0.8, 0.9), np.inf)]
    else:
        start = made.moment(rng, 0.1, 0.4)
        gaps = [(start, start + rng.uniform(0.1, 0.3) * made.span)]
        if make == "pauses twice":
            start = made.moment(rng, 0.75, 0.8)
            gaps.append((start, start + 0.12 * made.span))
    gone = np.zeros(len(made.ts), np.bool_)
    for start, end in gaps:
        gone |= (made.channel == idle) & (made.at > start) & (made.at < end)
    told = {"channels": made.channels} if rng.random() < 0.3 else {}
    made = replace(made.where(~gone), told=told)
    return seen(rng, f"idle-channel/{make}", "idle-channel", made, columns="channel")


def skewed_source(rng: Generator, most: int) -> Stream:
    made = events(rng, most=most)
    wrong, columns = _part(rng, made)
    shift = int(np.exp(rng.uniform(np.log(max(5_000, 2 * min(made.disorder, 60_000))), np.log(25 * MINUTE))))
    if shift % QUARTER < MINUTE or shift % QUARTER > QUARTER - MINUTE:
        shift += 3 * MINUTE
    told = {"bound": min(shift // 2, made.disorder)} if rng.random() < 0.5 else {}
    ts = made.ts + shift * wrong * (1 if rng.random() < 0.5 else -1)
    name = f"skewed-source/{columns}/{shift / SECOND:g}s"
    return seen(rng, name, "skewed-source", replace(made, ts=ts, told=told), columns=columns)


def replay(rng: Generator, most: int) -> Stream:
    made = events(rng, most=most)
    make = pick(rng, "again", "again fast", "backlog of a key", "backlog of some", "restart")
    columns = ""
    if make in ("again", "again fast"):
        start, length = made.moment(rng, 0.05, 0.5), rng.uniform(0.02, 0.15) * made.span
        block = made.where((made.at >= start) & (made.at < start + length))
        back = int(max(rng.uniform(0.05, 0.35) * made.span, length * 1.1, 4 * made.disorder))
        pace = 1.0 if make == "again" else rng.uniform(0.001, 0.1)
        at = start + back + ((block.at - start) * pace).astype(np.int64)
        made = made.and_also(replace(block, at=at))
    elif make == "restart":  # everything since the last checkpoint comes again, as fast as it can, then the rest
        moment = made.moment(rng, 0.3, 0.8)
        length = max(rng.uniform(0.02, 0.1) * made.span, 3 * made.disorder)
        block = made.where((made.at > moment - length) & (made.at <= moment))
        at = moment + ((block.at - moment + length) * 0.02).astype(np.int64)
        made = made.and_also(replace(block, at=at))
    else:
        late = made.key == np.argmax(np.bincount(made.key)) if make == "backlog of a key" else None
        if late is None or late.mean() > 0.7 or late.sum() < 1000:
            late = rng.random(len(made.ts)) < rng.uniform(0.2, 0.6)
        moment = made.moment(rng, 0.1, 0.6)
        length = max(rng.uniform(0.03, 0.2) * made.span, 5 * made.disorder)
        late = late & (made.at > moment) & (made.at < moment + length)
        at = made.at.copy()
        at[late] = moment + length + ((at[late] - moment) * 0.02).astype(np.int64)
        made = replace(made, at=at)
    return seen(rng, f"replay/{make}", "replay", made, columns=columns)


def backfill(rng: Generator, most: int) -> Stream:
    """A history from before the stream is loaded while it runs."""
    made = events(rng, most=most)
    share = rng.uniform(0.35, 0.7)
    start = made.moment(rng, 0.1, 0.3)
    during = made.where((made.at > start) & (made.at < start + 0.25 * made.span) & (rng.random(len(made.ts)) < share))
    age = int(max(2 * made.span, 50 * made.disorder, HOUR))
    return seen(rng, "backfill", "backfill", made.and_also(replace(during, ts=during.ts - age)), columns="value")


def duplicates(rng: Generator, most: int) -> Stream:
    made = events(rng, most=most)
    made = replace(made, value=rng.integers(0, 10**6, len(made.ts)))
    twice = rng.random(len(made.ts)) < np.exp(rng.uniform(np.log(0.008), np.log(0.4)))
    copy = made.where(twice)
    make = pick(rng, "adjacent", "soon", "far")
    later = {
        "adjacent": 0,
        "soon": rng.integers(0, 3 * SECOND, len(copy.ts)),
        "far": rng.integers(0, HOUR, len(copy.ts)),
    }
    made = made.and_also(replace(copy, at=copy.at + later[str(make)]))
    return seen(rng, f"duplicates/{make}", "duplicates", made, columns="key value")


def bound_too_small(rng: Generator, most: int) -> Stream:
    while True:
        made = events(rng, most=most)
        bound = int(np.quantile(made.at - made.ts, rng.uniform(0.3, 0.9)))
        stream = seen(rng, "bound-too-small", "bound-too-small", replace(made, told={"bound": bound}))
        if (_behind(stream) > bound).mean() > 0.01:
            return replace(stream, name=f"{stream.name} bound={bound}")


def _behind(stream: Stream) -> Longs:
    """Behind of each record by the definition, with all channels that have been seen."""
    channel = stream.channel if stream.channel is not None else np.zeros(len(stream.ts), np.int64)
    found = np.full(len(stream.ts), np.iinfo(np.int64).max)
    for number in np.unique(channel):
        own = np.where(channel == number, stream.ts, np.iinfo(np.int64).min)
        before = np.concatenate([[np.iinfo(np.int64).min], np.maximum.accumulate(own)[:-1]])
        found = np.minimum(found, np.where(before == np.iinfo(np.int64).min, np.iinfo(np.int64).max, before))
    return np.where(found == np.iinfo(np.int64).max, 0, np.maximum(found - stream.ts, 0))


TROUBLES = (
    no_timestamps,
    wrong_unit,
    zone_offset,
    future_timestamps,
    empty_channel,
    idle_channel,
    skewed_source,
    replay,
    backfill,
    duplicates,
    bound_too_small,
)


def healthy(rng: Generator, most: int) -> Stream:
    """A healthy stream: any make of events, and one of the things that look like trouble and are none."""
    while True:
        make = pick(
            rng, "plain", "plain", "bounded", "slow channel", "seconds", "constant", "rates", "restart", "natural"
        )
        made = events(rng, most=most)
        if make == "slow channel" and made.channels > 1:
            slow = made.channel == int(rng.integers(made.channels))
            later = delays(rng, len(made.ts), "exponential", 1500) if rng.random() < 0.5 else rng.uniform(0, 2000)
            made = replace(made, at=(made.at + slow * later).astype(np.int64))
        elif make == "seconds":
            made = replace(made, ts=made.ts // SECOND * SECOND)
        elif make == "constant":
            made = replace(made, value=np.full(len(made.ts), 7))
        elif make == "rates":
            channel = np.minimum(rng.zipf(1.3, len(made.ts)) - 1, 7)
            made = replace(made, channel=np.unique(channel, return_inverse=True)[1], channels=len(np.unique(channel)))
        elif make == "restart":  # nobody reads for a short while, then everything comes in order
            moment = made.moment(rng, 0.2, 0.8)
            pause = 20 * SECOND
            waits = (made.at > moment) & (made.at < moment + pause)
            at = made.at.copy()
            at[waits] = moment + pause + (at[waits] - moment) // 50
            made = replace(made, at=at)
        elif make == "natural":
            twice = rng.random(len(made.ts)) < 0.002
            made = made.and_also(made.where(twice))
        if make == "bounded":
            made = replace(made, told={"bound": made.disorder * 3})
        stream = seen(rng, f"healthy/{make}", None, made)
        rows = np.stack([c for c in (stream.ts, stream.key, stream.value) if c is not None])
        if len(np.unique(rows, axis=1).T) < 0.996 * len(stream.ts) and make not in ("seconds", "constant"):
            continue
        if stream.bound is None or (_behind(stream) > stream.bound).mean() < 0.001:
            return stream


def trouble(code: str) -> object:
    """The maker of streams with this cause."""
    return next(maker for maker in TROUBLES if maker.__name__ == code.replace("-", "_"))


__all__ = ["TROUBLES", "healthy", "happened", "trouble"]
