"""The style sheets of the pages, each kept below the root of the page that it belongs to."""

from functools import cache
from pathlib import Path
from typing import Final

from tidemark.ui.pages.theme import scoped

FOLDER: Final = Path(__file__).resolve().parent
UI: Final = FOLDER.parent
PLAYER: Final = (FOLDER / "css", FOLDER / "lecture")
"""The folders of the player's style sheets."""

CHAIN: Final = FOLDER / "css" / "b-chain.css"
MERGE: Final = UI / "author" / "merge.css"

STYLES: Final = {
    "player": PLAYER,
    "notes": PLAYER,
    "library": (UI / "library",),
    "symptoms": (UI / "library" / "symptoms",),
    "author": (*PLAYER, UI / "author"),
    "compare": (*PLAYER, UI / "compare"),
    "inventory": (*PLAYER, UI / "learning" / "inventory"),
    "practice": (*PLAYER, UI / "learning" / "inventory", UI / "learning" / "practice"),
    "sql": (CHAIN, UI / "sql"),
    "lessons": (*PLAYER, MERGE, UI / "library" / "lessons"),
    "vote": (UI / "learning" / "classroom",),
}
"""The style sheets, or folders of them, of each component that fills a page."""

_OF_PLAYER: Final = (".tidemark-player", ".tm-notes", ".tidemark-inventory", ".tidemark-ordering")
"""The player's own page, that of its notes, and those that show parts of it."""

ROOTS: Final = {
    **dict.fromkeys(PLAYER, _OF_PLAYER),
    UI / "library": (".tidemark-library",),
    UI / "library" / "symptoms": (".tidemark-symptoms",),
    UI / "library" / "lessons": (".tidemark-ordering",),
    **dict.fromkeys((CHAIN, UI / "sql"), (".tidemark-sql",)),
    UI / "author": (".tidemark-author",),
    MERGE: (".tidemark-ordering",),
    UI / "compare": (".tidemark-compare",),
    UI / "learning" / "inventory": (".tidemark-inventory",),
    UI / "learning" / "practice": (".tidemark-inventory",),
    UI / "learning" / "classroom": (".tidemark-vote",),
}
"""The root elements that a sheet, or the sheets of a folder, may style with what is below them."""


@cache
def style(*sources: Path) -> str:
    """The style sheets of ``sources``, else the player's, without the room at the beginning of their lines."""
    text = "".join(scoped(_text(each), *ROOTS[each]) for each in sources or PLAYER)
    return "\n".join(line.lstrip() for line in text.splitlines())


def _text(source: Path) -> str:
    """A sheet, or those of a folder in order of their names."""
    sheets = sorted(source.glob("*.css")) if source.is_dir() else [source]
    return "\n".join(each.read_text(encoding="utf-8") for each in sheets)
