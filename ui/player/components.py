"""The components that pages mount, in one table for the app and for a site: the script of each, and its styles."""

from functools import cache
from pathlib import Path
from typing import Any, Final

import streamlit as st
from tidemark.ui.player.bundle import FOLDER, script, style
from tidemark.ui.player.bundle import STYLES as PLAYER

UI: Final = FOLDER.parent

SCRIPTS: Final = {
    "player": FOLDER / "main.ts",
    "notes": FOLDER / "lecture" / "notes_page.ts",
    "library": UI / "library" / "view.ts",
    "symptoms": UI / "library" / "symptoms" / "view.ts",
    "place": UI / "pages" / "place.ts",
    "language": UI / "pages" / "language.ts",
    "desk": UI / "share" / "desk.ts",
    "author": UI / "author" / "main.ts",
    "compare": UI / "compare" / "main.ts",
    "inventory": UI / "learning" / "inventory" / "main.ts",
    "practice": UI / "learning" / "practice" / "main.ts",
    "lessons": UI / "library" / "lessons" / "main.ts",
    "vote": UI / "learning" / "classroom" / "vote.ts",
}
"""The script of each component."""

STYLES: Final = {
    "player": PLAYER,
    "notes": PLAYER,
    "library": (UI / "library",),
    "symptoms": (UI / "library" / "symptoms",),
    "author": (*PLAYER, UI / "author"),
    "compare": (*PLAYER, UI / "compare"),
    "inventory": (*PLAYER, UI / "learning" / "inventory"),
    "practice": (*PLAYER, UI / "learning" / "inventory", UI / "learning" / "practice"),
    "lessons": (*PLAYER, UI / "author" / "merge.css", UI / "library" / "lessons"),
    "vote": (UI / "learning" / "classroom",),
}
"""Style sheets, or folders of them, of each component that fills a page. Only one is on the page: names recur."""


def sheet(path: Path) -> str:
    """A style sheet, or all of a folder."""
    return style(path) if path.is_dir() else path.read_text(encoding="utf-8")


@cache
def component(name: str) -> Any:
    """What mounts the component ``name`` on a page of the app."""
    styles = "\n".join(map(sheet, STYLES.get(name, ())))
    return st.components.v2.component(
        f"tidemark_{name}", js=script(SCRIPTS[name]), css=styles or None, isolate_styles=False
    )
