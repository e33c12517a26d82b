"""Templates: each one is accepted, shows something, and needs no hint."""

import pytest
from tidemark.simulator.scenario import load
from tidemark.simulator.teaching.hints import goals_now, hints
from tidemark.simulator.teaching.lint import load_accepted
from tidemark.simulator.words import LANGUAGES, speaking
from tidemark.ui.author import desk
from tidemark.ui.author.desk import FOLDER, NAMES
from tidemark.ui.catalogue.walkable import obstacle


def test_every_file_is_a_template() -> None:
    assert sorted(file.stem for file in FOLDER.iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_template_is_sound(name: str) -> None:
    scenario = load_accepted(FOLDER / f"{name}.yaml")
    assert not obstacle(scenario)
    assert scenario.walkthrough
    assert [goal.met for goal in goals_now(scenario)] == [True] * len(scenario.goals) != []
    assert [hint.message for hint in hints(scenario)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_titles_in_each_language(language: str) -> None:
    with speaking(language):
        found = desk.templates()
    assert [each.name for each in found] == list(NAMES)
    for each in found:
        scenario = load(FOLDER / f"{each.name}.yaml")
        assert scenario.title is not None
        assert each.title == scenario.title[language]
        assert scenario.summary is not None
        assert set(scenario.summary) == set(LANGUAGES)
