"""The components that pages mount, in one table for the app and for a site: the script of each."""

from functools import cache
from typing import Any, Final

import streamlit as st
from tidemark.ui.player.bundle import FOLDER, UI, script
from tidemark.ui.player.styles import STYLES, style

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
    "sql": UI / "sql" / "main.ts",
    "lessons": UI / "library" / "lessons" / "main.ts",
    "vote": UI / "learning" / "classroom" / "vote.ts",
}
"""The script of each component."""


@cache
def component(name: str) -> Any:
    """What mounts the component ``name`` on a page of the app."""
    styles = style(*STYLES[name]) if name in STYLES else None
    return st.components.v2.component(f"tidemark_{name}", js=script(SCRIPTS[name]), css=styles, isolate_styles=False)
