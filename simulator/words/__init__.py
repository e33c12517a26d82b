"""The catalogue: every word that a person reads, with one folder for each language and one TOML file for each subject.

``words("player.play")`` returns a text; ``words("explain.fires.what", key="a", value=7)`` fills its ``{names}``. Both
use the current language, which belongs to the context (a thread, a task) and is English by default. That may be any
language tag: a scenario may have texts in it; the catalogue answers in the nearest of its own languages.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any, Final

from tidemark.simulator.words.tags import is_tag, language_for

# Fill the ``{names}`` of texts, with the customary spacing between Chinese and other scripts.
#
# A Chinese text has a space on each side of a field, because most fields are numbers and names. A value that turns
# out to be Chinese itself has none: ``{channel} 空闲`` gives ``通道 0 空闲`` and ``数据源空闲``. The browser does the
# same (``say`` of ui/player/base/format.ts).

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


DEFAULT_LANGUAGE: Final = "en"

LANGUAGES: Final = (DEFAULT_LANGUAGE, "zh")
"""All languages; each has a folder of its own."""

_current: ContextVar[str] = ContextVar("language", default=DEFAULT_LANGUAGE)


def current_language() -> str:
    """The language of this context, a tag. Whatever caches texts must include it in its key."""
    return _current.get()


def speak(language: str) -> None:
    """Set the language of this context. Raises ``ValueError`` for what is no language tag."""
    if not is_tag(language):
        raise ValueError(language)
    _current.set(language)


def interface_language() -> str:
    """The one of ``LANGUAGES`` that is nearest to the language of this context."""
    return language_for(_current.get(), LANGUAGES)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Use ``language`` inside the block, and the previous one afterwards; other threads are not affected."""
    before = _current.get()
    speak(language)
    try:
        yield
    finally:
        _current.set(before)


@cache
def catalogue(language: str) -> dict[str, Any]:
    """All files of a language merged. Raises ``ValueError`` if two of them define the same name."""
    found: dict[str, Any] = {}
    for path in sorted(files(__name__).joinpath(language).iterdir(), key=lambda each: each.name):
        if path.name.endswith(".toml"):
            _join(found, tomllib.loads(path.read_text(encoding="utf-8")), path.name)
    return found


@cache
def _texts(language: str) -> dict[str, Any]:
    """The catalogue of a language; a missing text falls back to English, so that nobody reads a blank."""
    found = catalogue(language)
    return found if language == DEFAULT_LANGUAGE else _over(catalogue(DEFAULT_LANGUAGE), found)


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**below, **above}
    for name, value in below.items():
        if isinstance(value, dict) and isinstance(above.get(name), dict):
            merged[name] = _over(value, above[name])
    return merged


def _join(catalogue: dict[str, Any], more: Mapping[str, Any], where: str) -> None:
    for name, value in more.items():
        if name not in catalogue:
            catalogue[name] = value
        elif isinstance(value, dict) and isinstance(catalogue[name], dict):
            _join(catalogue[name], value, f"{where}: {name}")
        else:
            message = f"{where}: {name} is in two files of the catalogue"
            raise ValueError(message)


def words(name: str, /, *, language: str | None = None, **fields: object) -> str:
    """The text called ``name`` (``section.key``, more dots for nested tables) with ``{fields}`` filled in.

    ``language`` overrides the current one. Raises ``KeyError`` for a name that the catalogue does not have: a missing
    text is a bug, not a blank.
    """
    found = _found(name, language)
    if not isinstance(found, str):
        raise KeyError(name)
    return filled(found, fields) if fields else found


def section(name: str, *, language: str | None = None) -> Mapping[str, Any]:
    """All texts of one section, as nested mappings: what a component sends to the browser."""
    return dict(_found(name, language))


def listed(parts: Iterable[str]) -> str:
    """A plain list, separated as in the current language: ``a, b, c``."""
    return words("app.comma").join(parts)


def _found(name: str, language: str | None) -> Any:
    found: Any = _texts(language_for(language or _current.get(), LANGUAGES))
    for part in name.split("."):
        found = found[part]
    return found
