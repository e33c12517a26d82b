"""The tables ``conditions`` and ``firings``: what each window, queued and buffered record waits for, and what came."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.timers import EVENT
from tidemark.simulator.engine.trace import events
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.engine.triggers.base import RECORD, Timer, TriggerFacts, Way
from tidemark.simulator.engine.values.window import GLOBAL_WINDOW, TimeWindow, Window, cleanup_time
from tidemark.simulator.scenario.model import Operator
from tidemark.simulator.scenario.zones import window_class
from tidemark.simulator.timeline.buffered import Awaited, awaited
from tidemark.simulator.timeline.facts import Folding, Handlers, Row, Timeline
from tidemark.simulator.timeline.ids import window_id, window_id_of
from tidemark.simulator.timeline.state import TRIGGER_KIND
from tidemark.simulator.timeline.time import DUE, PAST, WAITING, event_status


@dataclass(slots=True)
class _Run:
    """From a start or restore on: the passes of the watermark, each from ``begins`` to before ``ends``."""

    start: int
    begins: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    watermarks: list[int] = field(default_factory=list)


class Phase(NamedTuple):
    """From ``step`` on it is in ``name``, a word of ``simulator.timeline.time``."""

    step: int
    name: str


class RunTime:
    """Watermark and restores of a run by step."""

    def __init__(self, timeline: Timeline) -> None:
        self._runs = [_Run(0)]
        self.restores: list[int] = []
        moved = {row["from_step"]: row["value"] for row in timeline.by_name()["watermark"]}
        for row in timeline.tables["steps"]:
            run, step = self._runs[-1], row["step"]
            match row["event"]:
                case events.WatermarkCombined.__name__ | events.WatermarkRestored.__name__ as event:
                    run.begins.append(step)
                    run.ends.append(step if event == events.WatermarkRestored.__name__ else timeline.number_of_steps)
                    run.watermarks.append(moved[step])
                case events.WatermarkForwarded.__name__ if run.ends[-1] == timeline.number_of_steps:
                    run.ends[-1] = step
                case events.Restored.__name__:
                    self._runs.append(_Run(step))
                    self.restores.append(step)
                case _:
                    pass

    def lives(self, row: Row) -> Iterator[tuple[int, int | None]]:
        """The fact's life, cut where a restore starts the watermark again."""
        start: int = row["from_step"]
        until: int | None = row["until_step"]
        for restored in self.restores:
            if start < restored and (until is None or restored < until):
                yield start, restored
                start = restored
        yield start, until

    def reached(self, watermark: int) -> Iterator[tuple[int, int | None]]:
        """From which step until before which the operator's watermark is ``watermark`` (ms) or more."""
        for number, run in enumerate(self._runs):
            at = bisect_left(run.watermarks, watermark)
            if at < len(run.begins):
                yield run.begins[at], self._runs[number + 1].start if number + 1 < len(self._runs) else None

    def event_phases(self, start: int, timestamp: int) -> list[Phase]:
        """The phases of a record that waits since ``start`` for the watermark ``timestamp`` (ms)."""
        number = bisect_right([run.start for run in self._runs], start) - 1
        run = self._runs[number]
        here = bisect_right(run.begins, start) - 1
        watermark = run.watermarks[here] if here >= 0 else None
        first = event_status(timestamp, watermark, advancing=here >= 0 and start < run.ends[here])
        if first == DUE:
            return [Phase(start, DUE)]
        due = here + 1 if first == PAST else bisect_left(run.watermarks, timestamp, lo=here + 1)
        return [Phase(start, first), *([Phase(run.begins[due], DUE)] if due < len(run.begins) else [])]


# One window through the run: its timers, trigger state and life, swept by step, show what it waits for and when.
#
# Which timer or record fires a window is its trigger's own knowledge (``simulator.engine.triggers.base``); here it
# is put beside the timers and states that the window has at each step.

Change = tuple[int, int, str, Any]
"""(step, 0 for what ends and 1 for what begins then, what, its contents)."""

ENDS, BEGINS = 0, 1

RANK: Final = {"watermark": 0, "clock": 1, RECORD: 3}
"""The order of a window's ways; what a trigger has of its own (a count, for example) comes before any record."""

OWN_RANK: Final = 2


class Condition(NamedTuple):
    """One way to fire, or why there is none. The fields are columns of the table ``conditions``."""

    kind: str
    reason: str = ""
    needs: Any = None
    has: Any = None
    phase: str = ""


class Subject:
    """A window of a key. It is given everything that happened first; ``conditions`` then sweeps over it.

    ``lateness`` in ms, None where no record can be late for a window. ``ends_by``: ``watermark`` or ``clock`` for a
    window that fires at its end even if its timer is not set yet (a later window of a slice); None where timers decide.
    ``window_class``: that of windows in the session time zone.
    """

    def __init__(
        self,
        row: Row,
        trigger: TriggerFacts,
        time: RunTime,
        lateness: int | None,
        *,
        ends_by: str | None = None,
        window_class: type[TimeWindow] = TimeWindow,
    ) -> None:
        self._id: str = row["id"]
        window = GLOBAL_WINDOW if row["start"] is None else window_class(row["start"], row["end"])
        self._max_timestamp = window.max_timestamp
        self._trigger = trigger
        self._ends_by = ends_by
        self._buffers = False
        self._awaited: Awaited | None = None
        self._changes: list[Change] = []
        self._row: Row | None = None
        self._status: str | None = None
        self._since = self._gone = -1
        self._timers: dict[tuple[str, int], str] = {}
        self._states: dict[str, Any] = {}
        self._flags = dict.fromkeys(("ended", "closed", "asked", "outstanding", "firing", "joined"), False)
        # After a restore the watermark is behind it again: a record is accepted, and the window begins again.
        self._accepts_again = lateness is not None
        self._flag("ended", time.reached(self._max_timestamp))
        if lateness is not None:
            self._flag("closed", time.reached(cleanup_time(self._max_timestamp, lateness)))

    def shows(self, row: Row) -> None:
        """A fact of the window itself."""
        self._during("row", row["from_step"], row["until_step"], row)

    def has_timer(self, row: Row) -> None:
        """A fact of one of its timers."""
        name = row["domain"], row["timestamp"]
        # A timer's status says when it is due; a restore has put it back to waiting there. A processing-time timer
        # of the past is due for its window: the clock need not move again for it to fire.
        phase = DUE if row["domain"] != EVENT and row["status"] == PAST else row["status"]
        self._changes.append((row["from_step"], BEGINS, "timer", (name, phase)))
        if row["until_step"] is not None:
            self._changes.append((row["until_step"], ENDS, "timer", (name, None)))

    def awaits(self, changes: Iterable[tuple[int, Awaited | None]]) -> None:
        """What it waits for from a step on, where rows wait in a buffer: its timers alone do not say that."""
        self._buffers = True
        self._changes += [(step, BEGINS, "awaited", awaited) for step, awaited in changes]

    def has_state(self, row: Row) -> None:
        """A fact of its trigger's state."""
        self._changes.append((row["from_step"], BEGINS, "state", (row["state"], row["value"])))
        if row["until_step"] is not None:
            self._changes.append((row["until_step"], ENDS, "state", (row["state"], None)))

    def has_call(self, call: Row, *, asks: bool) -> None:
        """Its trigger was called, or, where none is asked (``asks``), it fired.

        Between the steps of a call the answer is ``outstanding``, then the row of a ``firing``; a record that has
        ``joined`` is one about which the trigger has not been asked yet.
        """
        step = call["from_step"]
        if call["timer"] is not None:
            self._flag("outstanding", [(call["timer"], step)])
        if call["added"] is not None:
            self._flag("joined", [(call["added"], step)])
        if asks:
            self._changes.append((step, BEGINS, "asked", True))
            if call["row"] is not None:
                self._flag("firing", [(step, call["row"])])

    def conditions(self) -> list[Row]:
        """The rows of the table."""
        rows: list[Row] = []
        true: dict[str, tuple[int, Row]] = {}
        ordered = sorted(self._changes, key=lambda change: change[:2])
        for step, changes in groupby(ordered, key=lambda change: change[0]):
            for _, _, what, contents in changes:
                self._apply(step, what, contents)
            wanted = {row["id"]: row for row in self._now()}
            for id, (begun, row) in list(true.items()):
                if wanted.get(id) != row:
                    rows.append(row | {"from_step": begun, "until_step": step})
                    del true[id]
            for id, row in wanted.items():
                true.setdefault(id, (step, row))
        return rows + [row | {"from_step": begun, "until_step": None} for begun, row in true.values()]

    def _flag(self, name: str, spans: Iterable[tuple[int, int | None]]) -> None:
        for start, until in spans:
            self._changes.append((start, BEGINS, name, True))
            if until is not None:
                self._changes.append((until, ENDS, name, False))

    def _during(self, what: str, start: int, until: int | None, contents: Any) -> None:
        self._changes.append((start, BEGINS, what, contents))
        if until is not None:
            self._changes.append((until, ENDS, what, None))

    def _apply(self, step: int, what: str, contents: Any) -> None:
        match what:
            case "row":
                self._show(step, contents)
            case "timer":
                name, phase = contents
                if phase is None:
                    self._timers.pop(name, None)
                else:
                    self._timers[name] = phase
            case "awaited":
                self._awaited = contents
            case "state":
                name, value = contents
                if value is None:
                    self._states.pop(name, None)
                else:
                    self._states[name] = value
            case flag:
                self._flags[flag] = contents

    def _show(self, step: int, row: Row | None) -> None:
        """``since`` is the step at which the window came into its status."""
        if row is None:
            self._gone = step
        elif self._row is None and self._gone != step:
            self._status = None
        if row is not None and row["status"] != self._status:
            self._status, self._since = row["status"], step
            self._flags["asked"] = False
        self._row = row

    def _now(self) -> Iterator[Row]:
        """What is true now, without its life."""
        if self._row is None:
            return
        ways = list(self._ways(self._row))
        for order, way in enumerate(ways):
            by_time = way.kind in ("watermark", "clock")
            suffix = f"|{way.kind}|{way.needs}" if by_time else f"|{way.kind}"
            yield {
                "id": f"condition:{self._id}{suffix}",
                "of": self._id,
                "kind": way.kind,
                "reason": way.reason,
                "needs": way.needs,
                "has": way.has,
                "phase": way.phase,
                "order": order,
            }

    def _ways(self, row: Row) -> Iterator[Condition]:
        """What fires the window as things are, or one row that says why nothing does."""
        status, flags = row["status"], self._flags
        if status == "cleared":
            yield Condition("cleared", "", row["kept_until"], self._since)
            if self._accepts_again:
                yield from self._by_record()
        elif status == "merged":
            yield Condition("merged", "", row["merged_into"], self._since)
        elif flags["outstanding"]:
            yield Condition("asking", "timer")
        elif flags["firing"]:
            yield Condition("asking", "row")
        else:
            found = sorted([*self._by_timer(), *self._by_record()], key=_rank)
            yield from found
            if not found:
                yield self._none()

    def _by_timer(self) -> Iterator[Condition]:
        if self._buffers:
            if self._awaited is not None:
                yield Condition("watermark", self._awaited.reason, self._awaited.needs, phase=self._awaited.phase)
            return
        if self._ends_by is not None and not self._timers and not self._flags["closed"]:
            needs = self._max_timestamp + (self._ends_by == "clock")
            yield Condition(self._ends_by, "end", needs, phase=WAITING)
        for (domain, timestamp), phase in self._timers.items():
            reason = self._trigger.fires_by_timer(Timer(domain == EVENT, timestamp, self._max_timestamp), self._states)
            if reason is not None and domain == EVENT:
                yield Condition("watermark", reason, timestamp, phase=phase)
            elif reason is not None:
                yield Condition("clock", reason, timestamp + 1, phase=phase)

    def _by_record(self) -> Iterator[Condition]:
        way = self._trigger.fires_by_record(self._states, ended=self._flags["ended"])
        if way is not None and not self._flags["closed"]:
            joined = way.kind == RECORD and self._flags["joined"]
            yield Condition(*way)._replace(phase=DUE) if joined else Condition(*way)

    def _none(self) -> Condition:
        """Neither a timer nor a record fires it as things are."""
        if self._buffers and self._row is not None and self._row["status"] != "fired":
            return Condition("never", "stranded")
        if self._flags["closed"]:
            return Condition("never", "closed")
        if not self._trigger.sets_timer_again(self._states):
            return Condition("never", "trigger" if not self._states else "over")
        return Condition("restart") if self._flags["asked"] else Condition("asking", "record")


def _rank(way: Condition) -> tuple[int, int]:
    """By kind, and of several timers the next one first."""
    return RANK.get(way.kind, OWN_RANK), way.needs if way.kind in ("watermark", "clock") else 0


def conditions(timeline: Timeline) -> list[Row]:
    """What each thing still waits for: rows of the table ``conditions``, in order of ``from_step``."""
    operator, time = timeline.scenario.operator, RunTime(timeline)
    rows: list[Row] = []
    tables = timeline.by_name()
    for subject in _subjects(timeline, time, operator).values():
        rows += subject.conditions()
    for fact in tables["queue"]:
        rows += _waiting(time, fact, "watermark", "sort", fact["ts"], None)
    if operator.bounds is not None:
        for fact in tables["buffers"]:
            has = partners(operator.bounds, fact["side"], fact["ts"])
            rows += _waiting(time, fact, "kept", "", fact["kept_until"], has)
    return sorted(rows, key=lambda row: row["from_step"])


def firings(timeline: Timeline) -> list[Row]:
    """Each time that a window fired: {id, window, step, gave, cause} until a restore takes it back.

    ``step`` is the one of its first row or, where no row came of it (``gave`` is false), that of the trigger's answer;
    ``cause``: ``record``, ``watermark`` or ``clock``.
    """
    rows: list[Row] = []
    for call in timeline.notes["calls"]:
        if call["fires"]:
            step, gave = (call["from_step"], False) if call["row"] is None else (call["row"], True)
            life = {"from_step": step, "until_step": call["until_step"]}
            id, window, cause = f"firing:{len(rows)}", call["window"], call["cause"]
            rows.append({"id": id, "window": window, "step": step, "gave": gave, "cause": cause, **life})
    return rows


CAUSES: Final = {"on_element": "record", "on_event_time": "watermark", "on_processing_time": "clock"}


class TriggerCalls:
    """Notes ``calls``: each time that a trigger was asked; where none is, each time that a window fired at its end.

    {window, cause, fires, timer, added, row}: ``cause`` as in ``firings``. Steps, None where there is none: at which a
    ``timer`` of the window fired before it, at which the record that it is asked about was ``added``, and that of the
    first ``row`` that came of it.
    """

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._asks = not folding.scenario.operator.fires_without_trigger
        self._timer: tuple[str, int] | None = None
        self._added: int | None = None
        self._by_timer = "watermark"
        self._answer: Row | None = None

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            events.RecordArrived: self._arrived,
            events.StateAdded: self._state_added,
            events.TimerFired: self._timer_fired,
            events.TriggerEvaluated: self._evaluated,
            events.PaneFired: self._fired,
            events.RowRanked: self._fired,
            events.GroupFired: self._row,
            events.JoinMatched: self._row,
        }

    def _arrived(self, step: Step, event: events.RecordArrived) -> None:
        self._added = None

    def _state_added(self, step: Step, event: events.StateAdded) -> None:
        self._added = step.step

    def _timer_fired(self, step: Step, event: events.TimerFired) -> None:
        self._by_timer = "watermark" if event.domain == EVENT else "clock"
        window = event.namespace
        self._timer = (window_id(event.key, window), step.step) if isinstance(window, Window) else None

    def _evaluated(self, step: Step, event: events.TriggerEvaluated) -> None:
        added = self._added if event.method == "on_element" else None
        call = self._call(window_id(event.key, event.window), CAUSES[event.method], fires=event.fires, added=added)
        self._answer, self._added = call if event.fires else None, None

    def _fired(self, step: Step, event: events.PaneFired | events.RowRanked) -> None:
        if self._asks:
            self._row(step, event)
        elif isinstance(event, events.PaneFired) or event.rank == 1:
            self._call(window_id(event.key, event.window), self._by_timer, fires=True, row=step.step)

    def _row(self, step: Step, event: events.TraceEvent) -> None:
        if self._answer is not None:
            self._answer["row"] = step.step
            self._answer = None

    def _call(self, window: str, cause: str, *, fires: bool, added: int | None = None, row: int | None = None) -> Row:
        timer, self._timer = self._timer, None
        fired = timer[1] if timer is not None and timer[0] == window else None
        return self._facts.note("calls", window=window, cause=cause, fires=fires, timer=fired, added=added, row=row)


def partners(bounds: tuple[int, int], side: str, ts: int) -> list[int]:
    """The timestamps (ms, both inclusive) of the other side that a record of ``side`` matches."""
    lower, upper = bounds
    return [ts + lower, ts + upper] if side == "left" else [ts - upper, ts - lower]


def _waiting(time: RunTime, fact: Row, kind: str, reason: str, needs: int, has: Any) -> Iterable[Row]:
    """The life of a thing that one event-time timer ends."""
    for start, until in time.lives(fact):
        phases = [phase for phase in time.event_phases(start, needs) if until is None or phase.step < until]
        for number, phase in enumerate(phases):
            end = phases[number + 1].step if number + 1 < len(phases) else until
            yield {
                "id": f"condition:{fact['id']}",
                "of": fact["id"],
                "kind": kind,
                "reason": reason,
                "needs": needs,
                "has": has,
                "phase": phase.name,
                "order": 0,
                "from_step": phase.step,
                "until_step": end,
            }


def _subjects(timeline: Timeline, time: RunTime, operator: Operator) -> dict[str, Subject]:
    """The windows of the run, each with all that bears on its firing."""
    trigger = operator.running_trigger
    if trigger is None:
        return {}
    lateness = operator.allowed_lateness if operator.windows_end_by_watermark else None
    ends_by = None
    if operator.fires_without_trigger:
        ends_by = "watermark" if operator.time == "event" else "clock"
    tables = timeline.by_name()
    subjects: dict[str, Subject] = {}
    for row in tables["windows"]:
        if row["id"] not in subjects:
            subjects[row["id"]] = Subject(
                row, trigger, time, lateness, ends_by=ends_by, window_class=window_class(operator)
            )
        subjects[row["id"]].shows(row)
    if operator.buffers_rows and operator.time == "event":
        for id, changes in awaited(timeline, operator).items():
            subjects[id].awaits(changes)
    for timer in tables["timers"]:
        if (subject := subjects.get(window_id_of(timer))) is not None:
            subject.has_timer(timer)
    for entry in tables["state"]:
        if entry["kind"] == TRIGGER_KIND and (subject := subjects.get(window_id_of(entry))) is not None:
            subject.has_state(entry)
    for call in timeline.notes["calls"]:
        if (subject := subjects.get(call["window"])) is not None:
            subject.has_call(call, asks=not operator.fires_without_trigger)
    return subjects


def values_that_fire(operator: Operator, kind: str, needs: Any, has: Any) -> Iterator[float | None]:
    """The values of the records, in their order, that meet the trigger's own way of this ``kind``.

    None where any value will do; none at all where no record does. ``needs`` and ``has`` are columns of ``conditions``.
    """
    trigger = operator.running_trigger
    return iter(()) if trigger is None else trigger.values_that_fire(Way(kind, "", needs, has))
