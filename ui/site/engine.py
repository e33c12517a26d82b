"""What the pages of a site ask Python, which runs in the browser there: answered by the functions that the app calls.

``worker.ts`` calls ``answered`` with a question as JSON and hands the bytes that it returns to whoever asked. Nothing
of this knows a browser, and nothing that it imports needs Streamlit (``tests/app/test_engine_of_site.py``).
"""

import base64
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.rows import json_text
from tidemark.simulator.teaching.lint import require_accepted
from tidemark.simulator.words import speak, words
from tidemark.simulator.words.tags import is_tag
from tidemark.ui import catalogue
from tidemark.ui.author import desk as author
from tidemark.ui.author import store
from tidemark.ui.author.desk import start_of
from tidemark.ui.author.moves import TRASH
from tidemark.ui.catalogue import lessons, library
from tidemark.ui.catalogue.lessons_file import FILE
from tidemark.ui.compare.desk import NothingToCompare, compared, given
from tidemark.ui.learning.inventory import desk as inventory
from tidemark.ui.learning.practice import desk as practice
from tidemark.ui.library.cards import Makings
from tidemark.ui.library.contents import contents as library_contents
from tidemark.ui.library.lessons import desk as ordering
from tidemark.ui.pages.opening.named import answers_beside, named
from tidemark.ui.payload.badges import proofs_stamp
from tidemark.ui.payload.charts.compiled import compiled
from tidemark.ui.payload.packing import FULL, STUDENT, choices_of, packed
from tidemark.ui.share import links
from tidemark.ui.share.answers import Answer, answer_to, answers_about, packed_answer
from tidemark.ui.share.lesson import Kit, LessonError, lesson_for_students, lesson_package
from tidemark.ui.share.links import LinkError
from tidemark.ui.share.page import Template
from tidemark.ui.sql import desk as sql

from tidemark import simulator

# A reader's folder as Python in a browser sees it: files come with a question, changes go back with the answer.
#
# The code that saves, renames and deletes is that of the app (``ui.author.store``); it works on a copy here, and
# the page writes what has changed into the folder itself (``folder.ts``).

NAME: Final = re.compile(rf"({re.escape(TRASH)}/)?[^/\\\x00.][^/\\\x00]{{0,199}}\.(yaml|json|jsonl|toml)")
"""The files of a folder that matter here: those that the page sends, and the only ones that go back."""

_ROOT: Final = Path(tempfile.gettempdir()) / "tidemark-folders"
_PICKED: Final = _ROOT / "picked"
_LENT: Final = _ROOT / "lent"

Changes = dict[str, str | None]
"""The new contents of files as base64, None for those that are gone."""


@contextmanager
def mirrored(folder: Mapping[str, Any] | None) -> Iterator[Changes]:
    """Have ``folder`` be the folder of the author; the changes are known when the block is over.

    {files}: the reader has picked it, and it remains the author's folder. {lent}: only ``lessons.toml`` for this one
    question, as the library has it unless {files} brings another one. None: nothing changes.
    """
    changes: Changes = {}
    if folder is None:
        yield changes
        return
    lent, before = bool(folder.get("lent")), catalogue.CHOSEN
    root = _LENT if lent else _PICKED
    files = folder.get("files")
    _put(root, {**(_shipped() if lent else {}), **_bytes_of(files if isinstance(files, Mapping) else {})})
    there = _contents(root)
    catalogue.CHOSEN = root
    try:
        yield changes
    finally:
        if lent:
            catalogue.CHOSEN = before
        now = _contents(root)
        changes |= {name: base64.b64encode(now[name]).decode() for name in now if there.get(name) != now[name]}
        changes |= dict.fromkeys(there.keys() - now.keys())


def _shipped() -> dict[str, bytes]:
    path = next((folder / FILE for folder in catalogue.folders() if (folder / FILE).is_file()), None)
    return {} if path is None else {FILE: path.read_bytes()}


def _bytes_of(files: Mapping[Any, Any]) -> dict[str, bytes]:
    return {str(name): base64.b64decode(str(text)) for name, text in files.items() if NAME.fullmatch(str(name))}


def _contents(root: Path) -> dict[str, bytes]:
    found = {path.relative_to(root).as_posix(): path for path in (*root.glob("*"), *root.glob(f"{TRASH}/*"))}
    return {name: path.read_bytes() for name, path in found.items() if path.is_file() and NAME.fullmatch(name)}


def _put(root: Path, files: Mapping[str, bytes]) -> None:
    """Make ``root`` hold ``files``; one that is there already is left alone, so that it need not be read again."""
    root.mkdir(parents=True, exist_ok=True)
    there = _contents(root)
    for name in there.keys() - files.keys():
        (root / name).unlink()
    for name, content in files.items():
        if there.get(name) != content:
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_bytes(content)


Question = Mapping[str, Any]

NAMELESS: Final = "scenario.yaml"
"""The name, in messages, of a text that has none."""

catalogue.COURSE = catalogue.FOLDER.parent / "course"  # where ``code`` puts it

LONGEST_NAME: Final = 120
"""The most characters of a file's name that a message repeats."""


def answered(text: str) -> bytes:
    """The answer to the question {do, language, …} in ``text``: what is said, as JSON after its length, and bytes.

    ``said`` has a ``problem`` for what cannot be done, and what has changed in the reader's ``folder``; an error of
    our own is raised.
    """
    question = json.loads(text)
    language = question.get("language")
    speak(language if isinstance(language, str) and is_tag(language) else "en")
    try:
        with mirrored(question.get("folder")) as changes:
            said, body = _DOES[str(question.get("do"))](question)
        if changes:
            said = {**said, "folder": changes}
    except (ScenarioError, LinkError, LessonError, NothingToCompare) as error:
        said, body = {"problem": str(error)}, b""
    return packed_answer((said, body))


def _ready(_question: Question) -> Answer:
    return {}, b""


def _run(question: Question) -> Answer:
    """The rows of {text} as ``python -m simulator run`` prints them; JSON if ``file`` ends so."""
    file = str(question.get("file") or NAMELESS)[:LONGEST_NAME]
    scenario = scenarios.parse(str(question.get("text", "")), file, json=file.endswith(".json"))
    require_accepted(scenario)
    lines: list[str] = []
    simulator.run(scenario, lambda row: lines.append(f"{json_text(row)}\n"))
    return {}, "".join(lines).encode()


def _open(question: Question) -> Answer:
    """The packed payload of the scenario that {query} names, its number of steps and its title."""
    opened = named(_texts(question.get("query")), library())
    entry = opened.entry
    facts, steps = packed(
        entry, entry.name, entry.stamp, choices_of(library()), edition=STUDENT if opened.student else FULL
    )
    return {"steps": steps, "title": entry.title, "address": opened.address}, facts


def _file(question: Question) -> Answer:
    """The part of the address that opens the reader's file {name, text}."""
    name = str(question.get("name"))[:LONGEST_NAME]
    try:
        return {"address": list(links.of_file(name, str(question.get("text"))).address)}, b""
    except (ScenarioError, LinkError) as error:
        return {"file": words("share.file.refused", file=name), "problem": str(error)}, b""


def _desk(question: Question) -> Answer:
    """What the player asks about the scenario of the address {query}; its request is {asked}."""
    opened = named(_texts(question.get("query")), library())
    assert opened.entry.scenario is not None
    kinds = answers_about(opened.entry.scenario, opened.source, opened.ending) | answers_beside(opened.entry)
    return answer_to(question["asked"], kinds)


def _author(question: Question) -> Answer:
    """What the Author page says first for {query}, or its reply to {asked}."""
    if "asked" in question:
        return {}, author.reply(question["asked"])
    return {}, author.first(start_of(_texts(question.get("query"))))


def _compare(question: Question) -> Answer:
    """The packed comparison of {query} with the searches {searches}; {handed} is what the reader has handed in.

    If that is another address to compare, it is all that is said.
    """
    handed = given(question.get("handed"))
    if handed is not None and not handed.problem:
        return {"address": handed.address}, b""
    return {}, compared(_texts(question.get("query")), library(), _texts(question.get("searches")), handed, compiled)


def _asking(
    first: Callable[[], dict[str, Any]], reply: Callable[[Question], dict[str, Any]]
) -> Callable[[Question], Answer]:
    """What answers a page that asks: what it is told first, or the reply to {asked}."""
    return lambda question: (reply(question["asked"]) if "asked" in question else first(), b"")


def _library(_question: Question) -> Answer:
    """The library with the scenarios of the reader's folder; only those have pictures: the page has the others."""
    entries = library()
    makings = Makings(proofs_stamp())
    for _ in makings.make([each for each in entries if each.own and each.scenario]):
        pass
    shown = library_contents(
        entries,
        lessons(),
        lambda entry: makings.ready(entry) if entry.own else None,
        files=set(store.names()),
        saving=store.folder() is not None,
        packages="made",
        ordering=True,
    )
    return {}, json.dumps(shown).encode()


def _lesson(question: Question) -> Answer:
    """The {lesson} to take away {as} "html" for students or "zip" for an LMS, made of the page's {kit}."""
    kit = _texts(question.get("kit"))
    made_of = Kit(Template(kit["shell"], kit["fonts"]), kit["style"], kit["script"])
    name = str(question.get("lesson"))
    if question.get("as") == "html":
        return {}, lesson_for_students(name, made_of)
    return {}, lesson_package(name, student=bool(question.get("student")), made_of=made_of)


_DOES: Final[Mapping[str, Callable[[Question], Answer]]] = {
    "ready": _ready, "run": _run, "open": _open, "file": _file, "desk": _desk, "author": _author,
    "compare": _compare, "lesson": _lesson, "library": _library,
    "inventory": _asking(inventory.first, inventory.reply),
    "practice": _asking(practice.first, practice.reply),
    "sql": _asking(sql.first, sql.reply),
    "lessons": _asking(ordering.first, ordering.reply),
}  # fmt: skip


def _texts(given_texts: Any) -> dict[str, str]:
    return {str(name): str(value) for name, value in given_texts.items()} if isinstance(given_texts, Mapping) else {}
