"""What a translation was made from, and which translations are older than the original.

The original is the text in the file's own language. A text by language may say under ``translated_from`` what the
original said when it was translated: that text, or its stamp, which is shorter. Where a file says nothing, nothing is
known, and nothing counts as older.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from tidemark.simulator.scenario.languages import Path, texts_of
from tidemark.simulator.scenario.model import Scenario, Text

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
