"""How often the cause of a stream is found first: ``python -m tests.own_stream.trial --streams 1000``."""

import argparse
import time
from collections import Counter, defaultdict

import numpy as np
from tidemark.spark_bridge.profile.findings.judge import causes
from tidemark.spark_bridge.profile.findings.records import Expectations, Records

from tests.own_stream.streams import Stream
from tests.own_stream.troubles import TROUBLES, healthy


def records_of(stream: Stream) -> Records:
    """The stream as the findings see it."""
    wanted = ~stream.missing
    columns = {name: getattr(stream, name) for name in ("ts", "at", "channel", "key", "value")}
    columns = {name: column[wanted] for name, column in columns.items() if column is not None}
    return Records(np.arange(int(wanted.sum())), unreadable=int(stream.missing.sum()), **columns)


def judged(stream: Stream) -> list[str]:
    """The codes that are found in a stream, in their order."""
    return [cause.code for cause in causes(records_of(stream), Expectations(stream.bound, stream.channels))]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=220)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=60_000)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    makers = [maker for maker in (*TROUBLES, healthy) if asked.only in maker.__name__]
    first, alone, tried = Counter[str](), Counter[str](), Counter[str]()
    other = defaultdict[str, Counter[str]](Counter)
    began = time.perf_counter()
    for number in range(asked.streams):
        maker = makers[number % len(makers)]
        stream = maker(np.random.default_rng([asked.seed, number]), asked.most)
        found = judged(stream)
        wanted = [stream.code] if stream.code else []
        name = maker.__name__
        tried[name] += 1
        first[name] += found[:1] == wanted
        alone[name] += found == wanted
        if found[:1] != wanted:
            other[name].update(found[:1] or ["nothing"])
        if found != wanted:
            has = [column for column in ("at", "channel", "key", "value") if getattr(stream, column) is not None]
            print(f"[{asked.seed}, {number}] {stream.name} ({' '.join(has)}; bound {stream.bound}): {found}")
    for name in tried:
        print(f"{name:20} {tried[name]:5} first {first[name]:5} alone {alone[name]:5}  {dict(other[name])}")
    print(f"{first.total()} of {tried.total()} first, {alone.total()} alone, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
