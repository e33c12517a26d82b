"""XXH64 in plain Python, for a browser, which has no xxhash: the one function that generated streams use.

After the specification of XXH64 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md), for any length of data.
"""

from struct import unpack_from

_ALL = 0xFFFF_FFFF_FFFF_FFFF
_PRIME_1 = 0x9E3779B185EBCA87
_PRIME_2 = 0xC2B2AE3D27D4EB4F
_PRIME_3 = 0x165667B19E3779F9
_PRIME_4 = 0x85EBCA77C2B2AE63
_PRIME_5 = 0x27D4EB2F165667C5


def xxh64_intdigest(data: bytes, seed: int = 0) -> int:
    """The hash of ``data``, unsigned, 64 bits."""
    length, at = len(data), 0
    if length >= 32:
        lanes = [seed + _PRIME_1 + _PRIME_2, seed + _PRIME_2, seed, seed - _PRIME_1]
        while at <= length - 32:
            lanes = [_round(lane, word) for lane, word in zip(lanes, unpack_from("<4Q", data, at), strict=True)]
            at += 32
        found = sum(_rotated(lane & _ALL, by) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True)) & _ALL
        for lane in lanes:
            found = ((found ^ _round(0, lane & _ALL)) * _PRIME_1 + _PRIME_4) & _ALL
    else:
        found = (seed + _PRIME_5) & _ALL
    found = (found + length) & _ALL
    while at <= length - 8:
        found = (_rotated(found ^ _round(0, unpack_from("<Q", data, at)[0]), 27) * _PRIME_1 + _PRIME_4) & _ALL
        at += 8
    if at <= length - 4:
        found ^= (unpack_from("<I", data, at)[0] * _PRIME_1) & _ALL
        found = (_rotated(found, 23) * _PRIME_2 + _PRIME_3) & _ALL
        at += 4
    for byte in data[at:]:
        found = (_rotated(found ^ (byte * _PRIME_5 & _ALL), 11) * _PRIME_1) & _ALL
    found = ((found ^ (found >> 33)) * _PRIME_2) & _ALL
    found = ((found ^ (found >> 29)) * _PRIME_3) & _ALL
    return found ^ (found >> 32)


def _round(lane: int, word: int) -> int:
    return (_rotated((lane + word * _PRIME_2) & _ALL, 31) * _PRIME_1) & _ALL


def _rotated(number: int, by: int) -> int:
    return ((number << by) | (number >> (64 - by))) & _ALL
