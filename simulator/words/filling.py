"""Fill the ``{names}`` of texts, with the customary spacing between Chinese and other scripts.

A Chinese text has a space on each side of a field, because most fields are numbers and names. A value that turns out to
be Chinese itself has none: ``{channel} 空闲`` gives ``通道 0 空闲`` and ``数据源空闲``. The browser does the same
(``say`` of ui/player/base/format.js).
"""

import re
from collections.abc import Mapping
from functools import cache
from string import Formatter
from typing import Any, Final

_CHINESE: Final = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
"""Chinese characters, and the punctuation that is as wide as they are."""


def filled(text: str, fields: Mapping[str, Any]) -> str:
    """``text`` with its ``fields`` filled in. Raises ``KeyError`` for a missing one."""
    if not _is_chinese(text):
        return text.format_map(fields)
    return "".join(piece for piece, _ in pieces(text, fields))


def pieces(text: str, fields: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """The same as consecutive pieces: the text of each, and whether it is a field. No piece is empty."""
    found: list[tuple[str, bool]] = []
    for literal, name in _parsed(text):
        if found and literal.startswith(" ") and _CHINESE.match(literal, 1) and _CHINESE.match(found[-1][0][-1]):
            literal = literal[1:]
        value = None if name is None else str(fields[name])
        if value and literal.endswith(" ") and _CHINESE.match(literal[-2:]) and _CHINESE.match(value):
            literal = literal[:-1]
        found += [piece for piece in ((literal, False), (value or "", True)) if piece[0]]
    return found


@cache
def _is_chinese(text: str) -> bool:
    """Whether a template of the catalogue has Chinese in it; there are few templates and many steps."""
    return _CHINESE.search(text) is not None


@cache
def _parsed(text: str) -> list[tuple[str, str | None]]:
    """Each literal part of ``text`` with the field that follows it."""
    return [(literal, name) for literal, name, _, _ in Formatter().parse(text)]
