"""A draft: the text that an author is working on, what is wrong with it, and as much of it as runs all the same."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

from tidemark.simulator.engine.values.errors import Problem, ScenarioError
from tidemark.simulator.engine.values.items import Item
from tidemark.simulator.scenario import read_parsed, read_text
from tidemark.simulator.scenario.editing import EditError, ScenarioText, blank
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import current_language

CALLED: Final = "draft.yaml"

LEFT_OUT: Final = (("walkthrough",), ("goals",), ("walkthrough", "goals"))
"""Members that the run does not need: an error in one of them does not keep it from running."""

MOST_KEPT: Final = 24
MOST_CHARACTERS: Final = 750_000
"""How many drafts are kept, and how much text in total: a text that has been read takes many times its size."""


@dataclass(frozen=True)
class Draft:
    """``text`` has ``\\n`` line ends; ``read`` is the same for edits, ``None`` if it cannot be read.

    ``scenario`` is ``None`` if not even the run is sound. ``whole``: it is all that the text says, and not only what is
    left without its goals or its walkthrough.
    """

    text: str
    read: ScenarioText | None
    problems: tuple[Problem, ...]
    scenario: Scenario | None
    whole: bool


class _Drafts:
    """The drafts read last, by text and language, shared by all sessions: the next question begins with one of them."""

    def __init__(self) -> None:
        self._drafts: OrderedDict[tuple[str, str], Draft] = OrderedDict()
        self._lock = Lock()

    def find(self, text: str) -> Draft | None:
        key = (current_language(), text)
        with self._lock:
            if key in self._drafts:
                self._drafts.move_to_end(key)
            return self._drafts.get(key)

    def keep(self, draft: Draft) -> Draft:
        with self._lock:
            self._drafts[current_language(), draft.text] = draft
            while len(self._drafts) > 1 and (len(self._drafts) > MOST_KEPT or self._characters() > MOST_CHARACTERS):
                self._drafts.popitem(last=False)
        return draft

    def _characters(self) -> int:
        return sum(len(text) for _, text in self._drafts)


_DRAFTS = _Drafts()


def draft_of(text: str) -> Draft:
    """The draft with ``text``. Raises nothing: what is wrong is among its problems."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    found = _DRAFTS.find(text)
    if found is not None:
        return found
    try:
        return _DRAFTS.keep(_checked(text, ScenarioText(text)))
    except EditError:
        return _DRAFTS.keep(_unreadable(text))


def draft_of_edit(read: ScenarioText, known: Sequence[Item | None] = ()) -> Draft:
    """As ``draft_of``, for the text that an edit has returned: it is not parsed again, nor are ``known`` items checked.

    See ``simulator.scenario.read_parsed``.
    """
    return _DRAFTS.find(read.text) or _DRAFTS.keep(_checked(read.text, read, known))


def _checked(text: str, read: ScenarioText, known: Sequence[Item | None] = ()) -> Draft:
    try:
        scenario, warnings = read_parsed(read, CALLED, known)
    except ScenarioError as error:
        return Draft(text, read, tuple(error.problems), _run_of(read, known), False)
    return Draft(text, read, tuple(warnings), scenario, True)


def _unreadable(text: str) -> Draft:
    try:
        read_text(text, CALLED)
    except ScenarioError as error:
        return Draft(text, None, tuple(error.problems), None, False)
    raise AssertionError("what edits cannot read, the reader refuses")


def _run_of(read: ScenarioText, known: Sequence[Item | None]) -> Scenario | None:
    """The scenario without its walkthrough, or its goals, or both; every line stays where it is."""
    for left_out in LEFT_OUT:
        try:
            rest = read
            for name in left_out:
                rest = blank(rest, name)
            return read_parsed(rest, CALLED, known)[0]
        except (EditError, ScenarioError):
            continue
    return None
