"""What every page stands in: settings, look, logo, and Vega sent ahead to the browser."""

import gc

import streamlit as st

from simulator.words import words
from ui import theme
from ui.vega import mount_vega


@st.cache_resource(show_spinner=False)
def _freeze() -> None:
    """Take everything imported so far out of garbage collection: Streamlit collects after every run of a page."""
    gc.collect()
    gc.freeze()


def frame() -> None:
    """Call once at the start of the app."""
    _freeze()
    st.set_page_config(page_title=words("app.name"), page_icon="🌊", layout="wide", initial_sidebar_state="collapsed")
    st.logo(str(theme.LOGO), size="medium", link=None)
    st.html(f"<style>{theme.sheet()}</style>")
    with st.container(key="tidemark_frame"):
        mount_vega()
