"""The fold: trace events, one after another, become facts.

Theory of operation. Every event is given to the groups of tables that listen to it; a group changes its facts, and a
changed fact is true from this very step on. When all groups are done, the step itself gets its row in ``steps``: the
story (``explain/narrator.py``), with raw fields. Two orders matter:

- among the groups, as ``_groups`` says: a later one looks at facts that an earlier one keeps;
- the narrator comes after all groups, since a story says what is true *with* this step: how often the window has fired
  now, which session a state belongs to now.

No word is written here, and no language is known: ``simulator/timeline/wording.py`` does that when somebody reads.

Stories take two thirds of the time, and whoever compares many runs reads none. So they can be left out (``stories``).
"""

from collections.abc import Iterable, Mapping
from typing import Any

from tidemark.simulator.engine.trace.events import TraceEvent
from tidemark.simulator.engine.trace.trace import Step, Trace, plain
from tidemark.simulator.resting import COLLECTOR_AT_REST
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.conditions import TriggerCalls
from tidemark.simulator.timeline.explain.narrator import Narrator
from tidemark.simulator.timeline.explain.story import Teller
from tidemark.simulator.timeline.facts import Facts, Folding, Handler, Handlers, Timeline, arrival_axis
from tidemark.simulator.timeline.judgements import BatchJudgements, Judgements
from tidemark.simulator.timeline.records import BatchFacts, BatchOutputFacts, BatchRecordFacts, OutputFacts, RecordFacts
from tidemark.simulator.timeline.rows import BufferFacts, JoinFacts, RowFacts
from tidemark.simulator.timeline.state import CheckpointFacts, Entries, MergingFacts, StateFacts
from tidemark.simulator.timeline.time import ChannelFacts, InputFacts, TimerFacts, ValveFacts
from tidemark.simulator.timeline.windows import BatchWindowFacts, WindowFacts
from tidemark.simulator.timeline.wording import time_format


def _spark_groups(folding: Folding, trace: Trace) -> list[Handlers]:
    """The handlers of each group of tables. The records come first, since a window looks at its record."""
    records = BatchRecordFacts(folding, trace)
    entries = Entries(folding)
    groups = (
        records,
        BatchFacts(folding),
        InputFacts(folding),
        BatchWindowFacts(folding, records, entries),
        JoinFacts(folding, records, entries),
        BatchOutputFacts(folding),
    )
    return [group.handlers() for group in groups]


def build(scenario: Scenario, trace: Trace, *, stories: bool = True) -> Timeline:
    """The timeline of a run of ``scenario``, from its ``trace`` alone; the same in every language.

    ``stories``: whether they are there. Without, the rows of ``steps`` lack what only sentences need: ``predicate``,
    ``story``, ``reason``, ``fields`` and ``lines``; and nothing is noted of judgements.
    """
    with COLLECTOR_AT_REST:
        return _built(scenario, trace, stories)


def _built(scenario: Scenario, trace: Trace, stories: bool) -> Timeline:
    facts = Facts()
    folding = Folding(scenario, facts, arrival_axis(scenario, trace))
    teller = Teller(scenario, facts)
    if scenario.engine == "spark":
        groups = _spark_groups(folding, trace)
    else:
        groups, windows, teller.buffers, teller.rows = _groups(folding, trace)
        teller.elements = windows.elements
    if stories:
        groups.append((BatchJudgements if scenario.engine == "spark" else Judgements)(folding).handlers())
    handlers = _by_event(groups)
    tell = Narrator(teller).tell if stories else None
    for step in trace:
        facts.begin(step.step)
        for handle in handlers.get(type(step.event), ()):
            handle(step, step.event)
        _put_step(facts, step, tell(step)._asdict() if tell else {})
    style = time_format(scenario).style
    return Timeline(scenario, facts.finished(), folding.arrival_axis, len(trace), style, facts.notes())


def _groups(folding: Folding, trace: Trace) -> tuple[list[Handlers], WindowFacts, BufferFacts, RowFacts]:
    """What each group of Flink's tables listens to, and the three that sentences ask."""
    records = RecordFacts(folding, trace)
    entries = Entries(folding)
    windows, buffers = WindowFacts(folding, records), BufferFacts(folding, records, entries)
    kept = RowFacts(folding, records, entries)
    # The order counts: a window looks at its record, a restore of state comes before what starts over.
    groups = (
        records,
        CheckpointFacts(folding, (windows, buffers, kept)),
        entries,
        ChannelFacts(folding),
        ValveFacts(folding),
        TimerFacts(folding),
        StateFacts(folding, entries),
        MergingFacts(folding, entries),
        windows,
        buffers,
        kept,
        OutputFacts(folding),
        TriggerCalls(folding),
    )
    return [group.handlers() for group in groups], windows, buffers, kept


def _by_event(groups: Iterable[Handlers]) -> Mapping[type[TraceEvent], list[Handler]]:
    handlers: dict[type[TraceEvent], list[Handler]] = {}
    for group in groups:
        for event, handler in group.items():
            handlers.setdefault(event, []).append(handler)
    return handlers


def _put_step(facts: Facts, step: Step, narration: Mapping[str, Any]) -> None:
    event = step.event
    facts.tell_step(
        step=step.step,
        event=type(event).__name__,
        item=step.item,
        at=step.at,
        watermark=step.watermark,
        place=event.place,
        rule=plain(getattr(event, "rule", None)),
        **narration,
        touches=list(facts.touched),
    )
