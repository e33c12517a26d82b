"""The order of the cards: lessons with their topics, then what no lesson names, and the lecture."""

from collections.abc import Sequence
from typing import Any

from simulator.words import words
from ui.catalogue import text_of, title_of_lesson
from ui.lessons import Lessons

Shelf = dict[str, Any]


def shelves(cards: Sequence[dict[str, Any]], lessons: Lessons) -> list[Shelf]:
    """Lessons as {id, title, about, ordered, topics: [{id, title, about, names}]}; every card is in exactly one topic.

    ``ordered``: the lesson lists scenarios, so it can be presented from the first to the last.
    """
    left = {card["name"]: card["lesson"] for card in cards}
    found = []
    for lesson in lessons.lessons:
        topics = []
        for number, topic in enumerate(lesson.topics):
            names = [name for name in topic.scenarios if left.pop(name, None) is not None]
            topics.append(_topic(f"{lesson.id}-{number}", text_of(topic.title), text_of(topic.about), names))
        others = _taken(left, lesson.id)
        topics.append(_topic(f"{lesson.id}-more", words("pages.library.shelf.more"), "", others))
        ordered = any(topic["names"] for topic in topics[:-1])
        found.append(_shelf(lesson.id, text_of(lesson.title), text_of(lesson.about), topics, ordered=ordered))
    for lesson_id in dict.fromkeys(sorted(left.values(), key=lambda each: (not each, each))):
        title = title_of_lesson(lesson_id) or words("pages.library.other")
        found.append(
            _shelf(lesson_id, title, "", [_topic(f"{lesson_id or 'other'}-0", title, "", _taken(left, lesson_id))])
        )
    return [shelf for shelf in found if shelf["topics"]]


def lecture(cards: Sequence[dict[str, Any]], lessons: Lessons) -> dict[str, Any] | None:
    """{title, about, minutes, names, lab} of the lecture's scenarios that exist; None without a lecture."""
    known = {card["name"] for card in cards}
    one = lessons.lecture
    if one is None or not known.intersection(one.scenarios):
        return None
    return {
        "title": text_of(one.title),
        "about": text_of(one.about),
        "minutes": one.minutes,
        "names": [name for name in one.scenarios if name in known],
        "lab": [name for name in one.lab if name in known],
    }


def _taken(left: dict[str, str], lesson: str) -> list[str]:
    names = [name for name, of in left.items() if of == lesson]
    for name in names:
        del left[name]
    return names


def _topic(topic_id: str, title: str, about: str, names: list[str]) -> Shelf:
    return {"id": topic_id, "title": title, "about": about, "names": names}


def _shelf(lesson_id: str, title: str, about: str, topics: list[Shelf], *, ordered: bool = False) -> Shelf:
    there = [topic for topic in topics if topic["names"]]
    return {"id": lesson_id, "title": title, "about": about, "topics": there, "ordered": ordered}
