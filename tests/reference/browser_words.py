"""``build/types/words.d.ts``: the names of the texts that Python sends to the browser, so tsc finds a typo."""

from collections.abc import Iterator, Mapping
from typing import Any

from tidemark.simulator.words import section, speaking

SECTIONS = {
    "AppWords": "app",
    "PlayerWords": "player",
    "AuthorWords": "author",
    "CompareWords": "compare",
    "LibraryWords": "pages.library",
    "LessonsWords": "pages.lessons",
    "SymptomsWords": "pages.symptoms",
    "VoteWords": "pages.vote",
    "InventoryWords": "inventory.page",
    "SiteWords": "site",
    "PracticeWords": "practice.page",
    "SqlWords": "pages.sql",
}

HEAD = "// Written by `python -m tests.reference` from the English catalogue (simulator/words/en).\n"


def declaration() -> str:
    """The text of the file. A table that holds only texts can also be read by a name that is computed at run time."""
    with speaking("en"):
        return HEAD + "".join(
            f"\nexport interface {name} {{\n{''.join(_members(section(path), '  '))}}}\n"
            for name, path in SECTIONS.items()
        )


def _members(table: Mapping[str, Any], indent: str) -> Iterator[str]:
    if all(isinstance(each, str) for each in table.values()):
        yield f"{indent}[name: string]: string;\n"
    for name, each in table.items():
        shown = name if name.isidentifier() else f'"{name}"'
        if isinstance(each, Mapping):
            yield f"{indent}{shown}: {{\n"
            yield from _members(each, f"{indent}  ")
            yield f"{indent}}};\n"
        else:
            yield f"{indent}{shown}: string;\n"
