"""Colours, and the styles that adapt Streamlit's own frame to the app."""

from functools import cache
from pathlib import Path
from typing import Final

from tidemark.ui.pages.theme.scope import scoped

FOLDER = Path(__file__).parent
LOGO = FOLDER / "logo.svg"

_OF_PAGES: Final = (".st-key-tm_page", '[data-testid="stPopoverBody"]')
"""Where pages of Streamlit elements are, and what they open over themselves."""


@cache
def tokens() -> str:
    """The colour tokens as custom properties, light and dark."""
    return (FOLDER / "tokens.css").read_text(encoding="utf-8")


@cache
def sheet() -> str:
    """The styles of what is on every page, and those of the pages that consist of Streamlit's elements."""
    names = ("frame.css", "header.css", "language.css", "pages.css")
    pages = _text("elements.css") + _text("spark.css")
    return "\n".join([tokens(), *map(_text, names), scoped(pages, *_OF_PAGES)])


def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
