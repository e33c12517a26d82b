"""A text in several languages: which of them the author edits, and what becomes of the others (they stay)."""

import re
from typing import Final

from tidemark.simulator.scenario.editing.beats import Words
from tidemark.simulator.scenario.languages import languages_of
from tidemark.simulator.scenario.model import Scenario, Text
from tidemark.simulator.words import current_language
from tidemark.simulator.words.tags import language_for, suited
from tidemark.ui.author.cells import CellError

CHINESE: Final = re.compile(r"[\u3400-\u9fff]")


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
