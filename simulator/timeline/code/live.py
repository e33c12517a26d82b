"""The values beside a line of the code walk, as they are at that step: ``7.999 <= 8.999``, ``dropped 0 → 1``."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from simulator.scenario.model import Scenario
from simulator.timeline.code.lines import Going
from simulator.timeline.explain.java import answer
from simulator.timeline.explain.story import Teller
from simulator.trace import events as e
from simulator.trace.events import TraceEvent
from simulator.values.window import Window
from simulator.words import section

MOST_LETTERS = 30
"""A longer value does not fit beside its line."""

NOTHING = "–"
"""No state."""


class CodeWalk:
    """Tells for each step of one run, in order, which lines it goes through and with which values."""

    def __init__(self, scenario: Scenario, teller: Teller) -> None:
        self._going = Going(scenario)
        self._teller = teller
        self._texts: Mapping[str, str] = section("code", language=teller.language)["live"]
        self._counts: Counter[str] = Counter()
        self._own: dict[type[TraceEvent], Callable[[Any, Mapping[str, Any]], str]] = {
            e.RecordArrived: lambda event, fields: teller.record(event.key, event.ts, event.value),
            e.ClockAdvanced: lambda event, fields: self._moved(*map(teller.times.record, (event.before, event.after))),
            e.MaxTimestampRaised: lambda event, fields: teller.times.record(event.after),
            e.ChannelAdvanced: lambda event, fields: teller.times.exact(event.ts),
            e.WatermarkForwarded: lambda event, fields: teller.times.exact(event.ts),
            e.ChannelIdle: lambda event, fields: fields["channel"],
            e.ChannelActive: lambda event, fields: fields["channel"],
            e.WindowsAssigned: lambda event, fields: self._windows(event.windows),
            e.WindowTracked: lambda event, fields: teller.times.window(event.window),
            e.WindowsMerged: lambda event, fields: teller.times.window(event.result),
            e.WindowRetired: lambda event, fields: teller.times.window(event.window),
            e.LateDropped: lambda event, fields: self._counted("dropped", +1),
            e.LateSideOutput: lambda event, fields: self._counted("late", +1),
            e.PaneFired: lambda event, fields: teller.value(event.value),
            e.ElementsEvicted: lambda event, fields: self._say("stay", count=event.remaining),
            e.StateAdded: self._held,
            e.StateMerged: self._held,
            e.StateUpdated: self._held,
            e.StateCleared: lambda event, fields: self._of(event.namespace),
            e.TriggerEvaluated: lambda event, fields: answer(event),
            e.TriggerStateChanged: lambda event, fields: self._moved(
                *(NOTHING if each is None else teller.value(each) for each in (event.before, event.after))
            ),
            e.TimerRegistered: lambda event, fields: self._timer(event, +1),
            e.TimerDeleted: lambda event, fields: self._timer(event, -1),
            e.QueuePushed: lambda event, fields: self._counted("queued", +1),
            e.QueuePopped: lambda event, fields: self._counted("queued", -1),
            e.BufferAdded: lambda event, fields: self._counted(event.side, +1),
            e.BufferRemoved: lambda event, fields: self._counted(event.side, -len(event.elements)),
            e.JoinMatched: lambda event, fields: " + ".join(
                teller.value(each.value) for each in (event.left, event.right)
            ),
            e.GroupFired: lambda event, fields: f"{len(event.left)} + {len(event.right)}",
            e.CheckpointTaken: lambda event, fields: self._say("entries", count=event.entries),
            e.Restored: self._restored,
            e.RowsWithdrawn: lambda event, fields: self._say("rows", count=fields["count"]),
            e.OperatorFailed: lambda event, fields: event.type,
            e.BatchStarted: lambda event, fields: self._say("batch", batch=event.batch, count=fields["count"]),
            e.PartialUpdated: self._held,
            e.SessionsMerged: lambda event, fields: teller.times.window(event.result),
            e.PaneEmitted: lambda event, fields: teller.value(event.value),
            e.JoinRowStored: lambda event, fields: self._counted(event.side, +1),
            e.JoinRowEvicted: lambda event, fields: self._counted(event.side, -1),
            e.BatchEnded: lambda event, fields: self._say("batch_done", read=event.rows_in, given=event.rows_out),
        }
        self._saved: dict[str, Counter[str]] = {}

    def tell(self, event: TraceEvent, fields: Mapping[str, Any], predicate: str | None) -> tuple[list[str], list[str]]:
        """The ids of the lines, the running one last, and the values of each; ``predicate``: the event's rule."""
        if isinstance(event, e.TimerFired):
            self._counts["timers"] -= 1
        elif isinstance(event, e.CheckpointTaken):
            self._saved[event.name] = self._counts.copy()
        own = self._own.get(type(event))
        value = (predicate or "") if own is None else own(event, fields)
        lines = self._going.lines(event)
        live = [predicate or ""] * (len(lines) - 1) + [value][: len(lines)]
        return lines, [each if len(each) <= MOST_LETTERS else f"{each[: MOST_LETTERS - 1]}…" for each in live]

    def _say(self, name: str, **fields: Any) -> str:
        return self._texts[name].format_map(fields)

    def _moved(self, before: Any, after: Any) -> str:
        return self._say("moved", before=before, after=after)

    def _counted(self, name: str, change: int) -> str:
        before = self._counts[name]
        self._counts[name] += change
        return self._say(name, before=before, after=before + change)

    def _timer(self, event: e.TimerRegistered | e.TimerDeleted, change: int) -> str:
        time = self._teller.times.exact(event.timestamp)
        return self._say("timer", time=time, counts=self._counted("timers", change))

    def _windows(self, windows: tuple[Window, ...]) -> str:
        """The first of them, and how many more."""
        if not windows:
            return self._say("none")
        first = self._of(windows[0]) or self._teller.window(windows[0])
        return first if len(windows) == 1 else self._say("and_more", first=first, more=len(windows) - 1)

    def _of(self, namespace: Any) -> str:
        return self._teller.times.window(namespace) if hasattr(namespace, "max_timestamp") else ""

    def _held(self, event: Any, fields: Mapping[str, Any]) -> str:
        if "entries" in fields:
            return self._say("held", count=fields["entries"])
        if "compute" in fields:
            return self._say("result", compute=fields["compute"], value=fields["value"])
        return str(fields.get("value", ""))

    def _restored(self, event: e.Restored, fields: Mapping[str, Any]) -> str:
        self._counts = self._saved[event.name].copy()
        return event.name
