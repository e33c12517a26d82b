"""A payload on its way to the browser: exact JSON, gzipped; equal contents produce equal bytes."""

import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import current_language
from tidemark.ui.catalogue import Entry, title_of_lesson
from tidemark.ui.catalogue.walkable import done_for
from tidemark.ui.payload.badges import badges_of
from tidemark.ui.payload.columns import Strings, by_columns, for_browser
from tidemark.ui.payload.contents import payload
from tidemark.ui.payload.schema import Edition
from tidemark.ui.server.cache import keeping

# Editions of what the player shows: for students without notes and answers, for an LMS without notes.

Row = dict[str, Any]

FULL: Final = "full"
GRADED: Final = "graded"
"""The questions are graded, so the answers are there, but nothing that only the teacher should read."""
STUDENT: Final = "student"


def edition_of(contents: Mapping[str, Any], edition: Edition) -> Mapping[str, Any]:
    """The payload ``contents``, which is the full one, as another edition."""
    if edition == STUDENT:
        return for_students(contents)
    if edition == GRADED:
        return {**contents, "edition": edition, "beats": [{**each, "note": ""} for each in contents["beats"]]}
    return contents


def for_students(contents: Mapping[str, Any]) -> Row:
    """The payload ``contents`` without notes, right answers, reasons, replies and beliefs.

    A question that is not graded has the answer None. What the run itself shows stays: the facts of every step.
    """
    beats, predictions = ([_ungraded(each) for each in contents[part]] for part in ("beats", "predictions"))
    return {**contents, "edition": STUDENT, "beats": beats, "predictions": predictions}


def _ungraded(stop: Mapping[str, Any]) -> Row:
    told = {**stop, "note": ""}
    if not stop["choices"]:
        return told
    nothing = ["" for _ in stop["choices"]]
    return {**told, "answer": None, "because": "", "replies": nothing, "beliefs": nothing}


SMALL: Final = 6
QUICK: Final = 2
"""Levels of gzip; ``QUICK`` takes half the time for about a fifth more bytes."""

MOST_BYTES: Final = 20_000_000
"""Payloads that are kept, in all: those of a library are 30,000 bytes each, one of 100,000 micro-steps 1.5 million."""


def packed(
    entry: Entry,
    name: str,
    stamp: str,
    choices: tuple[tuple[str, str, str], ...],
    visit: str = "",
    *,
    edition: Edition = FULL,
) -> tuple[bytes, int]:
    """The payload of a scenario and its number of steps. ``choices``: (name, title, lesson) of the whole library.

    ``visit``: the first visit that it is a scene of (``visit_of``). ``edition``: what of it is sent.
    """
    return _packed(entry, name, stamp, choices, badges_of(entry), visit, current_language(), edition)


def _bytes_of(made: tuple[bytes, int]) -> int:
    return len(made[0])


@keeping(60, weigh=_bytes_of, most_weight=MOST_BYTES)
def _packed(
    _entry: Entry,
    name: str,
    stamp: str,
    choices: tuple[tuple[str, str, str], ...],
    badges: str,
    visit: str,
    language: str,
    edition: Edition,
) -> tuple[bytes, int]:
    assert _entry.scenario is not None
    return done_for(_entry.scenario, _made, _entry.scenario, choices, badges, visit, edition, _entry.addresses)


def _made(
    scenario: Scenario,
    choices: tuple[tuple[str, str, str], ...],
    badges: str,
    visit: str,
    edition: Edition,
    addresses: tuple[tuple[str, str], ...],
) -> tuple[bytes, int]:
    """The payload and the number of steps; it may take long."""
    contents = payload(
        scenario, [dict(zip(("name", "title", "lesson"), c, strict=True)) for c in choices], predict=True
    )
    for operator, address in zip((contents["chain"] or {}).get("operators", ()), addresses, strict=False):
        operator["address"] = list(address)
    beside = {"badges": json.loads(badges), "visit": json.loads(visit or "null")}
    return pack({**edition_of(contents, edition), **beside}), contents["steps"]


def pack(contents: Mapping[str, Any], *, level: int = SMALL) -> bytes:
    """Gzipped JSON, with tables by columns; equal contents produce equal bytes, so that Streamlit sends them once.

    ``level``: ``SMALL`` for what many readers load, ``QUICK`` for an answer that one person waits for.
    """
    strings = Strings()
    packed_tables = {
        part: {name: by_columns(rows, strings) for name, rows in contents[part].items()}
        for part in ("tables", "sources")
        if part in contents
    }
    whole = {
        **{name: for_browser(part) for name, part in contents.items() if name not in packed_tables},
        **packed_tables,
        "strings": strings.packed(),
    }
    text = json.dumps(whole, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # A lone surrogate, which a browser's message may contain, must not cause a failure.
    return gzip.compress(text.encode(errors="replace"), compresslevel=level, mtime=0)


def choices_of(entries: Sequence[Entry]) -> tuple[tuple[str, str, str], ...]:
    """The valid scenarios, for the player's list."""
    titles = {lesson: title_of_lesson(lesson) for lesson in {e.scenario.lesson for e in entries if e.scenario}}
    return tuple((e.name, e.title, titles[e.scenario.lesson]) for e in entries if e.scenario)
