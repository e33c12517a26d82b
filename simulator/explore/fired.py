"""What windows fired, by moments and from traces alone: that is quick, and enough where no picture is shown."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from tidemark.simulator.engine.trace.events import PaneFired
from tidemark.simulator.engine.trace.trace import Trace, plain
from tidemark.simulator.engine.values.key import Key
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.explore.answers import is_the_item


class Fired(NamedTuple):
    """One result of a window [``start``, ``end``) in ms, as its ``pane`` row; see ``runs`` for moments.

    What fires on the clock while a record is awaited has the moment before that of the record.
    """

    moment: int
    step: int
    key: Key
    start: int
    end: int
    pane: int
    value: Any


class Traced(Protocol):
    """A run, as far as it is needed here."""

    @property
    def trace(self) -> Trace:
        """Its micro-steps."""

    @property
    def moments(self) -> Sequence[int]:
        """The moment of each of its items."""


def fired(trace: Trace, moments: Sequence[int]) -> list[Fired]:
    """The results of one run in order of emission; it has no restores."""
    found: list[Fired] = []
    arrived = -1
    for step in trace:
        event = step.event
        if is_the_item(step):
            arrived = step.item
        elif isinstance(event, PaneFired) and isinstance(event.window, TimeWindow):
            moment, window = moments[step.item], event.window
            awaited = moment % 2 == 0 and arrived != step.item
            found.append(
                Fired(moment - awaited, step.step, event.key, window.start, window.end, event.pane, plain(event.value))
            )
    return found


def fired_in(runs: Iterable[Traced]) -> list[Fired]:
    """The results of several runs, each about a part of one stream."""
    found = [each for run in runs for each in fired(run.trace, run.moments)]
    return sorted(found, key=lambda each: (each.moment, each.step))
