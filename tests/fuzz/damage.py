"""Damaging sound input: bytes of files, and the structure of what a browser sends."""

import copy
import json
import re
from random import Random
from typing import Any, Final

PIECES: Final = tuple(
    """
0 1 -1 9223372036854775807 -9223372036854775808 9223372036854775808 1e999 1.5 NaN null true ~ '' "" {} [] [1,2]
& * ! | > % @ # : - , { } [ ] ' " ` ; ( ) < = \\ / .. ../ -- /* */ ${x} {{x}} <script> %s
tumbling session global sliding count delta purging sql tvf datastream spark event processing at ts key value in channel
watermark status advance checkpoint restore end generate events 1000000000 5s -5s 1h0 1d 9999d 0ms
2017-01-20T06:15:13Z SELECT FROM TABLE TUMBLE WATERMARK INTERVAL GROUP BY PARTITION
\u00e9 \u6c34\u4f4d \u202e \ufeff \U0001f600
""".split()  # noqa: SIM905
)

BYTES: Final = (b"\0", b"\xff", b"\xfe\xff", b"\r", b"\n", b"\t", b" ", b"  ", b"\xc3", b"\x1b[31m", b"\x1f\x8b")

VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1, 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**30, 1.5, -0.0, 1e308, "", "x", "0", "-1",
    "5s", "\0", "\u202e", "\ud800", "../../etc/passwd", "<img src=x onerror=alert(1)>", "x" * 5_000, [], {}, [[]],
    [None],
    {"": None}, {"number": {"number": 1}}, [0] * 500, "two-clocks", "late-but-allowed", "en", "zh",
)  # fmt: skip


def damaged_bytes(seeds: list[bytes], chance: Random) -> bytes:
    """One of the ``seeds`` with a few pieces deleted, doubled, replaced, moved, or taken from another seed."""
    data = chance.choice(seeds)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((0, 1, 1, 2, 5, 20, 100)))
        other = chance.choice(seeds)
        place = chance.randrange(len(other) + 1)
        piece = chance.choice((
            chance.choice(PIECES).encode("utf-8", "replace"),
            chance.choice(PIECES).encode("utf-8", "replace"),
            data[start:end] * chance.choice((2, 2, 50)),
            b"",
            chance.choice(BYTES),
            other[place : place + chance.choice((5, 20, 200))],
        ))  # fmt: skip
        data = data[:start] + piece + data[end:]
    return data


def swapped_word(seeds: list[bytes], chance: Random) -> bytes:
    """One of the ``seeds`` with a word or number replaced: most of the results still have the form that they had."""
    text = chance.choice(seeds).decode("utf-8", "replace")
    words = re.split(r"[\s,{}()]+", text)
    old = chance.choice([each for each in words if each] or [""])
    places = [place for place in range(len(text)) if text.startswith(old, place)]
    place = chance.choice(places)
    return (text[:place] + chance.choice((*PIECES, *words)) + text[place + len(old) :]).encode("utf-8", "replace")


def damaged_structure(seeds: list[Any], chance: Random) -> Any:
    """A copy of one of the ``seeds`` in which a few members have other values, other types, are gone or are new."""
    value = copy.deepcopy(chance.choice(seeds))
    for _ in range(chance.choice((1, 1, 2, 4))):
        value = _changed(value, chance)
    return value


def _strange(chance: Random) -> Any:
    return copy.deepcopy(chance.choice(VALUES))


def _changed(value: Any, chance: Random) -> Any:
    if isinstance(value, dict) and value and chance.random() < 0.85:
        name = chance.choice(list(value))
        match chance.randrange(6):
            case 0:
                del value[name]
            case 1:
                value[chance.choice(("kind", "name", "number", "step", "x", "", "\ud800"))] = _strange(chance)
            case 2:
                value[name] = _strange(chance)
            case 3:
                value[name] = copy.deepcopy(value[chance.choice(list(value))])
            case _:
                value[name] = _changed(value[name], chance)
        return value
    if isinstance(value, list) and value and chance.random() < 0.85:
        place = chance.randrange(len(value))
        match chance.randrange(4):
            case 0:
                del value[place]
            case 1:
                value.insert(place, _strange(chance))
            case _:
                value[place] = _changed(value[place], chance)
        return value
    if isinstance(value, str) and value and chance.random() < 0.5:
        return damaged_bytes([value.encode("utf-8", "replace")], chance).decode("utf-8", "replace")
    return _strange(chance)


def as_sent(value: Any) -> Any:
    """``value`` as a browser's message arrives: through JSON, whose names are texts."""
    return json.loads(json.dumps(value, allow_nan=True))
