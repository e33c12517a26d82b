"""The language of a reader as a tag: which one it is, where it is kept, and how it is named."""

from typing import Final

from tidemark.simulator.words import DEFAULT_LANGUAGE, LANGUAGES, words
from tidemark.simulator.words.tags import canonical, is_tag

COOKIE: Final = "tidemark_language"
"""The cookie in which the browser keeps the choice. It holds the language and nothing else."""

LINK: Final = "lang"
"""The name of the language in a link."""

TAGS: Final = {"zh": "zh-Hans"}
"""The language tag of HTML where it differs from the name used here."""


def name_of(language: str) -> str:
    """The name of a language of the interface in its own words; "" for any other, whose name the browser knows."""
    return words("app.language", language=language) if language in LANGUAGES else ""


def tag(language: str) -> str:
    """The language as HTML names it: ``en``, ``zh-Hans``."""
    return TAGS.get(language, language)


def preferred(asked: str | None, kept: str | None, accepted: str) -> str:
    """The language that the link asks for, else the ``kept`` one, else the first one that the browser accepts.

    The browser's is taken only if the interface has it: for that one pages are made ready before anybody asks.
    """
    for each in (asked, kept):
        if isinstance(each, str) and is_tag(each):
            return canonical(each)
    first = accepted.partition(",")[0].strip().lower().partition("-")[0]
    return first if first in LANGUAGES else DEFAULT_LANGUAGE
