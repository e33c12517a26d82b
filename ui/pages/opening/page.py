"""Streamlit's own page with the player in it: what the browser reads and runs before Streamlit's scripts."""

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import streamlit as st
from tidemark.simulator.words import LANGUAGES, current_language, interface_language, words
from tidemark.ui.pages import theme
from tidemark.ui.pages.opening.address import Opened
from tidemark.ui.player.bundle import FOLDER, script
from tidemark.ui.player.styles import style as style_of_player
from tidemark.ui.server.tags import tag

# The header of a page before Streamlit draws it: the same links and the same switch, at the same places.

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
    return script(Path(__file__).parent / "header.ts")


def _link(page: str, here: str, query: Mapping[str, str]) -> str:
    """A link of the navigation, with what is open (as ui/pages/place.ts writes it once Streamlit is there)."""
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


PLACE: Final = "/tidemark/"
"""The player's script and style are served below this path. Their names change with their contents."""

_BASE: Final = '<script>window.__streamlit = { BACKEND_BASE_URL: new URL(".", location.href).href };</script>'
"""Where the server is. Else Streamlit first asks for it below the path of the page, and finds nothing there."""

_FILES: Final = (
    '<link rel="stylesheet" href=".{style}" id="tidemark-opening-style" fetchpriority="high">'
    '<script type="module" src=".{script}" fetchpriority="high"></script>'
)
_PLAYER: Final = (
    '<div id="tidemark-opening" class="tm-first-paint"></div>'
    '<script type="text/plain" id="tidemark-facts">{facts}</script>'
    '<script type="application/json" id="tidemark-lecture">{lecture}</script>'
)
_MISSING: Final = (
    '<!doctype html><html lang="{tag}"><head><meta charset="utf-8"><base href="{root}">'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>{tab}</title>'
    "<style>{style} .tm-early-languages {{ display: none; }}</style>"
    '</head><body>{header}<main class="tm-missing"><h1>{title}</h1><p>{text}</p>'
    '<a href="./library">{to_library}</a></main></body></html>'
)
_LANGUAGE: Final = '<html lang="en">'
_FIRST_SCRIPT: Final = '<script type="module" crossorigin'
_TITLE: Final = "<title>Streamlit</title>"
_ROOT: Final = '<div id="root"></div>'


@cache
def files() -> dict[str, tuple[str, bytes]]:
    """Media type and content of what is served below ``PLACE``, by path."""
    made = {
        "js": ("text/javascript", script(FOLDER / "opening.ts")),
        "css": ("text/css", f"{theme.sheet()}\n{style_of_player()}"),
    }
    return {
        f"{PLACE}{hashlib.sha256(text.encode()).hexdigest()[:16]}.{ending}": (media, text.encode())
        for ending, (media, text) in made.items()
    }


@cache
def _storage() -> str:
    """What keeps Streamlit from failing where the browser's storage is full or damaged."""
    return script(Path(__file__).parent / "storage.ts")


@cache
def _shell() -> str:
    """Streamlit's page; "" if it is not the one that this module knows how to extend."""
    page = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    return page if all(page.count(part) == 1 for part in (_LANGUAGE, _FIRST_SCRIPT, _TITLE, _ROOT)) else ""


def page(path: str, query: Mapping[str, str], opened: Opened | None) -> bytes | None:
    """Streamlit's page ``path`` with a header and the player of what is ``opened``, drawn before Streamlit starts.

    None if Streamlit's page is unknown.
    """
    shell = _shell()
    if not shell:
        return None
    head = f"{_BASE}<script>{_storage()}</script><style>{style()}</style>"
    body = header(path, query, links=opened is None or not opened.visits)
    if body:
        body += f'<script type="module">{behaviour()}</script>'
    if opened is not None:
        paths = {each.rpartition(".")[2]: each for each in files()}
        head += _FILES.format(style=paths["css"], script=paths["js"])
        lecture = json.dumps(opened.lecture, ensure_ascii=False).replace("<", "\\u003c")
        body += _PLAYER.format(facts=base64.b64encode(opened.shown.facts).decode(), lecture=lecture)
    return (
        shell.replace(_TITLE, f"<title>{escape(title(path, opened.shown.entry.title if opened else ''))}</title>")
        .replace(_LANGUAGE, f'<html lang="{tag(current_language())}">')
        .replace(_FIRST_SCRIPT, f"{head}{_FIRST_SCRIPT}")
        .replace(_ROOT, f"{_ROOT}{body}")
        .encode()
    )


def no_page(path: str) -> bytes:
    """What an address shows that no page has; it needs no script."""
    say = {name: escape(words(f"pages.missing.{name}")) for name in ("title", "text", "to_library")}
    return _MISSING.format(
        tag=tag(current_language()),
        root="../" * (path.count("/") - 1) or "./",
        style=style() + theme.sheet(),
        header=header(path, {}, links=True),
        tab=escape(words("player.page_title", page=words("pages.missing.title"))),
        **say,
    ).encode()
