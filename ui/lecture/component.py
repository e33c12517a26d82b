"""What the browser needs for a lecture: the order of its scenarios, and the page of the second window."""

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st
from tidemark.simulator.words import section
from tidemark.ui.player.bundle import FOLDER, script, style

_KEEP: Final = """
// Keeps the order of a lecture for the player, which may be there before it (ui/player/lecture/lecture.js).
export default function keep({ data }) {
  globalThis.tidemarkLecture = data;
  window.dispatchEvent(new CustomEvent("tidemark:lecture"));
}
"""

_order = st.components.v2.component("tidemark_lecture", js=_KEEP, isolate_styles=False)
_notes = st.components.v2.component(
    "tidemark_notes", js=script(FOLDER / "lecture" / "notes_page.js"), css=style(), isolate_styles=False
)


def mount_order(order: Mapping[str, Any] | None) -> None:
    """Send the order of a lecture to this browser."""
    if order is not None:
        _order(key="lecture", data=dict(order), height=1)


def notes_page() -> None:
    """The second window. Its contents come from the presenting window; the server sends only its words."""
    _notes(key="notes", data={"words": {"lecture": section("player.lecture")}})
