"""Streams as people on call remember them, written before the rules were read; the ones that rules got wrong at first.

The tables are those of ``incidents``.
"""

import numpy as np
from numpy.random import Generator

from tests.own_stream.incidents import MIN, SEC, START, Table, any_base, base, part, when


def a_service_switches_to_nanoseconds(rng: Generator) -> Table:
    """Its channel goes on, so it is not idle."""
    t = base(rng, channels=6)
    switched = (t["channel"] == 1) & (t["at"] > when(t, 0.6))
    return {**t, "ts": np.where(switched, t["ts"] * 10**6, t["ts"]), "needs": "at channel"}


def a_few_words_and_then_silence(rng: Generator) -> Table:
    t = base(rng, channels=5)
    alive = (t["channel"] != 4) | (np.cumsum(t["channel"] == 4) <= int(rng.integers(1, 9)))
    return {**part(t, alive), "needs": "channel"}


def a_third_of_the_stream_is_sent_again(rng: Generator) -> Table:
    t = base(rng, n=24_000, gap=25)
    again = np.tile(np.arange(8_000, 16_000), 2)
    order = np.concatenate([np.arange(8_000), again, np.arange(16_000, 24_000)])
    t = part(t, np.argsort(t["at"], kind="stable")[order])
    return {**t, "at": t["at"][0] + np.arange(len(order)) * 25, "needs": "key value"}


def two_partitions_are_lost(rng: Generator) -> Table:
    t = base(rng, channels=8, gap=12)
    return {**part(t, (t["channel"] < 6) | (t["at"] < when(t, 0.6))), "needs": "channel"}


def clients_send_each_at_its_own_pace(rng: Generator) -> Table:
    t = base(rng, n=50_000, keys=100, gap=20)
    pace = 5_000 + (t["key"] + 1) * 400
    at = (t["ts"] // pace + 1) * pace + rng.integers(0, 300, len(pace))
    return {**t, "at": at, "told": {"bound": 50 * SEC}, "needs": "at key"}


def a_congestion_of_a_few_seconds(rng: Generator) -> Table:
    t = base(rng, n=60_000, gap=20)
    slow = (t["at"] > when(t, 0.5)) & (t["at"] < when(t, 0.6))
    late = np.where(slow, rng.exponential(4_000, len(slow)), 0).astype(np.int64)
    return {**t, "at": t["at"] + late, "told": {"bound": 60 * SEC}}


def hundreds_of_keys_by_the_minute(rng: Generator) -> Table:
    t = any_base(rng, keys=400, gap=200, n=20_000)
    by_key = np.zeros(len(t["ts"]), np.int64)
    return {**t, "ts": START + (t["ts"] - START) // MIN * MIN, "value": by_key, "told": {"bound": 10 * MIN}}


INCIDENTS = {
    "wrong-unit": (a_service_switches_to_nanoseconds,),
    "idle-channel": (a_few_words_and_then_silence, two_partitions_are_lost),
    "replay": (a_third_of_the_stream_is_sent_again,),
}
HEALTHY = (clients_send_each_at_its_own_pace, a_congestion_of_a_few_seconds, hundreds_of_keys_by_the_minute)
