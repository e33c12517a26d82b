"""The table ``judgements``: what each window said to each record, and what was said to the record as a whole.

``judged`` is the same of micro-batches.
"""

from collections.abc import Iterator
from typing import Any

from tidemark.simulator.engine.operators.window_aggregate import FIRED, FIRED_FORMULA
from tidemark.simulator.engine.trace.events import (
    BatchStarted,
    BufferAdded,
    ElementSilentlySkipped,
    JoinRowStored,
    LateDropped,
    LateForWindow,
    LateSideOutput,
    PartialUpdated,
    RecordFiltered,
    RowBuffered,
    Rule,
    StateAdded,
    TriggerEvaluated,
    WindowsAssigned,
    WindowSkippedLate,
)
from tidemark.simulator.engine.trace.trace import Step, Trace
from tidemark.simulator.engine.values.key import Key
from tidemark.simulator.engine.values.time import MIN, wrap
from tidemark.simulator.engine.values.window import TimeWindow, Window, cleanup_time
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.conditions import RunTime
from tidemark.simulator.timeline.explain.story import NEGATED
from tidemark.simulator.timeline.facts import Row, Timeline
from tidemark.simulator.timeline.ids import record_id, window_id
from tidemark.simulator.timeline.schema import JudgedFact

LOSSES = {LateDropped: "dropped", LateSideOutput: "side", ElementSilentlySkipped: "skipped"}


def judgements(timeline: Timeline, trace: Trace) -> list[Row]:
    """The rows of the table, in order of ``from_step``: true from the decision on, until a restore takes it back.

    A comparison is ``[left, sign, right]`` as it was true, times in ms; ``right`` is null where there was no watermark.
    """
    judge = _Judge(timeline)
    time = RunTime(trace)
    rows: list[Row] = []
    for step in trace:
        for said in judge.of(step):
            id = f"judgement:{len(rows)}"
            life = {"from_step": step.step, "until_step": time.undone_at(step.step)}
            rows.append({"id": id, "record": record_id(step.item), "step": step.step, **said, **life})
    return rows


class _Judge:
    def __init__(self, timeline: Timeline) -> None:
        self._operator = timeline.scenario.operator
        self._open: list[Window] = []
        self._taken = False

    def of(self, step: Step) -> Iterator[dict[str, Any]]:
        """What the step says about its record, or, in a slice, what each window says."""
        if self._operator.fires_without_trigger:
            yield from self._of_windows(step)
        said = self._of_record(step)
        if said is not None:
            yield said

    def _of_windows(self, step: Step) -> Iterator[dict[str, Any]]:
        """What is said where no trigger is asked: a record that is added is in all windows that do not refuse it."""
        match step.event:
            case WindowsAssigned(windows=windows):
                self._open, self._taken = list(windows), False
            case WindowSkippedLate(window=window):
                self._open.remove(window)
            case LateForWindow(key=key, window=window, rule=rule):
                self._open.remove(window)
                yield self._window(step, key, window, "refused")
                if not self._open and not self._taken:
                    yield _by_rule(step, "dropped", rule)
            case RowBuffered(key=key):
                taken, self._open, self._taken = self._open, [], True
                for window in taken:
                    yield self._window(step, key, window, "taken")
            case StateAdded(key=key, namespace=TimeWindow() as namespace) if not self._operator.buffers_rows:
                taken = list(self._open) if self._operator.keeps_slices else [namespace]
                self._open, self._taken = [each for each in self._open if each not in taken], True
                for window in taken:
                    yield self._window(step, key, window, "taken")
            case _:
                pass

    def _of_record(self, step: Step) -> dict[str, Any] | None:
        event = step.event
        match event:
            case WindowsAssigned(windows=()):
                return _whole(step, "none")
            case WindowSkippedLate():
                return self._window(step, event.key, event.window, "refused")
            case TriggerEvaluated(method="on_element"):
                row = self._window(step, event.key, event.window, "taken")
                return {**row, "fired": event.fires}
            case LateDropped() | LateSideOutput() | ElementSilentlySkipped():
                return _by_rule(step, LOSSES[type(event)], event.rule)
            case BufferAdded():
                compared = [event.ts, ">=", step.watermark]
                whole = _whole(step, "buffered", "behind-watermark", "timestamp < watermark", compared)
                return {**whole, "needs": event.kept_until}
            case _:
                said = event.verdict
                if said is None:
                    return None
                return _whole(step, said.name) if said.rule is None else _by_rule(step, said.name, said.rule)

    def _window(self, step: Step, key: Key, window: Window, verdict: str) -> dict[str, Any]:
        """``limit``: whether it was over for the window; ``due``: whether the window's firing was."""
        row: dict[str, Any] = {
            "window": window_id(key, window),
            "start": window.start,
            "end": window.end,
            "verdict": verdict,
            "fired": False,
            "limit": None,
            "due": None,
            "rule": None,
            "formula": None,
        }
        if self._operator.windows_end_by_watermark:
            end = window.max_timestamp
            row["limit"] = _as_true(cleanup_time(end, self._operator.allowed_lateness), step.watermark)
            row["due"] = _as_true(end, step.watermark)
            fired = self._operator.fires_without_trigger
            row["rule"] = FIRED if fired else "window-late"
            row["formula"] = FIRED_FORMULA if fired else "max_timestamp + allowed_lateness <= watermark"
        return row


def _by_rule(step: Step, verdict: str, rule: Rule) -> dict[str, Any]:
    """What a rule said to the record itself."""
    return _whole(step, verdict, rule.name, rule.formula, _compared(rule, step))


def _whole(
    step: Step, verdict: str, rule: str | None = None, formula: str | None = None, compared: list[Any] | None = None
) -> dict[str, Any]:
    """What was said to the record itself."""
    return {
        "window": None,
        "start": None,
        "end": None,
        "verdict": verdict,
        "fired": False,
        "limit": compared,
        "due": None,
        "rule": rule,
        "formula": formula,
    }


def _compared(rule: Rule, step: Step) -> list[Any] | None:
    """The rule's comparison with the watermark; None where it is none."""
    numbers = dict(rule.numbers)
    signs = [sign for sign in NEGATED if f" {sign} watermark" in rule.formula]
    if not signs:
        return None
    time = wrap(
        int(numbers["timestamp" if "timestamp" in numbers else "max_timestamp"])
        + int(numbers.get("allowed_lateness", 0))
    )
    return [time, signs[0] if rule.holds else NEGATED[signs[0]], step.watermark]


def _as_true(time: int, watermark: int | None) -> list[Any]:
    """``time <= watermark``, or what is true instead."""
    return [time, "<=" if time <= (MIN if watermark is None else watermark) else ">", watermark]


def judged(scenario: Scenario, trace: Trace) -> list[JudgedFact]:
    """{record, start, end, taken, left, right, batch, step} with ``from_step`` and ``until_step``.

    ``left`` is the end of the window, in a join the record's own time; the record was ``taken`` unless it was
    ``left <= right``, the watermark of the batch before. ``right`` is None if nothing was compared.
    """
    rows: list[JudgedFact] = []
    batch = late_watermark = 0
    marked = {each.name for each in scenario.inputs if each.delay is not None}
    heeds = scenario.operator.filters_late and bool(marked)
    for step in trace:
        event = step.event
        if isinstance(event, BatchStarted):
            batch, late_watermark = event.batch, event.late_watermark
        elif isinstance(event, RecordFiltered | PartialUpdated | JoinRowStored):
            window = None if isinstance(event, JoinRowStored) else event.window
            asked = heeds and bool(marked) and (not isinstance(event, JoinRowStored) or event.side in marked)
            left = event.ts if isinstance(event, JoinRowStored | RecordFiltered) else event.window.end
            rows.append(
                {
                    "record": record_id(step.item),
                    "start": None if window is None else window.start,
                    "end": None if window is None else window.end,
                    "taken": not isinstance(event, RecordFiltered),
                    "left": left if window is None else window.end,
                    "right": late_watermark if asked else None,
                    "batch": batch,
                    "step": step.step,
                    "from_step": step.step,
                    "until_step": None,
                }
            )
    return rows
