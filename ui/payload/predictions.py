"""Predictions: questions that the trace answers, in words; each wrong answer names the belief behind it."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from tidemark.simulator.engine.trace.events import RecordArrived, WindowsAssigned
from tidemark.simulator.engine.trace.trace import Step, Trace, plain
from tidemark.simulator.engine.values.items import Item, Record
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.explore.questions import Choice, Examiner, Question
from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline.explain.story import record as raw_record
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.judgements import LOST
from tidemark.simulator.timeline.stops import ResolvedBeat, UnknownNameError, resolve_beats
from tidemark.simulator.timeline.wording import Wording, Writer, duration, together
from tidemark.simulator.words import current_language, listed, words
from tidemark.ui.payload.times import TimeStyle

# What a wrong prediction overlooks, with the numbers of the run: what it would have needed, and what there is.
#
# Only event time is explained like this, and only what an answer says by itself; where nothing can be said, it is
# "".


class Overlooked:
    """Replies to wrong predictions about one run, in the reader's style of times; ``writer`` names channels."""

    def __init__(self, run: Ran, style: TimeStyle, writer: Writer) -> None:
        self._run = run
        self._writer = writer
        self._style = style
        operator = run.scenario.operator
        self._in_event_time = operator.keeps_windows and operator.time == "event"

    def reply(self, question: Question, wrong: Any) -> str:
        """What the answer ``wrong`` to ``question`` overlooks; "" where its numbers say nothing."""
        right = question.choices[question.right].value
        match question.kind:
            case "new-watermark":
                return self._watermark(question, wrong, right)
            case "windows-that-fire":
                return " ".join(self._windows(question, wrong, right)) if self._in_event_time else ""
            case "fate-of-record":
                return self._fate(question, wrong) if self._in_event_time else ""
            case "state-entries":
                return words("player.predict.needs.entries", right=right, wrong=wrong)
            case _:
                return self._timer(wrong, right)

    def _says(self, name: str, **times: int) -> str:
        return words(f"player.predict.needs.{name}", **{each: self._style.exact(time) for each, time in times.items()})

    def _watermark(self, question: Question, wrong: int | None, right: int | None) -> str:
        """The watermark follows the lowest of the channels that count; each is its largest time minus ``ahead``."""
        if wrong is None or right is None or MAX in (wrong, right):
            return ""
        if wrong < right:
            return self._says("watermark_passed", wrong=wrong, right=right)
        channels = self._run.facts.at(question.until, "channels")["channels"]
        held = [row for row in channels if row["holds"]]
        if len(held) != 1 or (newest := held[0]["max_timestamp"]) is None:
            return ""
        row = held[0]
        of_input = self._run.scenario.input(row["input"])
        if newest - of_input.watermark.ahead != right:
            return ""  # the stream itself carries the watermarks
        channel = {
            "input": row["input"] if len(self._run.scenario.inputs) > 1 else None,
            "channel": row["channel"] if of_input.channels > 1 else None,
        }
        return words(
            f"player.predict.needs.{'watermark_channel' if len(channels) > 1 else 'watermark'}",
            wrong=self._style.exact(wrong),
            needed=self._style.exact(wrong + of_input.watermark.ahead),
            newest=self._style.exact(newest),
            channel=self._writer.write("channel", channel),
        )

    def _windows(self, question: Question, wrong: list[Row], right: list[Row]) -> Iterator[str]:
        """The first window too many and the first that is missing, each with the watermark that it fires at."""
        watermark = self._run.trace.steps[question.until].watermark
        for each in wrong:
            if each not in right and _waits(self._style, each, watermark):
                yield self._of_window("window_waits", each, watermark)
                break
        for each in right:
            if each not in wrong:
                yield self._of_window(
                    "window_early" if _waits(self._style, each, watermark) else "window_due", each, watermark
                )
                break

    def _of_window(self, name: str, window: Row, watermark: int | None) -> str:
        key = window["key"] if isinstance(window["key"], str) else json.dumps(plain(window["key"]), ensure_ascii=False)
        if window["start"] is None:
            return words("player.predict.needs.window_early", window=words("player.predict.answer.global", key=key))
        return words(
            f"player.predict.needs.{name}",
            window=words(
                "player.predict.answer.window", key=key, window=self._style.window(window["start"], window["end"])
            ),
            last=self._style.exact(_last(self._style, window)),
            watermark=words("player.predict.answer.no_watermark")
            if watermark is None
            else words("player.predict.answer.end_of_input")
            if watermark == MAX
            else self._style.exact(watermark),
        )

    def _fate(self, question: Question, wrong: str) -> str:
        """By the record's last window: the watermark at its arrival beside the end, with and without the lateness."""
        operator = self._run.scenario.operator
        steps = self._run.trace.steps[question.step : question.until + 1]
        windows = next((step.event.windows for step in steps if isinstance(step.event, WindowsAssigned)), ())
        arrived = next((step for step in steps if isinstance(step.event, RecordArrived)), None)
        ends = [window.max_timestamp for window in windows if isinstance(window, TimeWindow)]
        if arrived is None or arrived.watermark is None or arrived.watermark == MAX or not ends:
            return ""
        watermark, last = arrived.watermark, max(ends)
        kept = last + operator.allowed_lateness
        if wrong == "on-time" and watermark >= last:
            return self._says("on_time", last=last, watermark=watermark)
        if wrong == "late-accepted":
            if watermark >= kept:
                return self._says("too_late", kept=kept, watermark=watermark)
            return self._says("not_late", last=last, watermark=watermark) if watermark < last else ""
        if wrong in LOST and watermark < kept:
            return self._says("not_lost", kept=kept, watermark=watermark)
        return ""

    def _timer(self, wrong: Row | None, right: Row | None) -> str:
        if right is None:
            return words("player.predict.needs.no_timer")
        if wrong is None:
            return self._says("a_timer", right=right["timestamp"])
        if wrong["domain"] == right["domain"] and wrong["timestamp"] > right["timestamp"]:
            return self._says("later_timer", wrong=wrong["timestamp"], right=right["timestamp"])
        return ""


def _last(style: TimeStyle, window: Row) -> int:
    """The last instant (ms) of a window that has an end."""
    return style.format.instants(window["start"], window["end"])[1] - 1


def _waits(style: TimeStyle, window: Row, watermark: int | None) -> bool:
    """Whether the watermark has not reached the end of a window; the global one has none."""
    return window["end"] is None or watermark is None or watermark < _last(style, window)


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
        if kind == "windows-that-fire" and operator.is_join:
            return "windows-with-pairs" if operator.pairs else "windows-with-groups"
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


# The beats of a walkthrough: the steps at which its author says or asks something.

BEFORE_UNIT: Final = re.compile(r"(?<=\d) (?=m?s\b|毫?秒)")
"""The space between a number and its unit, at which no line may end."""


def beats(scenario: Scenario, trace: Trace, style: TimeStyle, predictions: Predictions) -> list[dict[str, Any]]:
    """Each beat in order of steps: {step, before, kind, text, choices, answer, because, replies, note}; a ``predict``
    has ``until``, ``beliefs`` (``predictions``) and ``way`` beside them. ``note`` is for the presenter, "" for none.

    ``before`` is the step whose picture does not tell the answer yet: the one before an event other than an arrival,
    and for a beat at a stream item the arrival of its record.

    A text that names what its step does not have is a mistake that ``check`` reports; the player then has no beats.
    """
    try:
        found = resolve_beats(scenario, trace, format_time=style.told, language=current_language())
    except UnknownNameError:
        return []
    told: list[dict[str, Any]] = []
    for beat in found:
        if beat.kind == "predict":
            continue
        before = _before(scenario, trace, beat)
        told.append(
            {
                "step": beat.step,
                "before": before,
                "kind": beat.kind,
                "text": _unbroken(beat.text),
                "choices": [_unbroken(each) for each in beat.choices],
                "answer": beat.answer,
                "because": _unbroken(beat.because or ""),
                "replies": [_unbroken(each) for each in _replies(beat, trace.steps[before], style)],
                "note": (beat.note or "").strip(),
                **({"beliefs": [predictions.shown(each) for each in beat.beliefs]} if beat.beliefs else {}),
            }
        )
    for beat in found:
        if beat.kind == "predict":
            asked = predictions.asked(beat.predict or "", trace.steps[beat.step].item)
            told += [] if asked is None else [{**asked, "note": (beat.note or "").strip(), "way": beat.way}]
    return sorted(told, key=lambda beat: beat["step"])


def _replies(beat: ResolvedBeat, seen: Step, style: TimeStyle) -> list[str]:
    """What is said to each choice. Where the author wrote nothing it points to the numbers of ``seen``, the step that
    the reader looks at, which do not reveal the answer.
    """
    if seen.watermark is None:
        hint = words("player.predict.hint_none")
    else:
        hint = words("player.predict.hint", watermark=style.told(seen.watermark, False))
    return ["" if number == beat.answer else (reply or "").strip() or hint for number, reply in enumerate(beat.replies)]


def _unbroken(text: str) -> str:
    return BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text.strip())


def _before(scenario: Scenario, trace: Trace, beat: ResolvedBeat) -> int:
    item = scenario.walkthrough[beat.number].at.item
    if item is not None:
        for step in trace.steps[: beat.step]:
            if step.item == item and type(step.event).__name__ == "RecordArrived":
                return step.step
    return before_answer(trace, beat.step)
