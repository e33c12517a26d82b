"""The walkthroughs of a library as the browser reads them: what all have in common once, the rest for each scenario."""

import gzip
import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, NamedTuple

from tidemark.simulator.scenario.languages import languages_of
from tidemark.simulator.words import LANGUAGES
from tidemark.ui.catalogue import Entry
from tidemark.ui.lessons import Lessons
from tidemark.ui.payload.packing import choices_of, packed
from tidemark.ui.payload.visit import visit_of

SHARED: Final[tuple[str, ...]] = ("words", "library", "visit")
"""The parts of a payload that are the same for all scenarios, or for nearly all."""


class Walkthrough(NamedTuple):
    """A scenario, what its payload has beside the common parts, and its number of steps."""

    name: str
    own: dict[str, Any]
    steps: int


def common(entries: Sequence[Entry], lessons: Lessons) -> dict[str, Any]:
    """The common parts, in the current language; {} for a library in which nothing can be run."""
    whole = next((payload for _, payload, _ in _payloads(entries, lessons)), {})
    shared = {name: whole[name] for name in SHARED if name in whole}
    return {**shared, "visit": json.loads(visit_of("", entries, lessons) or "null")} if shared else {}


def walkthroughs(
    entries: Sequence[Entry], lessons: Lessons, shared: dict[str, Any], names: Collection[str] | None = None
) -> Iterator[Walkthrough]:
    """Each scenario that can be run, in the current language. ``shared``: what ``common`` returned.

    ``names``: of these scenarios only.
    """
    for entry, payload, steps in _payloads(entries, lessons, names):
        own = {name: part for name, part in payload.items() if name not in shared or part != shared[name]}
        yield Walkthrough(entry.name, own, steps)


def further_languages(entries: Sequence[Entry]) -> dict[str, list[str]]:
    """The languages of texts that the interface does not have, each with the names of its scenarios."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        for language in languages_of(entry.scenario) if entry.scenario else ():
            if language not in LANGUAGES:
                found.setdefault(language, []).append(entry.name)
    return found


def _payloads(
    entries: Sequence[Entry], lessons: Lessons, names: Collection[str] | None = None
) -> Iterator[tuple[Entry, dict[str, Any], int]]:
    choices = choices_of(entries)
    for entry in entries:
        if entry.scenario is not None and (names is None or entry.name in names):
            facts, steps = packed(entry, entry.name, entry.stamp, choices, visit_of(entry.name, entries, lessons))
            yield entry, json.loads(gzip.decompress(facts)), steps
