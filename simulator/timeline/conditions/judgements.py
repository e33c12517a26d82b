"""The table ``judgements``: what each window said to each record, and what was said to the record as a whole."""

from typing import Any

from simulator.scenario import model
from simulator.timeline.conditions.time import RunTime
from simulator.timeline.explain.rules import NEGATED
from simulator.timeline.facts import Row, Timeline
from simulator.timeline.ids import record_id, window_id
from simulator.timeline.operator import windows_end_by_watermark
from simulator.trace.events import (
    BufferAdded,
    ElementSilentlySkipped,
    LateDropped,
    LateSideOutput,
    QueuePushed,
    Rule,
    TriggerEvaluated,
    WindowsAssigned,
    WindowSkippedLate,
)
from simulator.trace.trace import Step, Trace
from simulator.values.key import Key
from simulator.values.time import MIN, wrap
from simulator.values.window import Window, cleanup_time

LOSSES = {LateDropped: "dropped", LateSideOutput: "side", ElementSilentlySkipped: "skipped"}


def judgements(timeline: Timeline, trace: Trace) -> list[Row]:
    """The rows of the table, in order of ``from_step``: true from the decision on, until a restore takes it back.

    A comparison is ``[left, sign, right]`` as it was true, times in ms; ``right`` is null where there was no watermark.
    """
    judge = _Judge(timeline)
    time = RunTime(trace)
    rows: list[Row] = []
    for step in trace:
        said = judge.of(step)
        if said is not None:
            id = f"judgement:{len(rows)}"
            life = {"from_step": step.step, "until_step": time.undone_at(step.step)}
            rows.append({"id": id, "record": record_id(step.item), "step": step.step, **said, **life})
    return rows


class _Judge:
    def __init__(self, timeline: Timeline) -> None:
        operator = timeline.scenario.operator
        self._compares = windows_end_by_watermark(timeline.scenario)
        self._lateness = operator.allowed_lateness if isinstance(operator, model.Window | model.WindowJoin) else 0

    def of(self, step: Step) -> dict[str, Any] | None:
        """What the step says about its record, None when it says nothing."""
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
            case QueuePushed():
                return _by_rule(step, "queued", event.rule)
            case BufferAdded():
                compared = [event.ts, ">=", step.watermark]
                whole = _whole(step, "buffered", "behind-watermark", "timestamp < watermark", compared)
                return {**whole, "needs": event.kept_until}
            case _:
                return None

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
        if self._compares:
            end = window.max_timestamp
            row["limit"] = _as_true(cleanup_time(end, self._lateness), step.watermark)
            row["due"] = _as_true(end, step.watermark)
            row["rule"] = "window-late"
            row["formula"] = "max_timestamp + allowed_lateness <= watermark"
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
    time = wrap(int(numbers["timestamp"]) + int(numbers.get("allowed_lateness", 0)))
    return [time, signs[0] if rule.holds else NEGATED[signs[0]], step.watermark]


def _as_true(time: int, watermark: int | None) -> list[Any]:
    """``time <= watermark``, or what is true instead."""
    return [time, "<=" if time <= (MIN if watermark is None else watermark) else ">", watermark]
