"""The table ``judgements``: what each window said to each record, and what was said to the record as a whole.

``judged`` is the same of micro-batches.
"""

from collections.abc import Iterator
from typing import Any, Final

from tidemark.simulator.engine.operators.window_aggregate import FIRED, FIRED_FORMULA
from tidemark.simulator.engine.trace import events
from tidemark.simulator.engine.trace.row_events import VERDICT_EVENTS
from tidemark.simulator.engine.trace.trace import Step, Trace
from tidemark.simulator.engine.values.items import Key
from tidemark.simulator.engine.values.time import MIN, wrap
from tidemark.simulator.engine.values.window import TimeWindow, Window, cleanup_time
from tidemark.simulator.scenario.model import Operator, Scenario
from tidemark.simulator.timeline.explain.story import NEGATED
from tidemark.simulator.timeline.facts import Folding, Handlers
from tidemark.simulator.timeline.ids import record_id, window_id

JUDGING = frozenset((
    events.WindowsAssigned, events.WindowSkippedLate, events.LateForWindow, events.RowBuffered,
    events.StateAdded, events.TriggerEvaluated, events.BufferAdded, events.RowFiltered,
    *events.LOSS_EVENTS, *VERDICT_EVENTS,
))  # fmt: skip
"""The events that say something to a record of Flink's."""


LOST: Final = tuple(each.loss for each in events.LOSS_EVENTS)
"""The verdicts, and fates, that lose a record: ``dropped``, ``side``, ``skipped``."""


class Judgements:
    """Notes ``judgements``.

    A comparison is ``[left, sign, right]`` as it was true, times in ms; ``right`` is null where there was no watermark.
    """

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._verdicts = Verdicts(folding.scenario.operator)
        self._number = 0

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return dict.fromkeys(JUDGING, self._judge)

    def _judge(self, step: Step, event: events.TraceEvent) -> None:
        for said in self._verdicts.of(step):
            id = f"judgement:{self._number}"
            self._facts.note("judgements", id=id, record=record_id(step.item), step=step.step, **said)
            self._number += 1


def lost_items(scenario: Scenario, trace: Trace) -> set[int]:
    """The items whose records are lost, without a timeline: that takes several times as long as the run."""
    verdicts = Verdicts(scenario.operator)
    judging = (step for step in trace if type(step.event) in JUDGING)
    return {step.item for step in judging for said in verdicts.of(step) if said["verdict"] in LOST}


class Verdicts:
    """What is said to records: call ``of`` for every step with one of the events ``JUDGING``, in order."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
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
            case events.WindowsAssigned(windows=windows):
                self._open, self._taken = list(windows), False
            case events.WindowSkippedLate(window=window):
                self._open.remove(window)
            case events.LateForWindow(key=key, window=window, rule=rule):
                self._open.remove(window)
                yield self._window(step, key, window, "refused")
                if not self._open and not self._taken:
                    yield _by_rule(step, "dropped", rule)
            case events.RowBuffered(key=key):
                taken, self._open, self._taken = self._open, [], True
                for window in taken:
                    yield self._window(step, key, window, "taken")
            case events.StateAdded(key=key, namespace=TimeWindow() as namespace) if not self._operator.buffers_rows:
                taken = list(self._open) if self._operator.keeps_slices else [namespace]
                self._open, self._taken = [each for each in self._open if each not in taken], True
                for window in taken:
                    yield self._window(step, key, window, "taken")
            case _:
                pass

    def _of_record(self, step: Step) -> dict[str, Any] | None:
        event = step.event
        match event:
            case events.WindowsAssigned(windows=()):
                return _whole(step, "none")
            case events.WindowSkippedLate():
                return self._window(step, event.key, event.window, "refused")
            case events.TriggerEvaluated(method="on_element"):
                row = self._window(step, event.key, event.window, "taken")
                return {**row, "fired": event.fires}
            case events.BufferAdded():
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


def _by_rule(step: Step, verdict: str, rule: events.Rule) -> dict[str, Any]:
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


def _compared(rule: events.Rule, step: Step) -> list[Any] | None:
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


class BatchJudgements:
    """Notes ``judged``: {record, start, end, taken, left, right, batch, step}.

    ``left`` is the end of the window, in a join the record's own time; the record was ``taken`` unless it was
    ``left <= right``, the watermark of the batch before. ``right`` is None if nothing was compared.
    """

    def __init__(self, folding: Folding) -> None:
        scenario = folding.scenario
        self._facts = folding.facts
        self._batch = self._late_watermark = 0
        self._marked = {each.name for each in scenario.inputs if each.delay is not None}
        self._heeds = scenario.operator.filters_late and bool(self._marked)

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            events.BatchStarted: self._started,
            **dict.fromkeys((events.RecordFiltered, events.PartialUpdated, events.JoinRowStored), self._judge),
        }

    def _started(self, step: Step, event: events.BatchStarted) -> None:
        self._batch, self._late_watermark = event.batch, event.late_watermark

    def _judge(self, step: Step, event: events.RecordFiltered | events.PartialUpdated | events.JoinRowStored) -> None:
        window = None if isinstance(event, events.JoinRowStored) else event.window
        compared = self._heeds and (not isinstance(event, events.JoinRowStored) or event.side in self._marked)
        left = event.ts if isinstance(event, events.JoinRowStored | events.RecordFiltered) else event.window.end
        self._facts.note(
            "judged",
            record=record_id(step.item),
            start=None if window is None else window.start,
            end=None if window is None else window.end,
            taken=not isinstance(event, events.RecordFiltered),
            left=left if window is None else window.end,
            right=self._late_watermark if compared else None,
            batch=self._batch,
            step=step.step,
        )
