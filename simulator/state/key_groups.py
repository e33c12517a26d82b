"""Key groups: the shards in which Flink keeps and moves keyed state.

Source: ``KeyGroupRangeAssignment`` and ``MathUtils.murmurHash``.
"""

from typing import Final

from tidemark.simulator.values.key import BooleanKey, Key

DEFAULT_MAX_PARALLELISM: Final = 128
"""Flink's choice for a parallelism of up to 85. Source: ``computeDefaultMaxParallelism``."""

_MASK: Final = 2**32 - 1


def key_group(key: Key, max_parallelism: int = DEFAULT_MAX_PARALLELISM) -> int:
    """The key group of ``key``, from 0 to ``max_parallelism`` - 1. Source: ``assignToKeyGroup``."""
    return murmur_hash(java_hash_code(key)) % max_parallelism


def java_hash_code(key: Key) -> int:
    """``key.hashCode()`` of a Java String, Long or Boolean, as a signed 32-bit number."""
    if isinstance(key, BooleanKey):
        return 1231 if key.value else 1237
    if isinstance(key, int):
        return _signed((key ^ (key >> 32)) & _MASK)
    code = 0
    units = key.encode("utf-16-be", "surrogatepass")
    for index in range(0, len(units), 2):
        code = (31 * code + int.from_bytes(units[index : index + 2], "big")) & _MASK
    return _signed(code)


def murmur_hash(code: int) -> int:
    """Flink's murmur hash of a 32-bit number, never negative. Source: ``MathUtils.murmurHash``."""
    code = (code & _MASK) * 0xCC9E2D51 & _MASK
    code = _rotated(code, 15) * 0x1B873593 & _MASK
    code = (_rotated(code, 13) * 5 + 0xE6546B64) & _MASK
    code ^= 4
    code = (code ^ (code >> 16)) * 0x85EBCA6B & _MASK
    code = (code ^ (code >> 13)) * 0xC2B2AE35 & _MASK
    mixed = _signed(code ^ (code >> 16))
    if mixed >= 0:
        return mixed
    return -mixed if mixed != -(2**31) else 0


def _rotated(code: int, by: int) -> int:
    return (code << by | code >> (32 - by)) & _MASK


def _signed(code: int) -> int:
    return code - 2**32 if code & 0x80000000 else code
