"""The server's side of the page Lessons: it reads the order of a course, and saves it as ``lessons.toml``.

The file is saved as scenarios are: whole, under the folder's lock, and never over what somebody else has saved since.
"""

from collections.abc import Mapping
from typing import Any

from tidemark.simulator.limits import LESSONS_BYTES
from tidemark.simulator.words import section, words
from tidemark.ui.author.differences import blocks
from tidemark.ui.author.store import (
    Conflict,
    StoreError,
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
from tidemark.ui.library.lessons.plan import PlanError, Row, plan_of, written


def first() -> Row:
    """What the page shows: {words, merge, saving, scenarios, ...} and the plan that lies in the folder."""
    entries = [
        {"name": each.name, "title": each.title, "minutes": each.scenario.minutes or 0, "own": each.own}
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
        new = written(text, plan) if isinstance(plan, Mapping) else text
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
