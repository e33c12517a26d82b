"""Author: a scenario as table, text and picture at once. ``/author?scenario=NAME`` starts with a copy of that one.

``/author?s=TEXT`` and ``/author?own=DIGEST`` open a scenario of one's own, ``/author?file=NAME`` a file of the folder
that was named at the start, ``/author?new=1`` offers templates, and ``/author`` alone opens the last draft.
"""

from typing import Any

import streamlit as st

from simulator.values.errors import ScenarioError
from simulator.words import words
from ui.author import store
from ui.author.component import author_view
from ui.author.desk import as_lines, first, forked, reply
from ui.author.edits import EditRefused
from ui.language import resume
from ui.messages import message
from ui.share import links, own
from ui.share.links import LinkError, Text
from ui.share.student import editable


def _asked() -> None:
    """Keep the question for the run that follows."""
    asked = message("author", "ask")
    if isinstance(asked, dict):
        st.session_state["_author_question"] = asked


def _start() -> dict[str, Any] | None:
    """What the address names, or why that cannot be opened."""
    query = st.query_params
    try:
        if "file" in query:
            text, digest = store.open_file(query["file"])
            file = {"name": query["file"], "digest": digest}
            return {"origin": f"file:{query['file']}", "text": text, "file": file}
        if "scenario" in query:
            return {"origin": f"scenario:{query['scenario']}", "text": forked(query["scenario"])}
        if "s" in query:
            return {"origin": f"s:{query['s']}", "text": _text(links.text_of(query["s"]))}
        if "own" in query:
            return {"origin": f"own:{query['own']}", "text": _text(own.shelf().find(query["own"]))}
    except (EditRefused, LinkError, ScenarioError, store.StoreError) as error:
        return {"origin": "", "text": None, "problem": str(error)}
    return {"origin": "", "text": None, "fresh": True} if "new" in query else None


def _text(text: Text | None) -> str:
    if text is None:
        raise LinkError(words("share.link.gone"))
    text = editable(text)
    return as_lines(text.text, "draft.json" if text.json else "draft.yaml")


@st.fragment
def _view(start: dict[str, Any] | None) -> None:
    """A fragment, so that a question does not rebuild the rest of the page."""
    resume()
    question = st.session_state.pop("_author_question", None)
    if isinstance(question, dict):
        st.session_state["_author_told"] = reply(question)
    if "_author_told" not in st.session_state:
        st.session_state["_author_told"] = first(start)
    author_view(st.session_state["_author_told"], on_ask=_asked)


def page() -> None:
    """The page."""
    st.session_state.pop("_author_told", None)
    _view(_start())


page()
