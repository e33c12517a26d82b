"""The smallest change that turns a run: that keeps a record, or fires a window in time.

Each number that can be varied is searched on its own: its change is doubled until the run turns, then halved down to
the smallest one that does.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator.engine.trace.events import PaneFired, TraceEvent
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Item, Record, Restore, Watermark
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.explore.settings import BOUND, LATENESS, Setting
from tidemark.simulator.limits import SHRINK_RUNS
from tidemark.simulator.scenario.model import Goal, Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline.facts import Row, Timeline
from tidemark.simulator.timeline.judgements import LOST, lost_items
from tidemark.simulator.timeline.stops import found_for, is_met

from tidemark import simulator

MOST: Final = 2**40
"""The most that a number is changed (ms): about 35 years."""

Turns = Callable[[Scenario, Trace], bool]
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
    return lambda scenario, trace: item not in lost_items(scenario, trace)


def keeps_all(scenario: Scenario, trace: Trace) -> bool:
    """No record is dropped, skipped or sent to the side output."""
    return not lost_items(scenario, trace)


def fires(key: Any, start: int, end: int, by_item: int) -> Turns:
    """The window of ``key`` emits a result while item ``by_item`` is worked on, or earlier."""

    def fired(event: TraceEvent) -> bool:
        return isinstance(event, PaneFired) and (event.key, event.window.start, event.window.end) == (key, start, end)

    return lambda scenario, trace: any(step.item <= by_item and fired(step.event) for step in trace)


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
        return turns(scenario, simulator.run_traced(scenario)[1])
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


# What would have kept a lost record, from the facts of its run alone: a larger bound, or more allowed lateness.
#
# Each comparison that went against the record says how much was missing. That much more lateness keeps it, for
# lateness moves no watermark; and so does that much more bound, if every watermark has the bound subtracted. Where
# one of these is not certain, the answer needs other runs: ``simulator.explore.smallest``.


@dataclass(frozen=True, slots=True)
class Kept:
    """With ``setting`` at ``after`` (ms) or more, the record of ``record`` (an id) is not lost; with less it is."""

    record: str
    step: int
    setting: Setting
    before: int
    after: int


def certain_settings(scenario: Scenario) -> list[Setting]:
    """The numbers whose effect on a lost record follows from the comparisons that it lost."""
    if scenario.engine != "flink" or scenario.operator.time != "event":
        return []
    assigner = scenario.operator.assigner
    if getattr(assigner, "merges", False):
        return []  # another number, and the sessions that it meets are others
    found = []
    if _shifts_every_watermark(scenario):
        found.append(BOUND)
    if LATENESS.read(scenario) is not None:
        found.append(LATENESS)
    return found


def _shifts_every_watermark(scenario: Scenario) -> bool:
    """Whether one more ms of bound is one ms less of every watermark."""
    specs = [each.watermark for each in scenario.inputs]
    same = len({(each.has_bound, each.bound) for each in specs}) == 1 and specs[0].has_bound
    return same and BOUND.is_compared(scenario) and not any(isinstance(each, Watermark) for each in items(scenario))


def keeping(facts: Timeline) -> Iterator[Kept]:
    """For each lost record the certain settings with the least value that keeps it."""
    scenario = facts.scenario
    settings = certain_settings(scenario)
    if not settings or any(isinstance(each, Restore) for each in items(scenario)):
        return
    floor = max((each.watermark.floor for each in scenario.inputs if each.watermark.floor is not None), default=None)
    for record, said in _refusals(facts.notes["judgements"]):
        limits = [row["limit"] for row in said if row["limit"] is not None and row["limit"][2] is not None]
        if not limits or any(watermark == MAX for _, _, watermark in limits):
            continue
        least = min(limits, key=_missing)
        for setting in settings:
            before = setting.read(scenario)
            assert before is not None
            sent = floor is None or setting is not BOUND or least[2] - _missing(least) >= floor
            if sent and before + _missing(least) <= MOST:
                yield Kept(record, said[-1]["step"], setting, before, before + _missing(least))


def _refusals(judged: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Each lost record with what refused it, the loss itself last: its windows, or where it met none the operator."""
    by_record: dict[str, list[Row]] = {}
    for row in judged:
        by_record.setdefault(row["record"], []).append(row)
    for record, rows in by_record.items():
        loss = rows[-1]
        if loss["verdict"] in LOST:
            refused = [row for row in rows if row["verdict"] == "refused"]
            if not any(row["verdict"] == "none" for row in rows):
                yield record, [*refused, {**loss, "limit": None} if refused else loss]


def _missing(limit: list[Any]) -> int:
    """By how much (ms) the comparison went against the record: so much less watermark, and it would not have."""
    left, sign, watermark = limit
    return int(watermark - left + (sign == "<="))


Shows = Callable[[Sequence[simulator.Row], Trace], bool]
"""Whether a run still shows what is wanted."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The result of a search. ``scenario`` has the items that are left, ``kept`` are their indices in the stream
    before.

    ``runs`` is the number of runs made. ``smallest``: no single item can be left out any more (False if the runs were
    used up first).
    """

    scenario: Scenario
    kept: tuple[int, ...]
    runs: int
    smallest: bool


def meets(goal: Goal) -> Shows:
    """A run that meets ``goal``."""

    def shows(rows: Sequence[simulator.Row], trace: Trace) -> bool:
        of_rows = Counter[str](row["row"] for row in rows)
        of_events = Counter(type(step.event).__name__ for step in trace)
        return is_met(goal, found_for(goal, of_rows, of_events))

    return shows


def shrink(scenario: Scenario, shows: Shows, most_runs: int = SHRINK_RUNS) -> Shrunk | None:
    """Leave out items as long as the run shows it; None if not even the whole run does.

    A scenario whose run is refused or fails for a missing item (a restore without its checkpoint) does not show it.
    """
    stream = tuple(items(scenario))
    search = _Search(scenario, stream, shows, most_runs)
    kept = list(range(len(stream)))
    if not search.shows_with(kept):
        return None
    parts = 2
    while len(kept) > 1:
        size = -(-len(kept) // parts)
        chunks = [kept[start : start + size] for start in range(0, len(kept), size)]
        less = next((rest for chunk in chunks if search.shows_with(rest := _minus(kept, chunk))), None)
        if search.runs >= most_runs:
            kept = less or kept
            break
        if less is not None:
            kept, parts = less, max(parts - 1, 2)
        elif size == 1:
            break
        else:
            parts = min(parts * 2, len(kept))
    return Shrunk(search.with_items(kept), tuple(kept), search.runs, search.runs < most_runs)


def _minus(kept: Sequence[int], chunk: Sequence[int]) -> list[int]:
    gone = set(chunk)
    return [index for index in kept if index not in gone]


@dataclass(slots=True)
class _Search:
    scenario: Scenario
    stream: tuple[Item, ...]
    shows: Shows
    most_runs: int
    runs: int = 0

    def with_items(self, kept: Sequence[int]) -> Scenario:
        """Without beats and goals, which are about items and counts that are gone."""
        return replace(self.scenario, stream=tuple(self.stream[index] for index in kept), walkthrough=(), goals=())

    def shows_with(self, kept: Sequence[int]) -> bool:
        if not kept or self.runs >= self.most_runs:
            return False
        self.runs += 1
        try:
            return self.shows(*simulator.run_traced(self.with_items(kept)))
        except (ScenarioError, ValueError):
            return False
