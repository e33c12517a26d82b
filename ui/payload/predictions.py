"""Predictions: questions that the trace answers, in words; each wrong answer names the belief behind it."""

import json
from collections.abc import Collection, Sequence
from typing import Any, Final

from tidemark.simulator.explore.questions import Choice, Examiner, Question
from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.scenario.model import WindowJoin
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline.explain.story import record as raw_record
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.format import duration
from tidemark.simulator.timeline.wording import Wording, together
from tidemark.simulator.trace.trace import Trace, plain
from tidemark.simulator.values.items import Item, Record
from tidemark.simulator.values.time import MAX
from tidemark.simulator.words import listed, words
from tidemark.ui.payload.overlooked import Overlooked
from tidemark.ui.times import TimeStyle

DECIDES: Final = {
    "new-watermark": ("WatermarkCombined", "WatermarkIgnored", "WatermarkEmitted"),
    "windows-that-fire": ("PaneFired", "GroupFired", "JoinMatched", "TriggerEvaluated"),
    "fate-of-record": ("LateDropped", "LateSideOutput", "ElementSilentlySkipped", "StateAdded", "QueuePushed"),
    "state-entries": ("StateMerged", "StateCleared", "StateAdded", "StateUpdated"),
    "next-timer": ("TimerRegistered", "TimerDeleted", "TimerFired"),
}
"""The steps that say why an answer is right: the first kind that the item has."""

MOST_STEPS: Final = 1_500
"""Longer runs get no suggested questions, because every belief takes a run of its own."""


def before_answer(trace: Trace, step: int) -> int:
    """The step whose picture a question about ``step`` shows: it has the record that the question is about, but tells
    nothing of the answer. The arrival of a record tells none, nor does the clock that only moves on to one.
    """
    arrives = [type(each.event).__name__ == "RecordArrived" for each in trace.steps[step : step + 2]]
    if arrives[0]:
        return step
    if type(trace.steps[step].event).__name__ == "ClockAdvanced" and arrives[1:] == [True]:
        return step + 1
    return max(step - 1, 0)


class Predictions:
    """The predictions of one run, in the reader's style of times; none by Spark's rules: beliefs are about Flink."""

    def __init__(self, run: Ran, style: TimeStyle) -> None:
        self._run = run
        self._style = style
        self._examiner = Examiner(run)
        self._in_batches = run.scenario.engine == "spark"
        self._items = list(items(run.scenario))
        self._steps: Sequence[Row] = run.facts.by_name()["steps"]
        self._wording = Wording(run.scenario, self._steps)
        self._overlooked = Overlooked(run, style, self._wording.writer)

    def asked(self, kind: str, item: int) -> Row | None:
        """The question of ``kind`` at the stream item, as a beat; None where there is nothing to choose from."""
        question = None if self._in_batches else self._examiner.question(kind, item)
        return None if question is None else self._told(question)

    def suggested(self, asked_already: Collection[int] = ()) -> list[Row]:
        """Questions at what is worth asking about, as beats; none of a run that is too long, and none at an item with
        a step of ``asked_already``, where the author asks.
        """
        return (
            []
            if self._in_batches or len(self._run.trace) > MOST_STEPS
            else [self._told(question) for question in self._examiner.suggested(asked_already)]
        )

    def _told(self, question: Question) -> Row:
        """{step, before, until, kind, text, choices, replies, beliefs, answer, because}: ``before`` is the step whose
        picture does not show the answer, ``until`` the one that does; ``replies``: what is said to each choice, "" to
        the right one; ``beliefs``: the belief behind it that the page Compare can show, "" for none.
        """
        return {
            "step": question.step,
            "before": before_answer(self._run.trace, question.step),
            "until": question.until,
            "kind": question.kind,
            "text": words(f"player.predict.ask.{self._matter(question.kind)}", arrives=self._arrives(question.item)),
            "choices": [self._answer(question.kind, choice.value) for choice in question.choices],
            "replies": [
                "" if number == question.right else self._reply(question, choice)
                for number, choice in enumerate(question.choices)
            ],
            "beliefs": [self.shown(choice.belief) for choice in question.choices],
            "answer": question.right,
            "because": self._because(question),
        }

    def shown(self, belief: str | None) -> str:
        """``belief`` if it can be run on this stream beside the truth, otherwise ""."""
        return belief if belief is not None and self._examiner.can_be_run(belief) else ""

    def _matter(self, kind: str) -> str:
        if kind == "state-entries" and self._examiner.has_windows:
            return "window-contents"
        # A window of a join fires without a partner too; what is asked is which of them give something.
        operator = self._run.scenario.operator
        if kind == "windows-that-fire" and isinstance(operator, WindowJoin):
            return "windows-with-groups" if operator.type == "co-group" else "windows-with-pairs"
        return kind

    def _arrives(self, item: int) -> str:
        what: Item = self._items[item]
        if not isinstance(what, Record):
            fields = {"ts": "", "status": "", "by": ""}
            if hasattr(what, "ts"):
                fields["ts"] = self._style.exact(what.ts)
            if hasattr(what, "by"):
                fields["by"] = duration(what.by)
            if hasattr(what, "status"):
                fields["status"] = words(f"player.differences.statuses.{what.status}")
            return words(f"player.predict.arrives.{type(what).__name__}", **fields)
        record = self._wording.writer.write("record", raw_record(what.key, what.ts, what.value))
        return words("player.predict.arrives.record", number=item, record=record)

    def _answer(self, kind: str, value: Any) -> str:
        match kind:
            case "new-watermark":
                if value is None:
                    return words("player.predict.answer.no_watermark")
                return words("player.predict.answer.end_of_input") if value >= MAX else self._style.exact(value)
            case "windows-that-fire":
                return self._windows(value)
            case "fate-of-record":
                in_time = value == "on-time" and not self._examiner.has_windows
                return words(f"player.predict.fate.{'in-time' if in_time else value}")
            case "next-timer":
                return self._timer(value)
            case _:
                return str(value)

    def _windows(self, windows: Sequence[Row]) -> str:
        if not windows:
            return words("player.predict.answer.no_window")
        in_order = sorted(windows, key=lambda each: (each["start"] or 0, each["end"] or 0, str(each["key"])))
        named = [self._window(each) for each in in_order]
        return named[0] if len(named) == 1 else words(
            "player.predict.answer.and", first=listed(named[:-1]), last=named[-1]
        )  # fmt: skip

    def _window(self, each: Row) -> str:
        if each["start"] is None:
            return words("player.predict.answer.global", key=_text(each["key"]))
        window = self._style.window(each["start"], each["end"])
        return words("player.predict.answer.window", key=_text(each["key"]), window=window)

    def _timer(self, timer: Row | None) -> str:
        if timer is None:
            return words("player.predict.answer.no_timer")
        time = self._style.exact(timer["timestamp"])
        if timer["domain"] == "processing":
            return words("player.predict.answer.timer_clock", time=time, key=_text(timer["key"]))
        if timer["start"] is None:
            return words("player.predict.answer.timer", time=time, key=_text(timer["key"]))
        window = self._style.window(timer["start"], timer["end"])
        return words("player.predict.answer.timer_window", time=time, key=_text(timer["key"]), window=window)

    def _reply(self, question: Question, choice: Choice) -> str:
        """What a wrong answer would have needed in this run, then the belief behind it and what that overlooks."""
        said = [self._overlooked.reply(question, choice.value)]
        if choice.belief is not None:
            claim, truth = (words(f"beliefs.{choice.belief}.{part}") for part in ("claim", "truth"))
            said += [words("player.predict.believed", claim=claim), words("player.predict.truth", truth=truth)]
        return together(filter(None, said))

    def _because(self, question: Question) -> str:
        """What happens at the deciding step, and why."""
        steps = self._steps[question.step : question.until + 1]
        for event in DECIDES[question.kind]:
            found = [row for row in steps if row["event"] == event]
            if found:
                row = found[-1]
                return f"{self._wording.what(row)} {self._wording.why(row)}".strip()
        return self._wording.what(steps[-1])


def _text(value: Any) -> str:
    """A key or a value: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)
