"""What the translations of a draft were made from, kept up to date through every edit of a text.

A new translation gets the stamp of its original. Where an edit changes an original, the translations that it leaves
keep what the original said before, so that the page can show both. Texts are found again by what they say, not by
where they stand, because an edit may also move choices and beats.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from tidemark.simulator.scenario.editing import EditError, Path, ScenarioText, remove, set_value, text_value
from tidemark.simulator.scenario.languages import texts_of
from tidemark.simulator.scenario.model import Scenario, Text
from tidemark.simulator.scenario.translations import TRANSLATED_FROM, is_from, sources_at, stamp_of
from tidemark.ui.author.cells import CellError


def stamped(text: ScenarioText, before: Scenario, after: Scenario) -> ScenarioText:
    """``text`` with everything under ``translated_from`` as it has to be; ``after`` is what it says.

    ``before`` is what the draft said before an edit. If the edit chose another language for the file, nothing changes.
    """
    if before.language != after.language or _texts(before) == _texts(after):
        return text
    known = _Before(before)
    for path, now in texts_of(after):
        found = {language: known.source(path, language, now) for language in now if language != after.language}
        text = _written(text, path, after, {language: each for language, each in found.items() if each})
    return text


def still_right(text: ScenarioText, scenario: Scenario, edit: Mapping[str, Any]) -> ScenarioText:
    """``text`` with the translation at the ``path`` of ``edit`` in its ``language`` taken as one of the original now.

    Raises ``CellError`` if there is no such translation.
    """
    path, language = tuple(edit["path"]), str(edit["language"])
    now = dict(texts_of(scenario)).get(path, {})
    if language not in now or language == scenario.language:
        raise CellError("no_choice")
    sources = {**sources_at(scenario, path), language: stamp_of(now[scenario.language])}
    return _written(text, path, scenario, sources)


def written_at(text: ScenarioText, path: Path) -> Path:
    """Where the text at ``path`` stands: a choice may be written as its text alone, or with a key for it."""
    return (*path, "text") if path[-1] != "text" and text.has((*path, "text")) else path


class _Before:
    """The texts before an edit: by path, and by what a translation says."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.texts = dict(texts_of(scenario))
        self.saying: defaultdict[tuple[str, str], list[Path]] = defaultdict(list)
        for path, text in self.texts.items():
            for language, each in text.items():
                self.saying[language, each.strip()].append(path)

    def source(self, path: Path, language: str, now: Text) -> str | None:
        """What the translation in ``now`` was made from; ``None`` if that is not known."""
        mine, original = now[language].strip(), now[self.scenario.language]
        same = self.saying[language, mine]
        beside = [each for each in same if is_from(original, self.texts[each][self.scenario.language])]
        if beside:
            return self._kept(path if path in beside else beside[0], language)
        if path in same:
            source = self._left_behind(path, language)
            return stamp_of(original) if source is not None and is_from(original, source) else source
        return None if same or mine == original.strip() else stamp_of(original)

    def _kept(self, path: Path, language: str) -> str | None:
        return sources_at(self.scenario, path).get(language)

    def _left_behind(self, path: Path, language: str) -> str | None:
        """The original at ``path`` has changed: what it said before, unless the translation was older even then."""
        then, kept = self.texts[path][self.scenario.language], self._kept(path, language)
        if kept is not None and not is_from(then, kept):
            return kept
        # Where both said the same, the original was a copy: nobody had translated anything.
        return then.strip() if kept is not None or then.strip() != self.texts[path][language].strip() else None


def _texts(scenario: Scenario) -> list[tuple[Path, dict[str, str]]]:
    return [(path, dict(text)) for path, text in texts_of(scenario)]


def _written(text: ScenarioText, path: Path, scenario: Scenario, sources: Mapping[str, str]) -> ScenarioText:
    """``text`` with ``sources`` beside the text at ``path``.

    Where it is written in a way that nothing can be put beside it, it stays as it is: this is not the edit that the
    author asked for.
    """
    there = (*written_at(text, path), TRANSLATED_FROM)
    if sources == sources_at(scenario, path) and text.has(there) == bool(sources):
        return text
    try:
        if sources:
            return set_value(text, there, {language: text_value(each) for language, each in sources.items()})
        return remove(text, there) if text.has(there) else text
    except EditError:
        return text
