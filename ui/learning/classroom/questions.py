"""The question at a step, as a class is asked it: texts from the page's facts, the way of answering from the run."""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Item, Record
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.explore.beliefs import BELIEFS, tour
from tidemark.simulator.explore.questions import NEW_WATERMARK, STATE_ENTRIES, WINDOWS_THAT_FIRE, Examiner
from tidemark.simulator.explore.questions import Question as Prediction
from tidemark.simulator.explore.runs import FATE, Outcome, Parting, Ran, run_of, together
from tidemark.simulator.limits import BELIEVED_STEPS, DRAGGED_ITEMS, VOTE_WINDOWS
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline.wording import time_format
from tidemark.simulator.words import listed, words
from tidemark.ui.catalogue.walkable import shortened, walked
from tidemark.ui.learning.classroom.votes import Drag, Enter, Question, Tap, Way
from tidemark.ui.payload.times import TimeStyle

from tidemark import simulator

# A record that is dragged until it is dropped: where it would be lost is found by running the stream with it there.

MOST_PLACES: Final = 61
"""The most places that a record can be dragged to, its own included: each takes a run."""

NICE: Final = tuple(digit * 10**power for power in range(9) for digit in (1, 2, 5))
"""Distances (ms) between places that people can read."""


def dragged(question: Question, run: Ran, item: int, style: TimeStyle) -> Question | None:
    """``question`` about the record ``item``, answered by moving it back in time; None if no place would lose it."""
    stream = list(items(run.scenario))[: item + 1]
    what = stream[item]
    if not isinstance(what, Record) or what.ts is None or len(stream) > DRAGGED_ITEMS:
        return None
    times = [each.ts for each in stream if isinstance(each, Record) and each.ts is not None]
    # Twice as far back as the stream reaches: a record behind everything must be among the places.
    reach = max(2 * (max(times) - min(times)), 1000)
    apart = next((each for each in NICE if reach // each < MOST_PLACES), NICE[-1])
    origin = min(MOST_PLACES - 1, -(-reach // apart))
    first = what.ts - origin * apart
    lost = tuple(_is_lost(run.scenario, stream, what, first + place * apart) for place in range(origin + 1))
    if lost[origin] or not any(lost):
        return None
    drag = Drag(first, apart, origin, lost, tuple(style.exact(first + place * apart) for place in range(origin + 1)))
    nearest = drag.places[drag.nearest]
    return Question(
        question.id,
        words("player.poll.drag.ask", key=str(what.key), ts=style.exact(what.ts)),
        (
            words("player.poll.drag.right", place=nearest),
            words("player.poll.drag.too_far"),
            words("player.poll.drag.counts"),
        ),
        0,
        words("player.poll.drag.because", place=nearest, next=drag.places[drag.nearest + 1]),
        ("", words("player.poll.drag.reply_too_far", place=nearest), words("player.poll.drag.reply_counts")),
        (),
        drag,
    )


def _is_lost(scenario: Scenario, stream: Sequence[Item], what: Record, ts: int) -> bool:
    """Whether the run loses the last record of ``stream`` with the timestamp ``ts``."""
    moved = replace(scenario, stream=(*stream[:-1], what._replace(ts=ts)), goals=(), walkthrough=())
    rows: list[Mapping[str, Any]] = list(simulator.run_rows(moved))
    return any(row["row"] in ("dropped", "late") and row["item"] == len(stream) - 1 for row in rows)


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


# A belief run beside the truth, for a class of which many hold it: where the two part, and what comes of it.

LOST: Final = ("dropped", "side", "skipped")


def beside(scenario: Scenario, belief: str) -> dict[str, Any]:
    """{claim, truth, rows}: what is believed, what is so, and what both give on this stream, as ``rows`` of
    [of what, as believed, in fact]; no rows where the belief cannot be run or makes no difference.
    """
    said = {part: words(f"beliefs.{belief}.{part}") for part in ("claim", "truth")}
    return {"name": belief, **said, "rows": _rows(scenario, belief)}


def _rows(scenario: Scenario, belief: str) -> list[list[str]]:
    held = next((each for each in BELIEFS if each.name == belief), None)
    if held is None or scenario.engine == "spark":
        return []
    try:
        shown, trace = walked(scenario)
        if len(trace) > BELIEVED_STEPS:
            return []
        truth = run_of(shown)
        found = tour(truth, held)
    except ScenarioError:
        return []
    if found is None or found.compared.parting is None:
        return []
    believed = found.runs[0].outcome if len(found.runs) == 1 else together(found.runs)
    style = TimeStyle(time_format(shown))
    parting = found.compared.parting
    return [
        [_label(truth, parting), _told(parting, parting.right, style), _told(parting, parting.left, style)],
        [words("player.poll.belief.results"), str(_results(believed)), str(_results(truth.outcome))],
        [words("player.poll.belief.lost"), str(_lost(believed, truth)), str(_lost(truth.outcome, truth))],
    ]


def _label(truth: Ran, parting: Parting) -> str:
    if parting.moment < 0:
        return words("player.poll.belief.first")
    if parting.moment in truth.moments:
        item = truth.moments.index(parting.moment)
        return words("player.poll.belief.record" if parting.moment % 2 == 0 else "player.poll.belief.item", number=item)
    # Between two records, where only the believed run has something.
    after = next((item for item, moment in enumerate(truth.moments) if moment > parting.moment), None)
    if after is None:
        return words("player.poll.belief.item", number=len(truth.moments) - 1)
    return words("player.poll.belief.before", number=after)


def _told(parting: Parting, what: Any, style: TimeStyle) -> str:
    """A fate, or the results of a moment."""
    if parting.what == FATE:
        return words(f"player.predict.fate.{what or 'dropped'}")
    if not what:
        return words("player.poll.belief.nothing")
    return listed([_result(row, style) for row in what])


def _result(row: Any, style: TimeStyle) -> str:
    if row["row"] != "pane":
        return words("player.poll.belief.a_result")
    window = style.window(row["start"], row["end"])
    return words("player.poll.belief.result", key=str(row["key"]), window=window, value=str(row["value"]))


def _results(outcome: Outcome) -> int:
    return sum(len(each) for each in outcome.results.values())


def _lost(outcome: Outcome, truth: Ran) -> int:
    """How many records do not count; one that a believed run does not even have is lost there."""
    return sum(outcome.fates.get(moment, LOST[0]) in LOST for moment in truth.fates)
