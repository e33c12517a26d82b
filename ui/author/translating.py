"""All texts of a draft side by side in its languages, each edited by itself."""

from collections.abc import Mapping
from typing import Any

from tidemark.simulator.scenario.editing import EditError, Path, ScenarioText
from tidemark.simulator.scenario.languages import languages_of, texts_of
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.translations import older_at
from tidemark.simulator.words import words
from tidemark.simulator.words.tags import canonical, is_tag
from tidemark.ui.author.cells import CellError
from tidemark.ui.author.stamping import written_at
from tidemark.ui.author.telling import MOST_TEXT, put_text


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
