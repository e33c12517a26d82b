"""The student edition of a scenario: a text that holds neither notes nor answers, so that no copy can show them.

In that text every question names its first choice as the answer, which is no answer: whoever opens it takes it out
again (``ui/payload/students.py``). On the Author page, where each question needs one, questions become statements.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.scenario.model import Beat, Choice, Scenario
from tidemark.simulator.scenario.model import Text as Words
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.ui.share.links import Text

_FIRST: Final = 0


def student_text(scenario: Scenario) -> Text:
    """The text of the student edition, without the comments of the file."""
    return Text(as_yaml(replace(scenario, walkthrough=tuple(map(_bare, scenario.walkthrough)))), False, student=True)


def editable(text: Text) -> Text:
    """What an author gets of ``text``; of a student edition one in which nothing is asked. Raises ``ScenarioError``."""
    if not text.student:
        return text
    scenario = scenarios.parse(text.text, "link.yaml")
    return Text(as_yaml(replace(scenario, walkthrough=tuple(map(_stated, scenario.walkthrough)))), False)


def _bare(beat: Beat) -> Beat:
    beat = replace(beat, note=None, because=None)
    if beat.ask is None:
        return beat
    return replace(beat, choices=tuple(Choice(each.text) for each in beat.choices), answer=_FIRST)


def _stated(beat: Beat) -> Beat:
    if beat.ask is None:
        return beat
    parts = [beat.ask, *(each.text for each in beat.choices)]
    return Beat(beat.at, say={language: _listed(parts, language) for language in beat.ask})


def _listed(parts: Sequence[Words], language: str) -> str:
    ask, *choices = (part.get(language, part["en"]) for part in parts)
    return " ".join([ask, *(f"({number}) {text}" for number, text in enumerate(choices, 1))])
