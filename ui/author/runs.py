"""The run of a draft: as much of it as there is time for at each edit, kept for the next edits."""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Final

from tidemark.simulator import timeline
from tidemark.simulator.explore.runs import Ran, moments_of
from tidemark.simulator.limits import DRAFT_STEPS
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import current_language
from tidemark.ui.walkable import walked

MOST_KEPT: Final = 24
MOST_STEPS_KEPT: Final = 12_000
"""How many runs are kept, and how many steps in total: a long run is tens of thousands of objects, which the garbage
collector visits again and again, so that more kept runs would make every edit slower."""


@dataclass(frozen=True)
class Shown:
    """``cut``: the run is longer than what is shown of it."""

    run: Ran
    cut: bool


class _Runs:
    """The latest runs, by text and language, shared by all sessions."""

    def __init__(self) -> None:
        self._runs: OrderedDict[tuple[str, str], Shown] = OrderedDict()
        self._lock = Lock()

    def find(self, text: str) -> Shown | None:
        key = (current_language(), text)
        with self._lock:
            if key in self._runs:
                self._runs.move_to_end(key)
            return self._runs.get(key)

    def keep(self, text: str, made: Shown) -> Shown:
        with self._lock:
            self._runs[current_language(), text] = made
            while len(self._runs) > MOST_KEPT or self._steps() > MOST_STEPS_KEPT:
                self._runs.popitem(last=False)
        return made

    def _steps(self) -> int:
        return sum(len(each.run.trace) for each in self._runs.values())


_RUNS = _Runs()


def kept_run(text: str) -> Shown | None:
    """The run of ``text``, if it is kept."""
    return _RUNS.find(text)


def run_of_draft(text: str, scenario: Scenario) -> Shown:
    """The run of ``scenario``, whose text is ``text``. Raises ``ScenarioError`` for what the engine does not run."""
    return _RUNS.find(text) or _RUNS.keep(text, _run(scenario))


def _run(scenario: Scenario) -> Shown:
    shown, trace = walked(scenario, DRAFT_STEPS)
    if not len(trace):
        return Shown(Ran(shown, trace, timeline.build(shown, trace), []), False)
    return Shown(Ran(shown, trace, timeline.build(shown, trace), moments_of(shown)), shown is not scenario)
