"""Scalars: the text between quotes, and the value of a text without them (YAML 1.2 core schema)."""

import re
from collections.abc import Sequence
from typing import Final

from tidemark.simulator.engine.values.time import MAX, MIN

NULLS: Final = frozenset(("", "~", "null", "Null", "NULL"))
BOOLEANS: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}

DECIMAL = re.compile(r"[-+]?[0-9]+")
OCTAL = re.compile(r"0o[0-7]+")
HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
NUMBER_BEGINS = frozenset("0123456789+-.")

DIGITS_OF_64_BITS: Final = 22
"""No 64-bit integer has more digits in any base that can be written here."""

ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.?))", re.DOTALL)
ESCAPED: Final = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}


class ScalarError(ValueError):
    """A scalar is wrong: ``word`` is the reason in the catalogue's ``problems``, ``offset`` counts from its start."""

    def __init__(self, word: str, offset: int = 0) -> None:
        super().__init__(word)
        self.word = word
        self.offset = offset


def resolve(text: str) -> str | int | float | bool | None:
    """The value of a plain scalar. Raises ``ScalarError`` for an integer beyond 64 bits and for a number not finite."""
    if text in NULLS:
        return None
    if text[0] in NUMBER_BEGINS:
        return _number(text)
    return BOOLEANS.get(text, text)


def _number(text: str) -> str | int | float:
    if DECIMAL.fullmatch(text):
        return _integer(text.lstrip("+-").lstrip("0"), 10, negative=text[0] == "-")
    if OCTAL.fullmatch(text):
        return _integer(text[2:].lstrip("0"), 8)
    if HEXADECIMAL.fullmatch(text):
        return _integer(text[2:].lstrip("0"), 16)
    if FLOAT.fullmatch(text):
        number = float(text)
        if number in (float("inf"), float("-inf")):
            raise ScalarError("not_finite")
        return number
    if NOT_FINITE.fullmatch(text):
        raise ScalarError("not_finite")
    return text


def _integer(digits: str, base: int, *, negative: bool = False) -> int:
    """``digits`` have no leading zeros. Very long ones are refused before they are converted, which could take long."""
    if len(digits) <= DIGITS_OF_64_BITS:
        number = int(digits or "0", base)
        number = -number if negative else number
        if MIN <= number <= MAX:
            return number
    raise ScalarError("beyond_64_bits")


def single_quoted(inner: str) -> str:
    """The text between single quotes."""
    inner = inner.replace("''", "'")
    return inner if "\n" not in inner else join_folded(folded_pieces(inner))


def double_quoted(inner: str) -> str:
    """The text between double quotes. Raises ``ScalarError`` for an unknown escape."""
    if "\\" not in inner:
        return inner if "\n" not in inner else join_folded(folded_pieces(inner))
    for escape in ESCAPE.finditer(inner):  # before folding: it moves what stands after a line break
        if escape[4] != "\n":
            _escaped(escape)
    return unescape(inner if "\n" not in inner else _fold_escaped(inner))


def unescape(inner: str) -> str:
    """``inner`` with its escapes replaced. Raises ``ScalarError`` at the first unknown one."""

    return paired(ESCAPE.sub(_escaped, inner))


def _escaped(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    if code is not None and int(code, 16) <= 0x10FFFF:
        return chr(int(code, 16))
    if escape[4] not in ESCAPED:
        raise ScalarError("unknown_escape", escape.start())
    return ESCAPED[escape[4]]


def paired(text: str) -> str:
    """``text`` with each surrogate pair as the one character it stands for. Raises ``ScalarError`` for a lone one."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise ScalarError("lone_surrogate") from None


def folded_pieces(inner: str) -> list[str]:
    """The lines of a flow scalar without the blanks around its line breaks."""
    lines = inner.split("\n")
    last = len(lines) - 1
    pieces = []
    for number, line in enumerate(lines):
        piece = line if number == 0 else line.lstrip(" \t")
        pieces.append(piece if number == last else piece.rstrip(" \t"))
    return pieces


def join_folded(pieces: Sequence[str]) -> str:
    """Fold lines: one line break becomes a blank, each further one stays. The first and the last piece always count."""
    parts = [pieces[0]]
    breaks = 0
    for number, piece in enumerate(pieces[1:], 1):
        breaks += 1
        if piece or number == len(pieces) - 1:
            parts.append("\n" * (breaks - 1) or " ")
            parts.append(piece)
            breaks = 0
    return "".join(parts)


def _fold_escaped(inner: str) -> str:
    """As ``join_folded``, for a text in which a backslash keeps a blank at the end of a line, or removes its break."""
    parts: list[str] = []
    breaks = 0
    joined = False
    lines = inner.split("\n")
    for number, line in enumerate(lines):
        piece = line if number == 0 else line.lstrip(" \t")
        if number < len(lines) - 1:
            stripped = piece.rstrip(" \t")
            cut = len(piece) > len(stripped) and _ends_escaping(stripped)
            piece = stripped + (piece[len(stripped)] if cut else "")
        if number and not piece and number < len(lines) - 1:
            breaks += 1
            continue
        if number:
            parts.append("\n" * breaks or ("" if joined else " "))
        joined = number < len(lines) - 1 and _ends_escaping(piece)
        parts.append(piece[:-1] if joined else piece)
        breaks = 0
    return "".join(parts)


def _ends_escaping(text: str) -> bool:
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def block_text(lines: Sequence[str], *, folded: bool, chomp: str) -> str:
    """The text of a block scalar: its lines without their indentation; ``chomp`` is ``-``, ``+`` or empty."""
    count = len(lines)
    while count and not lines[count - 1]:
        count -= 1
    if not count:
        return "\n" * len(lines) if chomp == "+" else ""
    body = _fold_block(lines[:count]) if folded else "\n".join(lines[:count])
    if chomp == "-":
        return body
    return body + "\n" * (len(lines) - count + 1 if chomp == "+" else 1)


def _fold_block(lines: Sequence[str]) -> str:
    parts: list[str] = []
    breaks = 0
    spaced_before = True  # there is nothing before the first line to fold it with, so its breaks stay
    for number, line in enumerate(lines):
        if not line:
            breaks += 1
            continue
        spaced = line[0] in " \t"
        if number == breaks:
            parts.append("\n" * breaks)
        elif spaced or spaced_before:
            parts.append("\n" * (breaks + 1))
        else:
            parts.append("\n" * breaks or " ")
        parts.append(line)
        spaced_before = spaced
        breaks = 0
    return "".join(parts)
