"""The lessons of a library: which scenarios belong to each, in which order, its lecture, and the first visit.

They are in ``lessons.toml`` beside the scenarios, because a scenario only names its lesson. A folder without that file
still has lessons: those that its scenarios name.
"""

import stat
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeVar

from tidemark.simulator.limits import LESSONS_BYTES
from tidemark.simulator.words import current_language, words
from tidemark.ui.server.on_disk import is_inside

FILE = "lessons.toml"

Made = TypeVar("Made")

Text = str | Mapping[str, str]
"""One text, or one for each language; English is required."""


@dataclass(frozen=True)
class Topic:
    """A part of a lesson, with the names of its scenarios in order."""

    title: Text
    about: Text
    scenarios: tuple[str, ...]


@dataclass(frozen=True)
class Lesson:
    """``id`` is what scenarios name as their ``lesson``."""

    id: str
    title: Text
    about: Text
    topics: tuple[Topic, ...]


@dataclass(frozen=True)
class Lecture:
    """The scenarios of one lecture of ``minutes``, in order; ``lab``: those to work on afterwards."""

    title: Text
    about: Text
    minutes: int
    scenarios: tuple[str, ...]
    lab: tuple[str, ...]


@dataclass(frozen=True)
class Onward:
    """Where the visit leads: ``about`` says what is new there; "": the scenario's own summary says it."""

    scenario: str
    about: Text


@dataclass(frozen=True)
class Visit:
    """What a visitor sees first: ``scenarios`` are its scenes in order, ``onward`` leads on from the last one."""

    title: Text
    about: Text
    scenarios: tuple[str, ...]
    onward: tuple[Onward, ...]


@dataclass(frozen=True)
class Lessons:
    """All lessons of a folder. ``problem``: what is wrong with its file, which is then treated as missing.

    ``shipped``: the lessons of the library that stands beside the folder (``beside``); then the first ``ours`` of the
    lessons are the folder's own.
    """

    lessons: tuple[Lesson, ...] = ()
    lecture: Lecture | None = None
    visit: Visit | None = None
    problem: str = ""
    shipped: "Lessons | None" = None
    ours: int = 0

    def beside(self, shipped: "Lessons") -> "Lessons":
        """These with those of the ``shipped`` library after them; a lesson, lecture or visit that both have is ours."""
        ours = {each.id for each in self.lessons}
        return Lessons(
            (*self.lessons, *(each for each in shipped.lessons if each.id not in ours)),
            self.lecture or shipped.lecture,
            self.visit or shipped.visit,
            self.problem,
            shipped,
            len(self.lessons),
        )

    @property
    def other_lecture(self) -> Lecture | None:
        """The lecture of the shipped library where the folder has another one; else None."""
        shipped = self.shipped.lecture if self.shipped else None
        return shipped if shipped != self.lecture else None

    def named(self) -> Iterator[tuple[Text, str]]:
        """Every scenario that the file names, with the title of the lesson, the lecture or the visit that does."""
        for lesson in self.lessons:
            for topic in lesson.topics:
                yield from ((lesson.title, name) for name in topic.scenarios)
        for one in (self.lecture, self.visit):
            if one is not None:
                yield from ((one.title, name) for name in one.scenarios)
        if self.lecture is not None:
            yield from ((self.lecture.title, name) for name in self.lecture.lab)
        if self.visit is not None:
            yield from ((self.visit.title, each.scenario) for each in self.visit.onward)

    def number(self, name: str) -> int | None:
        """The position of a scenario in the order of all lessons, from 1; None if no lesson names it."""
        return self._numbers.get(name)

    def rank(self, lesson: str | None) -> int:
        """The position of a lesson, from 0; one after the last for an unknown lesson."""
        return self._ranks.get(lesson, len(self._ranks))

    @cached_property  # each visit sorts the whole library by these two
    def _numbers(self) -> Mapping[str, int]:
        names = [name for lesson in self.lessons for topic in lesson.topics for name in topic.scenarios]
        return {name: number for number, name in reversed(list(enumerate(names, 1)))}

    @cached_property
    def _ranks(self) -> Mapping[str | None, int]:
        return {lesson.id: rank for rank, lesson in reversed(list(enumerate(self.lessons)))}


class _WrongLessonsError(ValueError):
    """Something in the file is wrong; the message names the tables that lead to it as their headers do."""

    def __init__(self, what: str, *tables: str) -> None:
        super().__init__(f"{' '.join(tables)}: {what}" if tables else what)
        self.what, self.tables = what, tables


def lessons_of(folder: Path) -> Lessons:
    """The lessons of ``folder``, read again when the file changes."""
    path = folder / FILE
    try:
        status = path.stat()
    except OSError:
        return Lessons()
    if not stat.S_ISREG(status.st_mode):  # opening a named pipe waits until somebody writes to it
        return Lessons(problem=_problem(path, words("problems.not_regular")))
    if path.is_symlink() and not is_inside(path, folder):
        return Lessons(problem=_problem(path, words("problems.link_outside")))
    return _read(path, status.st_mtime_ns, status.st_size, current_language())


@lru_cache(maxsize=64)
def _read(path: Path, _changed_ns: int, size: int, _language: str) -> Lessons:
    try:
        if size > LESSONS_BYTES:
            raise _WrongLessonsError(words("pages.library.shelf.lessons_large", limit=LESSONS_BYTES // 1024))
        return _parsed(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        return Lessons(problem=_problem(path, error))


def problem_in(text: str) -> str:
    """What is wrong with ``text`` as the contents of the file; "" for nothing."""
    try:
        _parsed(text)
    except (ValueError, RecursionError) as error:
        return words("pages.library.shelf.lessons_text", file=FILE, problem=error)
    return ""


def _parsed(text: str) -> Lessons:
    found = tomllib.loads(text)
    lecture = _value(found, "lecture", dict) if "lecture" in found else None
    visit = _value(found, "visit", dict) if "visit" in found else None
    lessons = _tables({"lessons": [], **found}, "lessons")
    with _named("[lecture]"):
        told = None if lecture is None else _lecture(lecture)
    with _named("[visit]"):
        shown = None if visit is None else _visit(visit)
    return Lessons(tuple(_numbered("[[lessons]]", lessons, _lesson)), told, shown)


def _problem(path: Path, what: object) -> str:
    return words("pages.library.shelf.lessons_wrong", file=path.name, problem=what)


def _lesson(table: Mapping[str, Any]) -> Lesson:
    topics = tuple(_numbered("[[lessons.topics]]", _tables(table, "topics"), _topic))
    return Lesson(_value(table, "id", str), _text(table, "title"), _text(table, "about"), topics)


def _topic(table: Mapping[str, Any]) -> Topic:
    return Topic(_text(table, "title"), _text(table, "about"), _names(table, "scenarios"))


def _lecture(table: Mapping[str, Any]) -> Lecture:
    return Lecture(
        _text(table, "title"),
        _text(table, "about"),
        _value(table, "minutes", int),
        _names(table, "scenarios"),
        _names({"lab": [], **table}, "lab"),
    )


def _visit(table: Mapping[str, Any]) -> Visit:
    return Visit(
        _text(table, "title"),
        _text(table, "about"),
        _names(table, "scenarios"),
        tuple(_onward(each) for each in _value({"onward": [], **table}, "onward", list)),
    )


def _onward(each: Any) -> Onward:
    if isinstance(each, str):
        return Onward(each, "")
    if isinstance(each, dict):
        return Onward(_value(each, "scenario", str), _text(each, "about"))
    raise _wrong("onward", "ways")


@contextmanager
def _named(header: str) -> Iterator[None]:
    """What is wrong within is said with the table that it is in."""
    try:
        yield
    except _WrongLessonsError as error:
        raise _WrongLessonsError(error.what, header, *error.tables) from error


def _numbered(
    header: str, tables: Sequence[Mapping[str, Any]], make: Callable[[Mapping[str, Any]], Made]
) -> Iterator[Made]:
    for number, each in enumerate(tables, 1):
        with _named(f"{header} {number}"):
            yield make(each)


def _tables(table: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    tables = table.get(name)
    if type(tables) is not list or not all(isinstance(each, dict) for each in tables):
        raise _wrong(name, "tables")
    return list(tables)


def _text(table: Mapping[str, Any], name: str) -> Text:
    text = table.get(name)
    if isinstance(text, dict):
        if all(isinstance(each, str) for each in text.values()) and "en" in text:
            return _Texts(text)
    elif isinstance(text, str):
        return text
    raise _wrong(name, "text")


def _names(table: Mapping[str, Any], name: str) -> tuple[str, ...]:
    names = table.get(name)
    if type(names) is not list or not all(isinstance(each, str) for each in names):
        raise _wrong(name, "names")
    return tuple(names)


def _value(table: Mapping[str, Any], name: str, kind: type) -> Any:
    if type(table.get(name)) is not kind:
        raise _wrong(name, _KINDS[kind])
    return table[name]


_KINDS: Mapping[type, str] = {dict: "table", str: "plain", int: "whole", list: "ways"}


def _wrong(name: str, wanted: str) -> _WrongLessonsError:
    must = words(f"pages.library.lessons_file.wanted.{wanted}")
    return _WrongLessonsError(words("pages.library.shelf.lessons_key", key=name, wanted=must))


class _Texts(dict[str, str]):
    """Texts in several languages; hashable, as everything in ``Lessons`` must be."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))
