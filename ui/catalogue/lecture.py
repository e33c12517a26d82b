"""Orders in which scenarios are presented: the lecture of a library, or one of its lessons."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tidemark.ui.catalogue import Entry, text_of
from tidemark.ui.catalogue.lessons_file import Lessons

LECTURE: Final = "lecture"
"""The name of the lecture in an address; a lesson is named by its id."""

OTHER_LECTURE: Final = "shipped-lecture"
"""The name of the shipped library's lecture beside a folder with a lecture of its own."""


def order(name: str, entries: Sequence[Entry], lessons: Lessons, pictures: Mapping[str, Any]) -> dict[str, Any] | None:
    """{id, title, minutes, scenarios: [{name, title, summary, minutes, picture}], missing}; None for no such name.

    ``pictures``: the pictures that are ready, by name (see ``ui.library.cards``); None stands for a missing one.
    ``minutes`` is 0 for a scenario that does not say. Scenarios that do not exist or cannot
    run are left out; ``missing`` has their names.
    """
    found = named(name, lessons)
    if found is None:
        return None
    title, minutes, names = found
    known = {entry.name: entry for entry in entries if entry.scenario}
    names = tuple(dict.fromkeys(names))
    scenarios = [{**_told(known[each]), "picture": pictures.get(each)} for each in names if each in known]
    missing = [each for each in names if each not in known]
    if not scenarios:
        return None
    planned = sum(each["minutes"] for each in scenarios)
    return {"id": name, "title": title, "minutes": minutes or planned, "scenarios": scenarios, "missing": missing}


def named(name: str, lessons: Lessons) -> tuple[str, int, tuple[str, ...]] | None:
    """Title, minutes (0 where none are planned) and scenarios of a lecture or lesson; None for no such name."""
    lecture = {LECTURE: lessons.lecture, OTHER_LECTURE: lessons.other_lecture}.get(name)
    if lecture is not None:
        return text_of(lecture.title), lecture.minutes, lecture.scenarios
    for lesson in lessons.lessons:
        if lesson.id == name:
            return text_of(lesson.title), 0, tuple(each for topic in lesson.topics for each in topic.scenarios)
    return None


def _told(entry: Entry) -> dict[str, Any]:
    assert entry.scenario is not None
    summary = " ".join(text_of(entry.scenario.summary).split())
    return {"name": entry.name, "title": entry.title, "summary": summary, "minutes": entry.scenario.minutes or 0}
