"""The fold: trace events, one after another, become facts."""

from collections import deque
from collections.abc import Iterable, Mapping

from simulator.scenario.model import Scenario
from simulator.timeline.buffers import BufferFacts
from simulator.timeline.channels import ChannelFacts
from simulator.timeline.checkpoints import CheckpointFacts
from simulator.timeline.entries import Entries
from simulator.timeline.explain.narrator import NOVICE, Narrator, Told
from simulator.timeline.explain.story import Teller
from simulator.timeline.facts import Facts, Timeline
from simulator.timeline.folding import Folding, Handler, Handlers, arrival_axis
from simulator.timeline.format import time_format
from simulator.timeline.merging import MergingFacts
from simulator.timeline.outputs import OutputFacts
from simulator.timeline.records import RecordFacts
from simulator.timeline.spark import handlers_of
from simulator.timeline.state import StateFacts
from simulator.timeline.timers import TimerFacts
from simulator.timeline.valves import ValveFacts
from simulator.timeline.windows import WindowFacts
from simulator.trace.events import TraceEvent
from simulator.trace.trace import Step, Trace, plain
from simulator.words import current_language

MOST_WORDS = 6
"""The trail shows at most so many steps of an item."""

EARLIER = "…"
"""Stands in a trail for the steps before those."""


def build(scenario: Scenario, trace: Trace, *, language: str | None = None, level: str = NOVICE) -> Timeline:
    """The timeline of a run of ``scenario``, from its ``trace`` alone.

    ``level`` and ``language`` are those of the sentences; without one it is the current language.
    """
    facts = Facts()
    folding = Folding(scenario, facts, arrival_axis(trace))
    times = time_format(scenario)
    teller = Teller(scenario, facts, times, language or current_language())
    buffers = None
    if scenario.engine == "spark":
        groups = handlers_of(folding, trace)
    else:
        groups, windows, buffers = _groups(folding, trace)
        teller.elements = windows.elements
    handlers = _by_event(groups)
    narrator = Narrator(teller, buffers, level)
    trail = Trail()
    for step in trace:
        facts.begin(step.step)
        for handle in handlers.get(type(step.event), ()):
            handle(step, step.event)
        _tell_step(facts, step, narrator.tell(step), trail)
    return Timeline(scenario, facts.finished(), folding.arrival_axis, len(trace), times.style)


def _groups(folding: Folding, trace: Trace) -> tuple[list[Handlers], WindowFacts, BufferFacts]:
    """What each group of Flink's tables listens to, and the two that sentences ask."""
    records = RecordFacts(folding, trace)
    entries = Entries(folding)
    windows, buffers = WindowFacts(folding, records), BufferFacts(folding, records, entries)
    # The order counts: a window looks at its record, a restore of state comes before what starts anew.
    groups = (
        records,
        CheckpointFacts(folding, (windows, buffers)),
        entries,
        ChannelFacts(folding),
        ValveFacts(folding),
        TimerFacts(folding),
        StateFacts(folding, entries),
        MergingFacts(folding, entries),
        windows,
        buffers,
        OutputFacts(folding),
    )
    return [group.handlers() for group in groups], windows, buffers


def _by_event(groups: Iterable[Handlers]) -> Mapping[type[TraceEvent], list[Handler]]:
    handlers: dict[type[TraceEvent], list[Handler]] = {}
    for group in groups:
        for event, handler in group.items():
            handlers.setdefault(event, []).append(handler)
    return handlers


class Trail:
    """The short words of an item's steps so far, bounded; a word that comes again at once is not repeated."""

    def __init__(self) -> None:
        self._item: int | None = None
        self._words: deque[str] = deque(maxlen=MOST_WORDS)
        self._count = 0

    def add(self, item: int, word: str) -> list[str]:
        """The trail with ``word`` as its last; it begins anew with another item."""
        if item != self._item:
            self._item, self._count = item, 0
            self._words.clear()
        if not self._words or self._words[-1] != word:
            self._words.append(word)
            self._count += 1
        return [EARLIER, *self._words] if self._count > MOST_WORDS else list(self._words)


def _tell_step(facts: Facts, step: Step, told: Told, trail: Trail) -> None:
    event = step.event
    facts.tell_step(
        step=step.step,
        event=type(event).__name__,
        item=step.item,
        at=step.at,
        watermark=step.watermark,
        place=event.place,
        rule=plain(getattr(event, "rule", None)),
        predicate=told.predicate,
        what=told.what,
        why=told.why,
        story=told.story,
        reason=told.reason,
        fields=told.fields,
        lines=told.lines,
        live=told.live,
        trail=trail.add(step.item, told.word),
        touches=list(facts.touched),
    )
