"""Lessons: the contents of ``lessons.toml``, the lesson of each card, and the handling of a broken file."""

import base64
import gzip
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tidemark.ui import catalogue
from tidemark.ui.catalogue import library
from tidemark.ui.catalogue.lessons_file import FILE, Lessons, lessons_of, problem_in
from tidemark.ui.catalogue.tours import order, scenes, visit_of
from tidemark.ui.library.contents import lectures, problems_of_lessons, shelves
from tidemark.ui.library.lessons.desk import PlanError, first, plan_of, reply, written
from tidemark.ui.share.lesson import (
    Course,
    LessonError,
    Page,
    Question,
    kit,
    lesson_for_students,
    lesson_package,
    package,
)

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


def lessons_in(folder: Path, text: str) -> Lessons:
    (folder / FILE).write_text(text, encoding="utf-8")
    return lessons_of(folder)


def card(name: str, lesson: str = "late") -> dict[str, Any]:
    return {"name": name, "lesson": lesson, "own": False, "replaces": False}


def names(found: list[dict[str, list[dict[str, list[str]]]]]) -> list[list[list[str]]]:
    return [[topic["names"] for topic in shelf["topics"]] for shelf in found]


def test_cards_are_in_the_order_of_the_file_and_others_follow(tmp_path: Path) -> None:
    known = lessons_in(tmp_path, TEXT)
    cards = [card("a"), card("b"), card("new"), card("other", "my-own"), card("none", "")]
    found = shelves(cards, known)
    assert names(found) == [[["b", "a"], ["new"]], [["other"]], [["none"]]]
    assert [shelf["title"] for shelf in found] == ["Late data", "My own", "More scenarios"]
    assert [known.number(name) for name in ("b", "a", "new")] == [1, 3, None]


def test_a_topic_without_a_scenario_is_not_shown(tmp_path: Path) -> None:
    assert shelves([], lessons_in(tmp_path, TEXT)) == []
    assert names(shelves([card("new")], lessons_in(tmp_path, TEXT))) == [[["new"]]]


def test_the_lecture_has_the_scenarios_that_exist(tmp_path: Path) -> None:
    (found,) = lectures([card("a"), card("b")], lessons_in(tmp_path, TEXT))
    assert found.pop("id") == "lecture"
    assert found == {"title": "One hour", "about": "Two of them", "minutes": 50, "names": ["a"], "lab": []}
    assert lectures([card("b")], lessons_in(tmp_path, TEXT)) == []


def test_names_that_lead_nowhere_are_reported(tmp_path: Path) -> None:
    known = lessons_in(tmp_path, TEXT)
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
    known = lessons_in(tmp_path, TEXT.replace('"a", "gone"', '"late-trian"'))
    [gone] = problems_of_lessons(library(tmp_path), known)
    assert "late-trian (One hour; did you mean late-train?)" in gone


def test_ones_own_lessons_come_before_the_shipped_ones(tmp_path: Path) -> None:
    shipped = lessons_in(tmp_path, TEXT)
    mine = tmp_path / "mine"
    mine.mkdir()
    text = TEXT.replace('id = "late"', 'id = "week-1"').replace('en = "Late data"', 'en = "Week 1"')
    own = lessons_in(mine, text.replace('"b", "gone", "a"', '"c", "a"').replace('["a", "gone"]', '["c", "b"]'))
    known = own.beside(shipped)
    lessons_named = {"a": "late", "b": "late", "c": "", "d": "late"}
    cards = [{**card(name, lesson), "own": name in "cd"} for name, lesson in lessons_named.items()]
    found = shelves(cards, known)
    assert [(shelf["title"], shelf["topics"][0]["names"]) for shelf in found] == [
        ("Week 1", ["c", "a"]),
        ("Late", ["d"]),
        ("Late data", ["b", "a"]),
    ], "a shipped lesson keeps what a lesson of one's own names as well"
    mine_now = [each | {"own": each["own"] or each["name"] == "a", "replaces": each["name"] == "a"} for each in cards]
    assert [shelf["topics"][0]["names"] for shelf in shelves(mine_now, known)] == [["c", "a"], ["d"], ["b", "a"]]
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
    found = lessons_in(tmp_path, text)
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
    assert lessons_in(tmp_path, TEXT).number("b") == 1
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
    found = lessons_in(tmp_path, text)
    assert (found.lessons, found.lecture) == ((), None)
    assert message in found.problem
    assert FILE in found.problem


# The order of a course: read from lessons.toml, changed, and written back with its comments.

COURSE = """# A course by week.
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


UNTITLED: dict[str, Any] = {"id": "a", "title": {"en": "x"}}


def changed(**parts: Any) -> dict[str, Any]:
    return {**plan_of(COURSE), **parts}


@pytest.mark.parametrize(
    "onward", ["", 'onward = ["a", "b"]', "[[visit.onward]]\nscenario = 'a'   # then this\nabout = 'New'"]
)
def test_an_unchanged_plan_changes_nothing(onward: str) -> None:
    text = f"{COURSE}\n[visit]\ntitle = 'First'\nabout = ''\nscenarios = ['a']\n{onward}\n"
    assert written(text, plan_of(text)) == text


def test_the_lab_and_the_ways_onward_are_put_in_order() -> None:
    plan = plan_of(f"{COURSE}\n[visit]\ntitle = 'First'\nabout = ''\nscenarios = ['a']\nonward = ['a', 'b']\n")
    plan["lecture"]["lab"] = ["y", "z"]
    plan["visit"]["onward"] = [
        {"was": None, "scenario": "c", "about": {"en": "New", "zh": "新"}},
        plan["visit"]["onward"][0],
    ]
    new = written(COURSE, plan)
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
    plan = plan_of(COURSE)
    plan["lessons"][0]["topics"][0]["scenarios"] = ["a", "c", "b"]
    plan["lecture"]["minutes"] = 45
    plan["lecture"]["scenarios"] = ["c", "a", "b"]
    new = written(COURSE, plan)
    assert problem_in(new) == ""
    gone = [line for line in COURSE.splitlines() if line not in new.splitlines()]
    assert gone == ["minutes = 50   # with the break", 'scenarios = ["a"]']
    assert "minutes = 45   # with the break" in new
    assert plan_of(new) == plan


def test_lessons_change_places_with_all_that_they_hold() -> None:
    plan = plan_of(COURSE)
    plan["lessons"].reverse()
    new = written(COURSE, plan)
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
    plan = plan_of(COURSE)
    plan["lessons"][0]["topics"] = []
    assert problem_in(written(COURSE, plan)) == ""
    new = written(COURSE, {"lessons": [], "lecture": None, "visit": None})
    assert problem_in(new) == ""
    assert plan_of(new) == {"lessons": [], "lecture": None, "visit": None}
    assert 'teacher = "Ada"' in new


def test_a_new_lesson_does_not_take_the_place_of_a_shipped_one() -> None:
    new = {"title": {"en": "Late data"}, "about": {"en": ""}, "topics": []}
    text = written("", {"lessons": [new], "lecture": None, "visit": None}, taken=["late-data"])
    assert plan_of(text)["lessons"][0]["id"] == "late-data-2"


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
        (
            changed(lessons=[UNTITLED, {**UNTITLED, "title": "x"}]),
            "Lesson 2 needs an English title.",
            "lessons.1.title.en",
        ),
        (changed(lessons=[UNTITLED, UNTITLED]), "Lesson 2 needs an id of its own.", "lessons.1.id"),
        (
            changed(lessons=[{**UNTITLED, "topics": [{"title": {"en": "T"}}, {"title": {"en": ""}}]}]),
            "Topic 2 of lesson 1 needs an English title.",
            "lessons.0.topics.1.title.en",
        ),
    ],
)
def test_what_is_missing_is_said_with_its_field(plan: dict[str, Any], message: str, place: str) -> None:
    with pytest.raises(PlanError, match=message) as refused:
        written(COURSE, plan)
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


# A lesson to take away: a SCORM 1.2 package with a manifest as the standard wants it, and a student edition.

ASKED = Question('"</script>', "<b>", ["&"])
NAMES = {"i": "http://www.imsproject.org/xsd/imscp_rootv1p1p2", "adlcp": "http://www.adlnet.org/xsd/adlcp_rootv1p2"}
SECRETS = ("Wait for the class", "nine is a sum", "only one is in it")
HOSTILE = '"</script><b>&amp; \x00 \ud800'

ONE = """scenario: 1
name: one
title: {title}
inputs: {{events: {{watermark: {{generator: monotonous}}}}}}
operator: {{type: window, assigner: {{type: tumbling, size: 2s}}, function: {{call: reduce, compute: sum}}}}
stream: [{{ts: 1s, key: a, value: 4}}, {{ts: 3s, key: a, value: 5}}, {{end: true}}]
walkthrough:
  - at: {{item: 1}}
    ask: What comes out?
    choices: [four, {{text: nine, reply: nine is a sum}}]
    answer: 0
    because: only one is in it
    note: Wait for the class
"""
LESSON = """[[lessons]]
id = "mine"
title = "Quotes \\" and </script>"
about = "What it is about"
[[lessons.topics]]
title = "A topic"
about = "What it is about"
scenarios = [{names}]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    (tmp_path / "one.yaml").write_text(ONE.format(title='"A </script> & \\"title\\""'), encoding="utf-8")
    return tmp_path


def lesson_of(folder: Path, *names: str) -> zipfile.ZipFile:
    listed = ", ".join(f'"{name}"' for name in names)
    (folder / "lessons.toml").write_text(LESSON.format(names=listed), encoding="utf-8")
    return zipfile.ZipFile(io.BytesIO(lesson_package("mine")))


def test_the_manifest_names_one_sco_and_every_file(folder: Path) -> None:
    archive = lesson_of(folder, "one")
    root = ElementTree.fromstring(archive.read("imsmanifest.xml"))
    assert root.tag == f"{{{NAMES['i']}}}manifest"
    assert [root.find(f"i:metadata/i:{each}", NAMES).text for each in ("schema", "schemaversion")] == [
        "ADL SCORM",
        "1.2",
    ]  # type: ignore[union-attr]
    organizations = root.find("i:organizations", NAMES)
    organization = root.find("i:organizations/i:organization", NAMES)
    item, resource = root.find(".//i:item", NAMES), root.find(".//i:resource", NAMES)
    assert organizations is not None
    assert organization is not None
    assert item is not None
    assert resource is not None
    assert organizations.get("default") == organization.get("identifier")
    assert item.get("identifierref") == resource.get("identifier")
    assert (resource.get(f"{{{NAMES['adlcp']}}}scormtype"), resource.get("type")) == ("sco", "webcontent")
    assert resource.get("href") == "index.html"
    files = {each.get("href") for each in resource.findall("i:file", NAMES)}
    assert files | {"imsmanifest.xml"} == set(archive.namelist())
    identifiers = [each.get("identifier") for each in root.iter() if each.get("identifier")]
    assert len(set(identifiers)) == len(identifiers)
    assert item.findtext("i:title", None, NAMES) == 'Quotes " and </script>'


def test_the_page_knows_its_questions_and_no_title_ends_its_script(folder: Path) -> None:
    index = lesson_of(folder, "one").read("index.html").decode()
    told = json.loads(index.split('id="lesson">')[1].split("</script>")[0])
    (one,) = told["scenarios"]
    assert (one["title"], one["file"]) == ('A </script> & "title"', "scenario-01.html")
    assert [each["name"].split()[0] for each in one["questions"]] == ["ask"]


def facts_in(page: str) -> str:
    """What the player of a scenario's page gets, as JSON text."""
    return gzip.decompress(base64.b64decode(page.split('id="facts">')[1].split("<")[0])).decode()


def test_a_package_grades_but_has_no_notes(folder: Path) -> None:
    facts = facts_in(lesson_of(folder, "one").read("scenario-01.html").decode())
    assert [each in facts for each in SECRETS] == [False, True, True]
    assert json.loads(facts)["edition"] == "graded"


def test_a_student_edition_has_neither_notes_nor_answers(folder: Path) -> None:
    lesson_of(folder, "one")
    page = lesson_for_students("mine").decode()
    told = json.loads(page.split('id="lesson">')[1].split("</script>")[0])
    (one,) = told["scenarios"]
    assert (told["edition"], one["questions"][0]["choices"]) == ("student", ["four", "nine"])
    package = zipfile.ZipFile(io.BytesIO(lesson_package("mine", student=True)))
    for facts in (
        gzip.decompress(base64.b64decode(one["facts"])).decode(),
        facts_in(package.read("scenario-01.html").decode()),
    ):
        assert not [each for each in SECRETS if each in facts]
        assert {each["answer"] for each in json.loads(facts)["beats"]} == {None}
    assert page.count("</script>") == 2


def test_a_lesson_of_ones_own_folder_may_name_shipped_scenarios(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = tmp_path_factory.mktemp("course")
    (course / "two.yaml").write_text(ONE.format(title="Two").replace("name: one", "name: two"), encoding="utf-8")
    text = LESSON.format(names='"two", "one"')
    lecture = '[lecture]\ntitle = "Mine"\nabout = "Ours"\nminutes = 9\nscenarios = ["two"]\n'
    (course / "lessons.toml").write_text(f"{lecture}{text}", encoding="utf-8")
    monkeypatch.setattr(catalogue, "CHOSEN", course)
    for lesson, titles in (("mine", ["Two", 'A </script> & "title"']), ("lecture", ["Two"])):
        index = zipfile.ZipFile(io.BytesIO(lesson_package(lesson))).read("index.html").decode()
        told = json.loads(index.split('id="lesson">')[1].split("</script>")[0])
        assert [each["title"] for each in told["scenarios"]] == titles


def test_any_title_gives_a_sound_package() -> None:
    made = package(Course(HOSTILE, HOSTILE, [Page(HOSTILE, HOSTILE, b"", [ASKED])], "en", "graded"), kit())
    archive = zipfile.ZipFile(io.BytesIO(made))
    assert archive.testzip() is None
    ElementTree.fromstring(archive.read("imsmanifest.xml"))
    assert archive.read("index.html").decode().count("</script>") == 2


def test_the_same_lesson_gives_the_same_bytes() -> None:
    first, second = (package(Course("a", "A", [Page("one", "One", b"", [])], "en", "graded"), kit()) for _ in range(2))
    assert first == second


def test_what_cannot_be_packed_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LessonError, match="names the scenario other, which is not in the library"):
        lesson_of(folder, "one", "other")
    (folder / "two.yaml").write_text("scenario: 1\nname: two\n", encoding="utf-8")
    with pytest.raises(LessonError, match=r"The scenario two cannot be run:\n.*two\.yaml:1:1"):
        lesson_of(folder, "two")
    with pytest.raises(LessonError, match="has no scenarios"):
        lesson_of(folder)
    with pytest.raises(LessonError, match="There is no lesson nowhere"):
        lesson_package("nowhere")
    monkeypatch.setattr("tidemark.ui.share.lesson.EXPORT_BYTES", 1000)
    with pytest.raises(LessonError, match="would be larger than 0 MiB"):
        lesson_of(folder, "one")
