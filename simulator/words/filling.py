"""Texts with their ``{names}`` filled in, so that Chinese and other writing stand next to each other as is usual.

A Chinese text has a blank on each side of a field, since most of them are numbers and names. What turns out to be
Chinese itself has none: ``{channel} 空闲`` gives ``通道 0 空闲`` and ``数据源空闲``. The browser does the same
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
    """``text`` with ``fields``; raises ``KeyError`` for one that is not there."""
    pieces = _pieces(text)
    if not pieces:
        return text.format_map(fields)
    parts: list[str] = []
    for literal, name in pieces:
        if parts and literal.startswith(" ") and _CHINESE.match(literal, 1) and _CHINESE.match(parts[-1][-1:]):
            literal = literal[1:]
        value = None if name is None else str(fields[name])
        if value and literal.endswith(" ") and _CHINESE.match(literal[-2:]) and _CHINESE.match(value):
            literal = literal[:-1]
        parts += [literal] if value is None else [literal, value]
    return "".join(parts)


@cache
def _pieces(text: str) -> list[tuple[str, str | None]]:
    """Each stretch of ``text`` with the field that follows it; none where nothing of it is Chinese."""
    if not _CHINESE.search(text):
        return []
    return [(literal, name) for literal, name, _, _ in Formatter().parse(text)]
