"""What an author says of a scenario and still holds for a changed run of it: that part of it goes into a draft.

A beat holds if the run does the same there as before: the same event, and the same until its item is done. A prediction
is graded from the run itself, so it holds wherever the run gets to. A goal holds if it is met, a topic if the run shows
it, and the texts on the run as a whole if its results and the fates of its records are as they were.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from tidemark.simulator.explore.comparing import SAME, compare_runs
from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.scenario import editing
from tidemark.simulator.scenario.editing import EditError, ScenarioText
from tidemark.simulator.scenario.editing.beats import remove_beat
from tidemark.simulator.scenario.model import Beat, Scenario
from tidemark.simulator.teaching.hints import goals_now
from tidemark.simulator.teaching.look import Look, look
from tidemark.simulator.teaching.topics import TOPICS
from tidemark.simulator.timeline.walkthrough import StepIndex
from tidemark.simulator.trace.event import TraceEvent
from tidemark.simulator.words import listed, words

SAID = ("walkthrough", "goals", "teaches", "look_for", "takeaway")
"""What an author says of a run."""


def without_said(text: ScenarioText) -> ScenarioText:
    """``text`` without what its author says of the run. Raises ``EditError`` where that cannot be taken out."""
    for name in SAID:
        if text.has((name,)):
            text = editing.remove(text, (name,))
    return text


def what_holds(text: ScenarioText, scenario: Scenario, before: Ran, now: Ran) -> tuple[ScenarioText, str]:
    """``text``, which says ``scenario``, with what holds of ``now``, its run, and a sentence on what was left out.

    ``before`` is the run of which its author said it. The sentence is "" where all of it holds.
    """
    beats = [not _beat_holds(beat, before.scenario.walkthrough, number, before, now)
             for number, beat in enumerate(scenario.walkthrough)]  # fmt: skip
    run = look(scenario)
    goals = [not goal.met for goal in goals_now(scenario, run)]
    topics = [not _is_shown(tag, run) for tag in scenario.teaches]
    same = all(pair.verdict == SAME for pair in compare_runs(before.outcome, now.outcome).pairs)
    texts = [
        name for name in ("look_for", "takeaway") if not (same and before.fates == now.fates) and text.has((name,))
    ]
    try:
        for number in _last_first(beats):
            text = remove_beat(text, number)
        text = _without(_without(text, "goals", goals), "teaches", topics)
        for name in texts:
            text = editing.remove(text, (name,))
    except EditError:
        return without_said(text), words("tryout.left_out.all")
    return text, _sentence(
        beats, goals, [tag for tag, gone in zip(scenario.teaches, topics, strict=True) if gone], texts
    )


def _sentence(beats: Sequence[bool], goals: Sequence[bool], topics: Sequence[str], texts: Sequence[str]) -> str:
    parts = [
        words(f"tryout.left_out.{name}", count=sum(gone), all=len(gone))
        for name, gone in (("beats", beats), ("goals", goals))
        if any(gone)
    ]
    if topics:
        parts.append(words("tryout.left_out.teaches", topics=listed(list(topics))))
    parts += [words(f"tryout.left_out.{name}") for name in texts]
    return words("tryout.left_out.sentence", parts=listed(parts)) if parts else ""


def _without(text: ScenarioText, name: str, gone: Sequence[bool]) -> ScenarioText:
    """The list ``name`` without its items that are ``gone``; with the last one goes the list."""
    if gone and all(gone):
        return editing.remove(text, (name,))
    for number in _last_first(gone):
        text = editing.remove(text, (name, number))
    return text


def _last_first(gone: Sequence[bool]) -> Iterator[int]:
    return (number for number in reversed(range(len(gone))) if gone[number])


def _beat_holds(beat: Beat, originals: Sequence[Beat], number: int, before: Ran, now: Ran) -> bool:
    is_first = beat.predict is not None
    there = StepIndex(now.trace).find(beat.at, first=is_first)
    if there is None or is_first:
        return there is not None
    here = StepIndex(before.trace).find(originals[number].at)
    return here is not None and _follows(before, here) == _follows(now, there)


def _follows(run: Ran, step: int) -> list[tuple[TraceEvent, int | None]]:
    """The events from ``step`` on until its item is done, each with the watermark of that moment."""
    item = run.trace.steps[step].item
    rest = takewhile(lambda each: each.item == item, run.trace.steps[step:])
    return [(each.event, each.watermark) for each in rest]


def _is_shown(tag: str, run: Look) -> bool:
    """Whether the run shows the topic of ``tag``; what no topic has is not contradicted by any run."""
    return all(topic.shown(run) for topic in TOPICS if tag in topic.tags)
