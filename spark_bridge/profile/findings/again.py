"""Records that come more than once in a stream of any length: Spark brings equal ones together, tasks count them."""

import pickle
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from tidemark.spark_bridge.profile.behind import Longs
from tidemark.spark_bridge.profile.feeding import Feed
from tidemark.spark_bridge.profile.findings.identities import identities
from tidemark.spark_bridge.profile.findings.near import Columns
from tidemark.spark_bridge.profile.findings.recount import Count, First
from tidemark.spark_bridge.profile.findings.telling import Teller
from tidemark.spark_bridge.profile.parts import Piece

RECORDS: Final = 1_000_000
"""About so many records are compared by one task."""

SOME: Final = 20_000
"""At most so many of the copies that a task finds tell where they are."""

SCHEMA: Final = dict.fromkeys(("number", "item", "ts", "time", "flags"), "bigint")
"""What a task tells of each record: its identity, its number, its timestamp, its time, and what it is counted for."""
_LEFT, _BACK = 1, 2


class Again(NamedTuple):
    """``copies``: among the records that were left. ``back``: so many copies are records of the sign that was named.

    ``items``, ``timestamps``: of some copies, by chance.
    """

    copies: Count
    back: int
    items: Longs
    timestamps: Longs


def again(
    feed: Feed, teller: Teller, columns: Columns, records: int, *, timed: int, left: int, back: int | None
) -> Again:
    """The records with the timestamp, key and value of an earlier one.

    ``records``: about how many there are. Compared are those that are left after ``timed`` signs, counted those that
    are left after ``left`` signs. ``back``: the sign whose copies are counted too. A pass, and a shuffle.
    """
    own = teller.shipped()

    def numbered(pieces: Iterator[Piece]) -> Iterator[tuple[Any, ...]]:
        for seen in own.seen(pieces):
            among = seen.left[timed]
            flags = seen.left[left] * _LEFT
            if back is not None:
                flags = flags + seen.told[back].counted * _BACK
            ts, own_at = seen.by_sign[timed].ts, seen.records.at
            times = seen.records.ts if own_at is None else own_at
            same = identities(seen.piece._replace(timestamps=ts))
            columns = (same, seen.records.item, seen.records.ts, times, flags.astype(np.int64))
            yield tuple(column[among] for column in columns)

    rows = feed.mapped(numbered, SCHEMA, keys=columns.key, values=columns.value)
    parts = rows.repartition(max(records // RECORDS, 1), "number")
    whole, total, some = Count(), 0, list[tuple[Longs, Longs]]()
    for row in parts.mapInArrow(_counted, "found BINARY").collect():
        count, of_back, *which = pickle.loads(row[0])
        whole.merge(count)
        total += of_back
        some.append(tuple(which))
    empty = np.zeros(0, np.int64)
    items, timestamps = (np.concatenate([empty, *(each[column] for each in some)]) for column in (0, 1))
    order = np.argsort(items)
    return Again(whole, total, items[order], timestamps[order])


def _counted(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    held = [batch for batch in batches if len(batch)]
    if not held:
        return
    table = pa.Table.from_batches(held)
    number, item, ts, time, flags = (table.column(name).to_numpy() for name in SCHEMA)
    order = np.lexsort((item, number))
    is_copy = np.zeros(len(order), np.bool_)
    is_copy[order[1:]] = number[order[1:]] == number[order[:-1]]
    copies = np.flatnonzero(is_copy & (flags & _LEFT > 0))
    count = Count()
    if len(copies):
        first = copies[np.argmin(item[copies])]
        count = Count(len(copies), First(int(item[first]), int(time[first]), None), int(item[copies].max()))
    some = copies[:: len(copies) // SOME + 1]
    found = pickle.dumps((count, int(np.count_nonzero(is_copy & (flags & _BACK > 0))), item[some], ts[some]))
    yield pa.RecordBatch.from_arrays([pa.array([found])], names=["found"])
