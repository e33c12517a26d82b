"""The question at a step, as a class is asked it: texts from the page's facts, the way of answering from the run."""

import gzip
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tidemark.simulator.explore.answers import NEW_WATERMARK, STATE_ENTRIES, WINDOWS_THAT_FIRE
from tidemark.simulator.explore.questions import Examiner
from tidemark.simulator.explore.questions import Question as Prediction
from tidemark.simulator.explore.runs import run_of
from tidemark.simulator.limits import VOTE_WINDOWS
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.format import time_format
from tidemark.simulator.values.time import MAX
from tidemark.simulator.words import words
from tidemark.ui.classroom.dragged import dragged
from tidemark.ui.classroom.votes import Question
from tidemark.ui.classroom.ways import Enter, Tap, Way
from tidemark.ui.times import TimeStyle
from tidemark.ui.walkable import shortened


def question_at(facts: bytes, step: object, scenario: Scenario | None = None) -> Question | None:
    """The question that the player asks at ``step`` while presenting; None if it asks none.

    With the ``scenario`` it is asked in the way of its beat; without, and where the run allows no other, by choosing.
    """
    if type(step) is not int:
        return None
    payload = json.loads(gzip.decompress(facts))
    for beat in payload["beats"]:
        if beat["step"] == step and beat["choices"] and beat["answer"] is not None:
            question = Question(
                f"{payload['name']} {step}",
                beat["text"],
                tuple(beat["choices"]),
                beat["answer"],
                beat["because"],
                tuple(beat["replies"]),
                tuple(beat.get("beliefs", ())),
            )
            return question if scenario is None else _in_its_way(question, beat, scenario)
    return None


def _in_its_way(question: Question, beat: Mapping[str, Any], scenario: Scenario) -> Question:
    """``question`` with the way that its beat names; as it is where the beat is answered by choosing."""
    if beat["kind"] == "ask":
        return question
    way = beat.get("way", "choose")
    run = run_of(shortened(scenario))
    item = run.trace.steps[beat["step"]].item
    style = TimeStyle(time_format(run.scenario))
    if way == "drag":
        return dragged(question, run, item, style) or question
    asked = Examiner(run).question(beat["kind"], item)
    if asked is None:
        return question
    # The page names only beliefs that Compare can show; a class may hold any.
    beliefs = tuple(choice.belief or "" for choice in asked.choices)
    made = _entered(asked, style) if way == "enter" else _tapped(asked, run.facts, style) if way == "tap" else None
    if made is None:
        return replace(question, beliefs=beliefs)
    return Question(
        question.id,
        question.text,
        (*question.choices, words("player.poll.other_answer")),
        question.answer,
        question.because,
        (*question.replies, ""),
        (*beliefs, ""),
        made,
    )


def _entered(asked: Prediction, style: TimeStyle) -> Way | None:
    """A number is entered: a watermark in seconds, or how many values there are; not for times of a day."""
    values = [choice.value for choice in asked.choices]
    if asked.kind not in (NEW_WATERMARK, STATE_ENTRIES) or values[asked.right] in (None, MAX):
        return None
    if asked.kind == NEW_WATERMARK and not style.in_seconds:
        return None
    # "None yet" and the end of the input are no numbers: whoever thinks so cannot enter it.
    numbers = tuple(value if type(value) is int else MAX for value in values)
    return Enter(1000 if asked.kind == NEW_WATERMARK else 1, numbers)


def _tapped(asked: Prediction, facts: Any, style: TimeStyle) -> Way | None:
    """Windows are tapped: those that are open meanwhile, and those that a choice names."""
    if asked.kind != WINDOWS_THAT_FIRE:
        return None
    rows = [
        row
        for row in facts.tables["windows"]
        if row["from_step"] <= asked.until
        and (row["until_step"] is None or row["until_step"] > asked.step)
        and row["status"] in ("open", "fired")
    ]
    named = [window for choice in asked.choices for window in choice.value]
    found = {_place(each): each for each in [*rows, *named]}
    in_order = sorted(found.values(), key=lambda each: (each["start"] or 0, each["end"] or 0, str(each["key"])))
    if not 0 < len(in_order) <= VOTE_WINDOWS:
        return None
    index = {_place(each): number for number, each in enumerate(in_order)}
    return Tap(
        tuple((_text(each["key"]), each["start"], each["end"], _window(each, style)) for each in in_order),
        tuple(tuple(sorted(index[_place(window)] for window in choice.value)) for choice in asked.choices),
    )


def _place(window: Mapping[str, Any]) -> str:
    return json.dumps([window["key"], window["start"], window["end"]], sort_keys=True, default=str)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _window(each: Mapping[str, Any], style: TimeStyle) -> str:
    if each["start"] is None:
        return words("player.predict.answer.global", key=_text(each["key"]))
    return words(
        "player.predict.answer.window", key=_text(each["key"]), window=style.window(each["start"], each["end"])
    )
