"""What a page must say about ``lessons.toml``: it is wrong, or it names scenarios that cannot be shown."""

from collections.abc import Sequence
from difflib import get_close_matches

from tidemark.simulator.words import listed, words
from tidemark.ui.catalogue import Entry, text_of
from tidemark.ui.lessons import FILE, Lessons


def problems_of_lessons(entries: Sequence[Entry], lessons: Lessons) -> list[str]:
    """One message for a file that is ignored, one for the names that lead nowhere, one for those that cannot run."""
    there = {entry.name: entry.scenario is not None for entry in entries}
    problems = [lessons.problem] if lessons.problem else []
    for key, sought in (("gone", None), ("cannot_run", False)):
        named = dict.fromkeys((name, text_of(title)) for title, name in lessons.named() if there.get(name) is sought)
        if named:
            places = [_place(name, title, [] if name in there else list(there)) for name, title in named]
            problems.append(words(f"pages.library.lessons_file.{key}", file=FILE, names=listed(places)))
    return problems


def _place(name: str, title: str, names: Sequence[str]) -> str:
    """A name with the title of what names it, and the nearest of ``names`` where one is near."""
    near = get_close_matches(name, names, n=1, cutoff=0.75)
    if near:
        return words("pages.library.lessons_file.place_near", scenario=name, title=title, near=near[0])
    return words("pages.library.lessons_file.place", scenario=name, title=title)
