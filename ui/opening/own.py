"""A scenario that a link itself carries, before Streamlit has started: what was shown before, or a short run."""

from threading import Lock
from typing import Final

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.scenario.model import Generated
from tidemark.simulator.trace.trace import Trace, TraceTooLong
from tidemark.simulator.values.errors import ScenarioError
from tidemark.simulator.words import words
from tidemark.ui.catalogue import library
from tidemark.ui.opening.ready import Shown, keep, shown
from tidemark.ui.payload.packing import choices_of, packed
from tidemark.ui.payload.students import FULL, STUDENT
from tidemark.ui.share import own
from tidemark.ui.share.links import LinkError, Text, text_of

from tidemark import simulator

SHORT_TEXT: Final = 16 * 1024
"""Characters; a longer text is left to the page."""

SHORT_RUN: Final = 1_500
"""Micro-steps of a run that is made for a link at once."""

_MAKING = Lock()
"""One at a time: whoever finds it taken gets the page, which makes the same."""


def of_link(token: str) -> Shown | None:
    """The scenario of a link's token; None if it is long, or if only the page can say what is wrong with it."""
    try:
        text = text_of(token)
        return shown("own", own.stamp_of(text)) or _made(token, text)
    except (LinkError, ScenarioError):
        return None


def of_shelf(digest: str) -> Shown | None:
    """The scenario of a reader's file by its digest, if it was shown before."""
    text = own.shelf().find(digest)
    return shown("own", own.stamp_of(text)) if text else None


def _made(token: str, text: Text) -> Shown | None:
    if len(text.text) > SHORT_TEXT or not _MAKING.acquire(blocking=False):
        return None
    try:
        scenario = scenarios.parse(text.text, words("share.link.called"), json=text.json)
        if isinstance(scenario.stream, Generated) and scenario.stream.events > SHORT_RUN:
            return None
        simulator.run(scenario, _ignore, Trace(limit=SHORT_RUN))
        entry = own.of_link(token).entry
        keep(
            "own",
            entry,
            *packed(entry, entry.name, entry.stamp, choices_of(library()), edition=STUDENT if text.student else FULL),
        )
        return shown("own", entry.stamp)
    except TraceTooLong:
        return None
    finally:
        _MAKING.release()


def _ignore(row: simulator.Row) -> None:
    """Only the number of steps matters."""
