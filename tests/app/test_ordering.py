"""The order of a course: read from lessons.toml, changed, and written back with its comments."""

from pathlib import Path
from typing import Any

import pytest
from tidemark.ui import catalogue
from tidemark.ui.catalogue.lessons_file import FILE, problem_in
from tidemark.ui.library.lessons.desk import PlanError, first, plan_of, reply, written

TEXT = """# A course by week.
[course]
teacher = "Ada"   # not for Tidemark

[[lessons]]
id = "one"
title = {en = "One", zh = "一", de = "Eins"}   # said in three languages
about = "First"
color = "red"
[[lessons.topics]]
title = "Clocks"
about = "Two of them"
scenarios = [
  "a",   # short
  "b",
]

[[lessons]]
id = "two"
title = "Two"
about = "Second"
topics = []

[lecture]
title = "Today"
about = "All"
minutes = 50   # with the break
scenarios = ["a"]
lab = ["z"]
"""


LESSON: dict[str, Any] = {"id": "a", "title": {"en": "x"}}


def changed(**parts: Any) -> dict[str, Any]:
    return {**plan_of(TEXT), **parts}


@pytest.mark.parametrize(
    "onward", ["", 'onward = ["a", "b"]', "[[visit.onward]]\nscenario = 'a'   # then this\nabout = 'New'"]
)
def test_an_unchanged_plan_changes_nothing(onward: str) -> None:
    text = f"{TEXT}\n[visit]\ntitle = 'First'\nabout = ''\nscenarios = ['a']\n{onward}\n"
    assert written(text, plan_of(text)) == text


def test_the_lab_and_the_ways_onward_are_put_in_order() -> None:
    plan = plan_of(f"{TEXT}\n[visit]\ntitle = 'First'\nabout = ''\nscenarios = ['a']\nonward = ['a', 'b']\n")
    plan["lecture"]["lab"] = ["y", "z"]
    plan["visit"]["onward"] = [
        {"was": None, "scenario": "c", "about": {"en": "New", "zh": "新"}},
        plan["visit"]["onward"][0],
    ]
    new = written(TEXT, plan)
    assert problem_in(new) == ""
    assert plan_of(new)["lecture"]["lab"] == ["y", "z"]
    ways = [(each["scenario"], each["about"]) for each in plan_of(new)["visit"]["onward"]]
    assert ways == [("c", {"en": "New", "zh": "新"}), ("a", {"en": ""})]
    plan["visit"]["onward"] = []
    assert plan_of(written(new, plan))["visit"]["onward"] == []
    plan["visit"]["onward"] = [{"scenario": ""}]
    with pytest.raises(PlanError, match="Choose a scenario"):
        written(new, plan)


def test_a_small_change_is_a_small_change_in_the_file() -> None:
    plan = plan_of(TEXT)
    plan["lessons"][0]["topics"][0]["scenarios"] = ["a", "c", "b"]
    plan["lecture"]["minutes"] = 45
    plan["lecture"]["scenarios"] = ["c", "a", "b"]
    new = written(TEXT, plan)
    assert problem_in(new) == ""
    gone = [line for line in TEXT.splitlines() if line not in new.splitlines()]
    assert gone == ["minutes = 50   # with the break", 'scenarios = ["a"]']
    assert "minutes = 45   # with the break" in new
    assert plan_of(new) == plan


def test_lessons_change_places_with_all_that_they_hold() -> None:
    plan = plan_of(TEXT)
    plan["lessons"].reverse()
    new = written(TEXT, plan)
    assert [each["id"] for each in plan_of(new)["lessons"]] == ["two", "one"]
    for kept in (
        'color = "red"',
        "# said in three languages",
        'de = "Eins"',
        "# short",
        'teacher = "Ada"',
        "[lecture]",
    ):
        assert kept in new
    assert problem_in(new) == ""


def test_what_is_emptied_can_be_read_again() -> None:
    plan = plan_of(TEXT)
    plan["lessons"][0]["topics"] = []
    assert problem_in(written(TEXT, plan)) == ""
    new = written(TEXT, {"lessons": [], "lecture": None, "visit": None})
    assert problem_in(new) == ""
    assert plan_of(new) == {"lessons": [], "lecture": None, "visit": None}
    assert 'teacher = "Ada"' in new


def test_a_course_begins_with_nothing() -> None:
    topic = {"was": None, "title": {"en": "T"}, "about": {}, "scenarios": ["a"]}
    lesson = {"was": None, "id": "one", "title": {"en": "One", "zh": "一"}, "about": {"en": "x"}, "topics": [topic]}
    lecture = {"title": {"en": "L"}, "about": {"en": ""}, "minutes": 20, "scenarios": ["a", "b"], "lab": ["c"]}
    new = written("", {"lessons": [lesson], "lecture": lecture, "visit": None})
    assert problem_in(new) == ""
    assert plan_of(new)["lessons"][0]["topics"][0]["scenarios"] == ["a"]
    assert plan_of(new)["lecture"] == lecture


def test_a_lesson_without_an_id_is_named_after_its_title() -> None:
    lessons = [{"id": "", "title": {"en": title}} for title in ("Fenêtres & Co.", "Week one", "Week one")]
    new = written("", {"lessons": [*lessons, {"id": "week-one", "title": {"en": "W"}}]})
    assert [each["id"] for each in plan_of(new)["lessons"]] == ["fenetres-co", "week-one-2", "week-one-3", "week-one"]
    with pytest.raises(PlanError, match="id of its own"):
        written("", {"lessons": [{"id": "", "title": {"en": "一"}}]})


@pytest.mark.parametrize(
    ("plan", "message", "place"),
    [
        (
            changed(lecture={"title": {"en": ""}, "minutes": 1}),
            "The lecture needs an English title.",
            "lecture.title.en",
        ),
        (changed(lecture={"title": {"en": "x"}, "minutes": True}), "whole number", "lecture.minutes"),
        (changed(visit={"title": {"zh": "一"}}), "The first visit needs", "visit.title.en"),
        (changed(lessons=[LESSON, {**LESSON, "title": "x"}]), "Lesson 2 needs an English title.", "lessons.1.title.en"),
        (changed(lessons=[LESSON, LESSON]), "Lesson 2 needs an id of its own.", "lessons.1.id"),
        (
            changed(lessons=[{**LESSON, "topics": [{"title": {"en": "T"}}, {"title": {"en": ""}}]}]),
            "Topic 2 of lesson 1 needs an English title.",
            "lessons.0.topics.1.title.en",
        ),
    ],
)
def test_what_is_missing_is_said_with_its_field(plan: dict[str, Any], message: str, place: str) -> None:
    with pytest.raises(PlanError, match=message) as refused:
        written(TEXT, plan)
    assert ".".join(map(str, refused.value.place)) == place


def test_nothing_of_somebody_else_is_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "CHOSEN", tmp_path)
    begun = first()
    assert (begun["saving"], begun["digest"], begun["problem"]) == (True, None, "")
    lecture = {"title": {"en": "Mine"}, "about": {"en": ""}, "minutes": 20, "scenarios": ["a"], "lab": []}
    mine = {"text": "", "expected": None, "plan": {"lessons": [], "lecture": lecture, "visit": None}}
    (tmp_path / FILE).write_text("# hers\n", "utf-8")
    told = reply(mine)
    assert (tmp_path / FILE).read_text("utf-8") == "# hers\n"
    [piece] = told["conflict"]["blocks"]
    assert (piece["base"], piece["theirs"], piece["taken"]) == ([], ["# hers"], "")
    assert reply({**mine, "expected": told["conflict"]["digest"]})["saved"]
    assert first()["plan"]["lecture"] == lecture
    assert "lessons.toml" in reply({"text": "lessons = 3", "expected": None})["problem"]


def test_without_a_folder_nothing_is_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "CHOSEN", None)
    assert first()["saving"] is False
    assert "SCENARIOS=DIR" in reply({"text": "", "plan": {"lessons": []}})["problem"]
