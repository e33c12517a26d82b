"""Language tags (BCP 47): which are well-formed, and which of several languages suits a reader."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

TAG: Final = (
    r"[A-Za-z]{2,3}(-[A-Za-z]{3}){0,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?"
    r"(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(-[A-WY-Za-wy-z0-9](-[A-Za-z0-9]{2,8})+)*(-[xX](-[A-Za-z0-9]{1,8})+)?"
)
"""A well-formed tag: language, script, region, variants, extensions, private use (RFC 5646, 2.1)."""

MOST_CHARACTERS: Final = 35
"""The longest tag: what RFC 5646, 4.4.1 asks everybody to accept."""

FALLBACK: Final = "en"

_WELL_FORMED: Final = re.compile(TAG)


def is_tag(text: str) -> bool:
    """Whether ``text`` is a well-formed language tag."""
    return len(text) <= MOST_CHARACTERS and _WELL_FORMED.fullmatch(text) is not None


def canonical(tag: str) -> str:
    """The tag with the usual letter case: ``pt-BR``, ``zh-Hant``."""
    first, *others = tag.split("-")
    parts = [first.lower()]
    for each in others:
        inside = any(len(part) == 1 for part in parts)
        upper, capital = len(each) == 2 and not inside, len(each) == 4 and each.isalpha() and not inside
        parts.append(each.upper() if upper else each.capitalize() if capital else each.lower())
    return "-".join(parts)


def suited(wanted: str, languages: Iterable[str]) -> str | None:
    """The one of ``languages`` for a reader of ``wanted``; ``None`` if none is of that language.

    That is the tag itself, else the tag without its last parts (``zh-Hant``, then ``zh``; RFC 4647, 3.4), else the
    first one of the same language (``pt-BR`` for ``pt``).
    """
    known = {each.lower(): each for each in reversed(list(languages))}
    parts = wanted.lower().split("-")
    for length in range(len(parts), 0, -1):
        if (found := known.get("-".join(parts[:length]))) is not None:
            return found
    return next((each for low, each in reversed(known.items()) if low.partition("-")[0] == parts[0]), None)


def language_for(wanted: str, languages: Iterable[str]) -> str:
    """As ``suited``; else English, else the first one. Raises ``StopIteration`` for no languages."""
    there = list(languages)
    return suited(wanted, there) or (FALLBACK if FALLBACK in there else next(iter(there)))


def text_for(wanted: str, texts: Mapping[str, str]) -> str:
    """The text, of several by language, for a reader of ``wanted``."""
    return texts[language_for(wanted, texts)]
