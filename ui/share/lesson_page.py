"""A lesson as a page: its scenarios one after another in a frame, with what the reader has answered.

``lesson.js`` is its script. The scenarios are files beside it (a package for an LMS, ``scorm.py``), or the page holds
them all and is one file that needs no network.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any, Final

from tidemark.simulator.words import section, words
from tidemark.ui import theme
from tidemark.ui.payload.students import Edition
from tidemark.ui.player.bundle import script
from tidemark.ui.share.page import FRAME, POLICY, Template, template

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
    """What a beat asks: its ``name`` as the player tells it (``ui/player/share/outside.js``), and its words."""

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
    return f"{theme.tokens()}{_STYLE}", script(Path(__file__).parent / "lesson.js")


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
