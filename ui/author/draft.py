"""A draft: the text that an author is at, what is wrong with it, and as much of it as runs all the same."""

from dataclasses import dataclass
from typing import Final

from simulator.scenario import read_text
from simulator.scenario.editing import EditError
from simulator.scenario.editing.places import Places
from simulator.scenario.model import Scenario
from simulator.scenario.reading.nodes import MappingNode
from simulator.values.errors import Problem, ScenarioError

CALLED: Final = "draft.yaml"

LEFT_OUT: Final = (("walkthrough",), ("goals",), ("walkthrough", "goals"))
"""Members that the run does not need: what is wrong in them leaves it sound."""


@dataclass(frozen=True)
class Draft:
    """``text`` with ``\\n`` line ends. ``scenario`` is None where not even the run is sound; ``whole`` tells whether it
    is all that the text says, and not without its goals and its walkthrough."""

    text: str
    problems: tuple[Problem, ...]
    scenario: Scenario | None
    whole: bool


def draft_of(text: str) -> Draft:
    """Read ``text``. Raises nothing: what is wrong is told."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        scenario, warnings = read_text(text, CALLED)
        return Draft(text, tuple(warnings), scenario, True)
    except ScenarioError as error:
        return Draft(text, tuple(error.problems), _run_of(text), False)


def _run_of(text: str) -> Scenario | None:
    """The scenario without its walkthrough, or its goals, or both; every line stays where it is."""
    for left_out in LEFT_OUT:
        try:
            places = Places(text)
            for name in left_out:
                places = Places(_blanked(places, name))
            return read_text(places.text, CALLED)[0]
        except (EditError, ScenarioError):
            continue
    return None


def _blanked(places: Places, name: str) -> str:
    root = places.root
    if not isinstance(root, MappingNode) or places.is_flow(root) or name not in root.entries:
        raise EditError("not_simple")
    entry = root.entries[name]
    start, end = places.line_start(entry.at), places.line_end(places.end(entry.value, False))
    return places.text[:start] + "\n" * places.text.count("\n", start, end) + places.text[end:]
