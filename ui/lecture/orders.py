"""Orders in which scenarios are presented: the lecture of a library, or one of its lessons."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ui.catalogue import Entry, text_of
from ui.lessons import Lessons

LECTURE: Final = "lecture"
"""The name of the lecture in an address; a lesson is named by its id."""


def order(name: str, entries: Sequence[Entry], lessons: Lessons, pictures: Mapping[str, Any]) -> dict[str, Any] | None:
    """{id, title, minutes, scenarios: [{name, title, summary, minutes, picture}]}; None for an unknown ``name``.

    ``pictures``: the pictures that are ready, by name (see ``ui.library.pictures``); None stands for a missing one.
    ``minutes`` is 0 for a scenario that does not say. Missing and broken scenarios are left out.
    """
    found = _named(name, lessons)
    if found is None:
        return None
    title, minutes, names = found
    known = {entry.name: entry for entry in entries if entry.scenario}
    scenarios = [
        {**_told(known[each]), "picture": pictures.get(each)} for each in dict.fromkeys(names) if each in known
    ]
    if not scenarios:
        return None
    planned = sum(each["minutes"] for each in scenarios)
    return {"id": name, "title": title, "minutes": minutes or planned, "scenarios": scenarios}


def _named(name: str, lessons: Lessons) -> tuple[str, int, tuple[str, ...]] | None:
    if name == LECTURE and lessons.lecture is not None:
        return text_of(lessons.lecture.title), lessons.lecture.minutes, lessons.lecture.scenarios
    for lesson in lessons.lessons:
        if lesson.id == name:
            return text_of(lesson.title), 0, tuple(each for topic in lesson.topics for each in topic.scenarios)
    return None


def _told(entry: Entry) -> dict[str, Any]:
    assert entry.scenario is not None
    summary = " ".join(text_of(entry.scenario.summary).split())
    return {"name": entry.name, "title": entry.title, "summary": summary, "minutes": entry.scenario.minutes or 0}
