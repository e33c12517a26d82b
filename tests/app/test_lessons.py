"""Lessons: the contents of ``lessons.toml``, the lesson of each card, and the handling of a broken file."""

import json
import os
from pathlib import Path

import pytest
from tidemark.ui.catalogue import library
from tidemark.ui.catalogue.lessons_file import FILE, Lessons, lessons_of
from tidemark.ui.catalogue.tours import order, scenes, visit_of
from tidemark.ui.library.contents import lectures, problems_of_lessons, shelves

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
    (found,) = lectures([card("a"), card("b")], lessons(tmp_path, TEXT))
    assert found.pop("id") == "lecture"
    assert found == {"title": "One hour", "about": "Two of them", "minutes": 50, "names": ["a"], "lab": []}
    assert lectures([card("b")], lessons(tmp_path, TEXT)) == []


def test_names_that_lead_nowhere_are_reported(tmp_path: Path) -> None:
    known = lessons(tmp_path, TEXT)
    (tmp_path / "a.yaml").write_text(SCENARIO.format(name="a"), encoding="utf-8")
    (tmp_path / "b.yaml").write_text("scenario: 1\n", encoding="utf-8")
    entries = library(tmp_path)
    assert problems_of_lessons(entries, known) == [
        "lessons.toml names scenarios that do not exist, so they are left out: gone (Late data), gone (One hour)",
        "lessons.toml names scenarios that cannot run, so they are left out: b (Late data)",
    ]
    told = order("lecture", entries, known, {})
    assert told is not None
    assert ([each["name"] for each in told["scenarios"]], told["missing"]) == (["a"], ["gone"])


def test_a_name_that_is_nearly_right_is_corrected(tmp_path: Path) -> None:
    (tmp_path / "late-train.yaml").write_text(SCENARIO.format(name="late-train"), encoding="utf-8")
    known = lessons(tmp_path, TEXT.replace('"a", "gone"', '"late-trian"'))
    [gone] = problems_of_lessons(library(tmp_path), known)
    assert "late-trian (One hour; did you mean late-train?)" in gone


def test_ones_own_lessons_come_before_the_shipped_ones(tmp_path: Path) -> None:
    shipped = lessons(tmp_path, TEXT)
    mine = tmp_path / "mine"
    mine.mkdir()
    text = TEXT.replace('id = "late"', 'id = "week-1"').replace('en = "Late data"', 'en = "Week 1"')
    own = lessons(mine, text.replace('"b", "gone", "a"', '"c", "a"').replace('["a", "gone"]', '["c", "b"]'))
    known = own.beside(shipped)
    lessons_named = {"a": "late", "b": "late", "c": "", "d": "late"}
    cards = [{**card(name, lesson), "own": name in "cd"} for name, lesson in lessons_named.items()]
    found = shelves(cards, known)
    assert [(shelf["title"], shelf["topics"][0]["names"]) for shelf in found] == [
        ("Week 1", ["c", "a"]),
        ("Late", ["d"]),
        ("Late data", ["b"]),
    ]
    assert [(each["id"], each["names"]) for each in lectures(cards, known)] == [
        ("lecture", ["c", "b"]),
        ("shipped-lecture", ["a"]),
    ]
    assert [(each["id"], each["names"]) for each in lectures(cards, Lessons().beside(shipped))] == [("lecture", ["a"])]
    unnamed = [{**card("new", ""), "own": True}]
    titles = [shelves(unnamed, known, reads_own=reads_own)[0]["title"] for reads_own in (True, False)]
    assert titles == ["Your scenarios", "Scenarios of this course"]


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
    TEXT.replace(
        'about = "What is kept"', ""
    ): "[[lessons]] 1 [[lessons.topics]] 1: `about` is missing or is not a text",
    TEXT.replace('"gone", "a"', "7"): "`scenarios` is missing or is not a list of names",
    TEXT.replace("minutes = 50", "minutes = true"): "[lecture]: `minutes` is missing or is not a whole number",
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
