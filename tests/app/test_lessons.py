"""Lessons: the contents of ``lessons.toml``, the lesson of each card, and the handling of a broken file."""

import json
import os
from pathlib import Path

import pytest

from ui.catalogue import library
from ui.lessons import FILE, Lessons, lessons_of
from ui.library.shelves import lecture, shelves
from ui.payload.visit import scenes, visit_of

TEXT = """
[[lessons]]
id = "late"
title = {en = "Late data", zh = "迟到数据"}
about = "What is late"
[[lessons.topics]]
title = "Kept"
about = "What is kept"
scenarios = ["b", "gone", "a"]

[lecture]
title = "One hour"
about = "Two of them"
minutes = 50
scenarios = ["a", "gone"]
"""


SCENARIO = """scenario: 1
name: {name}
summary: |
  Two
  lines.
operator: {{type: window, assigner: {{type: tumbling, size: 1s}}, function: {{call: reduce, compute: sum}}}}
stream: [{{ts: 0, key: k, value: 1}}]
"""


def lessons(folder: Path, text: str) -> Lessons:
    (folder / FILE).write_text(text, encoding="utf-8")
    return lessons_of(folder)


def card(name: str, lesson: str = "late") -> dict[str, str]:
    return {"name": name, "lesson": lesson}


def names(found: list[dict[str, list[dict[str, list[str]]]]]) -> list[list[list[str]]]:
    return [[topic["names"] for topic in shelf["topics"]] for shelf in found]


def test_cards_are_in_the_order_of_the_file_and_others_follow(tmp_path: Path) -> None:
    known = lessons(tmp_path, TEXT)
    cards = [card("a"), card("b"), card("new"), card("other", "my-own"), card("none", "")]
    found = shelves(cards, known)
    assert names(found) == [[["b", "a"], ["new"]], [["other"]], [["none"]]]
    assert [shelf["title"] for shelf in found] == ["Late data", "My own", "More scenarios"]
    assert [known.number(name) for name in ("b", "a", "new")] == [1, 3, None]


def test_a_topic_without_a_scenario_is_not_shown(tmp_path: Path) -> None:
    assert shelves([], lessons(tmp_path, TEXT)) == []
    assert names(shelves([card("new")], lessons(tmp_path, TEXT))) == [[["new"]]]


def test_the_lecture_has_the_scenarios_that_exist(tmp_path: Path) -> None:
    found = lecture([card("a"), card("b")], lessons(tmp_path, TEXT))
    assert found == {"title": "One hour", "about": "Two of them", "minutes": 50, "names": ["a"], "lab": []}
    assert lecture([card("b")], lessons(tmp_path, TEXT)) is None


def test_a_visit_has_the_scenes_that_exist(tmp_path: Path) -> None:
    text = TEXT + '[visit]\ntitle = "First"\nabout = "What this is"\nscenarios = ["a", "gone", "b"]\n'
    text += 'onward = ["b", {scenario = "a", about = "New: this."}, "gone"]\n'
    found = lessons(tmp_path, text)
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(SCENARIO.format(name=name), encoding="utf-8")
    entries = library(tmp_path)
    assert scenes(entries, found) == ["a", "b"]
    told = json.loads(visit_of("b", entries, found))
    assert [scene["name"] for scene in told["scenes"]] == ["a", "b"]
    assert [scene["says"] for scene in told["scenes"]] == ["", ""]
    assert told["onward"] == [
        {"name": "b", "title": "b", "says": "Two lines."},
        {"name": "a", "title": "a", "says": "New: this."},
    ]
    led = json.loads(visit_of("c", entries, found))
    assert ([scene["name"] for scene in led["scenes"]], led["onward"]) == (["a", "b"], [])
    assert (visit_of("c", entries, Lessons()), scenes(entries, Lessons())) == ("", [])


def test_a_folder_without_the_file_has_the_lessons_that_its_scenarios_name(tmp_path: Path) -> None:
    assert lessons_of(tmp_path) == Lessons()
    assert names(shelves([card("a"), card("b", "x")], Lessons())) == [[["a"]], [["b"]]]


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    assert lessons(tmp_path, TEXT).number("b") == 1
    (tmp_path / FILE).write_text(TEXT.replace('"b", ', ""), encoding="utf-8")
    os.utime(tmp_path / FILE, ns=(1, 1))
    assert lessons_of(tmp_path).number("b") is None


WRONG = {
    "lessons = 3": "`lessons`",
    TEXT.replace('id = "late"', "id = 3"): "`id`",
    TEXT.replace('about = "What is kept"', ""): "`about`",
    TEXT.replace('"gone", "a"', "7"): "`scenarios`",
    TEXT.replace("minutes = 50", "minutes = true"): "`minutes`",
    TEXT.replace('{en = "Late data", zh = "迟到数据"}', '{zh = "迟到数据"}'): "`title`",
    "lessons = [": "lessons.toml",
    "lecture = 1\nlessons = []": "`lecture`",
    "visit = 1\nlessons = []": "`visit`",
    TEXT + '[visit]\ntitle = "First"\nscenarios = []\n': "`about`",
    TEXT + '[visit]\ntitle = "First"\nabout = "This"\nscenarios = []\nonward = [1]\n': "`onward`",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items(), ids=range(len(WRONG)))
def test_a_broken_file_is_ignored_and_reported(tmp_path: Path, text: str, message: str) -> None:
    found = lessons(tmp_path, text)
    assert (found.lessons, found.lecture) == ((), None)
    assert message in found.problem
    assert FILE in found.problem
