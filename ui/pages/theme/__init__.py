"""Colours, and the styles that adapt Streamlit's own frame to the app."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

# Keeps the style of a page below the page's own root, so that it reaches no other page and not Streamlit's frame.
#
# Theory of operation. All rules of a sheet are nested in one block for the root and what is below it, and the
# subject of each selector, which is the element that it styles, has to match that block: ``.tm-card > b`` becomes
# ``:where(.root, .root *) { .tm-card > b& … }``. As in ``@scope``, what is above the subject may be outside of the
# root, and no selector becomes stronger. Only animations, which have no place in a block, and rules about the page
# around stay outside. The latter begin with ``:root`` and so say what they are.

_OUTSIDE: Final = re.compile(
    r"^(?:@keyframes [\w-]+ \{(?:[^{}]*\{[^{}]*\})*\s*\}|:root\b[^{}]*\{[^{}]*\})", re.MULTILINE
)


def scoped(sheet: str, *roots: str) -> str:
    """``sheet`` for the elements that one of the selectors ``roots`` matches, and for those below them."""
    first, *others = sheet.split("/*")
    text = first + "".join(other.partition("*/")[2] for other in others)
    outside = "\n".join(_OUTSIDE.findall(text))
    parts = re.split(r"([{}])", _OUTSIDE.sub("", text))
    for place in range(0, len(parts) - 4, 2):  # a selector, its brace, what it says, and the brace that closes it
        if parts[place + 1 : place + 4 : 2] == ["{", "}"]:
            parts[place] = f"\n{_nested(parts[place])} "
    inside = "".join(parts)
    block = ", ".join((*roots, *(f"{root} *" for root in roots)))
    return f"{outside}\n:where({block}) {{\n{inside.strip()}\n}}\n".lstrip()


def selectors(text: str) -> Iterator[str]:
    """The selectors of the list ``text``."""
    depth = begin = 0
    for place, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            yield text[begin:place].strip()
            begin = place + 1
    yield text[begin:].strip()


def _nested(text: str) -> str:
    parts = (selector.partition("::") for selector in selectors(text))
    return ",\n".join(f"{subject}&{pseudo}{rest}" for subject, pseudo, rest in parts)


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
