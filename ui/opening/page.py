"""Streamlit's own page with the player in it: what the browser reads and runs before Streamlit's scripts."""

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Final

import streamlit as st

from simulator.words import words
from ui import theme
from ui.opening.ready import Shown
from ui.player.bundle import FOLDER, script, style

PLACE: Final = "/tidemark/"
"""The player's script and style are served below this path. Their names change with their contents."""

_HEAD: Final = (
    '<link rel="stylesheet" href=".{style}" fetchpriority="high">'
    '<script type="module" src=".{script}" fetchpriority="high"></script>'
)
_BODY: Final = (
    '<div id="tidemark-opening" class="tm-first-paint"></div>'
    '<script type="text/plain" id="tidemark-facts">{facts}</script>'
)
_FIRST_SCRIPT: Final = '<script type="module" crossorigin'
_TITLE: Final = "<title>Streamlit</title>"
_ROOT: Final = '<div id="root"></div>'


@cache
def files() -> dict[str, tuple[str, bytes]]:
    """Media type and content of what is served below ``PLACE``, by path."""
    made = {
        "js": ("text/javascript", script(FOLDER / "opening.js")),
        "css": ("text/css", f"{theme.sheet()}\n{style()}"),
    }
    return {
        f"{PLACE}{hashlib.sha256(text.encode()).hexdigest()[:16]}.{ending}": (media, text.encode())
        for ending, (media, text) in made.items()
    }


@cache
def _shell() -> str:
    """Streamlit's page; "" if it is not the one that this module knows how to extend."""
    page = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    return page if all(page.count(part) == 1 for part in (_FIRST_SCRIPT, _TITLE, _ROOT)) else ""


def page(shown: Shown) -> bytes | None:
    """Streamlit's page that shows this scenario before Streamlit has started; None if Streamlit's page is unknown."""
    shell = _shell()
    if not shell:
        return None
    paths = {path.rpartition(".")[2]: path for path in files()}
    head = _HEAD.format(style=paths["css"], script=paths["js"])
    body = _BODY.format(facts=base64.b64encode(shown.facts).decode())
    return (
        shell.replace(_TITLE, f"<title>{words('app.name')}</title>")
        .replace(_FIRST_SCRIPT, f"{head}{_FIRST_SCRIPT}")
        .replace(_ROOT, f"{_ROOT}{body}")
        .encode()
    )
