"""Healthy streams told in a sentence each, as ``incidents`` tells of trouble: each looks odd in one way."""

import numpy as np
from numpy.random import Generator

from tests.own_stream.incidents import DAY, HOUR, MIN, SEC, START, Table, add, any_base, base, part, some, when


def calm(rng: Generator) -> Table:
    return any_base(rng)


def very_heavy_tails(rng: Generator) -> Table:
    t = base(rng, channels=int(rng.choice([1, 4])))
    late = (rng.pareto(1.1, len(t["ts"])) + 1) * 200
    return {**t, "at": t["ts"] + np.minimum(late, 12 * HOUR).astype(np.int64), "told": {"bound": 13 * HOUR}}


def nights_and_weekends(rng: Generator) -> Table:
    t = any_base(rng, gap=20_000.0)
    open_ = ((t["ts"] % DAY) > 7 * HOUR) & ((t["ts"] % DAY) < 19 * HOUR) & ((t["ts"] // DAY) % 7 < 5)
    return part(t, open_)


def bursts(rng: Generator) -> Table:
    t = any_base(rng)
    squeezed = START + (t["ts"] - START) // (10 * MIN) * (10 * MIN) + (t["ts"] - START) % (10 * MIN) // 60
    return {**t, "at": squeezed + t["at"] - t["ts"], "ts": squeezed}


def sensors_every_minute(rng: Generator) -> Table:
    keys, rounds = int(rng.choice([20, 100])), 200
    ts = START + np.repeat(np.arange(rounds), keys) * MIN
    key = np.tile(np.arange(keys), rounds)
    at = ts + rng.integers(0, 3000, len(ts))
    zeros_ = np.zeros(len(ts), np.int64)
    return {
        "ts": ts, "at": at, "key": key, "channel": key % 4, "value": zeros_ + 21, "missing": zeros_ > 0,
        "told": {"bound": 3000},
    }  # fmt: skip


def uneven_channels(rng: Generator) -> Table:
    t = any_base(rng, channels=8)
    weights = np.array([0.7, 0.2, 0.05, 0.02, 0.01, 0.01, 0.005, 0.005])
    return {**t, "channel": rng.choice(8, len(t["ts"]), p=weights)}


def a_slow_channel(rng: Generator) -> Table:
    t = any_base(rng, channels=3)
    return {
        **t,
        "at": t["at"] + np.where(t["channel"] == 1, rng.integers(0, 2000, len(t["ts"])), 0),
        "told": {"bound": 99_000},
    }


def whole_seconds(rng: Generator) -> Table:
    t = any_base(rng)
    return {**t, "ts": t["ts"] // SEC * SEC, "told": {"bound": t["told"]["bound"] + SEC}}


def a_few_copies(rng: Generator) -> Table:
    t = any_base(rng)
    return add(t, part(t, some(rng, t, 0.003)))


def a_channel_that_joins_later(rng: Generator) -> Table:
    t = any_base(rng, channels=3)
    return part(t, (t["channel"] != 2) | (t["at"] > when(t, 0.3)))


def a_short_stream(rng: Generator) -> Table:
    return any_base(rng, n=int(rng.choice([3, 30, 200, 1000])))


def growing(rng: Generator) -> Table:
    t = any_base(rng)
    moved = START + (np.sqrt((t["ts"] - START) / (t["ts"][-1] - START)) * (t["ts"][-1] - START)).astype(np.int64)
    return {**t, "at": moved + t["at"] - t["ts"], "ts": moved}


def a_short_restart(rng: Generator) -> Table:
    t = any_base(rng)
    start = when(t, 0.5)
    end = start + 30 * SEC
    at = np.where((t["at"] > start) & (t["at"] < end), end + (t["at"] - start) // 100, t["at"])
    at = np.where(t["at"] >= end, np.maximum(at, end + 300), at)
    return {**t, "at": at, "told": {"bound": t["told"]["bound"]}}


def from_zero(rng: Generator) -> Table:
    t = any_base(rng)
    return {**t, "ts": t["ts"] - START, "at": t["at"] - START}


HEALTHY = (
    calm, very_heavy_tails, nights_and_weekends, bursts, sensors_every_minute, uneven_channels, a_slow_channel,
    whole_seconds, a_few_copies, a_channel_that_joins_later, a_short_stream, growing, a_short_restart, from_zero,
)  # fmt: skip
