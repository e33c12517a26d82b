"""All texts of a draft side by side in its languages, each edited by itself."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from tidemark.simulator.scenario.editing import EditError, Path, ScenarioText, remove, set_value, text_value
from tidemark.simulator.scenario.languages import (
    TRANSLATED_FROM,
    is_from,
    languages_of,
    older_at,
    sources_at,
    stamp_of,
    texts_of,
)
from tidemark.simulator.scenario.model import Scenario, Text
from tidemark.simulator.words import words
from tidemark.simulator.words.tags import canonical, is_tag
from tidemark.ui.author.cells import CellError
from tidemark.ui.author.telling import MOST_TEXT, put_text

# What the translations of a draft were made from, kept up to date through every edit of a text.
#
# A new translation gets the stamp of its original. Where an edit changes an original, the translations that it
# leaves keep what the original said before, so that the page can show both. Texts are found again by what they say,
# not by where they stand, because an edit may also move choices and beats.


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


def side_by_side(scenario: Scenario) -> dict[str, Any]:
    """{original, languages, texts: [{path, label, texts, older}]}, in the order of the file.

    ``texts`` is by language. So is ``older``: the translations that are older than the original, each with what that
    said when it was translated, "" if that is not known.
    """
    return {
        "original": scenario.language,
        "languages": languages_of(scenario),
        "texts": [
            {
                "path": list(path),
                "label": _label(path),
                "texts": {name: each.strip() for name, each in text.items()},
                "older": {each.language: each.then for each in older_at(scenario, path, text)},
            }
            for path, text in texts_of(scenario)
        ],
    }


def translated(text: ScenarioText, scenario: Scenario, edit: Mapping[str, Any]) -> ScenarioText:
    """``text`` with the ``text`` of ``edit`` at its ``path`` in its ``language``; an empty one is removed.

    Raises ``CellError`` for what is no language, and where the file's own language would be left without a text.
    """
    path: Path = tuple(edit["path"])
    old = dict(texts_of(scenario)).get(path)
    if old is None:
        raise EditError("no_such_place")
    language, typed = _tag(str(edit["language"]), scenario), str(edit["text"]).strip()[:MOST_TEXT]
    if not typed and language == scenario.language:
        raise CellError("translated" if len(old) > 1 else "needed_text")
    if typed == old.get(language, "").strip():
        return text
    new = {name: each for name, each in old.items() if name != language} | ({language: typed} if typed else {})
    return put_text(text, written_at(text, path), old, new)


def without_language(text: ScenarioText, scenario: Scenario, edit: Mapping[str, Any]) -> ScenarioText:
    """``text`` without the texts in the ``language`` of ``edit``; the file's own stays."""
    language = str(edit["language"])
    if language == scenario.language:
        raise EditError("no_such_place")
    for path, old in texts_of(scenario):
        if language in old:
            new = {name: each for name, each in old.items() if name != language}
            text = put_text(text, written_at(text, path), old, new)
    return text


def _tag(given: str, scenario: Scenario) -> str:
    """The tag as the file writes it, else in the usual case."""
    tag = given.strip()
    if not is_tag(tag):
        raise CellError("no_language")
    known = {each.lower(): each for each in languages_of(scenario)}
    return known.get(tag.lower(), canonical(tag))


def _label(path: Path) -> str:
    if path[0] != "walkthrough":
        return words(f"author.languages.texts.{path[0]}")
    number = int(path[1]) + 1
    if path[2] == "choices":
        name = "reply" if path[-1] == "reply" else "choice"
        what = words(f"author.languages.texts.{name}", number=int(path[3]) + 1)
    else:
        what = words(f"author.languages.texts.{path[2]}")
    return words("author.languages.beat", number=number, what=what)
