"""The beats of a walkthrough: the steps at which its author says or asks something."""

import re
from typing import Any, Final

from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.walkthrough import ResolvedBeat, UnknownNameError, resolve_beats
from tidemark.simulator.trace.trace import Step, Trace
from tidemark.simulator.words import current_language, words
from tidemark.ui.payload.predictions import Predictions, before_answer
from tidemark.ui.times import TimeStyle

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
