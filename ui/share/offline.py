"""The template of the offline page (``ui/share/page.py``) on its way to the browser, which fills it in."""

import gzip

import streamlit as st
from tidemark.simulator.words import current_language
from tidemark.ui.server.cache import keeping
from tidemark.ui.share.page import shell

_KIT = """
// The frame of the offline page, as it is sent once to each browser (ui/player/share/dialog.ts fills it).
export default function keep({ data }) {
  const desk = (globalThis.tidemarkDesk ??= { waiting: new Map(), number: Date.now() });
  desk.kit = data;
  desk.kitCame?.();
}
"""

_component = st.components.v2.component("tidemark_kit", js=_KIT, isolate_styles=False)


@keeping(8)
def _packed(language: str) -> bytes:
    return gzip.compress(shell().encode(), mtime=0)


def mount_kit() -> None:
    """Send the template to this browser, once."""
    _component(key="kit", data=_packed(current_language()), height=1)
