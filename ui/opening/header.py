"""The header of a page before Streamlit draws it: the same links and the same switch, at the same places."""

import base64
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from tidemark.simulator.words import LANGUAGES, interface_language, words
from tidemark.ui import theme
from tidemark.ui.player.bundle import script
from tidemark.ui.tags import tag

WALKTHROUGH: Final = ""
LINKS: Final = {
    "library": "library", "symptoms": "symptoms", WALKTHROUGH: "walkthrough", "compare": "compare", "author": "author",
    "spark": "spark", "your-stream": "own_stream",
}  # fmt: skip
"""The pages of the navigation, in order, by their paths, with the part of the catalogue that names them."""

UNLISTED: Final = ("inventory", "practice", "lessons", "vote")
"""Pages that the navigation does not show."""

LISTS: Final = frozenset({"library", "symptoms", "your-stream"})
"""Pages that show no single scenario."""

NO_HEADER: Final = {"embed": ("true", "1"), "present": ("1",)}
"""Parts of an address with which the page has no header, and their values."""


def title(path: str, scenario: str = "") -> str:
    """What the tab of a page is called: after the ``scenario`` in it, else after the page."""
    return words("player.page_title", page=scenario or name_of(path))


def name_of(path: str) -> str:
    """What the page with this path is called."""
    return words(f"pages.{LINKS.get(path, path)}.name")


def is_page(path: str) -> bool:
    """Whether the app has a page with this path."""
    return path in LINKS or path in UNLISTED


def header(path: str, query: Mapping[str, str], *, links: bool) -> str:
    """The header of the page ``path`` as HTML; "" where the page has none. ``links``: with the navigation."""
    if any(query.get(name) in values for name, values in NO_HEADER.items()) or "notes" in query:
        return ""
    shown = f'<nav class="tm-early-links">{"".join(_link(each, path, query) for each in LINKS)}</nav>' if links else ""
    languages = "".join(
        f'<button type="button" data-language="{each}" lang="{tag(each)}" aria-pressed='
        f'"{str(each == interface_language()).lower()}">{words("app.language", language=each)}</button>'
        for each in LANGUAGES
    )
    return (
        f'<header id="tidemark-header"><span class="tm-early-logo"><img src="{_logo()}" alt=""></span>'
        f'{shown}<div class="tm-early-languages"><div class="tm-languages" role="group">{languages}</div></div>'
        "</header>"
    )


@cache
def style() -> str:
    """The styles of the header, and the colours of the page."""
    sheets = [theme.FOLDER / name for name in ("tokens.css", "frame.css", "language.css")]
    return "\n".join(each.read_text(encoding="utf-8") for each in [*sheets, Path(__file__).parent / "header.css"])


@cache
def behaviour() -> str:
    """What makes way for Streamlit's own header."""
    return script(Path(__file__).parent / "header.js")


def _link(page: str, here: str, query: Mapping[str, str]) -> str:
    """A link of the navigation, with what is open (as ui/place.js writes it once Streamlit is there)."""
    parts = ("scenario", "s", "own") if page not in LISTS else ()
    carried = [(name, query[name]) for name in parts if name in query][:1]
    if carried and "step" in query and page in (WALKTHROUGH, "compare"):
        carried.append(("step", query["step"]))
    address = f"./{page}{'?' if carried else ''}{urlencode(carried)}"
    current = ' aria-current="page"' if page == here else ""
    return f'<a href="{escape(address)}"{current}>{escape(name_of(page))}</a>'


@cache
def _logo() -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(Path(theme.LOGO).read_bytes()).decode()
