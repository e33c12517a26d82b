"""The order of the cards: lessons with their topics, then what no lesson names, and the lecture."""

from collections.abc import Sequence
from typing import Any

from tidemark.simulator.words import words
from tidemark.ui.catalogue import text_of, title_of_lesson
from tidemark.ui.lecture.orders import LECTURE, OTHER_LECTURE
from tidemark.ui.lessons import Lecture, Lesson, Lessons

Shelf = dict[str, Any]


def shelves(cards: Sequence[dict[str, Any]], lessons: Lessons, *, reads_own: bool = True) -> list[Shelf]:
    """Lessons as {id, title, about, ordered, topics: [{id, title, about, names}]}; every card is in exactly one topic.

    ``ordered``: the lesson lists scenarios, so it can be presented from the first to the last. Beside the shipped
    library the lessons of one's own folder come first, with whatever they name, then the rest of one's own scenarios.
    ``reads_own``: the reader is whose folder it is; to a student these are the scenarios of a course.
    """
    left = {card["name"]: card["lesson"] for card in cards}
    if lessons.shipped is None:
        return _shelves(left, left, lessons.lessons)
    own = {card["name"]: card["lesson"] for card in cards if card["own"]}
    first = _shelves(
        left, own, lessons.lessons[: lessons.ours], "own", words(f"pages.library.{'own' if reads_own else 'course'}")
    )
    return [*first, *_shelves(left, left, lessons.lessons[lessons.ours :])]


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
