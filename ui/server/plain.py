"""Messages where only plain text can be shown. ``ui/player/base/dom.ts`` shows the same ones with code as code."""

import re
from html import escape
from typing import Literal

import streamlit as st

_BETWEEN_BACKTICKS = re.compile(r"`([^`\n]+)`")


def plain(message: str) -> str:
    """``message`` without the backticks around members, values and commands."""
    return _BETWEEN_BACKTICKS.sub(r"\1", message)


def say(message: str, kind: Literal["note", "problem"] = "problem") -> None:
    """Show ``message`` on a page of Streamlit, each character as itself.

    Streamlit's own messages and labels read Markdown: of words from outside they would make links and pictures. So they
    show words of the catalogue alone (``tests/hostile/test_markdown.py``), and this shows all that names a file, a
    column, an address or an error.
    """
    role = "alert" if kind == "problem" else "note"
    st.html(f'<p class="tm-said" data-kind="{kind}" role="{role}">{escape(plain(message))}</p>')
