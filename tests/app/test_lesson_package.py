"""A lesson as a SCORM 1.2 package: a manifest as the standard wants it, every file it names, and no half a package."""

import io
import json
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ui import catalogue
from ui.share.lesson import LessonError, lesson_package
from ui.share.scorm import Page, package

NAMES = {"i": "http://www.imsproject.org/xsd/imscp_rootv1p1p2", "adlcp": "http://www.adlnet.org/xsd/adlcp_rootv1p2"}
HOSTILE = '"</script><b>&amp; \x00 \ud800'

ONE = """scenario: 1
name: one
title: {title}
inputs: {{events: {{watermark: {{generator: monotonous}}}}}}
operator: {{type: window, assigner: {{type: tumbling, size: 2s}}, function: {{call: reduce, compute: sum}}}}
stream: [{{ts: 1s, key: a, value: 4}}, {{ts: 3s, key: a, value: 5}}, {{end: true}}]
walkthrough: [{{at: {{item: 1}}, ask: What comes out?, choices: [four, nine], answer: 0}}]
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
    assert [name.split()[0] for name in one["questions"]] == ["ask"]


def test_any_title_gives_a_sound_package() -> None:
    made = package(HOSTILE, HOSTILE, [Page(HOSTILE, "<html>", [HOSTILE])], "en")
    archive = zipfile.ZipFile(io.BytesIO(made))
    assert archive.testzip() is None
    ElementTree.fromstring(archive.read("imsmanifest.xml"))
    assert archive.read("index.html").decode().count("</script>") == 2


def test_the_same_lesson_gives_the_same_bytes() -> None:
    first, second = (package("a", "A", [Page("One", "<html>", [])], "en") for _ in range(2))
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
    monkeypatch.setattr("ui.share.lesson.MOST_BYTES", 1000)
    with pytest.raises(LessonError, match="would be larger than 0 MiB"):
        lesson_of(folder, "one")
