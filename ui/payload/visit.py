"""The first visit: a few scenarios one after another, for somebody who has never been here."""

import json
from collections.abc import Sequence

from tidemark.ui.catalogue import Entry, text_of
from tidemark.ui.catalogue.lessons_file import Lessons, Text


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
        led = [_told(known[each][0], "") for each in order]
        return json.dumps({"title": "", "about": "", "scenes": led, "onward": []}, ensure_ascii=False)
    return json.dumps(
        {
            "title": text_of(lessons.visit.title),
            "about": text_of(lessons.visit.about),
            "scenes": [_told(entry, scenario.takeaway) for entry, scenario in map(known.__getitem__, order)],
            "onward": [
                _told(known[each.scenario][0], each.about or known[each.scenario][1].summary)
                for each in lessons.visit.onward
                if each.scenario in known
            ],
        },
        ensure_ascii=False,
    )


def _told(entry: Entry, says: Text | None) -> dict[str, str]:
    return {"name": entry.name, "title": entry.title, "says": " ".join(text_of(says).split()) if says else ""}
