"""The tables ``conditions`` and ``firings``: what each window, queued and buffered record waits for, and what came."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from tidemark.simulator.engine.timers import EVENT
from tidemark.simulator.engine.trace.events import (
    GroupFired,
    JoinMatched,
    PaneFired,
    RecordArrived,
    RowRanked,
    StateAdded,
    TimerFired,
    TriggerEvaluated,
)
from tidemark.simulator.engine.trace.trace import Step, Trace
from tidemark.simulator.engine.values.window import GlobalWindow, TimeWindow
from tidemark.simulator.scenario.builder import running_trigger
from tidemark.simulator.scenario.model import IntervalJoin, Window, Windowed
from tidemark.simulator.scenario.zones import window_class
from tidemark.simulator.timeline.conditions.buffered import awaited
from tidemark.simulator.timeline.conditions.sweep import Subject
from tidemark.simulator.timeline.conditions.time import RunTime
from tidemark.simulator.timeline.facts import Row, Timeline
from tidemark.simulator.timeline.ids import window_id, window_id_of
from tidemark.simulator.timeline.operator import buffers_rows, has_no_trigger, windows_end_by_watermark
from tidemark.simulator.timeline.state import TRIGGER_KIND

WINDOWS: Final = (TimeWindow, GlobalWindow)


def conditions(timeline: Timeline, trace: Trace) -> list[Row]:
    """What each thing still waits for: rows of the table ``conditions``, in order of ``from_step``."""
    operator, time = timeline.scenario.operator, RunTime(trace)
    rows: list[Row] = []
    tables = timeline.by_name()
    if isinstance(operator, Windowed):
        for subject in _subjects(timeline, trace, time, operator).values():
            rows += subject.conditions()
    for fact in tables["queue"]:
        rows += _waiting(time, fact, "watermark", "sort", fact["ts"], None)
    if isinstance(operator, IntervalJoin):
        for fact in tables["buffers"]:
            rows += _waiting(time, fact, "kept", "", fact["kept_until"], partners(operator, fact["side"], fact["ts"]))
    return sorted(rows, key=lambda row: row["from_step"])


def firings(timeline: Timeline, trace: Trace) -> list[Row]:
    """Each time that a window fired: {id, window, step, gave, cause} until a restore takes it back.

    ``step`` is the one of its first row or, where no row came of it (``gave`` is false), that of the trigger's answer;
    ``cause``: ``record``, ``watermark`` or ``clock``.
    """
    time = RunTime(trace)
    causes = {"on_element": "record", "on_event_time": "watermark", "on_processing_time": "clock"}
    rows: list[Row] = []
    for fired, cause in _ends(trace) if has_no_trigger(timeline.scenario.operator) else ():
        event, life = fired.event, {"from_step": fired.step, "until_step": time.undone_at(fired.step)}
        assert isinstance(event, PaneFired | RowRanked)
        made = {"step": fired.step, "gave": True, "cause": cause}
        rows.append({"id": f"firing:{len(rows)}", "window": window_id(event.key, event.window), **made, **life})
    for answer, given in _answers(trace):
        event, step = answer.event, answer.step if given is None else given
        assert isinstance(event, TriggerEvaluated)
        life = {"from_step": step, "until_step": time.undone_at(step)}
        made = {"step": step, "gave": given is not None, "cause": causes[event.method]}
        rows.append({"id": f"firing:{len(rows)}", "window": window_id(event.key, event.window), **made, **life})
    return rows


def _ends(trace: Trace) -> Iterator[tuple[Step, str]]:
    """Where no trigger is asked: the first row of each window, and what brought its end."""
    cause = "watermark"
    for step in trace:
        match step.event:
            case TimerFired(domain=domain):
                cause = "watermark" if domain == EVENT else "clock"
            case PaneFired() | RowRanked(rank=1):
                yield step, cause
            case _:
                pass


def _answers(trace: Trace) -> Iterator[tuple[Step, int | None]]:
    """Each step at which a trigger said fire, and the step of the first row that came of it, if one did."""
    answer: Step | None = None
    for step in trace:
        match step.event:
            case TriggerEvaluated():
                if answer is not None:
                    yield answer, None
                answer = step if step.event.fires else None
            case PaneFired() | GroupFired() | JoinMatched() if answer is not None:
                yield answer, step.step
                answer = None
            case _:
                pass
    if answer is not None:
        yield answer, None


def partners(join: IntervalJoin, side: str, ts: int) -> list[int]:
    """The timestamps (ms, both inclusive) of the other side that a record of ``side`` matches."""
    lower, upper = join.lower + join.lower_exclusive, join.upper - join.upper_exclusive
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


def _subjects(timeline: Timeline, trace: Trace, time: RunTime, operator: Windowed) -> dict[str, Subject]:
    """The windows of the run, each with all that bears on its firing."""
    trigger = running_trigger(operator)
    lateness = operator.allowed_lateness if windows_end_by_watermark(timeline.scenario) else None
    ends_by = None
    if has_no_trigger(operator):
        ends_by = "watermark" if operator.time == "event" else "clock"
    tables = timeline.by_name()
    subjects: dict[str, Subject] = {}
    for row in tables["windows"]:
        if row["id"] not in subjects:
            subjects[row["id"]] = Subject(
                row, trigger, time, lateness, ends_by=ends_by, window_class=window_class(operator)
            )
        subjects[row["id"]].shows(row)
    if isinstance(operator, Window) and buffers_rows(operator) and operator.time == "event":
        for id, changes in awaited(timeline, trace, operator).items():
            subjects[id].awaits(changes)
    for timer in tables["timers"]:
        if (subject := subjects.get(window_id_of(timer))) is not None:
            subject.has_timer(timer)
    for entry in tables["state"]:
        if entry["kind"] == TRIGGER_KIND and (subject := subjects.get(window_id_of(entry))) is not None:
            subject.has_state(entry)
    _asked(subjects, trace)
    return subjects


def _asked(subjects: dict[str, Subject], trace: Trace) -> None:
    """Tells each window when its trigger was asked, and for which steps its answer, then its row, is outstanding."""
    fired: tuple[str, int] | None = None
    added: int | None = None
    for step in trace:
        match step.event:
            case RecordArrived():
                added = None
            case StateAdded():
                added = step.step
            case TimerFired(key=key, namespace=namespace):
                fired = (window_id(key, namespace), step.step) if isinstance(namespace, WINDOWS) else None
            case TriggerEvaluated(key=key, window=window):
                id = window_id(key, window)
                if id in subjects and fired is not None and fired[0] == id:
                    subjects[id].outstanding(fired[1], step.step)
                if id in subjects and added is not None and step.event.method == "on_element":
                    subjects[id].joined(added, step.step)
                if id in subjects:
                    subjects[id].asked(step.step)
                fired = added = None
            case PaneFired(key=key, window=window) | RowRanked(key=key, window=window) if fired is not None:
                if fired[0] == window_id(key, window) and fired[0] in subjects:
                    subjects[fired[0]].outstanding(fired[1], step.step)
                fired = None
            case _:
                pass
    for answer, given in _answers(trace):
        event = answer.event
        assert isinstance(event, TriggerEvaluated)
        if given is not None and (subject := subjects.get(window_id(event.key, event.window))) is not None:
            subject.firing(answer.step, given)
