"""Everything that the library shows of its scenarios, as plain data; ``types.d.ts`` has its types."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from tidemark.simulator.limits import SCENARIO_BYTES
from tidemark.simulator.words import section
from tidemark.ui.catalogue import LEVELS, Entry, text_of
from tidemark.ui.lessons import Lessons
from tidemark.ui.library.cards import Made, card, kinds
from tidemark.ui.library.missing import problems_of_lessons
from tidemark.ui.library.search import phrases
from tidemark.ui.library.shelves import lectures, shelves
from tidemark.ui.payload.visit import scenes
from tidemark.ui.symptoms.contents import searched
from tidemark.ui.symptoms.symptoms import symptoms


def contents(
    entries: Sequence[Entry],
    lessons: Lessons,
    ready: Callable[[Entry], Made | None],
    *,
    files: Collection[str] = (),
    saving: bool = False,
    packages: str | None = "linked",
    ordering: bool = False,
    refused: bool = True,
) -> dict[str, Any]:
    """The library of ``entries``, without what was refused of a reader's file.

    ``ready`` returns the slow parts of a card, if they are made. ``files``: the names that can be saved over;
    ``saving``: whether there is a folder to save in; ``packages``: how a lesson is fetched to take away: "linked" where
    it has an address, "made" where the page makes it, None where it cannot be. ``ordering``: whether
    lessons can be ordered even where there is no folder. ``refused``: with what is wrong with files, which concerns
    those who can mend them.
    """
    sound = [entry for entry in entries if entry.scenario]
    cards = [{**card(entry, lessons), **(ready(entry) or {}), "edit": _edited(entry, files)} for entry in sound]
    return {
        "cards": cards,
        "lessons": shelves(cards, lessons, reads_own=saving),
        "lectures": lectures(cards, lessons),
        "visit": scenes(sound, lessons) or None,
        "levels": list(LEVELS),
        "kinds": kinds(),
        "broken": _broken(entries, lessons, files) if refused else [],
        "saving": saving,
        "ordering": saving or ordering,
        "packages": packages,
        "phrases": phrases(cards),
        "symptoms": [{**searched(each), "complaint": text_of(each.complaint)} for each in symptoms()],
        "words": section("pages.library"),
        "most_bytes": SCENARIO_BYTES,
    }


def _edited(entry: Entry, files: Collection[str]) -> Mapping[str, str]:
    """What the Author page opens for a card: the file itself if it can be saved, else a copy."""
    own_file = entry.path.suffix == ".yaml" and entry.name in files
    return {"file": entry.name} if own_file else {"scenario": entry.name}


def _broken(entries: Sequence[Entry], lessons: Lessons, files: Collection[str]) -> list[dict[str, str]]:
    """What is wrong with files that have no card, and with the lessons."""
    broken = [
        {"file": each.path.name, "problem": each.problem, "fix": each.path.stem if each.path.stem in files else ""}
        for each in entries
        if not each.scenario
    ]
    problems = problems_of_lessons(list(entries), lessons)
    return [*broken, *({"file": "", "problem": problem, "fix": ""} for problem in problems)]
