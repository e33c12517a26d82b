"""What a page must say about ``lessons.toml``: it is wrong, or it names scenarios that cannot be shown."""

from collections.abc import Sequence

from simulator.words import listed, words
from ui.catalogue import Entry, text_of
from ui.lessons import FILE, Lessons


def problems_of_lessons(entries: Sequence[Entry], lessons: Lessons) -> list[str]:
    """One message for a file that is ignored, one for the names that lead nowhere, one for those that cannot run."""
    there = {entry.name: entry.scenario is not None for entry in entries}
    problems = [lessons.problem] if lessons.problem else []
    for key, sought in (("gone", None), ("cannot_run", False)):
        named = dict.fromkeys((name, text_of(title)) for title, name in lessons.named() if there.get(name) is sought)
        if named:
            places = [words("pages.library.lessons_file.place", scenario=name, title=title) for name, title in named]
            problems.append(words(f"pages.library.lessons_file.{key}", file=FILE, names=listed(places)))
    return problems
