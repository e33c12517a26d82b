"""Edits of texts: those at the top and the beats, in the language that the author reads; and of goals."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tidemark.simulator.scenario.editing import (
    Path,
    Plain,
    ScenarioText,
    Value,
    append,
    put,
    remove,
    set_list,
    set_value,
    text_value,
)
from tidemark.simulator.scenario.editing.beats import (
    NewBeat,
    NewChoice,
    Words,
    add_beat,
    language_of_file,
    place_of_step,
    remove_beat,
    set_beat,
)
from tidemark.simulator.scenario.format.document import EVENTS, ROWS, WAYS
from tidemark.simulator.scenario.languages import TEXTS, languages_of
from tidemark.simulator.scenario.model import Beat, Choice, Scenario, Text
from tidemark.simulator.words import current_language, section
from tidemark.simulator.words.tags import is_tag, language_for, suited
from tidemark.ui.author.cells import CellError
from tidemark.ui.author.draft import FROZEN_ROWS, rows_of, run_of_draft

# A text in several languages: which of them the author edits, and what becomes of the others (they stay).

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


Edit = Mapping[str, Any]

MOST_TEXT = 4_000
"""How many characters a text of a beat may have."""

MOST_CHOICES = 12


def written_text(text: ScenarioText, name: str) -> str:
    """A text at the top of a file in the language that the author reads, also of a draft that does not run."""
    if not text.has((name,)):
        return ""
    value = text.value((name,))
    if isinstance(value, dict):
        languages = [each for each in value if is_tag(each)]
        value = value[language_for(current_language(), languages)] if languages else ""
    return value.strip() if isinstance(value, str) else ""


def beat_edited(text: ScenarioText, scenario: Scenario, edit: Edit) -> ScenarioText:
    """Add a beat at a step, or change one: ``number`` is ``None`` for a new one, ``move`` takes an old one there.

    ``anchor`` says by what the step is named, see ``place_of_step``.

    Raises ``CellError`` if a required text is missing.
    """
    number, fields = edit.get("number"), edit["fields"]
    if not isinstance(fields, Mapping):
        raise TypeError(fields)
    old = None if number is None else scenario.walkthrough[int(number)]
    beat = _beat(fields, old, scenario)
    place = None
    if number is None or edit.get("move"):
        trace = run_of_draft(text.text, scenario).run.trace
        anchor = str(edit.get("anchor") or "")
        place = place_of_step(trace, int(edit["step"]), predict=beat.kind == "predict", anchor=anchor)
    if number is not None:
        return set_beat(text, int(number), beat, place)
    assert place is not None
    return add_beat(text, place, beat)


def _beat(fields: Mapping[str, Any], old: Beat | None, scenario: Scenario) -> NewBeat:
    def words(name: str) -> Words:
        return edited_text(fields.get(name, ""), getattr(old, name, None), scenario, MOST_TEXT)

    note = words("note")
    if "predict" in fields:
        return NewBeat("predict", str(fields["predict"]), note=note, way=_way(fields, old))
    if "say" in fields:
        return NewBeat("say", _needed(words("say")), note=note)
    before = old.choices if old is not None else ()
    given = list(fields["choices"])[:MOST_CHOICES]
    answer = int(fields["answer"])
    choices = [
        _choice(each, matched, scenario, right=number == answer)
        for number, (each, matched) in enumerate(zip(given, _matched(given, before), strict=True))
    ]
    return NewBeat(
        "ask",
        _needed(words("ask")),
        choices,
        answer,
        words("because"),
        note,
    )


def _way(fields: Mapping[str, Any], old: Beat | None) -> str:
    """How a class answers a prediction; what was written stays where it is not asked and still possible."""
    predict = str(fields["predict"])
    given = fields.get("way", old.answer if old is not None else "")
    return given if isinstance(given, str) and given in WAYS.get(predict, ()) else ""


def _matched(given: Sequence[Mapping[str, Any]], before: Sequence[Choice]) -> list[Choice | None]:
    """For each choice the one that it was: of the same text, else of the same number. So translations move along."""
    shown = [each.text[language_of(each.text)].strip() for each in before]
    left = dict(enumerate(before))
    found: list[Choice | None] = []
    for each in given:
        same = next((n for n in left if shown[n] == str(each["text"]).strip()), None)
        found.append(None if same is None else left.pop(same))
    return [left.pop(n, None) if each is None else each for n, each in enumerate(found)]


def _choice(given: Mapping[str, Any], old: Choice | None, scenario: Scenario, *, right: bool) -> NewChoice:
    text, reply = (None, None) if old is None else (old.text, old.reply)
    new = _needed(edited_text(given["text"], text, scenario, MOST_TEXT))
    if right:
        return NewChoice(new)
    belief = str(given.get("belief", (old and old.belief) or "") or "")
    if belief and belief not in section("beliefs"):
        raise CellError("no_choice")
    return NewChoice(new, edited_text(given.get("reply"), reply, scenario, MOST_TEXT), belief)


def texts_edited(text: ScenarioText, scenario: Scenario, edit: Edit) -> ScenarioText:
    """Change texts at the top; an empty one is removed, except the title.

    Raises ``CellError`` for what is no such text, or if the title would be empty.
    """
    given = edit["texts"]
    if not isinstance(given, Mapping):
        raise TypeError(given)
    for name, typed in given.items():
        if name not in TEXTS:
            raise CellError("no_choice")
        old: Text | None = getattr(scenario, name)
        new = edited_text(typed, old, scenario, MOST_TEXT)
        if name == "title":
            _needed(new)
        text = put_text(text, (name,), old, new)
    return text


def put_text(text: ScenarioText, path: Path, old: Text | None, new: Words) -> ScenarioText:
    """``new`` at ``path``, where ``old`` stands; of texts by language only those that differ are touched."""
    original = language_of_file(text)
    wanted = {original: new} if isinstance(new, str) and new else dict(new or {})
    before = dict(old or {})
    if not wanted:
        return remove(text, path) if text.has(path) else text
    if before and text.has((*path, original)):
        for language, each in wanted.items():
            if before.get(language) != each:
                text = set_value(text, (*path, language), text_value(each))
        for language in [each for each in before if each not in wanted]:
            text = remove(text, (*path, language))
        return text
    if wanted == before:
        return text  # as it was written, with its folds and comments
    values: dict[str, Value] = {language: text_value(each) for language, each in wanted.items()}
    return put(text, path, values[original] if len(values) == 1 else values)


def _needed(text: Words) -> Words:
    if not text:
        raise CellError("needed_text")
    return text


def goal_added(text: ScenarioText, scenario: Scenario, edit: Edit) -> ScenarioText:
    """Add a goal."""
    what, how, number = str(edit["what"]), str(edit["how"]), int(edit["number"])
    counted = "rows" if what in ROWS[scenario.engine] else "event" if what in EVENTS else ""
    if not counted or how not in ("count", "at_least", "at_most"):
        raise CellError("no_choice")
    return append(text, "goals", {counted: Plain(what), how: number})


def frozen(text: ScenarioText, scenario: Scenario) -> ScenarioText:
    """Replace the goals at rows by what the run gives now; those at events stay.

    Raises ``CellError`` if it is too long to be counted here.
    """
    shown = run_of_draft(text.text, scenario)
    if shown.cut:
        raise CellError("too_long")
    rows = rows_of(shown)
    counted: list[Value] = [{"rows": Plain(name), "count": rows[name]} for name in FROZEN_ROWS if rows[name]]
    at_events = [text.value(("goals", n)) for n, each in enumerate(scenario.goals) if each.event is not None]
    return set_list(text, "goals", [*counted, *at_events])


def dropped(text: ScenarioText, scenario: Scenario, edit: Edit) -> ScenarioText:
    """Remove a beat or a goal; with the last one goes the list."""
    number = int(edit["number"])
    if edit["list"] == "walkthrough":
        return remove_beat(text, number)
    if edit["list"] != "goals":
        raise CellError("no_choice")
    return remove(text, ("goals",) if len(scenario.goals) == 1 else ("goals", number))
