"""Writes ui/player/types/words.d.ts: the words that Python sends to the browser, so that a mistyped name is found.

``python -m tests.js.words_declaration`` writes the file anew; a test fails where it is stale.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from simulator.words import section, speaking

FILE = Path(__file__).resolve().parents[2] / "ui" / "player" / "types" / "words.d.ts"

SECTIONS = {
    "PlayerWords": "player",
    "AuthorWords": "author",
    "CompareWords": "compare",
    "LibraryWords": "pages.library",
    "VoteWords": "pages.vote",
}

HEAD = "// Written by `python -m tests.js.words_declaration` from the English catalogue (simulator/words/en).\n"


def declaration() -> str:
    """The text of the file. A table of texts alone can also be read by a name that is made up at run time."""
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


if __name__ == "__main__":
    FILE.write_text(declaration(), encoding="utf-8")
