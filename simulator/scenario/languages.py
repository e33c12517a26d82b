"""The texts of a scenario: the languages that they are in, translations, and names in braces."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from tidemark.simulator.scenario.model import Scenario, Text

Path = tuple[str | int, ...]

TEXTS: Final = ("title", "summary", "look_for", "takeaway")
"""The texts at the top of a file."""


def texts_of(scenario: Scenario) -> Iterator[tuple[Path, Text]]:
    """Every text of the scenario with its path, in the order of a file; a choice with a reply has two."""
    for name in TEXTS:
        if (text := getattr(scenario, name)) is not None:
            yield (name,), text
    for number, beat in enumerate(scenario.walkthrough):
        path: Path = ("walkthrough", number)
        for name in ("say", "ask"):
            if (text := getattr(beat, name)) is not None:
                yield (*path, name), text
        for place, choice in enumerate(beat.choices):
            at = (*path, "choices", place)
            yield (at if choice.reply is None else (*at, "text")), choice.text
            if choice.reply is not None:
                yield (*at, "reply"), choice.reply
        for name in ("because", "note"):
            if (text := getattr(beat, name)) is not None:
                yield (*path, name), text


def languages_of(scenario: Scenario) -> list[str]:
    """The file's own language, then the others that any of its texts is in."""
    found = dict.fromkeys([scenario.language])
    for _, text in texts_of(scenario):
        found |= dict.fromkeys(text)
    return list(found)


# What a translation was made from, and which translations are older than the original.
#
# The original is the text in the file's own language. A text by language may say under ``translated_from`` what the
# original said when it was translated: that text, or its stamp, which is shorter. Where a file says nothing,
# nothing is known, and nothing counts as older.

TRANSLATED_FROM: Final = "translated_from"
"""The key beside the languages of a text. No language tag has an underscore."""

_STAMP: Final = re.compile(r"sha256-[0-9a-f]{12}")


class Older(NamedTuple):
    """A translation that is older than its original. ``then``: what that said when it was translated, "" if unknown."""

    path: Path
    language: str
    then: str


def stamp_of(original: str) -> str:
    """48 bits of a SHA-256 of the text, for files; how its lines are broken does not count."""
    return f"sha256-{hashlib.sha256(_plain(original).encode()).hexdigest()[:12]}"


def is_from(original: str, source: str) -> bool:
    """Whether ``source``, a text or a stamp, is ``original``."""
    return _plain(source) == _plain(original) or source == stamp_of(original)


def sources_at(scenario: Scenario, path: Path) -> Mapping[str, str]:
    """What the text at ``path`` (as in ``texts_of``) was translated from, by language."""
    at = path[:-1] if path[-1] == "text" else path
    return scenario.translated_from.get(at) or scenario.translated_from.get((*at, "text"), {})


def older_at(scenario: Scenario, path: Path, text: Text) -> Iterator[Older]:
    """The translations of one text that are older than its original."""
    for language, source in sources_at(scenario, path).items():
        if language in text and language != scenario.language and not is_from(text[scenario.language], source):
            yield Older(path, language, "" if _STAMP.fullmatch(source) else source.strip())


def older(scenario: Scenario) -> Iterator[Older]:
    """Every translation that is older than its original, in the order of the file."""
    for path, text in texts_of(scenario):
        yield from older_at(scenario, path, text)


def _plain(text: str) -> str:
    return " ".join(text.split())


# ``{names}`` in the texts of a walkthrough, filled from a mapping and from nothing else.
#
# This is not ``str.format``, since anybody may have written these texts: a name is never an expression.

PART: Final = re.compile(r"\{\{|\}\}|\{([a-z_]+)\}|[{}][^{}]{0,20}")

INTERVAL: Final = re.compile(r"\[[^\[\]()]*\)")
"""A window, such as ``[{start}, {end})``."""

UNIT: Final = re.compile(r"\s?(?:m?s|secs?|seconds|milliseconds)\b|\s?毫?秒")
"""The unit that an author has written behind a name."""


class Part(NamedTuple):
    """A part of a template: literal text, or a name.

    ``bare``: a time at this name is written without its unit, since the author has written one behind it or the name
    is within the brackets of a window.
    """

    text: str
    is_name: bool
    bare: bool = False


class TemplateError(ValueError):
    """A brace is neither doubled nor around a name. ``text`` is what stands there."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def parts(template: str) -> list[Part]:
    """The parts of ``template``. Raises ``TemplateError`` for braces without a name in them."""
    found: list[Part] = []
    windows = [match.span() for match in INTERVAL.finditer(template)]
    end = 0
    for match in PART.finditer(template):
        if match.start() > end:
            found.append(Part(template[end : match.start()], False))
        if match[1] is not None:
            within = any(start < match.start() < last for start, last in windows)
            found.append(Part(match[1], True, within or UNIT.match(template, match.end()) is not None))
        elif match[0] in ("{{", "}}"):
            found.append(Part(match[0][0], False))
        else:
            raise TemplateError(match[0])
        end = match.end()
    if end < len(template):
        found.append(Part(template[end:], False))
    return found


def names(template: str) -> list[str]:
    """The names in ``template``, in order, repeated ones included."""
    return [part.text for part in parts(template) if part.is_name]


def fill(template: str, value: Callable[[str, bool], str]) -> str:
    """``template`` with ``value(name, bare)`` in place of each ``{name}``; doubled braces become single ones."""
    return "".join(value(part.text, part.bare) if part.is_name else part.text for part in parts(template))
