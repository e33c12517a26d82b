"""A lesson to take away: a SCORM 1.2 package with a manifest as the standard wants it, and a student edition."""

import base64
import gzip
import io
import json
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tidemark.ui import catalogue
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
