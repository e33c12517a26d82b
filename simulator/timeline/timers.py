"""The tables ``timers`` and ``gone_timers``: which timers wait, who set them, which are due, and which are gone.

The words for due are also those of the phases in ``conditions``.
"""

from heapq import heapify, heappop, heappush
from typing import Any, Final

from tidemark.simulator.engine.trace.events import (
    ClockAdvanced,
    RecordArrived,
    Restored,
    StateAdded,
    StateMerged,
    TimerDeleted,
    TimerFired,
    TimerRegistered,
    WatermarkCombined,
    WatermarkForwarded,
    WindowsMerged,
)
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.engine.values.key import plain_key
from tidemark.simulator.engine.values.window import SideNamespace
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.facts import Folding, Handlers
from tidemark.simulator.timeline.ids import bounds, timer_id

ON_ELEMENT: Final = "on_element"
ON_MERGE: Final = "on_merge"
CLEANUP: Final = "register_cleanup_timer"
PROCESS: Final = "process_element"
CALLBACK: Final = {"event": "on_event_time", "processing": "on_processing_time"}


class Callers:
    """A trigger sets timers for a record, at a merge, or when another of its timers fires; the operator sets the rest.

    A merge ends where the contents are merged, at the latest where the record is added.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._has_trigger = scenario.operator.asks_trigger
        self._at = ON_ELEMENT

    def handlers(self) -> Handlers:
        """The events to handle, beside calls of ``fired``."""
        return {
            RecordArrived: self._element,
            WindowsMerged: self._merge,
            StateMerged: self._element,
            StateAdded: self._element,
        }

    def fired(self, domain: str) -> None:
        """A timer of ``domain`` fires: its callback sets the timers that follow."""
        self._at = CALLBACK[domain]

    def caller(self, purpose: str) -> str:
        """Who sets a timer of this ``purpose`` now."""
        if not self._has_trigger:
            return PROCESS
        return CLEANUP if purpose == "cleanup" else self._at

    def _element(self, step: Step, event: Any) -> None:
        self._at = ON_ELEMENT

    def _merge(self, step: Step, event: WindowsMerged) -> None:
        self._at = ON_MERGE


WAITING: Final = "waiting"
"""The watermark or the clock has not come that far."""

DUE: Final = "due"
"""It has: the timer fires in this advance, after those before it."""

PAST: Final = "past"
"""Its time was past when it was set: it fires in the next advance, however far that goes."""


def event_status(timestamp: int, watermark: int | None, *, advancing: bool) -> str:
    """The status of an event-time timer for ``timestamp`` at ``watermark`` (ms).

    ``advancing``: the operator is still firing the timers of this watermark, so that a new one of the past fires too.
    Source: ``InternalTimerServiceImpl.advanceWatermark``, which looks at the head of the queue again each time.
    """
    if watermark is None or timestamp > watermark:
        return WAITING
    return DUE if advancing else PAST


EVENT: Final = "event"
PROCESSING: Final = "processing"


class TimerFacts:
    """The waiting timers. A timer is ``due`` when this very advance of the watermark or the clock fires it.

    A timer that is set for a time already past waits for the next advance: it is ``past``.
    """

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._callers = Callers(folding.scenario)
        self._registered = 0
        self._waiting: dict[str, list[tuple[int, str]]] = {EVENT: [], PROCESSING: []}
        self._past: dict[str, None] = {}
        self._advancing = False

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            **self._callers.handlers(),
            TimerRegistered: self._register,
            TimerDeleted: self._deleted,
            TimerFired: self._fired,
            WatermarkCombined: self._watermark_rises,
            WatermarkForwarded: self._watermark_has_risen,
            ClockAdvanced: self._clock_moves,
            Restored: self._restored,
        }

    def _register(self, step: Step, event: TimerRegistered) -> None:
        id = timer_id(event.domain, event.timestamp, event.key, event.namespace)
        status = self._status(event.domain, event.timestamp, step)
        self._facts.put(
            "timers",
            id,
            order=self._registered,
            domain=event.domain,
            timestamp=event.timestamp,
            key=plain_key(event.key),
            **bounds(event.namespace),
            side=event.namespace.side if isinstance(event.namespace, SideNamespace) else None,
            purpose=event.purpose,
            status=status,
            by=self._callers.caller(event.purpose),
            registered=step.step,
            item=step.item,
        )
        self._registered += 1
        if status == WAITING:
            heappush(self._waiting[event.domain], (event.timestamp, id))
        elif status == PAST:
            self._past[id] = None

    def _status(self, domain: str, timestamp: int, step: Step) -> str:
        if domain == PROCESSING:
            return PAST if timestamp < step.at else WAITING
        return event_status(timestamp, step.watermark, advancing=self._advancing)

    def _deleted(self, step: Step, event: TimerDeleted) -> None:
        self._leave(event, "deleted")

    def _fired(self, step: Step, event: TimerFired) -> None:
        self._callers.fired(event.domain)
        self._leave(event, "fired")

    def _leave(self, event: TimerDeleted | TimerFired, how: str) -> None:
        id = timer_id(event.domain, event.timestamp, event.key, event.namespace)
        row = self._facts.row(id)
        columns = {name: value for name, value in row.items() if name not in ("id", "from_step", "until_step")}
        self._facts.flash("gone_timers", timer=id, how=how, **columns)
        self._past.pop(id, None)
        self._facts.end(id)

    def _watermark_rises(self, step: Step, event: WatermarkCombined) -> None:
        self._advancing = True
        self._reached(EVENT, event.ts)

    def _watermark_has_risen(self, step: Step, event: WatermarkForwarded) -> None:
        self._advancing = False

    def _clock_moves(self, step: Step, event: ClockAdvanced) -> None:
        self._reached(PROCESSING, event.after - 1)

    def _reached(self, domain: str, time: int) -> None:
        """Mark all timers up to ``time`` (ms, inclusive) as due."""
        heap = self._waiting[domain]
        while heap and heap[0][0] <= time:
            self._due(heappop(heap)[1])
        for id in [id for id in self._past if self._facts.row(id)["domain"] == domain]:
            del self._past[id]
            self._due(id)

    def _due(self, id: str) -> None:
        row = self._facts.get(id)
        if row is not None and row["status"] != DUE:
            self._facts.change("timers", id, status=DUE)

    def _restored(self, step: Step, event: Restored) -> None:
        """The watermark is gone, so no event-time timer is due; the clock stays where it was."""
        self._waiting = {EVENT: [], PROCESSING: []}
        self._past.clear()
        self._advancing = False
        for id, row in self._facts.save(("timers",)).items():
            over = row["domain"] == PROCESSING and row["timestamp"] < step.at
            status = PAST if over else WAITING
            if row["status"] != status:
                self._facts.change("timers", id, status=status)
            if over:
                self._past[id] = None
            else:
                self._waiting[row["domain"]].append((row["timestamp"], id))
        for heap in self._waiting.values():
            heapify(heap)
