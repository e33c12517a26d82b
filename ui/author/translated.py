"""A text in several languages: which of them the author edits, and what becomes of the others (they stay)."""

import re
from collections.abc import Iterator
from typing import Final

from simulator.scenario.editing.beats import Words
from simulator.scenario.model import Scenario, Text
from simulator.words import current_language
from simulator.words.tags import language_for, suited
from ui.author.cells import CellError

Path = tuple[str | int, ...]

TEXTS: Final = ("title", "summary", "look_for", "takeaway")
"""The texts at the top of a file."""

CHINESE: Final = re.compile(r"[\u3400-\u9fff]")


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


def language_of(text: Text) -> str:
    """The language in which the author reads ``text``."""
    return language_for(current_language(), text)


def edited_language(text: Text) -> str:
    """The language in which the author edits ``text``: the one that is read, or theirs, as a new translation.

    A text in Chinese characters is Chinese, even where its file does not say so.
    """
    shown = language_of(text)
    reader = current_language()
    if suited(reader, [shown]) or (reader.startswith("zh") and CHINESE.search(text[shown])):
        return shown
    return reader


def edited_text(given: object, old: Text | None, scenario: Scenario, most: int) -> Words:
    """What was typed, of at most ``most`` characters, with the other languages of ``old``; "" to remove the text.

    Raises ``CellError`` if that would remove translations.
    """
    typed = str(given or "").strip()[:most]
    if old is None:
        return new_text(typed, scenario)
    if typed == old[language_of(old)].strip():
        return old
    language = edited_language(old)
    if not typed:
        others = {name: text for name, text in old.items() if name != language_of(old)}
        if others and (language not in old or language == scenario.language):
            raise CellError("translated")
        return others or ""
    return {**old, language: typed}


def new_text(typed: str, scenario: Scenario) -> Words:
    """A text that was not there. The file's own language, which is required, has it until it is translated."""
    original = scenario.language
    mine = suited(current_language(), languages_of(scenario))
    if not typed or mine is None or mine == original:
        return typed
    return {original: typed, mine: typed}
