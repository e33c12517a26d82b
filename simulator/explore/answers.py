"""What is true of a run after the steps of a stream item: the right answers to questions, by their kind."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, cast

from tidemark.simulator.engine.trace.events import (
    ChannelActive,
    ChannelIdle,
    CheckpointTaken,
    PaneFired,
    RecordArrived,
    Restored,
    WatermarkEmitted,
)
from tidemark.simulator.engine.trace.trace import Step, Trace, plain
from tidemark.simulator.engine.values.key import Key
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.explore.runs import RESULTS, Ran
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.schema import TableName

NEW_WATERMARK: Final = "new-watermark"
WINDOWS_THAT_FIRE: Final = "windows-that-fire"
FATE_OF_RECORD: Final = "fate-of-record"
STATE_ENTRIES: Final = "state-entries"
NEXT_TIMER: Final = "next-timer"


class Span(NamedTuple):
    """Consecutive steps, ``last`` included: those of one stream item."""

    first: int
    last: int


def spans_of(run: Ran) -> dict[int, Span]:
    """The steps of each stream item when it first came; after a restore items come again, with their old numbers."""
    found: dict[int, Span] = {}
    now = None
    for step in run.trace:
        if step.item not in found:
            found[step.item] = Span(step.step, step.step)
            now = step.item
        elif step.item == now:
            found[step.item] = found[step.item]._replace(last=step.step)
        else:
            now = None
    return found


def arrival(run: Ran, span: Span) -> int:
    """The step at which the item itself arrives; before it the clock may move, with timers, ticks and idleness."""
    return next((step.step for step in run.trace.steps[span.first : span.last + 1] if is_the_item(step)), span.first)


def is_the_item(step: Step) -> bool:
    """Whether the stream item itself takes effect at the step, and not the clock that moves on to it."""
    event = step.event
    if isinstance(event, WatermarkEmitted | ChannelIdle | ChannelActive):
        return event.source != "generator"
    return isinstance(event, RecordArrived | CheckpointTaken | Restored)


def written(value: Any) -> str:
    """An answer as text; equal answers have equal texts."""
    return json.dumps(value, sort_keys=True)


def now(run: Ran, table: TableName, step: int) -> Sequence[Row]:
    """The facts of ``table`` at ``step``."""
    return cast("Sequence[Row]", run.facts.at(step, table)[table])


def _watermark(run: Ran, span: Span) -> int | None:
    return run.trace.steps[span.last].watermark


def _fired(run: Ran, span: Span) -> list[dict[str, Any]]:
    # A restore withdraws rows, also those of its own steps.
    facts = [fact for fact in run.facts.by_name()["outputs"] if span.first <= fact["from_step"] <= span.last]
    rows = [fact["row"] for fact in facts if fact["until_step"] is None or fact["until_step"] > span.last]
    results = [row for row in rows if row["row"] in RESULTS and row["row"] != "emitted"]
    windows = [{name: row[name] for name in ("key", "start", "end")} for row in results]
    return sorted({written(window): window for window in windows}.values(), key=written)


def _fate(run: Ran, span: Span) -> str | None:
    item = run.trace.steps[span.first].item
    return next((str(row["fate"]) for row in now(run, "records", span.last) if row["item"] == item), None)


def _entries(run: Ran, span: Span) -> int:
    """For an operator with windows, their contents only: neither the merging set nor the state of triggers."""
    if run.facts.tables["windows"]:
        return sum(row["entries"] for row in now(run, "state", span.last) if row["kind"] == "contents")
    held = now(run, "held", span.last)
    return int(held[0]["values"]) if held else 0


def _next_timer(run: Ran, span: Span) -> dict[str, Any] | None:
    waiting = [row for row in now(run, "timers", span.last) if row["status"] in ("waiting", "past")]
    if not waiting:
        return None
    return as_timer(min(waiting, key=lambda row: (row["domain"] != "event", row["timestamp"], row["order"])))


def as_timer(row: Mapping[str, Any]) -> dict[str, Any]:
    """A timer in the form of an answer."""
    return {name: row[name] for name in ("timestamp", "domain", "key", "start", "end")}


ANSWERS: Final[Mapping[str, Callable[[Ran, Span], Any]]] = {
    NEW_WATERMARK: _watermark,
    WINDOWS_THAT_FIRE: _fired,
    FATE_OF_RECORD: _fate,
    STATE_ENTRIES: _entries,
    NEXT_TIMER: _next_timer,
}
"""What is true of a run after the steps of a span, by kind."""


def decided_before(run: Ran, kind: str, span: Span) -> bool:
    """Whether the clock, a tick or idleness decides the answer before the item itself arrives."""
    before = Span(span.first, arrival(run, span) - 1)
    if before.last < before.first:
        return False
    if kind == WINDOWS_THAT_FIRE:
        return bool(_fired(run, before))
    # The fate of a record depends on the watermark when it comes.
    asked = ANSWERS[NEW_WATERMARK if kind == FATE_OF_RECORD else kind]
    start = max(span.first - 1, 0)
    return written(asked(run, Span(start, start))) != written(asked(run, before))


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
