"""What a wrong prediction overlooks, with the numbers of the run: what it would have needed, and what there is.

Only event time is explained like this, and only what an answer says by itself; where nothing can be said, it is "".
"""

import json
from collections.abc import Iterator
from typing import Any

from tidemark.simulator.explore.questions import Question
from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.scenario.model import Windowed
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.wording import Writer
from tidemark.simulator.trace.events import RecordArrived, WindowsAssigned
from tidemark.simulator.trace.trace import plain
from tidemark.simulator.values.time import MAX
from tidemark.simulator.values.window import TimeWindow
from tidemark.simulator.words import words
from tidemark.ui.times import TimeStyle


class Overlooked:
    """Replies to wrong predictions about one run, in the reader's style of times; ``writer`` names channels."""

    def __init__(self, run: Ran, style: TimeStyle, writer: Writer) -> None:
        self._run = run
        self._writer = writer
        self._style = style
        operator = run.scenario.operator
        self._in_event_time = isinstance(operator, Windowed) and operator.time == "event"

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
        assert isinstance(operator, Windowed)
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
        if wrong in ("dropped", "side", "skipped") and watermark < kept:
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
