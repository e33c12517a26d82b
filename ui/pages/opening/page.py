"""Streamlit's own page with the player in it: what the browser reads and runs before Streamlit's scripts."""

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Final

import streamlit as st
from tidemark.simulator.words import current_language, words
from tidemark.ui.pages import theme
from tidemark.ui.pages.opening.address import Opened
from tidemark.ui.pages.opening.doors import header, title
from tidemark.ui.player.bundle import FOLDER, script
from tidemark.ui.player.styles import style as style_of_player
from tidemark.ui.server.tags import tag


@cache
def style() -> str:
    """The styles of the header, and the colours of the page."""
    sheets = [theme.FOLDER / name for name in ("tokens.css", "frame.css", "header.css", "language.css")]
    return "\n".join(each.read_text(encoding="utf-8") for each in sheets)


@cache
def behaviour() -> str:
    """What the header does before Streamlit has started."""
    return script(Path(__file__).parent / "header.ts")


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
    "<style>{style} :is(.tm-early-languages, .tm-menu, .tm-skip) {{ display: none !important; }}</style>"
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
    above = header(path, query, links=opened is None or not opened.visits)
    body = f'<script type="module">{behaviour()}</script>' if above else ""
    if opened is not None:
        paths = {each.rpartition(".")[2]: each for each in files()}
        head += _FILES.format(style=paths["css"], script=paths["js"])
        lecture = json.dumps(opened.lecture, ensure_ascii=False).replace("<", "\\u003c")
        body += _PLAYER.format(facts=base64.b64encode(opened.shown.facts).decode(), lecture=lecture)
    return (
        shell.replace(_TITLE, f"<title>{escape(title(path, opened.shown.entry.title if opened else ''))}</title>")
        .replace(_LANGUAGE, f'<html lang="{tag(current_language())}">')
        .replace(_FIRST_SCRIPT, f"{head}{_FIRST_SCRIPT}")
        .replace(_ROOT, f"{above}{_ROOT}{body}")
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
