"""A lesson or a lecture of the library to take away, in the current language.

As a package for an LMS (``scorm.py``) or, for students, as one page (``lesson_page.py``).
"""

import base64
import gzip
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any, Final

from tidemark.simulator.limits import EXPORT_BYTES
from tidemark.simulator.words import current_language, section, words
from tidemark.ui import catalogue
from tidemark.ui.catalogue import Entry, library
from tidemark.ui.catalogue.tours import named
from tidemark.ui.pages import theme
from tidemark.ui.payload.packing import GRADED, STUDENT, choices_of, packed
from tidemark.ui.payload.schema import Edition
from tidemark.ui.player.bundle import script
from tidemark.ui.server.tags import tag
from tidemark.ui.share.page import FRAME, POLICY, Template, filled, template

# A lesson as a page: its scenarios one after another in a frame, with what the reader has answered.
#
# ``lesson.ts`` is its script. The scenarios are files beside it (a package for an LMS, ``scorm.py``), or the page
# holds them all and is one file that needs no network.

_PAGE: Final = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">{policy}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
{style}
</style>
</head>
<body>
<header>
<h1>{title}</h1>
<select id="places" aria-label="{choose}"></select>
<button id="next" type="button">{next}</button>
<p id="said" role="status"></p>
<button id="save" type="button" hidden>{save}</button>
</header>
<iframe id="scenario" title="{title}" allow="fullscreen"></iframe>
<script type="application/json" id="lesson">{lesson}</script>
<script type="module">
{script}
</script>
</body>
</html>
"""

_STYLE: Final = """
html, body { margin: 0; height: 100%; background: var(--tm-bg); color: var(--tm-ink); color-scheme: light dark; }
body { display: flex; flex-direction: column; font: 15px/20px system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 14px; padding: 8px 12px; }
h1 { margin: 0; font-size: 17px; line-height: 22px; }
select, button { min-height: 34px; max-width: 100%; padding: 0 10px; border: 1px solid var(--tm-line2);
  border-radius: 7px; background: var(--tm-surface); color: inherit; font: inherit; }
p { margin: 0; color: var(--tm-ink2); }
iframe { flex: 1; width: 100%; min-height: 420px; border: 0; }
"""

_POLICY: Final = f'\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">'


@dataclass(frozen=True)
class Question:
    """What a beat asks: its ``name`` as the player tells it (``ui/player/share/embed.ts``), and its words."""

    name: str
    text: str
    choices: Sequence[str]


@dataclass(frozen=True)
class Page:
    """A scenario of the lesson: its packed ``facts``, and its questions."""

    name: str
    title: str
    facts: bytes
    questions: Sequence[Question]


@dataclass(frozen=True)
class Course:
    """A lesson or a lecture, ready to be taken away: ``id`` names it, ``language`` is a tag as in HTML."""

    id: str
    title: str
    pages: Sequence[Page]
    language: str
    edition: Edition


@dataclass(frozen=True)
class Kit:
    """What the pages of all lessons are made of: the template of a scenario's page, and a lesson's own parts."""

    template: Template
    style: str
    script: str


def own_parts() -> tuple[str, str]:
    """Style and script of a lesson's page."""
    return f"{theme.tokens()}{_STYLE}", script(Path(__file__).parent / "lesson.ts")


def kit() -> Kit:
    """The kit in the current language."""
    return Kit(template(), *own_parts())


def with_files(course: Course, files: Sequence[str], made_of: Kit) -> str:
    """The page of a course whose scenarios are ``files`` beside it."""
    scenarios = [{**_told(page), "file": file} for page, file in zip(course.pages, files, strict=True)]
    return _filled(course, {"scenarios": scenarios}, "", made_of)


def whole(course: Course, made_of: Kit) -> str:
    """The page with the scenarios in it."""
    scenarios = [{**_told(page), "facts": base64.b64encode(page.facts).decode()} for page in course.pages]
    shell, fonts = made_of.template
    frame = shell.replace("@@fonts@@", fonts).replace("@@frame@@", FRAME)
    return _filled(course, {"scenarios": scenarios, "shell": frame}, _POLICY, made_of)


def _told(page: Page) -> dict[str, Any]:
    return {"name": page.name, "title": page.title, "questions": [asdict(each) for each in page.questions]}


def _filled(course: Course, contents: Mapping[str, Any], policy: str, made_of: Kit) -> str:
    lesson = {
        "id": course.id,
        "title": course.title,
        "edition": course.edition,
        **contents,
        "words": section("share.lesson"),
    }
    return _PAGE.format(
        policy=policy,
        language=course.language,
        title=escape(course.title),
        style=made_of.style,
        choose=escape(words("share.lesson.choose")),
        next=escape(words("share.lesson.next")),
        save=escape(words("share.lesson.save")),
        lesson=json.dumps(lesson, ensure_ascii=False).replace("<", "\\u003c"),
        script=made_of.script.replace("</script", "<\\/script"),
    )


# A lesson as a SCORM 1.2 package: a zip with the pages of its scenarios and one SCO that reports to the LMS.
#
# The manifest follows the ADL SCORM 1.2 Content Aggregation Model; ``lms.ts`` is the page's side of the Run-Time
# Environment. The package needs no network. Its zip has no dates of its own, so equal lessons give equal bytes.

_MANIFEST: Final = """<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="{id}" version="1.0"
  xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"
  xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://www.imsproject.org/xsd/imscp_rootv1p1p2 imscp_rootv1p1p2.xsd
    http://www.adlnet.org/xsd/adlcp_rootv1p2 adlcp_rootv1p2.xsd">
  <metadata>
    <schema>ADL SCORM</schema>
    <schemaversion>1.2</schemaversion>
  </metadata>
  <organizations default="{id}-course">
    <organization identifier="{id}-course">
      <title>{title}</title>
      <item identifier="{id}-lesson" identifierref="{id}-sco" isvisible="true">
        <title>{title}</title>
      </item>
    </organization>
  </organizations>
  <resources>
    <resource identifier="{id}-sco" type="webcontent" adlcp:scormtype="sco" href="index.html">
{files}
    </resource>
  </resources>
</manifest>
"""

_WHEN: Final = (1980, 1, 1, 0, 0, 0)


def package(course: Course, made_of: Kit) -> bytes:
    """The zip of a course."""
    pages = {
        f"scenario-{number:02}.html": filled(page.facts, title=page.title, frame=True, into=made_of.template)
        for number, page in enumerate(course.pages, 1)
    }
    manifest = _manifest(course.id, course.title, ["index.html", *pages])
    whole = {"imsmanifest.xml": manifest, "index.html": with_files(course, list(pages), made_of), **pages}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in whole.items():
            about = zipfile.ZipInfo(path, _WHEN)
            about.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(about, text.encode("utf-8", "replace"))
    return out.getvalue()


def _manifest(name: str, title: str, files: Sequence[str]) -> str:
    listed = "\n".join(f'      <file href="{each}"/>' for each in files)
    return _MANIFEST.format(id=_identifier(name), title=escape(_printable(title)), files=listed)


def _identifier(name: str) -> str:
    """An XML ID, which may not hold every character of a name."""
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    return f"tidemark-{re.sub(r'[^A-Za-z0-9-]', '-', name)[:40]}-{digest}"


def _printable(text: str) -> str:
    """``text`` without the characters that XML cannot hold."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "", text)


class LessonError(Exception):
    """A lesson cannot be packed; the message says why."""


def lesson_package(lesson_id: str, *, student: bool = False, made_of: Kit | None = None) -> bytes:
    """The zip of a lesson with all its scenarios in order; ``student``: without answers, so nothing is graded.

    ``made_of``: the kit, for whoever has no files to make it from. Raises ``LessonError``; then nothing has been
    written.
    """
    course = _course(lesson_id, STUDENT if student else GRADED)
    return _not_too_large(lesson_id, package(course, made_of or kit()))


def lesson_for_students(lesson_id: str, made_of: Kit | None = None) -> bytes:
    """The student edition of a lesson as one HTML page that needs no network. Raises ``LessonError``."""
    return _not_too_large(lesson_id, whole(_course(lesson_id, STUDENT), made_of or kit()).encode("utf-8", "replace"))


def _not_too_large(lesson_id: str, made: bytes) -> bytes:
    if len(made) > EXPORT_BYTES:
        raise LessonError(words("share.lesson.too_large", lesson=lesson_id, most=EXPORT_BYTES // 2**20))
    return made


def _course(lesson_id: str, edition: Edition) -> Course:
    lessons = catalogue.lessons()
    found = named(lesson_id, lessons)
    if found is None:
        raise LessonError(lessons.problem or words("share.lesson.unknown", lesson=lesson_id[:80]))
    title, _, names = found
    entries = library()
    pages = [_page(entry, entries, edition) for entry in _scenarios(lesson_id, names, entries)]
    if not pages:
        raise LessonError(words("share.lesson.empty", lesson=lesson_id))
    return Course(lesson_id, title, pages, tag(current_language()), edition)


def _scenarios(lesson_id: str, names: Sequence[str], entries: Sequence[Entry]) -> list[Entry]:
    known = {entry.name: entry for entry in entries}
    found = []
    for name in dict.fromkeys(names):
        if name not in known:
            raise LessonError(words("share.lesson.missing", lesson=lesson_id, scenario=name))
        if known[name].scenario is None:
            raise LessonError(words("share.lesson.broken", scenario=name, problem=known[name].problem))
        found.append(known[name])
    return found


def _page(entry: Entry, entries: list[Entry], edition: Edition) -> Page:
    facts, _ = packed(entry, entry.name, entry.stamp, choices_of(entries), edition=edition)
    contents: dict[str, Any] = json.loads(gzip.decompress(facts))
    asked = [_question(each) for each in contents["beats"] if each["choices"]]
    return Page(contents["name"], contents["title"], facts, asked)


def _question(beat: Mapping[str, Any]) -> Question:
    return Question(f"{beat['kind']} {beat['step']}", beat["text"], beat["choices"])
