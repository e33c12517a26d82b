"""The first visit: a few scenarios one after another, for somebody who has never been here."""

import json
from collections.abc import Sequence
from typing import Any

from ui.catalogue import Entry, text_of
from ui.lessons import Lessons


def scenes(entries: Sequence[Entry], lessons: Lessons) -> list[str]:
    """The names of the visit's scenarios that can be run, in order; [] without a visit."""
    known = {entry.name for entry in entries if entry.scenario}
    return [name for name in lessons.visit.scenarios if name in known] if lessons.visit else []


def visit_of(name: str, entries: Sequence[Entry], lessons: Lessons) -> str:
    """The visit that scenario ``name`` is a scene of, as JSON (``Visit`` in ``schema.py``); "" for none."""
    order = scenes(entries, lessons)
    if lessons.visit is None or name not in order:
        return ""
    known = {entry.name: entry for entry in entries if entry.scenario}
    return json.dumps(
        {
            "title": text_of(lessons.visit.title),
            "about": text_of(lessons.visit.about),
            "scenes": [{"name": each, "title": known[each].title} for each in order],
            "onward": [_told(known[each]) for each in lessons.visit.onward if each in known],
        },
        ensure_ascii=False,
    )


def _told(entry: Entry) -> dict[str, Any]:
    assert entry.scenario is not None
    return {"name": entry.name, "title": entry.title, "summary": " ".join(text_of(entry.scenario.summary).split())}
