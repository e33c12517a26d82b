"""The smallest change that turns a run: that keeps a record, or fires a window in time.

Each number that can be varied is searched on its own: its change is doubled until the run turns, then halved down to
the smallest one that does.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator.engine.trace.events import (
    ElementSilentlySkipped,
    LateDropped,
    LateForWindow,
    LateSideOutput,
    PaneFired,
    StateAdded,
)
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.explore.settings import BOUND, LATENESS, Setting
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items

from tidemark import simulator

MOST: Final = 2**40
"""The most that a number is changed (ms): about 35 years."""

LOSSES: Final = (LateDropped, LateSideOutput, ElementSilentlySkipped)

Turns = Callable[[Trace], bool]
"""Whether a run turned out as wanted."""


@dataclass(frozen=True, slots=True)
class Change:
    """``what`` is changed (``bound``, ``allowed-lateness``, ``ts``, ``earlier``) from ``before`` to ``after``.

    In ms; with ``earlier`` the index of the item at which the record comes. ``scenario`` has the change.
    """

    what: str
    before: int
    after: int
    scenario: Scenario


def keeps(item: int) -> Turns:
    """The record of stream item ``item`` is neither dropped nor skipped nor sent to the side output."""
    return lambda trace: item not in _lost(trace)


def keeps_all(trace: Trace) -> bool:
    """No record is dropped, skipped or sent to the side output."""
    return not _lost(trace)


def _lost(trace: Trace) -> set[int]:
    """The items whose records were lost. A window Top-N refuses window by window: one that takes the record keeps it.

    ``simulator.timeline.records`` says the same as the fate of each record.
    """
    lost: set[int] = set()
    refused: set[int] = set()
    taken: set[int] = set()
    for step in trace:
        event = step.event
        if isinstance(event, LOSSES):
            lost.add(step.item)
        elif isinstance(event, LateForWindow):
            refused.add(step.item)
        elif isinstance(event, StateAdded):
            taken.add(step.item)
    return lost | (refused - taken)


def fires(key: Any, start: int, end: int, by_item: int) -> Turns:
    """The window of ``key`` emits a result while item ``by_item`` is worked on, or earlier."""

    def fired(trace: Trace) -> bool:
        for step in trace:
            event = step.event
            if step.item <= by_item and isinstance(event, PaneFired):
                window = event.window
                if event.key == key and (window.start, window.end) == (start, end):
                    return True
        return False

    return fired


def smallest_changes(scenario: Scenario, turns: Turns, item: int | None = None) -> Iterator[Change]:
    """For each number its smallest change after which ``turns`` holds, if there is one.

    ``item``: the record in question, whose own time and place can change too. Changes that move no item keep its
    index. Raises ``ScenarioError`` as a run does.
    """
    for setting in (BOUND, LATENESS):
        now = setting.read(scenario)
        if now is None:
            continue

        def turned(value: int, setting: Setting = setting) -> bool:
            return _turns(setting.write(scenario, value), turns)

        for direction, limit in ((1, MOST), (-1, 0)):
            found = _least(now, direction, turned, limit)
            if found is not None:
                yield Change(setting.name, now, found, setting.write(scenario, found))
    if item is not None:
        yield from _of_the_record(scenario, turns, item)


def _of_the_record(scenario: Scenario, turns: Turns, item: int) -> Iterator[Change]:
    stream = tuple(items(scenario))
    record = stream[item]
    if not isinstance(record, Record) or record.ts is None:
        return

    def at(ts: int) -> Scenario:
        return replace(scenario, stream=(*stream[:item], record._replace(ts=ts), *stream[item + 1 :]))

    found = _least(record.ts, 1, lambda ts: _turns(at(ts), turns), min(record.ts + MOST, MAX - 1))
    if found is not None:
        yield Change("ts", record.ts, found, at(found))


def came_earlier(scenario: Scenario, item: int) -> Change | None:
    """The latest place before its own at which the record ``item`` would not have been lost."""
    stream = tuple(items(scenario))
    record = stream[item]
    assert isinstance(record, Record)
    for place in range(item - 1, -1, -1):
        moved = record._replace(at=stream[place].at)
        earlier = replace(scenario, stream=(*stream[:place], moved, *stream[place:item], *stream[item + 1 :]))
        if _turns(earlier, keeps(place)):
            return Change("earlier", item, place, earlier)
    return None


def _turns(scenario: Scenario, turns: Turns) -> bool:
    try:
        return turns(simulator.run_traced(scenario)[1])
    except (ScenarioError, ValueError):
        return False


def _least(now: int, direction: int, turns: Callable[[int], bool], limit: int) -> int | None:
    """The value nearest to ``now`` in ``direction`` that turns the run, if all values beyond it do too."""
    far = abs(limit - now)
    step = 1
    while step < far and not turns(now + direction * step):
        step *= 2
    step = min(step, far)
    if step == 0 or not turns(now + direction * step):
        return None
    low, high = step // 2, step
    while high - low > 1:
        middle = (low + high) // 2
        if turns(now + direction * middle):
            high = middle
        else:
            low = middle
    return now + direction * high
