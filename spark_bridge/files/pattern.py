"""What dates of a column look like, as a pattern of ``java.time``, which Java, Flink SQL and Spark all read."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_ZONE: Final = re.compile(r"(?<=\d)(\s*)(Z|z|UTC|GMT|[+-]\d\d(?::?\d\d)?)$")
_FRACTION: Final = re.compile(r"(?:(?::\d\d)|(?:\d{8}T?\d{6}))([.,]\d{1,9})(?=$|[^\d.])")
_TOKEN: Final = re.compile(r"\d+|[A-Za-z]+|[^\dA-Za-z]+")
_PLAIN: Final = frozenset(" -/:.,")
_ORDER: Final = {"iso": "yMd", "dmy": "dMy", "mdy": "Mdy", "named": "dy"}
_STRICT: Final = re.compile(r"\d{4}-\d\d?-\d\d?([T ]\d\d?:\d\d(:\d\d(\.\d{1,9})?(Z|UTC|GMT|[+-]\d\d(:?\d\d)?)?)?)?")


@dataclass(frozen=True)
class Pattern:
    """``text``: the pattern of a time without its zone. ``zone``: what a time ends in, such as ``Z`` or ``+01:00``, and
    "" without one. ``is_iso``: ISO 8601 as Spark reads it by itself. ``has_time``: it is more than a day."""

    text: str
    zone: str = ""
    is_iso: bool = False
    has_time: bool = True


def pattern_of(cells: Sequence[str], form: str) -> Pattern | None:
    """The pattern of most of ``cells``; None without any. ``form``: ``iso``, ``dmy``, ``mdy`` or ``named``."""
    cells = [cell for cell in cells if any(each.isdigit() for each in cell)]
    shapes = Counter(_shape(cell) for cell in cells)
    if not shapes:
        return None
    (common, _), *_ = shapes.most_common(1)
    alike = [cell for cell in cells if _shape(cell) == common]
    zones = [_split(cell)[1] for cell in alike]
    rows = [_tokens(_split(cell)[0]) for cell in alike]
    fractions = {re.sub(r"\d", "S", _fraction(cell)) for cell in cells}
    text = _pattern([list(column) for column in zip(*rows, strict=True)], form, _of_fraction(fractions))
    return Pattern(text, zones[0], all(_STRICT.fullmatch(cell) for cell in alike), ":" in text or "HHmm" in text)


def _split(cell: str) -> tuple[str, str]:
    """A cell without its fraction of a second and without its zone, and the zone with the blanks before it."""
    found = _ZONE.search(cell) if ":" in cell or re.search(r"\d{8}T?\d{6}", cell) else None
    zone = found[0] if found else ""
    body = cell[: len(cell) - len(zone)]
    return body[: len(body) - len(_fraction(cell))], zone


def _fraction(cell: str) -> str:
    """The point of the seconds and what comes after it."""
    found = _FRACTION.search(cell)
    return found[1] if found else ""


def _tokens(body: str) -> list[str]:
    return _TOKEN.findall(body)


def _shape(cell: str) -> tuple[str, ...]:
    """What is alike in cells of one pattern."""
    body, zone = _split(cell)
    kinds = ("9" if each.isdigit() else "A" if each.isalpha() and len(each) > 2 else each for each in _tokens(body))
    return (*kinds, "zone" if zone[-1:].isdigit() else zone)


def _pattern(columns: list[list[str]], form: str, fraction: str) -> str:
    order = list(_ORDER[form] + "Hms")
    half = any(column[0].lower() in ("am", "pm") for column in columns)
    parts = []
    for column in columns:
        token = column[0]
        if token.isdigit():
            parts.append(_digits(column, order))
        elif token.lower() in ("am", "pm"):
            parts.append("a")
        elif token.isalpha() and len(token) > 2:
            parts.append("MMM" if all(len(each) == 3 for each in column) else "MMMM")
        else:
            parts.append(token if set(token) <= _PLAIN else f"'{token}'")
        if parts[-1] == "ss" or parts[-1].endswith("mmss"):
            parts.append(fraction)
    text = "".join(parts)
    return text.replace("HH", "hh").replace("H", "h") if half else text


def _digits(column: list[str], order: list[str]) -> str:
    if len(column[0]) == 8:
        del order[:3]
        return "yyyyMMdd"
    if len(column[0]) == 6 and order[0] == "H":
        order.clear()
        return "HHmmss"
    if "d" in order and len(column[0]) == 4 and order[0] != "y":
        order.remove("y")
        return "yyyy"
    field = order.pop(0) if order else "s"
    if field == "y":
        return "y" * len(column[0])
    padded = field in "ms" or any(each.startswith("0") for each in column)
    return field * (2 if padded and all(len(each) == 2 for each in column) else 1)


def _of_fraction(found: set[str]) -> str:
    if len(found) == 1:
        return next(iter(found))
    return "".join(f"[{each}]" for each in sorted(found, key=len, reverse=True) if each)
