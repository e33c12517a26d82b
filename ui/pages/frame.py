"""The frame of every page: settings, styles, the header with its doors, links that name what is open."""

from html import escape

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from tidemark.simulator.words import words
from tidemark.ui.catalogue import wrong_folder
from tidemark.ui.pages import theme
from tidemark.ui.pages.language import language_switch, resume
from tidemark.ui.pages.opening.doors import WALKTHROUGH, doors, page_name, title
from tidemark.ui.player.components import component
from tidemark.ui.server.leaving import ends_when_left
from tidemark.ui.server.memory import SETTLING
from tidemark.ui.server.pool import waiting_slot
from tidemark.ui.server.screen import guard, plain

# What is open goes along: the links of the navigation name it, whichever page they lead to.
#
# Only the browser knows the step, so ``place.ts`` does all of it; here it is mounted, in the frame of every page.


def mount_place() -> None:
    """Draw the doors of the navigation, and let their links carry what is open."""
    component("place")(key="place", data=doors(), height=1)


def frame() -> None:
    """Call once at the start of the app."""
    SETTLING.settle()
    ends_when_left()
    resume()
    st.set_page_config(page_icon="🌊", layout="wide")
    st.html(f"<style>{theme.sheet()}</style>")
    with st.container(key="tidemark_frame"):
        mount_place()
    with st.container(key="tidemark_language"):
        language_switch()
    with st.container(key="tidemark_waiting"):
        waiting_slot()
    if problem := wrong_folder():
        with st.container(key="tm_notice"):
            st.text(plain(problem))
        st.stop()


def show(page: StreamlitPage) -> None:
    """Show ``page``, or what went wrong. In a frame there is the walkthrough alone: no page that writes anything."""
    if page.url_path != WALKTHROUGH:  # which calls its tab after the scenario
        st.set_page_config(page_title=title(page.url_path))
    # Seen by screen readers alone, and by them only where the page has no heading of its own (ui/pages/names.ts).
    st.html(f'<h1 class="tm-page-name">{escape(page_name(page.url_path))}</h1>')
    with guard():
        if st.context.is_embedded and page.url_path:
            with st.container(key="tm_notice"):
                st.text(words("roles.framed"))
        else:
            page.run()
