"""Everything that the library shows of its scenarios, as plain data; ``types.ts`` has its types."""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.values.versions import VERSIONS
from tidemark.simulator.limits import SCENARIO_BYTES
from tidemark.simulator.teaching.topics import TOPICS
from tidemark.simulator.timeline.code.walk import walk
from tidemark.simulator.words import listed, section, words
from tidemark.ui.catalogue import FOLDER, LEVELS, Entry, library, text_of, title_of_lesson
from tidemark.ui.catalogue.lessons_file import FILE, Lecture, Lesson, Lessons
from tidemark.ui.catalogue.tours import LECTURE, OTHER_LECTURE, scenes
from tidemark.ui.library.cards import Made, card, kinds
from tidemark.ui.library.symptoms import searched, symptoms

SEARCHED: Final = Path(__file__).parent / "search.toml"
PATH: Final = Path(__file__).parent / "path.toml"
MOST_ON_A_WALK: Final = 8


class Phrases(NamedTuple):
    """``says``: what people type, in any language. ``scenarios``: first these, in this order, then those that teach one
    of ``tags``. ``symptom``: the id of the complaint that these phrases express, "" for none. ``code``: names of
    classes and methods, found only as a whole. ``term``: the id of the term of the glossary that says what they are
    called now, "" for none."""

    says: tuple[str, ...]
    scenarios: tuple[str, ...]
    tags: tuple[str, ...] = ()
    symptom: str = ""
    code: tuple[str, ...] = ()
    term: str = ""


def _searched() -> dict[str, Any]:
    return tomllib.loads(SEARCHED.read_text(encoding="utf-8"))


@cache
def known() -> tuple[Phrases, ...]:
    """The phrases of the file, then those of the complaints."""
    tags_of = {topic.name: sorted(topic.tags) for topic in TOPICS}
    of_file = [
        Phrases(
            tuple(each.get("says", ())),
            tuple(each.get("scenarios", ())),
            tuple(each.get("tags", ())) + tuple(tag for topic in each.get("topics", ()) for tag in tags_of[topic]),
            code=tuple(each.get("code", "").split()),
            term=each.get("term", ""),
        )
        for each in _searched()["phrases"]
    ]
    complaints = [
        Phrases((*each.complaint.values(), *each.says), (each.scenario, *each.more), symptom=each.id)
        for each in symptoms()
    ]
    return (*of_file, *complaints)


def terms() -> tuple[tuple[str, ...], ...]:
    """Words that mean the same, as the file has them."""
    return tuple(each.says for each in known() if not each.symptom)


def phrases(cards: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What people may type, as ``Phrases`` with ``names`` in place of what finds them: the ``cards`` that answer it, in
    order. Then, for the old versions of Flink, the scenarios by their rules, and for the classes of the code walk those
    that go through them."""
    return [
        {
            "says": list(each.says),
            "code": list(each.code),
            "names": list(_names(each, cards)),
            "symptom": each.symptom,
            "term": each.term,
        }
        for each in (*known(), *_of_versions(), *_walked())
    ]


@cache
def _versions() -> dict[str, int]:
    """The scenarios by the rules of an old version of Flink, and how old it is; the newest first."""
    ages = {version: age for age, version in enumerate(reversed(VERSIONS))}
    of_names = {entry.scenario.name: ages[entry.scenario.flink] for entry in library(FOLDER) if entry.scenario}
    return dict(sorted(((name, age) for name, age in of_names.items() if age), key=itemgetter(1)))


def _of_versions() -> Iterator[Phrases]:
    """For each old version its own scenarios, then the others."""
    for age, version in list(enumerate(reversed(VERSIONS)))[1:]:
        names = sorted(_versions(), key=lambda name: _versions()[name] != age)
        yield Phrases(tuple(f"{word} {version}".strip() for word in _searched()["before_version"]), tuple(names))


@cache
def _walked() -> tuple[Phrases, ...]:
    """Nearly every scenario goes through some classes: to lead to all of them leads nowhere."""
    through: dict[str, list[str]] = {}
    for scenario in (entry.scenario for entry in library(FOLDER) if entry.scenario):
        classes = " ".join(method.flink for part in walk(scenario) for method in part.methods)
        for name in dict.fromkeys(re.findall(r"\b[A-Z]\w*[a-z][A-Z]\w+", classes)):
            through.setdefault(name, []).append(scenario.name)
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, scenarios in through.items():
        if len(scenarios) <= MOST_ON_A_WALK:
            alike.setdefault(tuple(scenarios), []).append(name)
    return tuple(Phrases((), scenarios, code=tuple(names)) for scenarios, names in alike.items())


def _names(asked: Phrases, cards: Sequence[dict[str, Any]]) -> Iterable[str]:
    there = {card["name"] for card in cards}
    taught = [card["name"] for tag in asked.tags for card in cards if tag in card["teaches"]]
    taught.sort(key=lambda name: _versions().get(name, 0))
    return dict.fromkeys(name for name in (*asked.scenarios, *taught) if name in there)


# What a page must say about ``lessons.toml``: it is wrong, or it names scenarios that cannot be shown.


def problems_of_lessons(entries: Sequence[Entry], lessons: Lessons) -> list[str]:
    """One message for a file that is ignored, one for the names that lead nowhere, one for those that cannot run."""
    there = {entry.name: entry.scenario is not None for entry in entries}
    problems = [lessons.problem] if lessons.problem else []
    for key, sought in (("gone", None), ("cannot_run", False)):
        named = dict.fromkeys((name, text_of(title)) for title, name in lessons.named() if there.get(name) is sought)
        if named:
            places = [_place(name, title, [] if name in there else list(there)) for name, title in named]
            problems.append(words(f"pages.library.lessons_file.{key}", file=FILE, names=listed(places)))
    return problems


def _place(name: str, title: str, names: Sequence[str]) -> str:
    """A name with the title of what names it, and the nearest of ``names`` where one is near."""
    near = get_close_matches(name, names, n=1, cutoff=0.75)
    if near:
        return words("pages.library.lessons_file.place_near", scenario=name, title=title, near=near[0])
    return words("pages.library.lessons_file.place", scenario=name, title=title)


# The order of the cards: lessons with their topics, then what no lesson names, and the lecture.

Shelf = dict[str, Any]


def shelves(cards: Sequence[dict[str, Any]], lessons: Lessons, *, reads_own: bool = True) -> list[Shelf]:
    """Lessons as {id, title, about, ordered, topics: [{id, title, about, names}]}; every card is in at least one topic.

    ``ordered``: the lesson lists scenarios, so it can be presented from the first to the last. Beside the shipped
    library the lessons of one's own folder come first, with whatever they name, then the rest of one's own scenarios;
    the shipped lessons follow, each with all that it names, whatever one's own lessons name as well.
    ``reads_own``: the reader is whose folder it is; to a student these are the scenarios of a course.
    """
    left = {card["name"]: card["lesson"] for card in cards}
    if lessons.shipped is None:
        return _shelves(left, left, lessons.lessons)
    own = {card["name"]: card["lesson"] for card in cards if card["own"]}
    shipped = {name: lesson for name, lesson in left.items() if name not in own}
    replaced = {card["name"]: card["lesson"] for card in cards if card["replaces"]}
    others = words(f"pages.library.{'own' if reads_own else 'course'}")
    return [
        *_shelves(left, own, lessons.lessons[: lessons.ours], "own", others),
        *_shelves(shipped | replaced, shipped, lessons.lessons[lessons.ours :]),
    ]


def _shelves(
    left: dict[str, str], others_of: dict[str, str], lessons: Sequence[Lesson], owner: str = "", others: str = ""
) -> list[Shelf]:
    """The shelves of ``lessons`` and of what they do not name; takes the cards out of ``left``.

    ``others_of``: the cards that may follow although no lesson names them; ``others``: what they are called.
    """
    found = []
    for lesson in lessons:
        topics = []
        for number, topic in enumerate(lesson.topics):
            names = [name for name in topic.scenarios if left.pop(name, None) is not None]
            topics.append(_topic(f"{lesson.id}-{number}", text_of(topic.title), text_of(topic.about), names))
        more = _taken(left, lesson.id, others_of)
        topics.append(_topic(f"{lesson.id}-more", words("pages.library.shelf.more"), "", more))
        ordered = any(topic["names"] for topic in topics[:-1])
        found.append(_shelf(lesson.id, text_of(lesson.title), text_of(lesson.about), topics, ordered=ordered))
    rest = {left[name] for name in others_of if name in left}
    for lesson_id in sorted(rest, key=lambda each: (not each, each)):
        title = title_of_lesson(lesson_id) or others or words("pages.library.other")
        names = _taken(left, lesson_id, others_of)
        shelf_id = f"{owner and owner + '-'}{lesson_id or 'other'}"
        found.append(_shelf(shelf_id, title, "", [_topic(f"{shelf_id}-0", title, "", names)]))
    return [shelf for shelf in found if shelf["topics"]]


def lectures(cards: Sequence[dict[str, Any]], lessons: Lessons) -> list[dict[str, Any]]:
    """{id, title, about, minutes, names, lab} of the scenarios that exist: of the lecture, then of the shipped one."""
    known = {card["name"] for card in cards}
    found = ((LECTURE, lessons.lecture), (OTHER_LECTURE, lessons.other_lecture))
    return [_lecture(name, one, known) for name, one in found if one and known.intersection(one.scenarios)]


def _lecture(name: str, one: Lecture, known: set[str]) -> dict[str, Any]:
    return {
        "id": name,
        "title": text_of(one.title),
        "about": text_of(one.about),
        "minutes": one.minutes,
        "names": [name for name in one.scenarios if name in known],
        "lab": [name for name in one.lab if name in known],
    }


def _taken(left: dict[str, str], lesson: str, among: dict[str, str]) -> list[str]:
    names = [name for name, of in left.items() if of == lesson and name in among]
    for name in names:
        del left[name]
    return names


def _topic(topic_id: str, title: str, about: str, names: list[str]) -> Shelf:
    return {"id": topic_id, "title": title, "about": about, "names": names}


def _shelf(lesson_id: str, title: str, about: str, topics: list[Shelf], *, ordered: bool = False) -> Shelf:
    there = [topic for topic in topics if topic["names"]]
    return {"id": lesson_id, "title": title, "about": about, "topics": there, "ordered": ordered}


def glossary() -> list[dict[str, str]]:
    """The terms of the player's glossary as {id, names, about}; the names of each are separated by "|"."""
    terms: Mapping[str, Mapping[str, str]] = section("player.glossary")["terms"]
    return [{"id": name, "names": each["names"], "about": each["about"]} for name, each in terms.items()]


@cache
def _stages() -> tuple[Mapping[str, Any], ...]:
    return tuple(tomllib.loads(PATH.read_text(encoding="utf-8"))["stages"])


def path(cards: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The path as {title, about, names, level}: ``level`` is that of the practice that checks a stage."""
    known = {card["name"] for card in cards}
    stages = [{**stage, "names": [name for name in stage["scenarios"] if name in known]} for stage in _stages()]
    return [
        {
            "title": text_of(stage["title"]),
            "about": text_of(stage["about"]),
            "names": stage["names"],
            "level": stage["level"],
        }
        for stage in stages
        if stage["names"]
    ]


def contents(
    entries: Sequence[Entry],
    lessons: Lessons,
    ready: Callable[[Entry], Made | None],
    *,
    files: Collection[str] = (),
    saving: bool = False,
    packages: str | None = "linked",
    ordering: bool = False,
    refused: bool = True,
    page: str = "library",
    role: str = "",
) -> dict[str, Any]:
    """The library of ``entries``, without what was refused of a reader's file.

    ``ready`` returns the slow parts of a card, if they are made. ``files``: the names that can be saved over;
    ``saving``: whether there is a folder to save in; ``packages``: how a lesson is fetched to take away: "linked" where
    it has an address, "made" where the page makes it, None where it cannot be. ``ordering``: whether
    lessons can be ordered even where there is no folder. ``refused``: with what is wrong with files, which concerns
    those who can mend them. ``page``: which of the pages shows it; ``role``: who the reader is, "" where that is clear.
    """
    sound = [entry for entry in entries if entry.scenario]
    cards = [{**card(entry, lessons), **(ready(entry) or {}), "edit": _edited(entry, files)} for entry in sound]
    return {
        "page": page,
        "role": role,
        "cards": cards,
        "path": path(cards),
        "lessons": shelves(cards, lessons, reads_own=saving),
        "lectures": lectures(cards, lessons),
        "visit": scenes(sound, lessons) or None,
        "levels": list(LEVELS),
        "kinds": kinds(),
        "broken": _broken(entries, lessons, files) if refused else [],
        "saving": saving,
        "ordering": saving or ordering,
        "packages": packages,
        "phrases": phrases(cards),
        "symptoms": [{**searched(each), "complaint": text_of(each.complaint)} for each in symptoms()],
        "glossary": glossary(),
        "glossary_called": _searched()["glossary"],
        "words": section("pages.library"),
        "most_bytes": SCENARIO_BYTES,
    }


def _edited(entry: Entry, files: Collection[str]) -> Mapping[str, str]:
    """What the Author page opens for a card: the file itself if it can be saved, else a copy."""
    own_file = entry.path.suffix == ".yaml" and entry.name in files
    return {"file": entry.name} if own_file else {"scenario": entry.name}


def _broken(entries: Sequence[Entry], lessons: Lessons, files: Collection[str]) -> list[dict[str, str]]:
    """What is wrong with files that have no card, and with the lessons."""
    broken = [
        {"file": each.path.name, "problem": each.problem, "fix": each.path.stem if each.path.stem in files else ""}
        for each in entries
        if not each.scenario
    ]
    problems = problems_of_lessons(list(entries), lessons)
    return [*broken, *({"file": "", "problem": problem, "fix": ""} for problem in problems)]
