"""A lesson of the library as a package for an LMS (``scorm.py``), in the current language."""

import gzip
import json
from typing import Any, Final

from simulator.words import current_language, words
from ui import catalogue
from ui.catalogue import Entry, library, text_of
from ui.language import tag
from ui.lessons import Lesson, lessons_of
from ui.payload.packing import choices_of, packed
from ui.share.page import filled
from ui.share.scorm import Page, package

MOST_BYTES: Final = 40 * 1024 * 1024
"""The largest package; many LMS take no larger ones."""


class LessonError(Exception):
    """A lesson cannot be packed; the message says why."""


def lesson_package(lesson_id: str) -> bytes:
    """The zip of a lesson with all its scenarios in order. Raises ``LessonError``; then nothing has been written."""
    lessons = lessons_of(catalogue.FOLDER)
    if lessons.problem:
        raise LessonError(lessons.problem)
    lesson = next((each for each in lessons.lessons if each.id == lesson_id), None)
    if lesson is None:
        raise LessonError(words("share.scorm.unknown", lesson=lesson_id[:80]))
    entries = library()
    pages = [_page(entry, entries) for entry in _scenarios(lesson, entries)]
    if not pages:
        raise LessonError(words("share.scorm.empty", lesson=lesson_id))
    made = package(lesson.id, text_of(lesson.title), pages, tag(current_language()))
    if len(made) > MOST_BYTES:
        raise LessonError(words("share.scorm.too_large", lesson=lesson_id, most=MOST_BYTES // 2**20))
    return made


def _scenarios(lesson: Lesson, entries: list[Entry]) -> list[Entry]:
    known = {entry.name: entry for entry in entries}
    found = []
    for name in dict.fromkeys(name for topic in lesson.topics for name in topic.scenarios):
        if name not in known:
            raise LessonError(words("share.scorm.missing", lesson=lesson.id, scenario=name))
        if known[name].scenario is None:
            raise LessonError(words("share.scorm.broken", scenario=name, problem=known[name].problem))
        found.append(known[name])
    return found


def _page(entry: Entry, entries: list[Entry]) -> Page:
    facts, _ = packed(entry, entry.name, entry.stamp, choices_of(entries))
    contents: dict[str, Any] = json.loads(gzip.decompress(facts))
    questions = [f"{each['kind']} {each['step']}" for each in contents["beats"] if each["choices"]]
    return Page(contents["title"], filled(facts, title=contents["title"], frame=True), questions)
