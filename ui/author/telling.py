"""Edits of texts: those at the top and the beats, in the language that the author reads; and of goals."""

from collections.abc import Mapping
from typing import Any

from simulator.scenario.editing import Plain, ScenarioText, append, put, remove, set_list, text_value
from simulator.scenario.editing.beats import NewBeat, NewChoice, Words, add_beat, place_of_step, remove_beat, set_beat
from simulator.scenario.model import Beat, Choice, Scenario, Text
from simulator.words import DEFAULT_LANGUAGE, current_language
from ui.author.cells import CellError
from ui.author.checks import GOAL_ROWS, rows_of
from ui.author.runs import run_of_draft

Edit = Mapping[str, Any]

MOST_TEXT = 4_000
"""How many characters a text of a beat may have."""

MOST_CHOICES = 12

TEXTS = ("title", "summary", "look_for", "takeaway")
"""The texts at the top of a file."""


def language_of(text: Text) -> str:
    """The language in which the author reads and edits ``text``."""
    language = current_language()
    return language if language in text else DEFAULT_LANGUAGE


def beat_edited(text: ScenarioText, scenario: Scenario, edit: Edit) -> ScenarioText:
    """Add a beat at a step, or change one: ``number`` is ``None`` for a new one.

    Raises ``CellError`` if a required text is missing.
    """
    number, fields = edit.get("number"), edit["fields"]
    if not isinstance(fields, Mapping):
        raise TypeError(fields)
    old = None if number is None else scenario.walkthrough[int(number)]
    beat = _beat(fields, old)
    if number is None:
        trace = run_of_draft(text.text, scenario).run.trace
        place = place_of_step(trace, int(edit["step"]), predict=beat.kind == "predict")
        return add_beat(text, place, beat)
    return set_beat(text, int(number), beat)


def _beat(fields: Mapping[str, Any], old: Beat | None) -> NewBeat:
    note = _words(fields.get("note", ""), None if old is None else old.note)
    if "predict" in fields:
        return NewBeat("predict", str(fields["predict"]), note=note)
    if "say" in fields:
        return NewBeat("say", _needed(_words(fields["say"], None if old is None else old.say)), note=note)
    before = old.choices if old is not None else ()
    given = list(fields["choices"])[:MOST_CHOICES]
    choices = [_choice(each, before[n] if n < len(before) else None) for n, each in enumerate(given)]
    because = _words(fields.get("because", ""), None if old is None else old.because)
    return NewBeat(
        "ask",
        _needed(_words(fields["ask"], None if old is None else old.ask)),
        choices,
        int(fields["answer"]),
        because,
        note,
    )


def _choice(given: Mapping[str, Any], old: Choice | None) -> NewChoice:
    text, reply = (None, None) if old is None else (old.text, old.reply)
    return NewChoice(_needed(_words(given["text"], text)), _words(given.get("reply"), reply))


def _words(given: object, old: Text | None) -> Words:
    """What was typed, together with the other languages of ``old``."""
    typed = str(given or "").strip()[:MOST_TEXT]
    if not typed or old is None or set(old) == {DEFAULT_LANGUAGE}:
        return typed
    return {**old, language_of(old): typed}


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
        new = _words(typed, old)
        if name == "title":
            _needed(new)
        if old is not None and typed == old[language_of(old)].strip():
            continue  # as it was written, with its folds and comments
        path = (name,) if old is None or set(old) == {DEFAULT_LANGUAGE} else (name, language_of(old))
        if new:
            text = put(text, path, text_value(new if isinstance(new, str) else new[language_of(new)]))
        elif text.has((name,)):
            text = remove(text, (name,) if path[-1] == DEFAULT_LANGUAGE else path)
    return text


def _needed(text: Words) -> Words:
    if not text:
        raise CellError("needed_text")
    return text


def goal_added(text: ScenarioText, edit: Edit) -> ScenarioText:
    """Add a goal."""
    what, how, number = str(edit["what"]), str(edit["how"]), int(edit["number"])
    if what not in GOAL_ROWS or how not in ("count", "at_least", "at_most"):
        raise CellError("no_choice")
    return append(text, "goals", {"rows": Plain(what), how: number})


def frozen(text: ScenarioText, scenario: Scenario) -> ScenarioText:
    """Replace the goals by what the run gives now. Raises ``CellError`` if it is too long to be counted here."""
    shown = run_of_draft(text.text, scenario)
    if shown.cut:
        raise CellError("too_long")
    rows = rows_of(shown)
    return set_list(text, "goals", [{"rows": Plain(name), "count": rows[name]} for name in GOAL_ROWS if rows[name]])


def dropped(text: ScenarioText, scenario: Scenario, edit: Edit) -> ScenarioText:
    """Remove a beat or a goal; with the last one goes the list."""
    number = int(edit["number"])
    if edit["list"] == "walkthrough":
        return remove_beat(text, number)
    if edit["list"] != "goals":
        raise CellError("no_choice")
    return remove(text, ("goals",) if len(scenario.goals) == 1 else ("goals", number))
