"""The story of a draft as its author wrote it: the beats with their steps, and what is said before and after them."""

from typing import Any

from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.scenario.format.predictions import PREDICTIONS, WAYS
from tidemark.simulator.scenario.model import Beat, Place, Scenario, Text
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.walkthrough import StepIndex
from tidemark.simulator.words import section, words
from tidemark.ui.author.translated import language_of


def story(scenario: Scenario, run: Ran) -> dict[str, Any]:
    """``beats``: {number, kind, place, step, line, say, ask, choices, answer, because, note, predict}.

    ``choices``: {text, reply, belief}. ``way``: how a class answers a prediction, "" for the usual way. ``step`` is
    ``None`` if the run never gets there. ``predictions``: kinds of predictions and their labels; ``ways``: the same of
    the ways to answer each, the usual one first. ``beliefs``: names and claims. ``texts``: {summary, look_for,
    takeaway}, "" for none.
    """
    index = StepIndex(run.trace)
    beats = [_beat(number, beat, index, scenario) for number, beat in enumerate(scenario.walkthrough)]
    return {
        "beats": beats,
        "predictions": [[each, words(f"author.story.predict.{each}")] for each in PREDICTIONS],
        "ways": {name: [[each, words(f"author.story.ways.{each}")] for each in ways] for name, ways in WAYS.items()},
        "beliefs": [[name, each["claim"]] for name, each in section("beliefs").items()],
        "texts": {name: _written(getattr(scenario, name)) for name in ("summary", "look_for", "takeaway")},
    }


def _beat(number: int, beat: Beat, index: StepIndex, scenario: Scenario) -> Row:
    place = scenario.marks.get(("walkthrough", number))
    kind = "predict" if beat.predict is not None else "ask" if beat.ask is not None else "say"
    return {
        "number": number,
        "kind": kind,
        "place": _place(beat.at),
        "step": index.find(beat.at, first=beat.predict is not None),
        "line": place[0] if place else None,
        "say": _written(beat.say),
        "ask": _written(beat.ask),
        "choices": [
            {"text": _written(each.text), "reply": _written(each.reply), "belief": each.belief or ""}
            for each in beat.choices
        ],
        "answer": beat.answer if isinstance(beat.answer, int) else None,
        "way": beat.answer if isinstance(beat.answer, str) else "",
        "because": _written(beat.because),
        "note": _written(beat.note),
        "predict": beat.predict,
    }


def _written(text: Text | None) -> str:
    return "" if text is None else text[language_of(text)].strip()


def _place(place: Place) -> str:
    if place.event is not None:
        return words("author.story.at_event", event=place.event, number=place.occurrence)
    if place.item is not None:
        return words("author.story.at_item", item=place.item)
    return words("author.story.step", step=place.step)
