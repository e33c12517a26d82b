"""Digests of rows, by which two processes find out whether they have the same rows without exchanging them.

Each row has a hash. The rows of a kind fall into buckets by the hash of their place (key, window, pane), so that two
rows that should be the same are in the same bucket, whatever they differ in. The digest of a bucket is (count, xor,
sum) of the hashes of its rows. The hash is the one that Spark's ``xxhash64`` gives for the columns in the order of
``HASHED``: XXH64 of each column's bytes, seeded with the hash so far, at first 42; nulls are skipped. So the
simulator's process computes its digests by itself, and no row has to leave it as long as the digests agree.
"""

from collections.abc import Iterable
from functools import lru_cache
from struct import Struct
from typing import Final

from tidemark.spark_bridge.results.canonical import Columns
from xxhash import xxh64_intdigest

BUCKETS: Final = 4096

PLACE: Final = ("row", "key", "start", "end", "pane", "time")
"""What says which row it is: a result of a window, or a record."""

HASHED: Final = (
    *PLACE,
    *("timing", "change", "input", "own", "value_text", "value_number", "watermark", "at", "item"),
)
"""All columns of a row; those of its place come first, so that their hash is part of the row's."""

SHIFT: Final = 20
"""The sum is that of the hashes without their lowest bits, so that it stays within 64 bits."""

_SPARK_SEED: Final = 42
_WORD: Final = 2**64
_long = Struct("<q").pack
_double = Struct("<d").pack

Place = tuple[str, int]
"""(kind of row, bucket)."""

Found = dict[Place, tuple[int, int, int]]
"""The number of rows in a bucket, and the xor and the sum of their hashes (as signed 64-bit numbers)."""


class Digests:
    """The digests of the rows that were added."""

    def __init__(self) -> None:
        self._places: dict[Place, list[int]] = {}

    def add(self, columns: Columns) -> int:
        """Add a row, a tuple of ``canonical.COLUMNS``; returns its bucket."""
        place, digest = hashes(columns)
        bucket = place % BUCKETS
        found = self._places.setdefault((columns[0], bucket), [0, 0, 0])
        found[0] += 1
        found[1] ^= digest
        found[2] += digest >> SHIFT
        return bucket

    def found(self) -> Found:
        """The digests of all buckets that hold a row."""
        return {place: (rows, _signed(xor), _signed(total)) for place, (rows, xor, total) in self._places.items()}


def text_hash(text: str) -> int:
    """Spark's hash of a single text, as an unsigned number."""
    return xxh64_intdigest(text.encode(), _SPARK_SEED)


def added(sides: Iterable[Found]) -> Found:
    """The digests of all rows, from those of several processes."""
    places: dict[Place, tuple[int, int, int]] = {}
    for side in sides:
        for place, (rows, xor, total) in side.items():
            before = places.get(place, (0, 0, 0))
            places[place] = before[0] + rows, before[1] ^ xor, _signed(before[2] + total)
    return places


def hashes(columns: Columns) -> tuple[int, int]:
    """Spark's hashes of a row's place and of the row, as unsigned numbers."""
    row, key, start, end, timing, pane, change, time, text, number, watermark, at, item, side, own = columns
    digest = _of_texts(row, key)
    for each in (start, end, pane, time):
        if each is not None:
            digest = xxh64_intdigest(_long(each), digest)
    place = digest
    for each in (timing, change, side, own, text):
        if each is not None:
            digest = xxh64_intdigest(each.encode(), digest)
    if number is not None:
        digest = xxh64_intdigest(_double(number), digest)
    for each in (watermark, at, item):
        if each is not None:
            digest = xxh64_intdigest(_long(each), digest)
    return place, digest


@lru_cache(maxsize=65_536)
def _of_texts(row: str, key: str) -> int:
    return xxh64_intdigest(key.encode(), xxh64_intdigest(row.encode(), _SPARK_SEED))


def _signed(number: int) -> int:
    number %= _WORD
    return number - _WORD if number >= _WORD // 2 else number
