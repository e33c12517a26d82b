"""Colours, and the styles that adapt Streamlit's own frame to the app."""

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
LOGO = FOLDER / "logo.svg"


@cache
def tokens() -> str:
    """The colour tokens as custom properties, light and dark."""
    return (FOLDER / "tokens.css").read_text(encoding="utf-8")


@cache
def sheet() -> str:
    """The styles that every page needs."""
    names = ("tokens.css", "frame.css", "language.css", "pages.css", "spark.css")
    return "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in names)
