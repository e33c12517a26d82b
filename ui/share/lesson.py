"""A lesson or a lecture of the library to take away, in the current language.

As a package for an LMS (``scorm.py``) or, for students, as one page (``lesson_page.py``).
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tidemark.simulator.limits import EXPORT_BYTES
from tidemark.simulator.words import current_language, words
from tidemark.ui import catalogue
from tidemark.ui.catalogue import Entry, library
from tidemark.ui.lecture.orders import named
from tidemark.ui.payload.packing import choices_of, packed
from tidemark.ui.payload.students import GRADED, STUDENT, Edition
from tidemark.ui.share.lesson_page import Course, Kit, Page, Question, kit, whole
from tidemark.ui.share.scorm import package
from tidemark.ui.tags import tag


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
