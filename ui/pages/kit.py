"""What the pages have in common: how those are mounted that ask the server, and a notice where nothing can be shown."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import streamlit as st
from tidemark.simulator.words import words
from tidemark.ui.pages.language import resume
from tidemark.ui.player.components import component
from tidemark.ui.server.screen import guarded, message, plain

Said = Mapping[str, Any]


@st.fragment
@guarded
def asking_page(name: str, first: Callable[[], Said], reply: Callable[[Said], Said]) -> None:
    """Mount the component ``name`` with what is said ``first``, and with the ``reply`` to its question if it has one.

    A fragment, so that a question does not rebuild the rest of the page.
    """
    resume()
    question = asked(name)
    said = None if question is None else dict(reply(question))
    component(name)(key=name, data={"first": dict(first()), "told": said}, on_ask_change=keeping_question(name))


def keeping_question(name: str) -> Callable[[], None]:
    """The callback that keeps the question of a component for the run that follows."""

    def keep() -> None:
        question = message(name, "ask")
        if isinstance(question, dict):
            st.session_state[f"_{name}_question"] = question

    return keep


def asked(name: str) -> dict[str, Any] | None:
    """The question that has come from the component ``name``, once."""
    question: dict[str, Any] | None = st.session_state.pop(f"_{name}_question", None)
    return question


MOST_SHOWN = 1_200
"""The most characters shown of a text, which may quote an address of any length."""


def notice(text: str, offer: str, address: Mapping[str, str] | None = None) -> None:
    """Show ``text`` as plain text (it may quote the address), and a link to the library.

    ``address``: the part of a link that names a scenario; with it the notice links to the scenario's start as well.
    """
    with st.container(key="tm_notice"):
        text = plain(text)
        st.text(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]} …")
        st.caption(offer)
        with st.container(horizontal=True):
            st.page_link("ui/pages/library.py", label=words("pages.walkthrough.to_library"))
            if address is not None:
                st.page_link(
                    "ui/pages/walkthrough.py",
                    label=words("pages.walkthrough.to_start"),
                    query_params={**address, "step": "0"},
                )


_KEEP: Final = """
// Keeps the order of a lecture for the player, which may be there before it (ui/player/lecture/lecture.ts).
export default function keep({ data }) {
  globalThis.tidemarkLecture = data;
  window.dispatchEvent(new CustomEvent("tidemark:lecture"));
}
"""

_order = st.components.v2.component("tidemark_lecture", js=_KEEP, isolate_styles=False)


def mount_order(order: Mapping[str, Any] | None) -> None:
    """Send the order of a lecture to this browser."""
    if order is not None:
        _order(key="lecture", data=dict(order), height=1)
