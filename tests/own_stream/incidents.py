"""Incidents told in a sentence each: made apart from ``troubles`` and from the rules.

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


def shifted(table: Table, is_it: np.ndarray, by: float) -> Table:
    return {**table, "ts": table["ts"] + np.where(is_it, int(by), 0)}


def nulls(rng: Generator) -> Table:
    t = any_base(rng)
    return {**t, "missing": some(rng, t, rng.uniform(0.55, 0.99))}


def zeros(rng: Generator) -> Table:
    t = any_base(rng)
    return {**t, "ts": np.where(some(rng, t, rng.uniform(0.6, 1)), 0, t["ts"])}


def the_deploy_date(rng: Generator) -> Table:
    t = any_base(rng)
    return {**t, "ts": np.where(some(rng, t, rng.uniform(0.6, 1)), START - 3 * DAY, t["ts"])}


def nulls_and_zeros(rng: Generator) -> Table:
    t = any_base(rng)
    t["ts"] = np.where(some(rng, t, 0.5), 0, t["ts"])
    return {**t, "missing": some(rng, t, 0.4)}


def all_seconds(rng: Generator) -> Table:
    t = any_base(rng)
    return {**t, "ts": t["ts"] // 1000}


def all_nanoseconds(rng: Generator) -> Table:
    t = any_base(rng)
    return {**t, "ts": t["ts"] * 10**6 + 123}


def one_channel_in_seconds(rng: Generator) -> Table:
    t = any_base(rng, channels=int(rng.choice([2, 4, 8])))
    return {**t, "ts": np.where(t["channel"] == 1, t["ts"] // 1000, t["ts"]), "needs": "channel"}


def one_device_in_microseconds(rng: Generator) -> Table:
    t = any_base(rng)
    return {**t, "ts": np.where(t["key"] == 7, t["ts"] * 1000, t["ts"])}


def seconds_since_the_deploy(rng: Generator) -> Table:
    t = any_base(rng)
    return {**t, "ts": np.where(t["at"] > when(t, rng.uniform(0.1, 0.9)), t["ts"] // 1000, t["ts"])}


def everybody_in_local_time(rng: Generator) -> Table:
    t = any_base(rng)
    return {**shifted(t, np.ones(len(t["ts"]), bool), rng.choice([-8, -5, 1, 2, 5.5, 9]) * HOUR), "needs": "at"}


def one_channel_in_local_time(rng: Generator) -> Table:
    t = any_base(rng, channels=int(rng.choice([2, 3, 8])))
    return {**shifted(t, t["channel"] == 1, rng.choice([-11, -3.5, -0.5, 0.5, 1, 5.75, 14]) * HOUR), "needs": "channel"}


def one_device_in_local_time(rng: Generator) -> Table:
    t = any_base(rng, keys=int(rng.choice([5, 40])))
    return {**shifted(t, t["key"] == 2, rng.choice([-6, -1, 1, 3, 8]) * HOUR), "needs": "key"}


def summer_time_begins(rng: Generator) -> Table:
    t = any_base(rng, channels=4)
    is_it = (t["channel"] == 2) & (t["at"] > when(t, rng.uniform(0.3, 0.7)))
    return {**shifted(t, is_it, rng.choice([-1, 1]) * HOUR), "needs": "channel"}


def summer_time_for_all(rng: Generator) -> Table:
    t = any_base(rng)
    return {**shifted(t, t["at"] > when(t, rng.uniform(0.3, 0.7)), rng.choice([-1, 1]) * HOUR), "needs": "at"}


def a_record_of_the_year_2036(rng: Generator) -> Table:
    t = any_base(rng)
    place = int(rng.uniform(0.1, 0.8) * len(t["ts"]))
    return shifted(t, np.arange(len(t["ts"])) == place, 3650 * DAY)


def a_device_that_resets_its_clock_now_and_then(rng: Generator) -> Table:
    t = any_base(rng)
    chosen = rng.choice(len(t["ts"]) * 9 // 10, int(rng.integers(3, 15)), replace=False)
    t["ts"] = t["ts"].copy()
    t["ts"][chosen] += (rng.uniform(1, 48, len(chosen)) * HOUR).astype(np.int64)
    return t


def one_in_a_thousand_half_an_hour_or_more_ahead(rng: Generator) -> Table:
    t = any_base(rng)
    by = np.where(some(rng, t, 0.001), rng.uniform(0.5, 4, len(t["ts"])) * HOUR, 0)
    by[len(t["ts"]) // 3] = HOUR * 1.3
    return {**t, "ts": t["ts"] + by.astype(np.int64)}


def tomorrow_instead_of_today(rng: Generator) -> Table:
    t = any_base(rng)
    place = int(rng.uniform(0.1, 0.8) * len(t["ts"]))
    return shifted(t, (np.arange(len(t["ts"])) >= place) & (np.arange(len(t["ts"])) < place + 8), DAY)


def a_partition_without_records(rng: Generator) -> Table:
    t = any_base(rng)
    seen = len(np.unique(t["channel"]))
    return {**t, "told": {**t["told"], "channels": seen + int(rng.integers(1, 4))}, "needs": "channel"}


def a_partition_ends(rng: Generator) -> Table:
    t = any_base(rng, channels=int(rng.choice([2, 4, 8])))
    return {**part(t, ~((t["channel"] == 0) & (t["at"] > when(t, rng.uniform(0.2, 0.9))))), "needs": "channel"}


def a_partition_pauses(rng: Generator) -> Table:
    t = any_base(rng, channels=int(rng.choice([2, 4, 8])))
    start = rng.uniform(0.1, 0.7)
    gone = (t["channel"] == 1) & (t["at"] > when(t, start)) & (t["at"] < when(t, start + rng.uniform(0.08, 0.25)))
    return {**part(t, ~gone), "needs": "channel"}


def two_partitions_end(rng: Generator) -> Table:
    t = any_base(rng, channels=6)
    return {**part(t, ~((t["channel"] < 2) & (t["at"] > when(t, 0.6)))), "needs": "channel"}


def a_small_partition_ends(rng: Generator) -> Table:
    t = any_base(rng, channels=4, n=30_000)
    few = (t["channel"] != 3) | some(rng, t, 0.08)
    t = part(t, few)
    return {**part(t, ~((t["channel"] == 3) & (t["at"] > when(t, 0.5)))), "needs": "channel"}


def a_gateway_with_a_wrong_clock(rng: Generator) -> Table:
    t = any_base(rng, channels=int(rng.choice([2, 4, 8])))
    by = max(rng.uniform(1.5, 10) * t["told"]["bound"], 5 * SEC) * rng.choice([-1, 1])
    return {**shifted(t, t["channel"] == 1, np.sign(by) * min(abs(by), 27 * MIN)), "needs": "channel"}


def a_phone_seven_minutes_ahead(rng: Generator) -> Table:
    t = any_base(rng, keys=int(rng.choice([4, 30])))
    return {**shifted(t, t["key"] == 1, rng.choice([-1, 1]) * rng.uniform(4, 14) * MIN), "needs": "key"}


def a_path_that_takes_forty_seconds_more(rng: Generator) -> Table:
    t = base(rng, channels=3)
    slow = t["channel"] == 2
    return {**t, "at": t["at"] + np.where(slow, 40 * SEC, 0), "needs": "channel"}


def a_block_is_sent_again(rng: Generator) -> Table:
    t = any_base(rng)
    start = rng.uniform(0.1, 0.4)
    block = part(t, (t["at"] > when(t, start)) & (t["at"] < when(t, start + rng.uniform(0.03, 0.1))))
    moment = when(t, start + rng.uniform(0.15, 0.4))
    return add(t, {**block, "at": moment + np.arange(len(block["ts"])) * int(rng.integers(1, 4))})


def the_beginning_is_sent_again_at_the_end(rng: Generator) -> Table:
    t = any_base(rng)
    block = part(t, t["at"] < when(t, 0.1))
    return add(t, {**block, "at": int(t["at"].max()) + 1 + np.arange(len(block["ts"]))})


def back_to_the_last_checkpoint(rng: Generator) -> Table:
    t = any_base(rng)
    moment = when(t, rng.uniform(0.3, 0.8))
    block = part(t, (t["at"] <= moment) & (t["at"] > moment - max(0.05 * np.ptp(t["at"]), 5 * t["told"]["bound"])))
    t["at"] = np.where(t["at"] > moment, np.maximum(t["at"], moment + len(block["ts"])), t["at"])
    return add(t, {**block, "at": moment + 1 + np.arange(len(block["ts"]))})


def a_channel_was_cut_off(rng: Generator) -> Table:
    t = any_base(rng, channels=int(rng.choice([2, 4])), n=12_000, gap=float(rng.choice([200, 2_000])))
    start = when(t, rng.uniform(0.2, 0.5))
    end = start + max(int(rng.uniform(0.1, 0.3) * np.ptp(t["at"])), 20 * t["told"]["bound"])
    late = (t["channel"] == 0) & (t["at"] > start) & (t["at"] < end)
    at = t["at"].copy()
    at[late] = end + np.sort(rng.integers(0, max((end - start) // 50, 1), int(late.sum())))
    return {**t, "at": at}


def a_third_of_the_phones_were_in_a_tunnel(rng: Generator) -> Table:
    t = any_base(rng, n=12_000)
    start = when(t, rng.uniform(0.2, 0.6))
    end = start + max(int(0.1 * np.ptp(t["at"])), 20 * t["told"]["bound"])
    late = (t["key"] % 3 == 0) & (t["at"] > start) & (t["at"] < end)
    at = t["at"].copy()
    at[late] = end + rng.integers(0, max((end - start) // 50, 1), int(late.sum()))
    return {**t, "at": at}


def a_retry_sends_twice(rng: Generator) -> Table:
    t = any_base(rng)
    copy = part(t, some(rng, t, rng.uniform(0.01, 0.1)))
    return {**add(t, {**copy, "at": copy["at"] + int(rng.choice([0, 1, 200]))}), "needs": "key value"}


def two_collectors_send_nearly_everything(rng: Generator) -> Table:
    t = any_base(rng)
    copy = part(t, some(rng, t, 0.9))
    return {**add(t, {**copy, "at": copy["at"] + rng.integers(0, 500, len(copy["ts"]))}), "needs": "key value"}


def copies_minutes_later(rng: Generator) -> Table:
    t = any_base(rng)
    copy = part(t, some(rng, t, rng.uniform(0.007, 0.05)))
    return {**add(t, {**copy, "at": copy["at"] + rng.integers(MIN, 9 * MIN, len(copy["ts"]))}), "needs": "key value"}


def slow_network(rng: Generator) -> Table:
    t = base(rng, gap=float(rng.choice([5, 50, 400])))
    late = rng.exponential(5 * SEC, len(t["ts"]))
    return {**t, "at": t["ts"] + late.astype(np.int64), "told": {"bound": int(rng.choice([500, 2000]))}}


def a_heavy_tail(rng: Generator) -> Table:
    t = base(rng, gap=float(rng.choice([5, 50, 400])), channels=int(rng.choice([1, 3])))
    late = (rng.pareto(1.3, len(t["ts"])) + 1) * 500
    return {**t, "at": t["ts"] + np.minimum(late, 6 * HOUR).astype(np.int64), "told": {"bound": 3000}}


def phones_that_upload_every_minute(rng: Generator) -> Table:
    t = base(rng, gap=float(rng.choice([5, 50, 400])), keys=200)
    phase = t["key"] * 7919 % MIN
    at = t["ts"] + MIN - (t["ts"] + phase) % MIN
    return {**t, "at": at, "told": {"bound": 10 * SEC}}


INCIDENTS: dict[str, tuple[Callable[[Generator], Table], ...]] = {
    "no-timestamps": (nulls, zeros, the_deploy_date, nulls_and_zeros),
    "wrong-unit": (
        all_seconds, all_nanoseconds, one_channel_in_seconds, one_device_in_microseconds, seconds_since_the_deploy,
    ),
    "zone-offset": (
        everybody_in_local_time, one_channel_in_local_time, one_device_in_local_time, summer_time_begins,
        summer_time_for_all,
    ),
    "future-timestamps": (
        a_record_of_the_year_2036, a_device_that_resets_its_clock_now_and_then,
        one_in_a_thousand_half_an_hour_or_more_ahead, tomorrow_instead_of_today,
    ),
    "empty-channel": (a_partition_without_records,),
    "idle-channel": (a_partition_ends, a_partition_pauses, two_partitions_end, a_small_partition_ends),
    "skewed-source": (
        a_gateway_with_a_wrong_clock, a_phone_seven_minutes_ahead, a_path_that_takes_forty_seconds_more,
    ),
    "replay": (
        a_block_is_sent_again, the_beginning_is_sent_again_at_the_end, back_to_the_last_checkpoint,
        a_channel_was_cut_off, a_third_of_the_phones_were_in_a_tunnel,
    ),
    "duplicates": (a_retry_sends_twice, two_collectors_send_nearly_everything, copies_minutes_later),
    "bound-too-small": (slow_network, a_heavy_tail, phones_that_upload_every_minute),
}  # fmt: skip


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
