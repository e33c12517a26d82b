"""The scenario library: every file under ``scenarios/``; a broken one comes with its problem.

``streamlit run app.py -- --scenarios DIR`` puts the files of another folder before them; authors save into that
folder, and of two files of the same name its own is shown.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.engine.values.errors import Problem, ScenarioError
from tidemark.simulator.places import LIBRARY
from tidemark.simulator.scenario.model import Data, Scenario
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.words import current_language, words
from tidemark.simulator.words.tags import text_for
from tidemark.ui.catalogue.lessons_file import Lessons, lessons_of
from tidemark.ui.catalogue.walkable import obstacle
from tidemark.ui.server.cache import keeping
from tidemark.ui.server.on_disk import folder_named, is_inside

ARGUMENT = "--scenarios"
VARIABLE = "TIDEMARK_SCENARIOS"


folder_given = partial(folder_named, ARGUMENT, VARIABLE, Path())

CHOSEN = folder_given(sys.argv[1:], os.environ)
"""The folder named at the start. None: the project's own library is shown, and nothing is saved into it."""

FOLDER = LIBRARY
"""The library that the project ships."""

COURSE: Path | None = None
"""In a site: the folder of the course that it was made from (``ui.site.engine``)."""

NOT_SCENARIOS = frozenset({"schema.json"})
SUFFIXES = frozenset({*scenarios.ENDINGS, ".yml"})
"""How names of files end that are scenarios, or that somebody takes for one: of these it is said that they are not."""

LEVELS = ("novice", "practitioner", "expert")


@dataclass(frozen=True)
class Entry:
    """One file: its scenario, or the ``problem`` that explains why there is none. ``stamp`` changes with it.

    ``own``: it is in the folder named at the start; ``replaces``: the shipped library has one of the same name.
    ``addresses``: where each of several operators opens, if that is not by its name.
    """

    name: str
    path: Path
    stamp: str
    scenario: Scenario | None
    problem: str = ""
    own: bool = False
    replaces: bool = False
    addresses: tuple[tuple[str, str], ...] = ()

    def operator(self, name: str) -> "Entry | None":
        """The operator ``name`` of the scenario, if it has several; None if that is none of them."""
        chain = self.scenario.chain if self.scenario else None
        if chain is None or all(each.name != name for each in chain.parts):
            return None
        scenario = chain.part(name)
        return replace(self, name=scenario.name, scenario=scenario)

    def content(self) -> bytes:
        """The file; of several operators the one that is shown, as a file of its own: what is changed and exported."""
        alone = self.scenario is not None and self.scenario.chain is not None
        return as_yaml(self.scenario).encode() if self.scenario and alone else self.path.read_bytes()

    @property
    def file(self) -> str:
        """What ``content`` is called; the ending says how it is written."""
        return f"{self.name}.yaml" if self.scenario and self.scenario.chain else self.path.name

    def operators(self) -> "list[Entry]":
        """The entry itself, and one for each other operator of its scenario."""
        chain = self.scenario.chain if self.scenario else None
        others = [] if chain is None else [self.operator(each.name) for each in chain.parts if each.name != chain.shown]
        return [self, *(each for each in others if each is not None)]

    @property
    def title(self) -> str:
        """The title, or the name if it has none."""
        return text_of(self.scenario.title) if self.scenario and self.scenario.title else self.name


def wrong_folder() -> str:
    """What is wrong with the folder named at the start; "" if it is fine."""
    if CHOSEN is not None and not CHOSEN.parts:
        return words("saving.folder.argument")
    if CHOSEN is None or CHOSEN.is_dir():
        return ""
    return words("saving.folder.none" if CHOSEN.exists() else "saving.folder.missing", folder=CHOSEN)


def text_of(text: object, language: str | None = None) -> str:
    """A text in the language nearest to ``language`` (default: the current one), else in English; "" for none."""
    if isinstance(text, str):
        return text
    return text_for(language or current_language(), text) if isinstance(text, Mapping) and text else ""


def library(folder: Path | None = None) -> list[Entry]:
    """All entries in the order of the lessons, the others by lesson, level and name. Changed files are read again.

    One's own come before the shipped ones. ``folder``: only those of that folder.
    """
    if folder is not None:
        return _in(folder)
    first, *others = (_in(each) for each in folders())
    found, names = [], {entry.name for entry in first}
    for shelf in others:
        found += [entry for entry in shelf if entry.name not in names]
        names |= {entry.name for entry in shelf}
    if CHOSEN is not None:
        beside = {entry.name for shelf in others for entry in shelf}
        first = [replace(entry, own=True, replaces=entry.name in beside) for entry in first]
    return [*first, *found]


def folders() -> tuple[Path, ...]:
    """Where the scenarios are: the folder named at the start and that of a course, if any, and the shipped library."""
    course = () if COURSE is None or not COURSE.is_dir() else (COURSE,)
    if CHOSEN is None or (CHOSEN.is_dir() and CHOSEN.samefile(FOLDER)):
        return (*course, FOLDER)
    return (CHOSEN, *course, FOLDER)


def lessons() -> Lessons:
    """The lessons of one's own folder, and those of the shipped library after them."""
    *others, shipped = map(lessons_of, folders())
    for each in reversed(others):
        shipped = each.beside(shipped)
    return shipped


def _in(folder: Path) -> list[Entry]:
    order = lessons_of(folder)
    found = [path for path in folder.glob("*.*") if path.suffix.lower() in SUFFIXES]
    files = sorted(path for path in found if path.name not in NOT_SCENARIOS)
    return sorted((_entry(path, stamp_of(path)) for path in files), key=lambda entry: _order(entry, order))


def find(name: str, folder: Path | None = None) -> Entry | None:
    """The entry called ``name`` if it can be run, else None. Nothing but files of the catalogue is ever opened.

    ``file.operator`` is an operator of a file that has several.
    """
    file, _, operator = name.partition(".")
    entry = next((e for e in library(folder) if e.name == file and e.scenario), None)
    return entry if entry is None or not operator else entry.operator(operator)


def title_of_lesson(lesson: str | None, folder: Path | None = None) -> str:
    """The title of a lesson that scenarios name: from ``lessons.toml``, else made from its name; "" for none."""
    for each in (lessons() if folder is None else lessons_of(folder)).lessons:
        if each.id == lesson:
            return text_of(each.title)
    return (lesson or "").replace("-", " ").capitalize()


def _order(entry: Entry, lessons: Lessons) -> tuple[int, str, float, int, str]:
    lesson, level = (entry.scenario.lesson, entry.scenario.level) if entry.scenario else (None, None)
    number = lessons.number(entry.name) if entry.scenario else None
    rank = LEVELS.index(level) if level in LEVELS else len(LEVELS)
    return (lessons.rank(lesson), lesson or "~", float("inf") if number is None else number, rank, entry.name)


def stamp_of(path: Path) -> str:
    """What changes with the file's content: its time and size."""
    try:
        status = path.stat()
    except OSError as error:  # gone since it was listed, or a link to nothing
        return f"unreadable-{error.errno}"
    return f"{status.st_mtime_ns}-{status.st_size}"


def _entry(path: Path, stamp: str) -> Entry:
    readable = os.fsencode(path.name).decode("utf-8", "replace")
    if readable != path.name:  # neither a cache nor a page takes such a name
        path = path.with_name(readable)
        return _refused(path, stamp, "name_not_utf8")
    if path.suffix not in scenarios.ENDINGS:
        ending = ".json" if path.suffix.lower() == ".json" else ".yaml"
        # By its whole name: beside it there may be a scenario of the name without the ending.
        return replace(_refused(path, stamp, "wrong_ending", file=path.stem + ending), name=path.name)
    entry = _read(path, stamp)
    if entry.scenario is None:  # perhaps for want of a file beside it, which is there now
        return _broken(path, f"{stamp}-{stamp_of(path.parent)}", current_language())
    if isinstance(entry.scenario.stream, Data):
        return _read(path, f"{stamp}-{stamp_of(entry.scenario.stream.file)}")
    return entry


@keeping(500)
def _broken(path: Path, stamp: str, language: str) -> Entry:
    """The same with its problem in ``language``: problems are texts, so they are cached by language."""
    return _tried(path, stamp)


@keeping(500)
def _read(path: Path, stamp: str) -> Entry:
    return _tried(path, stamp)


def _tried(path: Path, stamp: str) -> Entry:
    if path.exists() and not path.is_file() and not path.is_dir():
        # Opening a named pipe waits until somebody writes to it, and every page would wait with it.
        return _refused(path, stamp, "not_regular")
    if path.is_symlink() and path.exists() and not is_inside(path, path.parent):
        return _refused(path, stamp, "link_outside")
    try:
        scenario = scenarios.load(path, of_library=True)
        problem = obstacle(scenario)
        return Entry(path.stem, path, stamp, None if problem else scenario, problem)
    except (ScenarioError, OSError) as error:
        return Entry(path.stem, path, stamp, None, str(error))


def _refused(path: Path, stamp: str, problem: str, **filling: str) -> Entry:
    """A file that is not even opened; ``problem`` names the reason in the catalogue's ``problems``."""
    return Entry(
        path.stem, path, stamp, None, str(Problem(str(path), None, None, words(f"problems.{problem}", **filling)))
    )
