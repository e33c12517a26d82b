"""Streams of known make: healthy ones, and ones with exactly one cause of trouble. All are seeded.

A stream begins as events: when each happened, how long it took to arrive, its key and channel. A fault then changes
what it would change in life, and only afterwards is everything put into the order of arrival. All times are ms.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Longs = NDArray[np.int64]

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
QUARTER = 15 * MINUTE


@dataclass(frozen=True)
class Stream:
    """Records in the order in which they arrive, and what is asked about them.

    ``missing`` marks timestamps that cannot be read. ``code`` is the cause, None for a healthy stream.
    """

    name: str
    code: str | None
    ts: Longs
    at: Longs | None
    channel: Longs | None
    key: Longs | None
    value: Longs | None
    missing: NDArray[np.bool_]
    bound: int | None = None
    channels: int | None = None


@dataclass(frozen=True)
class Events:
    """What happened, before anything is in order: ``ts`` is the clock's time, ``at`` the arrival."""

    ts: Longs
    at: Longs
    channel: Longs
    key: Longs
    value: Longs
    missing: NDArray[np.bool_]
    channels: int
    keys: int
    disorder: int
    """Nearly all delays are shorter."""
    told: dict[str, int | None] = field(default_factory=dict)
    """What is asked about the stream: ``bound``, ``channels``."""

    def where(self, wanted: NDArray[np.bool_] | Longs) -> "Events":
        """The wanted ones alone."""
        return replace(self, **{name: getattr(self, name)[wanted] for name in ARRAYS})

    def and_also(self, more: "Events") -> "Events":
        """These and ``more`` of them."""
        return replace(self, **{name: np.concatenate([getattr(self, name), getattr(more, name)]) for name in ARRAYS})

    @property
    def span(self) -> int:
        return int(self.at.max() - self.at.min())

    def moment(self, rng: Generator, least: float, most: float) -> int:
        """An arrival at which a share between ``least`` and ``most`` of the records has arrived."""
        return int(np.quantile(self.at, rng.uniform(least, most)))


ARRAYS = ("ts", "at", "channel", "key", "value", "missing")


def pick(rng: Generator, *choices: object) -> object:
    return choices[int(rng.integers(len(choices)))]


def happened(rng: Generator, n: int, span: int, make: str) -> Longs:
    """When each of ``n`` events happened, rising, from 0 to about ``span``."""
    if make == "regular":
        return np.arange(n, dtype=np.int64) * span // n
    if make == "bursty":
        centres = rng.uniform(0, span, max(5, n // 400))
        near = rng.choice(centres, n) + rng.exponential(span / 500, n)
        calm = rng.uniform(0, span, n)
        return np.sort(np.where(rng.random(n) < 0.5, near, calm)).astype(np.int64)
    if make == "days":
        times = rng.uniform(0, span, 4 * n)
        period = max(span / rng.integers(2, 6), 1)
        day = times[np.sin(2 * np.pi * times / period) > rng.uniform(-0.3, 0.5)]
        return np.sort(rng.choice(day, n, replace=len(day) < n)).astype(np.int64)
    return np.sort(rng.uniform(0, span, n)).astype(np.int64)


def delays(rng: Generator, n: int, make: str, scale: float) -> NDArray[np.float64]:
    """How long each event takes to arrive; ``scale`` is about the mean."""
    if make == "lognormal":
        return rng.lognormal(np.log(scale) - 0.5, 1.0, n)
    if make == "pareto":
        return np.minimum((rng.pareto(rng.uniform(1.6, 3), n)) * scale, 400 * scale)
    if make == "jitter":
        return np.maximum(rng.normal(scale, scale / 3, n), 0)
    if make == "uniform":
        return rng.uniform(0, 2 * scale, n)
    if make == "none":
        return np.zeros(n)
    return rng.exponential(scale, n)


RATES = ("steady", "regular", "bursty", "days")
DISORDER = ("exponential", "lognormal", "pareto", "jitter", "uniform", "batches", "none")


def events(rng: Generator, n: int | None = None, channels: int | None = None, most: int = 60_000) -> Events:
    """An ordinary stream: anything may vary that a healthy stream may vary in."""
    n = n or int(np.exp(rng.uniform(np.log(5_000), np.log(most))))
    channels = channels or int(pick(rng, 1, 1, 2, 3, 4, 8, 16, 32))  # type: ignore[call-overload]
    keys = int(pick(rng, 2, 10, 100, 1000, 20_000))  # type: ignore[call-overload]
    span = int(np.exp(rng.uniform(np.log(20 * MINUTE), np.log(3 * DAY))))
    origin = int(pick(rng, 0, 1_000_000, 1_700_000_000_000, 1_780_000_000_000 + int(rng.integers(10**9))))  # type: ignore[call-overload]
    ts = origin + happened(rng, n, span, str(pick(rng, *RATES)))
    key = rng.integers(0, keys, n)
    if rng.random() < 0.4:
        key = np.minimum(rng.zipf(1.5, n) - 1, keys - 1)
    if rng.random() < 0.5:
        channel = key % channels
    else:
        weights = rng.dirichlet(np.full(channels, rng.choice([1.0, 5.0, 100.0]))) * 0.9 + 0.1 / channels
        channel = rng.choice(channels, n, p=weights)
    make = str(pick(rng, *DISORDER))
    scale = float(np.exp(rng.uniform(np.log(20), np.log(3_000))))
    if make == "batches":
        period = max(int(scale * 4), 50)
        phase = (key * 7919) % period
        at = ts + (period - (ts + phase) % period) + rng.integers(0, 20, n)
        scale = period / 2
    else:
        at = ts + delays(rng, n, make, scale).astype(np.int64)
    disorder = int(np.quantile(at - ts, 0.999)) + 1
    value = rng.integers(0, int(pick(rng, 5, 100, 10_000, 10**9)), n)  # type: ignore[call-overload]
    missing = np.zeros(n, np.bool_)
    used = np.unique(channel)
    channel = np.searchsorted(used, channel)
    return Events(ts, at, channel, key.astype(np.int64), value, missing, len(used), keys, disorder)


def seen(rng: Generator, name: str, code: str | None, made: Events, *, columns: str = "") -> Stream:
    """The events as a stream of records. ``columns`` of ``at channel key value`` are there in any case."""
    order = np.lexsort((np.arange(len(made.at)), made.at))
    made = made.where(order)

    def maybe(column: str, share: float) -> Longs | None:
        return getattr(made, column) if column in columns or rng.random() < share else None

    channel = maybe("channel", 0.8) if made.channels > 1 or "channel" in columns else None
    at = maybe("at", 0.7)
    if at is None and "noat" not in columns and code is None and channel is None and rng.random() < 0.3:
        at = made.at
    return Stream(
        f"{name} n={len(order)} channels={made.channels if channel is not None else '-'}",
        code,
        made.ts,
        at,
        channel,
        maybe("key", 0.8),
        maybe("value", 0.8),
        made.missing,
        **made.told,  # type: ignore[arg-type]
    )


Fault = Callable[[Generator, int], Stream]
