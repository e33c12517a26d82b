"""Records sorted by arrival, equal ones as they stand in the file: in runs that fit into memory, merged from disk."""

import heapq
import pickle
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain, islice
from typing import IO, Final

from tidemark.simulator.values.items import Record

RUN: Final = 200_000
"""The most records in memory."""

_PIECE: Final = 1_000
"""How many records of each run are in memory while the runs are merged."""


def by_arrival(records: Iterable[Record], run: int = RUN) -> Iterator[Record]:
    """``records`` by their ``at``. What does not fit into memory lies in temporary files without a name."""
    with ExitStack() as files:
        runs: list[Iterator[Record]] = []
        for part in _parts(records, run):
            ordered = sorted(part, key=_arrival)
            if len(part) < run and not runs:
                yield from ordered
                return
            file = files.enter_context(tempfile.TemporaryFile())
            for piece in _parts(ordered, _PIECE):
                pickle.dump(piece, file)
            file.seek(0)
            runs.append(_of_run(file))
        yield from heapq.merge(*runs, key=_arrival)  # of equal ones the earlier run's comes first


def _parts(records: Iterable[Record], most: int) -> Iterator[list[Record]]:
    left = iter(records)
    while part := list(islice(left, most)):
        yield part


def _of_run(file: IO[bytes]) -> Iterator[Record]:
    def pieces() -> Iterator[list[Record]]:
        while True:
            try:
                yield pickle.load(file)
            except EOFError:
                return

    return chain.from_iterable(pieces())


def _arrival(record: Record) -> int:
    return record.at or 0
