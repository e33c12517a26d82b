"""The server's side of the page Lessons: it reads the order of a course, and saves it as ``lessons.toml``.

The file is saved as scenarios are: whole, under the folder's lock, and never over what somebody else has saved since.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping, MutableMapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import tomlkit
from tidemark.simulator.limits import (
    LECTURE_MINUTES,
    LESSON_ID_CHARACTERS,
    LESSONS_BYTES,
    LESSONS_CHARACTERS,
    LESSONS_ENTRIES,
)
from tidemark.simulator.words import section, words
from tidemark.ui import catalogue
from tidemark.ui.author.store import (
    Conflict,
    StoreError,
    blocks,
    bytes_of,
    digest_of,
    folder,
    folder_now,
    locked,
    read,
    save_over,
    text_of,
    told,
    why_off,
)
from tidemark.ui.catalogue import library
from tidemark.ui.catalogue.lessons_file import FILE, problem_in
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array

# The order of a course as plain values, and its way back into the text of ``lessons.toml``.
#
# What is not changed keeps its layout and its comments, and what Tidemark does not know stays where it is
# (tomlkit).

Place = tuple[str | int, ...]


class PlanError(ValueError):
    """What is wrong with a plan, in words for the author; ``place`` is the path of the field, () for none."""

    def __init__(self, message: str, place: Place = ()) -> None:
        super().__init__(message)
        self.place = place


def require_whole(plan: Mapping[str, Any], lessons: Sequence[Mapping[str, Any]]) -> None:
    """Raise ``PlanError`` for the first thing, from the top of the page, that ``plan`` lacks.

    ``lessons`` are its lessons with the ids that they are saved with.
    """
    lecture, visit = plan.get("lecture"), plan.get("visit")
    if isinstance(lecture, Mapping):
        _require_title(lecture, ("lecture",), "title_lecture")
        minutes = lecture.get("minutes")
        if type(minutes) is not int or not 0 <= minutes <= LECTURE_MINUTES:
            raise PlanError(words("pages.lessons.wrong.minutes", limit=f"{LECTURE_MINUTES:,}"), ("lecture", "minutes"))
    if isinstance(visit, Mapping):
        _require_title(visit, ("visit",), "title_visit")
        if any(not way.get("scenario") for way in _mappings(visit.get("onward"))):
            raise PlanError(words("pages.lessons.wrong.onward"), ("visit", "onward"))
    taken: set[str] = set()
    for number, lesson in enumerate(lessons):
        place = ("lessons", number)
        _require_title(lesson, place, "title_lesson", lesson=number + 1)
        if not lesson["id"] or lesson["id"] in taken:
            raise PlanError(words("pages.lessons.wrong.id", lesson=number + 1), (*place, "id"))
        taken.add(lesson["id"])
        for below, topic in enumerate(_mappings(lesson.get("topics"))):
            _require_title(topic, (*place, "topics", below), "title_topic", lesson=number + 1, topic=below + 1)


def _require_title(part: Mapping[str, Any], place: Place, message: str, **numbers: Any) -> None:
    title = part.get("title")
    if not (isinstance(title, Mapping) and title.get("en")):
        raise PlanError(words(f"pages.lessons.wrong.{message}", **numbers), (*place, "title", "en"))


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


Row = dict[str, Any]


def plan_of(text: str) -> Row:
    """{lessons, lecture, visit} of the text; texts are {language: text}. Raises ``PlanError`` if it cannot be read.

    A lesson, a topic and a way onward have ``was``, their place in the text.
    """
    found = _parsed(text).unwrap()
    lessons = [
        {
            "was": number,
            "id": str(each.get("id", "")),
            **_texts(each),
            "topics": [
                {"was": place, **_texts(topic), "scenarios": _names(topic)}
                for place, topic in enumerate(_tables(each.get("topics")))
            ],
        }
        for number, each in enumerate(_tables(found.get("lessons")))
    ]
    lecture, visit = found.get("lecture"), found.get("visit")
    return {
        "lessons": lessons,
        "lecture": {
            **_texts(lecture),
            "minutes": lecture.get("minutes", 0),
            "scenarios": _names(lecture),
            "lab": _names(lecture, "lab"),
        }
        if isinstance(lecture, dict)
        else None,
        "visit": {**_texts(visit), "scenarios": _names(visit), "onward": _onward(visit)}
        if isinstance(visit, dict)
        else None,
    }


def written(text: str, plan: Mapping[str, Any], taken: Collection[str] = ()) -> str:
    """``text`` with the order of ``plan``. Raises ``PlanError`` if the plan lacks something, or the text is none.

    ``taken``: the ids of lessons elsewhere. A new lesson is never named like one of them, which it would replace.
    """
    document = _parsed(text)
    lessons = _with_ids(_tables(plan.get("lessons")), taken)
    require_whole(plan, lessons)
    if lessons or "lessons" in document:
        _put_tables(document, "lessons", lessons, _put_lesson)
    for name in ("lecture", "visit"):
        _put_one(document, name, plan.get(name))
    return tomlkit.dumps(document)


def _with_ids(lessons: Sequence[Mapping[str, Any]], others: Collection[str]) -> list[Row]:
    """The lessons, where one without an id is named after its English title, if letters of that can stay."""
    taken = {*others, *(str(each.get("id") or "") for each in lessons)}
    named = []
    for each in lessons:
        lesson_id = str(each.get("id") or "")
        if not lesson_id:
            title = unicodedata.normalize("NFKD", _texts(each)["title"].get("en", "")).lower()
            made = re.sub(r"[^a-z0-9]+", "-", re.sub(r"[\u0300-\u036f]", "", title))[:LESSON_ID_CHARACTERS].strip("-")
            names = (made, *(f"{made}-{number}" for number in range(2, LESSONS_ENTRIES))) if made else ()
            lesson_id = next((name for name in names if name not in taken), "")
            taken.add(lesson_id)
        named.append({**each, "id": lesson_id})
    return named


def _put_lesson(table: MutableMapping[str, Any], lesson: Mapping[str, Any]) -> None:
    if table.get("id") != lesson["id"]:
        table["id"] = lesson["id"]
    _put_texts(table, lesson)
    _put_tables(table, "topics", _tables(lesson.get("topics")), _put_topic)


def _put_topic(table: MutableMapping[str, Any], topic: Mapping[str, Any]) -> None:
    _put_texts(table, topic)
    _put_names(table, "scenarios", topic)


def _put_one(document: MutableMapping[str, Any], name: str, wanted: Any) -> None:
    if not isinstance(wanted, Mapping):
        document.pop(name, None)
        return
    if name not in document:
        document[name] = tomlkit.table()
    table = document[name]
    _put_texts(table, wanted)
    if name == "lecture":
        if table.get("minutes") != wanted["minutes"]:
            table["minutes"] = wanted["minutes"]
        _put_names(table, "lab", wanted)
    _put_names(table, "scenarios", wanted)
    ways = _tables(wanted.get("onward"))
    if name == "visit" and ways != _onward(table):
        _put_tables(table, "onward", ways, _put_way)


def _put_way(table: MutableMapping[str, Any], way: Mapping[str, Any]) -> None:
    if table.get("scenario") != str(way["scenario"]):
        table["scenario"] = str(way["scenario"])
    _put_text(table, "about", way)


def _put_tables(table: MutableMapping[str, Any], name: str, wanted: Sequence[Mapping[str, Any]], put: Any) -> None:
    """Bring the tables ``name`` into the order of ``wanted``; each takes along what it holds."""
    there = table.get(name)
    before = list(there) if isinstance(there, AoT) else []
    order = [each.get("was") for each in wanted]
    kept = [before[was] if type(was) is int and 0 <= was < len(before) else tomlkit.table() for was in order]
    if not wanted:
        if isinstance(there, AoT) or there is None:
            table.pop(name, None)
            if name == "topics":  # a lesson must say that it has none
                table[name] = tomlkit.array()
    elif order != list(range(len(before))) or not isinstance(there, AoT):
        tables = tomlkit.aot()
        for each in kept:
            tables.append(each)
        table[name] = tables
    for each, said in zip(kept, wanted, strict=True):
        put(each, said)


def _put_texts(table: MutableMapping[str, Any], wanted: Mapping[str, Any]) -> None:
    for name in ("title", "about"):
        _put_text(table, name, wanted)


def _put_text(table: MutableMapping[str, Any], name: str, wanted: Mapping[str, Any]) -> None:
    texts = {str(tag): str(said)[:LESSONS_CHARACTERS] for tag, said in dict(wanted.get(name) or {}).items() if said}
    texts.setdefault("en", "")
    there = table.get(name)
    if not isinstance(there, MutableMapping):
        if len(texts) == 1:
            if there != texts["en"]:
                table[name] = texts["en"]
            return
        table[name] = tomlkit.inline_table()
        there = table[name]
    for tag in [tag for tag in there if tag not in texts]:
        del there[tag]
    for tag, said in texts.items():
        if there.get(tag) != said:
            there[tag] = said


def _put_names(table: MutableMapping[str, Any], key: str, wanted: Mapping[str, Any]) -> None:
    names = _names(wanted, key)
    there = table.get(key)
    if not isinstance(there, Array):
        if names or key == "scenarios":  # which no list may lack
            table[key] = names
        return
    before = [str(each) for each in there]
    for tag, i, j, k, n in reversed(SequenceMatcher(None, before, names, autojunk=False).get_opcodes()):
        if tag == "equal":
            continue
        for place in reversed(range(i, j)):
            del there[place]
        for number, name in enumerate(names[k:n]):
            there.insert(i + number, name)


def _parsed(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except (TOMLKitError, RecursionError) as error:
        raise PlanError(str(error)) from None


def _texts(table: Mapping[str, Any]) -> Row:
    return {name: _text(table, name) for name in ("title", "about")}


def _text(table: Mapping[str, Any], name: str) -> dict[str, str]:
    if isinstance(there := table.get(name), Mapping):
        return {str(tag): str(said) for tag, said in there.items() if isinstance(said, str)}
    return {"en": str(table.get(name, ""))}


def _onward(visit: Mapping[str, Any]) -> list[Row]:
    """Where a visit leads: a scenario's name alone, or with what is new there."""
    ways = visit.get("onward")
    named = [{"scenario": each} if isinstance(each, str) else each for each in ways] if isinstance(ways, list) else []
    return [
        {"was": place, "scenario": str(each.get("scenario", "")), "about": _text(each, "about")}
        for place, each in enumerate(named)
        if isinstance(each, Mapping)
    ]


def _names(table: Mapping[str, Any], key: str = "scenarios") -> list[str]:
    names = table.get(key)
    return [each for each in names if isinstance(each, str)][:LESSONS_ENTRIES] if isinstance(names, list) else []


def _tables(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)][:LESSONS_ENTRIES] if isinstance(value, list) else []


def first() -> Row:
    """What the page shows: {words, merge, saving, scenarios, ...} and the plan that lies in the folder."""
    entries = [
        {
            "name": each.name,
            "title": each.title,
            "minutes": each.scenario.minutes or 0,
            "questions": each.scenario.questions,
            "own": each.own,
        }
        for each in library()
        if each.scenario
    ]
    base: Row = {"words": section("pages.lessons"), "merge": section("author.merge"), "scenarios": entries}
    if folder() is None:
        return {**base, "saving": False, "problem": why_off(), "text": "", "digest": None, "plan": None}
    try:
        text, digest = _there()
        plan, problem = plan_of(text), ""
    except (StoreError, PlanError) as error:
        text, digest, plan, problem = "", None, None, words("pages.lessons.unreadable", problem=error)
    return {**base, "saving": True, "problem": problem, "text": text, "digest": digest, "plan": plan}


def reply(question: Mapping[str, Any]) -> Row:
    """Save {plan, text, expected}; {saved} or {problem, place} or {conflict: {digest, text, blocks}}.

    ``text``: the file that the plan began with; without a plan it is saved as it is: the pieces of two versions.
    """
    text = question.get("text")
    plan = question.get("plan")
    expected = question.get("expected")
    number = question.get("number")
    try:
        path = folder_now() / FILE  # whoever may not save is refused before any work
        text = text if isinstance(text, str) else ""
        if len(text) > LESSONS_BYTES:
            raise PlanError(words("pages.library.shelf.lessons_large", limit=LESSONS_BYTES // 1024))
        shipped = catalogue.lessons().shipped
        taken = [] if shipped is None else [each.id for each in shipped.lessons]
        new = written(text, plan, taken) if isinstance(plan, Mapping) else text
        if problem := problem_in(new):
            raise PlanError(problem)
        with told(path), locked(path.parent):
            save_over(path, bytes_of(new), expected if isinstance(expected, str) else None)
    except Conflict as error:
        began = text if plan is not None and (not text or digest_of(text.encode()) == expected) else None
        pieces = blocks(new, error.their_text, began)
        return {"number": number, "conflict": {"digest": error.their_digest, "blocks": pieces}}
    except PlanError as error:
        return {"number": number, "problem": str(error), "place": list(error.place)}
    except StoreError as error:
        return {"number": number, "problem": str(error)}
    return {"number": number, "saved": True, "text": new, "digest": digest_of(new.encode()), "plan": plan_of(new)}


def _there() -> tuple[str, str | None]:
    path = folder_now() / FILE
    data = read(path)
    return ("", None) if data is None else (text_of(data, path), digest_of(data))
