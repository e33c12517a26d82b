"""Incidents told in a sentence each, which no maker of ``troubles`` draws.

``made(rng, what)`` is a table of columns ``ts``, ``at``, ``channel``, ``key``, ``value`` (ms) in the order of arrival,
with what the person who asks about it knows: a bound, the number of channels.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from tests.own_stream.streams import Stream

START = 1_767_225_600_000
SEC, MIN, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000

Table = dict[str, Any]


def base(rng: Generator, *, n: int = 0, channels: int = 1, keys: int = 50, gap: float = 0, delay: str = "exp") -> Table:
    """Records at random moments, ``gap`` ms apart on average, with an ordinary delay."""
    n = n or int(rng.choice([6_000, 12_000, 30_000]))
    gap = gap or float(rng.choice([5, 50, 400, 2_000]))
    ts = START + np.cumsum(rng.exponential(gap, n)).astype(np.int64)
    mean = float(rng.choice([50, 300, 1_000]))
    late = {
        "exp": lambda: rng.exponential(mean, n),
        "lognormal": lambda: rng.lognormal(np.log(mean), 1.2, n),
        "pareto": lambda: (rng.pareto(1.7, n) + 1) * mean / 4,
        "uniform": lambda: rng.uniform(0, 2 * mean, n),
        "none": lambda: np.zeros(n),
        "steps": lambda: rng.choice([20, 40, 2_000], n, p=[0.7, 0.25, 0.05]),
    }[delay]()
    return {
        "ts": ts,
        "at": ts + late.astype(np.int64),
        "channel": rng.integers(0, channels, n),
        "key": rng.integers(0, keys, n),
        "value": np.round(rng.normal(20, 5, n) * 1000).astype(np.int64),
        "missing": np.zeros(n, np.bool_),
        "told": {"bound": int(np.quantile(late, 0.9999)) + 200},
    }


def any_base(rng: Generator, **given: Any) -> Table:
    given.setdefault("channels", int(rng.choice([1, 2, 4, 12])))
    return base(rng, delay=str(rng.choice(["exp", "lognormal", "pareto", "uniform", "none", "steps"])), **given)


def some(rng: Generator, table: Table, share: float) -> np.ndarray:
    return rng.random(len(table["ts"])) < share


def add(table: Table, more: Table) -> Table:
    columns = ("ts", "at", "channel", "key", "value", "missing")
    return {**table, **{name: np.concatenate([table[name], more[name]]) for name in columns}}


def part(table: Table, wanted: np.ndarray) -> Table:
    columns = ("ts", "at", "channel", "key", "value", "missing")
    return {**table, **{name: table[name][wanted] for name in columns}}


def when(table: Table, share: float) -> int:
    return int(np.quantile(table["at"], share))


def a_path_that_takes_forty_seconds_more(rng: Generator) -> Table:
    t = base(rng, channels=3)
    slow = t["channel"] == 2
    return {**t, "at": t["at"] + np.where(slow, 40 * SEC, 0), "needs": "channel"}


def a_third_of_the_phones_were_in_a_tunnel(rng: Generator) -> Table:
    t = any_base(rng, n=12_000)
    start = when(t, rng.uniform(0.2, 0.6))
    end = start + max(int(0.1 * np.ptp(t["at"])), 20 * t["told"]["bound"])
    late = (t["key"] % 3 == 0) & (t["at"] > start) & (t["at"] < end)
    at = t["at"].copy()
    at[late] = end + rng.integers(0, max((end - start) // 50, 1), int(late.sum()))
    return {**t, "at": at}


def two_collectors_send_nearly_everything(rng: Generator) -> Table:
    t = any_base(rng)
    copy = part(t, some(rng, t, 0.9))
    return {**add(t, {**copy, "at": copy["at"] + rng.integers(0, 500, len(copy["ts"]))}), "needs": "key value"}


def phones_that_upload_every_minute(rng: Generator) -> Table:
    t = base(rng, gap=float(rng.choice([5, 50, 400])), keys=200)
    phase = t["key"] * 7919 % MIN
    at = t["ts"] + MIN - (t["ts"] + phase) % MIN
    return {**t, "at": at, "told": {"bound": 10 * SEC}}


INCIDENTS: dict[str, tuple[Callable[[Generator], Table], ...]] = {
    "skewed-source": (a_path_that_takes_forty_seconds_more,),
    "replay": (a_third_of_the_phones_were_in_a_tunnel,),
    "duplicates": (two_collectors_send_nearly_everything,),
    "bound-too-small": (phones_that_upload_every_minute,),
}


def stream_of(rng: Generator, name: str, code: str | None, table: Table) -> Stream:
    """The table as a stream, with and without columns that are not needed, and with or without what is known of it."""
    order = np.lexsort((np.arange(len(table["at"])), table["at"]))
    needs = table.get("needs", "")

    def column(name: str, share: float) -> np.ndarray | None:
        return table[name][order] if name in needs or rng.random() < share else None

    told = table["told"] if code == "bound-too-small" or "channels" in table["told"] or rng.random() < 0.5 else {}
    return Stream(
        name, code, table["ts"][order], column("at", 0.6), column("channel", 0.8), column("key", 0.8),
        column("value", 0.8), table["missing"][order], **told,
    )  # fmt: skip
