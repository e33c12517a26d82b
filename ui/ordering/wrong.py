"""What a plan lacks before it can be saved, and which field of the page that is."""

from collections.abc import Mapping, Sequence
from typing import Any

from tidemark.simulator.limits import LECTURE_MINUTES
from tidemark.simulator.words import words

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
