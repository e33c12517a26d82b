"""The order in which a Java ``HashSet`` or ``HashMap`` of windows is iterated.

When windows merge, Flink keeps the contents under the first window of such a set. So this order shows in the order of
merged lists, in what an evictor removes and in the last bit of sums of doubles.
"""

from collections.abc import Callable, Sequence

from tidemark.simulator.values.window import TimeWindow

_MASK_64 = 2**64 - 1
_MASK_32 = 2**32 - 1


def time_window_hash(window: TimeWindow) -> int:
    """The 32 bits of ``TimeWindow.hashCode``. Source: ``MathUtils.longToIntWithBitMixing``."""
    bits = (window.start + window.end) & _MASK_64
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & _MASK_64
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & _MASK_64
    return (bits ^ (bits >> 31)) & _MASK_32


def table_window_hash(window: TimeWindow) -> int:
    """The 32 bits of the table runtime's ``TimeWindow.hashCode``: start + the inverse of an odd number of end."""
    odd = ((window.end << 1) + 1) & _MASK_32
    inverse = odd * odd * odd & _MASK_32
    for _ in range(3):
        inverse = inverse * (2 - odd * inverse) & _MASK_32
    return (window.start + inverse) & _MASK_32


def hash_set_order(
    inserted: Sequence[TimeWindow], hash_code: Callable[[TimeWindow], int] = time_window_hash
) -> list[TimeWindow]:
    """Distinct windows, passed in order of insertion, in the order in which a ``java.util.HashSet`` iterates them.

    There are 16 buckets, doubled while there are more windows than three quarters of them. Buckets come by ascending
    index; within one, windows come in order of insertion.
    """
    buckets = 16
    while len(inserted) > buckets * 3 // 4:
        buckets *= 2

    def bucket(window: TimeWindow) -> int:
        code = hash_code(window)
        return (code ^ (code >> 16)) & (buckets - 1)

    return sorted(inserted, key=bucket)
