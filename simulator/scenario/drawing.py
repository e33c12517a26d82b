"""What is drawn for record i of a generated stream: a hash of the seed, the column and i, so nothing else counts.

Column c of record i is drawn from ``h(c, i)``, the 64-bit xxHash that Spark's ``xxhash64(seed, c, i)`` returns for
three BIGINT columns: XXH64 of each column's 8 little-endian bytes, seeded with the previous hash, and first with 42.
"""

from collections.abc import Callable
from functools import cache
from struct import Struct
from typing import Final

MILLION: Final = 1_000_000

SPARK_SEED: Final = 42
KEY, DISORDER, LATE, VALUE, CHANNEL, INPUT, BORDER, GRID, OFFSET, TICK, TICK_GRID, TICK_OFFSET = range(12)
"""The columns that are drawn. Those from ``BORDER`` on only for a stream that seeks borders: whether the record's time
seeks one, which, and by how much the record misses it; and the same of its arrival.
"""

to_bytes: Final = Struct("<q").pack
"""The bytes that are hashed for a number."""


@cache
def hash_function() -> Callable[[bytes, int], int]:
    """XXH64 of bytes with a seed. Imported here, because a written stream needs no library."""
    from xxhash import xxh64_intdigest

    return xxh64_intdigest


def column_hash(seed: int, column: int) -> int:
    """The hash (unsigned) of seed and column, from which every record of the column continues."""
    digest = hash_function()
    return digest(to_bytes(column), digest(to_bytes(seed), SPARK_SEED))


def below(seed: int, column: int) -> Callable[[int, int], int]:
    """What gives the number drawn in that column for record ``i``, from 0 up to below a limit: ``(i, limit)``."""
    digest, begun = hash_function(), column_hash(seed, column)

    def drawn(index: int, limit: int) -> int:
        return (digest(to_bytes(index), begun) >> 1) % limit

    return drawn
