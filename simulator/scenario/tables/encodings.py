"""How the bytes of a table become text: which encoding they are in, as far as the bytes themselves tell."""

from collections.abc import Iterator
from typing import Final

ENCODINGS: Final = {
    "utf-8": "UTF-8", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16 BE", "gb18030": "GB18030 (GBK)", "cp932": "Shift-JIS",
    "big5": "Big5", "euc_kr": "EUC-KR", "cp1252": "Windows-1252", "latin-1": "Latin-1",
}  # fmt: skip
"""The encodings that can be chosen: Python's names, and what people call them. GB18030 includes GBK and GB2312."""

MARKS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
"""Byte order marks, with which a file says its encoding."""

LOOKED_AT: Final = 65_536
"""How many bytes are enough for a guess."""

MOST_ZEROS: Final = 0.3
"""From this share of zero bytes on, and all on one side of the pairs, a text is UTF-16."""

UNDEFINED_IN_1252: Final = frozenset(b"\x81\x8d\x8f\x90\x9d")


def guess_encoding(data: bytes) -> tuple[str, str]:
    """The encoding that ``data`` is probably in, and why: a name below ``tables.encoding_reasons``."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return encoding, "mark"
    start = data[:LOOKED_AT]
    half = max(len(start) // 2, 1)
    for encoding, zeros in (("utf-16-le", start[1::2].count(0)), ("utf-16-be", start[::2].count(0))):
        if zeros / half > MOST_ZEROS and start.count(0) < 1.2 * zeros:
            return encoding, "zeros"
    if start.isascii():
        return "utf-8", "ascii"
    if _is_utf8(start):
        return "utf-8", "valid"
    return _of_bytes(start)


def decoded(data: bytes, encoding: str) -> str:
    """The text, without its mark; bytes that ``encoding`` does not have become U+FFFD."""
    return data.decode(encoding, "replace").removeprefix("\ufeff")


def _is_utf8(data: bytes) -> bool:
    """Whether ``data`` is UTF-8, but for a character that is cut off at its end."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.end == len(data) and len(data) >= LOOKED_AT - 3 and error.reason == "unexpected end of data"
    return True


def _of_bytes(data: bytes) -> tuple[str, str]:
    """The encoding of bytes that are no UTF-8.

    In Western texts bytes above 127 stand alone between ASCII letters. In Chinese and Japanese ones they come in pairs;
    the first of a pair is above AF for nearly all Chinese characters in use, and below A0 for nearly all Japanese ones.
    """
    runs = list(_runs(data))
    alone = sum(1 for run in runs if run == 1)
    leads = list(_leads(data))
    low = sum(1 for lead in leads if lead < 0xA0)
    if leads and low > len(leads) * 0.6 and _decodes(data, "cp932"):
        return "cp932", "pairs"
    if alone <= len(runs) * 0.4 and _decodes(data, "gb18030"):
        return "gb18030", "pairs"
    return ("latin-1" if UNDEFINED_IN_1252 & set(data) else "cp1252"), "alone"


def _runs(data: bytes) -> Iterator[int]:
    """The lengths of the runs of bytes above 127."""
    length = 0
    for byte in data:
        if byte > 127:
            length += 1
        elif length:
            yield length
            length = 0
    if length:
        yield length


def _leads(data: bytes) -> Iterator[int]:
    """The first bytes of the pairs, if these are pairs."""
    at = 0
    while at < len(data) - 1:
        if data[at] > 0x80 and data[at + 1] >= 0x40:
            yield data[at]
            at += 1
        at += 1


def _decodes(data: bytes, encoding: str) -> bool:
    """Whether ``data`` has only characters of ``encoding``; the last one may be cut off."""
    for cut in range(4):
        try:
            data[: len(data) - cut].decode(encoding)
        except UnicodeDecodeError:
            continue
        return True
    return False
