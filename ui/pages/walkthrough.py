"""The walkthrough: one scenario in the player. ``/?scenario=NAME&step=N`` opens it at a step.

``/?s=TEXT`` opens a scenario that the link itself carries, ``/?own=DIGEST`` a reader's file that is too long for that.
``&lecture=NAME`` presents it as part of a lecture, ``&visit=1`` shows it as a scene of the
first visit; ``/?notes=ID`` is the presenter's second window.
"""

import streamlit as st
from tidemark.simulator.words import section, words
from tidemark.ui import catalogue
from tidemark.ui.catalogue import library
from tidemark.ui.catalogue.tours import visit_of
from tidemark.ui.pages.kit import mount_order, notice
from tidemark.ui.pages.opening.address import is_step, keep, order_here
from tidemark.ui.pages.opening.doors import WALKTHROUGH, title
from tidemark.ui.pages.opening.named import answers_beside, named
from tidemark.ui.payload.packing import FULL, STUDENT, choices_of, packed
from tidemark.ui.player.components import component
from tidemark.ui.server import screen
from tidemark.ui.server.screen import message
from tidemark.ui.share.desk import desk, mount_kit
from tidemark.ui.share.links import LinkError

PARTS_OF_A_PLACE = frozenset(("scenario", "step", "present", "lecture", "card", "visit", "lang"))
"""The parts of an address within a lecture or a visit."""


def _open() -> None:
    """The reader chose another scenario, or a lecture continues with its next scenario."""
    chosen = message("player", "open")
    if isinstance(chosen, str):
        st.query_params.from_dict({"scenario": chosen})
    elif isinstance(chosen, dict):
        # The browser shows this address already. It must be the same, letter by letter, or its history holds it twice.
        st.query_params.from_dict({part: str(value) for part, value in chosen.items() if part in PARTS_OF_A_PLACE})


def page() -> None:
    """The page."""
    if "notes" in st.query_params:
        # The contents come from the presenting window; the server sends only the words.
        component("notes")(key="notes", data={"words": {"lecture": section("player.lecture")}})
        return
    entries = library()
    try:
        query = {name: st.query_params[name] for name in st.query_params}
        opened = named(query, entries, screen.last_place())
    except LinkError as error:
        st.set_page_config(page_title=title(WALKTHROUGH))
        notice(str(error), words("pages.walkthrough.offer_library"))
        return
    entry = opened.entry
    st.set_page_config(page_title=title(WALKTHROUGH, entry.title))
    lessons = catalogue.lessons()
    visit = visit_of(entry.name, entries, lessons) if "scenario" in opened.address else ""
    facts, steps = packed(
        entry, entry.name, entry.stamp, choices_of(entries), visit, edition=STUDENT if opened.student else FULL
    )
    wanted = st.query_params.get("step")
    if wanted is not None and not is_step(wanted, steps):
        text = words("pages.walkthrough.unknown_step", step=wanted, title=entry.title, last=steps - 1)
        notice(text, words("pages.walkthrough.offer_library"), address=opened.address)
        return
    keep("library" if "scenario" in opened.address else "own", entry, facts, steps)
    # The step is the browser's own affair: it stands in the address and never comes here.
    component("player")(key="player", data=facts, on_open_change=_open)
    with st.container(key="tidemark_desk"):
        mount_kit()
        assert entry.scenario is not None
        desk(entry.scenario, opened.source, opened.ending, facts, answers_beside(entry))
        if name := st.query_params.get("lecture"):
            mount_order(order_here(name, entries))


page()
