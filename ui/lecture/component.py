"""Sends the browser the order of a lecture's scenarios."""

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

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
