"""Compare: two runs under one cursor. The address says what is compared (``ui/compare/choice.py``)."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from simulator.explore.settings import settings_of
from simulator.proof.spark_twin import NoTwin
from simulator.scenario.model import Scenario
from simulator.values.errors import ScenarioError
from simulator.words import current_language, words
from ui.catalogue import Entry, find, library
from ui.charts.compiled import compiled
from ui.compare.choice import Choice, ChoiceError, readable, with_known
from ui.compare.component import compare_view
from ui.compare.contents import NotSaid, choices, contents
from ui.messages import message
from ui.pages.notice import notice
from ui.payload.packing import pack

OPENS_WITH = Choice(
    "late-but-allowed",
    settings={"a": {"bound": 0, "allowed-lateness": 5000}, "b": {"bound": 5000, "allowed-lateness": 0}},
)
"""What a visitor without a link sees: an early result with a correction, and a late one with the same value."""

MOST_ASKED = 80
"""The most characters of a name that the browser sends."""


@st.cache_resource(show_spinner=False)
def _spec() -> dict[str, Any]:
    return compiled()


@st.cache_resource(show_spinner=False, max_entries=40)
def _compared(
    _choice: Choice, _left: Scenario, _right: Scenario, _asked: Mapping[str, str], _entries: list[Entry],
    _refused: list[str], key: str,
) -> bytes:  # fmt: skip
    """The packed comparison. ``key`` identifies what is compared, the state of the files and the language;
    ``_refused``: what the address asks for in vain."""
    shown = contents(_choice, _left, _right, _asked)
    spec = _spec()
    for side in shown["sides"]:
        if side["plane"]:
            side["plane"]["spec"] = spec
    return pack({**shown, "scenarios": choices(_entries), "refused": _refused})


def _choose() -> None:
    """The reader wants to compare something else."""
    wanted = message("compare", "choose")
    if isinstance(wanted, dict) and all(isinstance(each, str) for each in (*wanted, *wanted.values())):
        st.query_params.from_dict(wanted)


def _ask() -> None:
    """The reader wants a search; it stays while the scenario is the same."""
    wanted = message("compare", "ask")
    if isinstance(wanted, dict) and wanted.get("what") in ("sweep", "fewest", "fires"):
        text = str(wanted.get("setting") or wanted.get("shows") or wanted.get("window") or "")[:MOST_ASKED]
        st.session_state["tidemark_asked"] = {**st.session_state.get("tidemark_asked", {}), wanted["what"]: text}


def _entry(name: str) -> Entry:
    entry = find(name)
    if entry is None or entry.scenario is None or entry.scenario.engine != "flink":
        raise ChoiceError("scenario", name)
    return entry


def _choice(query: Mapping[str, str], names: list[str]) -> tuple[Choice, list[ChoiceError]]:
    """What the address says, and what makes no sense in it; ``OPENS_WITH`` if it says nothing and the library has that
    scenario with its settings."""
    choice, wrong = readable(query, OPENS_WITH.scenario if OPENS_WITH.scenario in names else next(iter(names), ""))
    if "scenario" in query or choice != Choice(OPENS_WITH.scenario):
        return choice, wrong
    scenario = _entry(OPENS_WITH.scenario).scenario
    assert scenario is not None
    has = {each.name for each in settings_of(scenario)}
    return OPENS_WITH if all(has.issuperset(values) for values in OPENS_WITH.settings.values()) else choice, wrong


def _told(choice: Choice, left: Entry, right: Entry, entries: list[Entry], refused: list[str]) -> bytes:
    """The packed comparison. If the belief or Spark does not apply, it is left out, and the page says so."""
    assert left.scenario is not None
    assert right.scenario is not None
    asked = st.session_state.get("tidemark_asked", {})
    names = [each["name"] for each in choices(entries)]
    key = json.dumps([choice.address(), left.stamp, right.stamp, asked, names, refused, current_language()])
    try:
        return _compared(choice, left.scenario, right.scenario, asked, entries, refused, key)
    except NotSaid as error:
        claim = words(f"beliefs.{error}.claim")
        refused = [*refused, words("compare.refused.not_said", claim=claim)]
        return _told(replace(choice, belief=None), left, right, entries, refused)
    except NoTwin as error:
        reasons = words("app.semicolon").join(words(f"side_by_side.no_twin.{name}") for name in error.names)
        refused = [*refused, words("compare.refused.no_twin", text=reasons)]
        return _told(replace(choice, spark=None), left, right, entries, refused)


def page() -> None:
    """The page."""
    entries = library()
    names = [each["name"] for each in choices(entries)]
    try:
        choice, wrong = _choice({name: st.query_params[name] for name in st.query_params}, names)
        left = _entry(choice.scenario)
        right = _entry(choice.other) if choice.other else left
        assert left.scenario is not None
        assert right.scenario is not None
        choice, unknown = with_known(choice, {"a": left.scenario, "b": right.scenario})
        refused = [words(f"compare.refused.{error.what}", text=error.text[:MOST_ASKED]) for error in (*wrong, *unknown)]
        facts = _told(choice, left, right, entries, refused)
    except ChoiceError as error:
        notice(words(f"compare.refused.{error.what}", text=error.text), words("pages.walkthrough.offer_library"))
        return
    except ScenarioError as error:
        notice(str(error), words("pages.walkthrough.offer_library"))
        return
    compare_view(facts, on_choose=_choose, on_ask=_ask)


page()
