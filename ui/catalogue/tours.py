"""Scenarios in an order: those of a lecture, and the scenes of the first visit."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tidemark.ui.catalogue import Entry, text_of
from tidemark.ui.catalogue.lessons_file import Lessons, Text

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
    scenarios = [{**_called(known[each]), "picture": pictures.get(each)} for each in names if each in known]
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


def _called(entry: Entry) -> dict[str, Any]:
    assert entry.scenario is not None
    summary = " ".join(text_of(entry.scenario.summary).split())
    return {"name": entry.name, "title": entry.title, "summary": summary, "minutes": entry.scenario.minutes or 0}


# The first visit: a few scenarios one after another, for somebody who has never been here.


def scenes(entries: Sequence[Entry], lessons: Lessons) -> list[str]:
    """The names of the visit's scenarios that can be run, in order; [] without a visit."""
    known = {entry.name for entry in entries if entry.scenario}
    return [name for name in lessons.visit.scenarios if name in known] if lessons.visit else []


def visit_of(name: str, entries: Sequence[Entry], lessons: Lessons) -> str:
    """The visit of the library as JSON (``Visit`` in ``schema.py``); "" for none.

    A scenario ``name`` that is no scene of it only gets the names of the scenes, to lead there.
    """
    order = scenes(entries, lessons)
    if lessons.visit is None or not order:
        return ""
    known = {entry.name: (entry, entry.scenario) for entry in entries if entry.scenario}
    if name not in order:
        led = [_onward(known[each][0], "") for each in order]
        return json.dumps({"title": "", "about": "", "scenes": led, "onward": []}, ensure_ascii=False)
    return json.dumps(
        {
            "title": text_of(lessons.visit.title),
            "about": text_of(lessons.visit.about),
            "scenes": [_onward(entry, scenario.takeaway) for entry, scenario in map(known.__getitem__, order)],
            "onward": [
                _onward(known[each.scenario][0], each.about or known[each.scenario][1].summary)
                for each in lessons.visit.onward
                if each.scenario in known
            ],
        },
        ensure_ascii=False,
    )


def _onward(entry: Entry, says: Text | None) -> dict[str, str]:
    return {"name": entry.name, "title": entry.title, "says": " ".join(text_of(says).split()) if says else ""}
