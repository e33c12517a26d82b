"""Functions of Flink SQL over texts, each as Flink computes it; the result of none is longer than a limit."""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from decimal import Decimal
from hashlib import md5, sha1, sha256
from typing import Any, Final

from tidemark.simulator.limits import SQL_TEXT
from tidemark.simulator.sql.types import Computed, Failure, joined, strict

Function = Callable[[Sequence[Computed]], "Computed | None"]
"""Of its arguments; None for types that it does not take."""

_TYPES: Final = {"t": ("text",), "i": ("small", "int"), "b": ("boolean",)}


def of(result: str, work: Callable[..., Any], *signatures: str) -> Function:
    """``work`` for arguments whose types have these letters (t: text, i: INT or less); ``*``: one or more texts."""

    def fits(arguments: Sequence[Computed], signature: str) -> bool:
        letters = "t" * len(arguments) if signature == "*" else signature
        return len(letters) == len(arguments) > 0 and all(
            each.type in _TYPES[letter] for each, letter in zip(arguments, letters, strict=True)
        )

    def function(arguments: Sequence[Computed]) -> Computed | None:
        return strict(result, work, *arguments) if any(fits(arguments, each) for each in signatures) else None

    return function


def bounded(length: int, what: str) -> None:
    """Raises ``Failure`` for a text of more than ``SQL_TEXT`` characters."""
    if length > SQL_TEXT:
        raise Failure(f"{what}: {length} > {SQL_TEXT}")


def concatenated(*texts: str) -> str:
    """``||`` and CONCAT."""
    found = "".join(texts)
    bounded(len(found), "CONCAT")
    return found


def _concat_ws(arguments: Sequence[Computed]) -> Computed | None:
    """A NULL among the texts is left out."""
    if len(arguments) < 2 or any(each.type != "text" for each in arguments):
        return None
    separator, *texts = (each.of for each in arguments)

    def value(row: Any) -> str | None:
        between = separator(row)
        if between is None:
            return None
        found = between.join(it for each in texts if (it := each(row)) is not None)
        bounded(len(found), "CONCAT_WS")
        return str(found)

    return joined("text", value, *arguments)


def _part_of(text: str, start: int, length: int | None = None) -> str | None:
    """From the character with the number ``start``, from 1; from the end if that is negative."""
    if length is not None and length < 0:
        return None
    at = start - 1 if start > 0 else len(text) + start if start < 0 else 0
    if at < 0 or at >= len(text):
        return ""
    return text[at:] if length is None else text[at : at + length]


def _initcap(text: str) -> str:
    """Letters and digits of re.ASCII make words, as in Flink."""
    return re.compile("[A-Za-z0-9]+").sub(lambda word: word[0].capitalize(), text)


def trimmed(side: str, arguments: Sequence[Computed]) -> Computed | None:
    """``TRIM(LEADING 'x' FROM s)`` of its texts."""
    if not 1 <= len(arguments) <= 2 or any(each.type != "text" for each in arguments):
        return None
    strip = {"leading": str.lstrip, "trailing": str.rstrip}.get(side, str.strip)
    if len(arguments) == 1:
        return strict("text", lambda text: strip(text, " "), *arguments)
    return strict("text", lambda characters, text: strip(text, characters) if characters else text, *arguments)


def _stripped(strip: Callable[..., str]) -> Function:
    return of("text", lambda text, characters=" ": strip(text, characters) if characters else text, "t", "tt")


def _padded(at_left: bool) -> Function:
    def work(text: str, length: int, pad: str) -> str | None:
        if length < 0 or not pad:
            return None
        bounded(length, "LPAD" if at_left else "RPAD")
        missing = max(0, length - len(text))
        padding = (pad * (missing // len(pad) + 1))[:missing]
        return padding + text[:length] if at_left else text[:length] + padding

    return of("text", work, "tit")


def _repeat(text: str, count: int) -> str:
    bounded(len(text) * max(count, 0), "REPEAT")
    return text * max(count, 0)


def _replace(text: str, old: str, new: str) -> str:
    count = text.count(old) if old else len(text) + 1
    bounded(len(text) + count * (len(new) - len(old)), "REPLACE")
    return text.replace(old, new)


def _locate(part: str, text: str, start: int = 1) -> int:
    return text.find(part, max(start, 1) - 1) + 1 if part else 1


def _instr(text: str, part: str, start: int = 1, occurrence: int = 1) -> int:
    if start < 1 or occurrence < 1:
        raise Failure("INSTR")
    at = start - 2
    for _ in range(min(occurrence, len(text) + 1)):
        at = text.find(part, at + 1)
        if at < 0:
            return 0
    return at + 1


def _split_index(text: str, separator: str | int, index: int) -> str | None:
    """An empty separator is white space; a whole number is the code of a character."""
    if not text or index < 0:
        return None
    if isinstance(separator, int):
        if not 0 < separator < 0x10000:
            return None
        separator = chr(separator)
    parts = text.split(separator) if separator else re.split(r"\s", text)
    return parts[index] if index < len(parts) else None


def _hashed(algorithm: Any) -> Function:
    return of("text", lambda text: algorithm(text.encode(), usedforsecurity=False).hexdigest(), "t")


_LONGEST_LIKE: Final = 1000
_ONE: Final = r"[^\n\r\u0085\u2028\u2029]"

# LIKE: '%' stands for any text, '_' for one character.


def like(text: Computed, pattern: Computed, escape_with: Computed | None) -> Computed | None:
    """None for other types than texts."""
    operands = [text, pattern, *([] if escape_with is None else [escape_with])]
    if any(each.type != "text" for each in operands):
        return None
    if any(each.columns or each.clock for each in operands[1:]):
        return strict("boolean", lambda text, *pattern: _likeness(*pattern)(text), *operands)
    try:
        fixed = [each.of({}) for each in operands[1:]]
        is_like = _likeness(*fixed)
    except Failure:
        return None
    return strict("boolean", is_like, text)


def _likeness(pattern: str, escape_with: str = "") -> Callable[[str], bool]:
    """The parts between '%' are found one after another, each as early as it can be: time grows with the text."""
    if len(pattern) > _LONGEST_LIKE:
        raise Failure(f"LIKE: {len(pattern)} > {_LONGEST_LIKE}")
    parts, at = [""], 0
    while at < len(pattern):
        if pattern[at] == escape_with:
            at += 1
            if pattern[at : at + 1] not in ("%", "_", escape_with):
                raise Failure(f"LIKE '{pattern}'")
            parts[-1] += re.escape(pattern[at])
        elif pattern[at] == "%":
            parts.append("")
        else:
            parts[-1] += _ONE if pattern[at] == "_" else re.escape(pattern[at])
        at += 1
    first, *middle = (re.compile(each) for each in parts)
    if not middle:
        return lambda text: first.fullmatch(text) is not None
    last, inner = re.compile(f"(?:{parts[-1]})\\Z"), [each for each in middle[:-1] if each.pattern]
    tail = len(re.sub(r"(?s)\\.", "x", parts[-1].replace(_ONE, "x")))

    def is_like(text: str) -> bool:
        begin = first.match(text)
        at = -1 if begin is None else begin.end()
        for each in inner:
            found = each.search(text, at) if at >= 0 else None
            at = -1 if found is None else found.end()
        return 0 <= at <= len(text) - tail and last.match(text, len(text) - tail) is not None

    return is_like


# JSON


def json_value(text: Computed, path: str) -> Computed | None:
    """``JSON_VALUE(text, '$.a[0].b')``: a number, text or boolean as text; None for other paths."""
    steps = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+)\]", re.ASCII)
    way = path.removeprefix("lax ").strip()
    if text.type != "text" or not way.startswith("$") or steps.sub("", way) != "$":
        return None
    keys: list[str | int] = [name or int(number) for name, number in steps.findall(way)]

    def value(text: str) -> str | None:
        try:
            found = json.loads(text, parse_float=Decimal, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            return None
        for key in keys:
            if isinstance(key, str):
                found = found.get(key) if isinstance(found, dict) else None
            else:
                found = found[key] if isinstance(found, list) and key < len(found) else None
        if found is None or isinstance(found, dict | list):
            return None
        return str(found).lower() if isinstance(found, bool) else str(found)

    return strict("text", value, text)


def _no_constant(text: str) -> None:
    raise ValueError(text)


FUNCTIONS: Final[dict[str, Function]] = {
    "CONCAT": of("text", concatenated, "*"), "CONCAT_WS": _concat_ws,
    "SUBSTRING": of("text", _part_of, "ti", "tii"), "SUBSTR": of("text", _part_of, "ti", "tii"),
    "LEFT": of("text", lambda text, count: text[: max(count, 0)], "ti"),
    "RIGHT": of("text", lambda text, count: text[-count:] if count > 0 else "", "ti"),
    "UPPER": of("text", str.upper, "t"), "LOWER": of("text", str.lower, "t"), "INITCAP": of("text", _initcap, "t"),
    "TRIM": of("text", lambda text: text.strip(" "), "t"), "LTRIM": _stripped(str.lstrip),
    "RTRIM": _stripped(str.rstrip), "BTRIM": _stripped(str.strip), "LPAD": _padded(True), "RPAD": _padded(False),
    "REPEAT": of("text", _repeat, "ti"), "REVERSE": of("text", lambda text: text[::-1], "t"),
    "REPLACE": of("text", _replace, "ttt"), "POSITION": of("int", _locate, "tt"),
    "LOCATE": of("int", _locate, "tt", "tti"), "INSTR": of("int", _instr, "tt", "tti", "ttii"),
    "CHAR_LENGTH": of("int", len, "t"), "CHARACTER_LENGTH": of("int", len, "t"),
    "SPLIT_INDEX": of("text", _split_index, "tti", "tii"), "MD5": _hashed(md5), "SHA1": _hashed(sha1),
    "SHA256": _hashed(sha256), "STARTSWITH": of("boolean", str.startswith, "tt"),
    "ENDSWITH": of("boolean", str.endswith, "tt"),
    "TO_BASE64": of("text", lambda text: b64encode(text.encode()).decode(), "t"),
}  # fmt: skip
