"""Texts and numbers of a scenario as Java writes them.

A scenario's texts are anybody's. Java reads ``\\uXXXX`` before anything else, in comments too, so no backslash of a
text gets into a comment, and a string has every character that could matter as an escape. A program is ASCII
throughout: it compiles whatever encoding the machine has.
"""

from typing import Any, Final

from tidemark.simulator.values.time import Milliseconds

LONGEST_TEXT: Final = 10_000
"""A string constant of a class file has at most 65,535 bytes, and a character takes up to six in an escape's stead."""

_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PLAIN: Final = {
    "\u2018": "'", "\u2019": "'", "\u201c": "'", "\u201d": "'", "\u2013": "-", "\u2014": "-", "\u2026": "...",
    "\u00d7": "x", "\u2192": "->",
}  # fmt: skip
_UNITS: Final = (("Days", 86_400_000), ("Hours", 3_600_000), ("Minutes", 60_000), ("Seconds", 1_000), ("Millis", 1))


def string(text: str) -> str:
    """``text`` as a string literal."""
    units = text.encode("utf-16-be", "surrogatepass")
    return '"' + "".join(_character(int.from_bytes(units[i : i + 2])) for i in range(0, len(units), 2)) + '"'


def _character(unit: int) -> str:
    """One UTF-16 unit. A control character is written in octal: its Unicode escape would be read too early."""
    character = chr(unit)
    if character in _ESCAPES:
        return _ESCAPES[character]
    if unit < 32 or unit == 127:
        return f"\\{unit:03o}"
    return character if unit < 127 else f"\\u{unit:04x}"


def comment(text: str) -> str:
    """``text`` on one line of a comment, which it cannot end; empty if ASCII cannot show it."""
    for original, plain in _PLAIN.items():
        text = text.replace(original, plain)
    line = " ".join(text.replace("\\", "/").replace("*/", "* /").split())
    return line if line.isascii() and line.isprintable() else ""


def long(number: int) -> str:
    """A 64-bit integer: ``5L``."""
    return f"{number}L"


def literal(value: Any) -> str:
    """A text, number, boolean or null."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return long(value)
    return repr(value) if isinstance(value, float) else string(value)


def duration(ms: Milliseconds) -> str:
    """``Duration.ofSeconds(5)``: in the largest unit of which ``ms`` is a whole number."""
    unit, length = next((unit, length) for unit, length in _UNITS if ms % length == 0) if ms else ("Millis", 1)
    number = ms // length
    return f"Duration.of{unit}({number if abs(number) < 2**31 else long(number)})"
