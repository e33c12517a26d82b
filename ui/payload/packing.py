"""A payload on its way to the browser: exact JSON, gzipped; the same contents give the same bytes."""

import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from simulator.values.time import MAX, MIN
from ui.catalogue import Entry
from ui.charts import plane
from ui.payload.contents import payload

_EXACT_IN_BROWSER = 2**53


@st.cache_resource(show_spinner=False)
def _plane_spec() -> dict[str, Any]:
    return plane.compiled()


@st.cache_resource(show_spinner=False, max_entries=60)
def packed(_entry: Entry, name: str, stamp: str, choices: tuple[tuple[str, str, str], ...]) -> tuple[bytes, int]:
    """The payload of a scenario and its number of steps. ``choices``: (name, title, lesson) of the whole library."""
    assert _entry.scenario is not None
    contents = payload(_entry.scenario, [dict(zip(("name", "title", "lesson"), c, strict=True)) for c in choices])
    return pack({**contents, "spec": _plane_spec()}), contents["steps"]


def pack(contents: Mapping[str, Any]) -> bytes:
    """JSON, gzipped; the same contents give the same bytes, so that Streamlit sends them once."""
    text = json.dumps(_for_browser(contents), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return gzip.compress(text.encode(), compresslevel=6, mtime=0)


def _for_browser(value: Any) -> Any:
    """Whole numbers that a browser would round become text; the two ends of time are known by their size."""
    match value:
        case bool() | None | str():
            return value
        case int():
            return value if abs(value) <= _EXACT_IN_BROWSER or value in (MIN, MAX) else str(value)
        case float():
            return value if value == value and abs(value) != float("inf") else str(value)
        case Mapping():
            return {name: _for_browser(each) for name, each in value.items()}
        case list() | tuple():
            return [_for_browser(each) for each in value]
        case _:
            return str(value)


def choices_of(entries: Sequence[Entry]) -> tuple[tuple[str, str, str], ...]:
    """The sound scenarios for the player's own list."""
    return tuple(
        (e.name, e.title, (e.scenario.lesson or "").replace("-", " ").capitalize()) for e in entries if e.scenario
    )
