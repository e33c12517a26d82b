"""A try-out: a reader of the player moves a record or changes a number, and sees what that does beside the original.

The browser keeps the text of the try-out, and every question carries it. What the author says of the original run is
not shown with it: beats, goals and topics need not be true of another run. A draft gets what still is (``holds.py``).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Any, Final

from tidemark.simulator.engine.trace.event import TraceEvent
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.explore.runs import (
    DIFFERS,
    EARLIER,
    LATER,
    OFTENER,
    ONLY_LEFT,
    ONLY_RIGHT,
    RARER,
    SAME,
    Compared,
    Emission,
    Pair,
    Ran,
    compare_runs,
    run_of,
)
from tidemark.simulator.limits import SCENARIO_BYTES, SEARCHED_STEPS, TRIED_STEPS
from tidemark.simulator.scenario import editing
from tidemark.simulator.scenario.editing import EditError, ScenarioText
from tidemark.simulator.scenario.editing.beats import remove_beat
from tidemark.simulator.scenario.model import Beat, Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.teaching.hints import goals_now
from tidemark.simulator.teaching.lint import Look, look
from tidemark.simulator.teaching.topics import TOPICS
from tidemark.simulator.timeline.judgements import LOST
from tidemark.simulator.timeline.stops import StepIndex
from tidemark.simulator.timeline.wording import duration, time_format
from tidemark.simulator.words import listed, words
from tidemark.ui.author.changes import partners, value_name, window_name
from tidemark.ui.author.draft import Draft, draft_of
from tidemark.ui.author.edits import EFFECTS, MOST_AT_ONCE, asked_for, edited, step_of_effect, steps_of_effect
from tidemark.ui.author.rows import EditRefused
from tidemark.ui.payload.drawn import numbers
from tidemark.ui.payload.packing import packed
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.share import links
from tidemark.ui.share.answers import is_short
from tidemark.ui.share.links import LinkError

# What a try-out changes, in one line: results that differ from the original's, and records lost or no longer lost.

MOST: Final = 2
"""How many results are named; the others are counted."""

WEIGHT: Final = (DIFFERS, ONLY_LEFT, ONLY_RIGHT, OFTENER, RARER, EARLIER, LATER)
"""What is said first."""


def told(original: Ran, changed: Ran, style: TimeStyle) -> str:
    """``[0, 5) of a now gives 22 instead of 16; 1 record less is dropped.``"""
    compared = compare_runs(original.outcome, changed.outcome)
    pairs = sorted(
        (each for each in compared.pairs if each.verdict != SAME), key=lambda each: WEIGHT.index(each.verdict)
    )
    said = [_result(each, style) for each in pairs[:MOST]]
    if len(pairs) > MOST:
        more = len(pairs) - MOST
        said.append(words("tryout.more_one" if more == 1 else "tryout.more", count=more))
    said += _losses(original, changed)
    return sentenced(words("app.semicolon").join(said) if said else _nothing(compared))


def sentenced(text: str) -> str:
    """``text`` as a sentence: with a capital and a stop."""
    return f"{text[:1].upper()}{text[1:]}{words('app.stop')}"


def _result(pair: Pair, style: TimeStyle) -> str:
    left, right = pair.left, pair.right
    row = (right or left)[-1].row
    fields = {"result": window_name(row, style)}
    match pair.verdict:
        case "differs":
            return words("tryout.differs", value=value_name(right[-1].row), before=value_name(left[-1].row), **fields)
        case "only-left":
            return words("tryout.gone", **fields)
        case "only-right" if row["row"] == "joined":
            return words("tryout.new_pair", **fields)
        case "only-right":
            return words("tryout.new", value=value_name(row), **fields)
        case "oftener" | "rarer":
            return words("tryout.times", count=len(right), before=len(left), **fields)
        case _:
            return _when(pair, fields, left[0], right[0])


def _when(pair: Pair, fields: dict[str, str], left: Emission, right: Emission) -> str:
    """Earlier or later by the clock; by the order of the stream where the clock stands still."""
    later = (right.row["at"] - left.row["at"]) or (right.moment - left.moment)
    name = "later" if later > 0 else "earlier"
    if not pair.by:
        return words(f"tryout.{name}_item", **fields)
    return words(f"tryout.{name}", span=duration(abs(pair.by)), **fields)


def _losses(original: Ran, changed: Ran) -> list[str]:
    before, after = Counter(original.fates.values()), Counter(changed.fates.values())
    said = []
    for fate in LOST:
        more = after[fate] - before[fate]
        if more:
            name = f"{fate}_{'more' if more > 0 else 'less'}{'_one' if abs(more) == 1 else ''}"
            said.append(words(f"tryout.{name}", count=abs(more)))
    return said


def _nothing(compared: Compared) -> str:
    return words("tryout.nothing" if compared.watermark_parting is None else "tryout.only_the_watermark")


# What an author says of a scenario and still holds for a changed run of it: that part of it goes into a draft.
#
# A beat holds if the run does the same there as before: the same event, and the same until its item is done. A
# prediction is graded from the run itself, so it holds wherever the run gets to. A goal holds if it is met, a topic
# if the run shows it, and the texts on the run as a whole if its results and the fates of its records are as they
# were.

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


Row = dict[str, Any]
Answer = tuple[Row, bytes]


def tryout(
    question: Mapping[str, Any], source: str, scenario: Scenario, choices: Sequence[tuple[str, str, str]]
) -> Answer:
    """The answer to {text, edit, step, window, effect}, and the packed payload of the changed scenario.

    ``text`` is the try-out so far, null for ``scenario`` itself, whose text is ``source``; ``step`` is a step of that
    run; ``window``, which may be missing, is what an insertion is to fire or to release: see ``steps_of_effect``. The
    answer: {text, address, draft, step, what, line, ghost}, or {problem}. ``address`` opens the changed scenario,
    ``draft`` a draft of it: {address, left_out}; ``what`` says what was changed and ``line`` what that does, ``ghost``
    is where the original's records and watermark were.
    """
    try:
        before = text_before(question, source)
        draft, _ = edited(draft_of(before), question.get("edit") or {})
        opened = links.of_file(words("author.called"), shown_alone(draft))
    except (EditRefused, LinkError, ScenarioError) as error:
        return {"problem": str(error)}, b""
    changed = opened.entry.scenario
    assert changed is not None
    here, there = run_of(scenario), run_of(changed)
    if max(len(here.trace), len(there.trace)) > TRIED_STEPS:
        return {"problem": words("tryout.too_long", limit=f"{TRIED_STEPS:,}")}, b""
    past = here if not isinstance(question.get("text"), str) else run_of(_scenario(before))
    body, _ = packed(opened.entry, opened.entry.name, opened.entry.stamp, tuple(choices))
    style = TimeStyle(time_format(scenario))
    return {
        "text": draft.text,
        "address": list(opened.address),
        "draft": _draft(draft, opened.address, here, there),
        "step": _where_it_fires(there, question) or _same_moment(past, there, question.get("step")),
        "what": _what(scenario, changed),
        "line": told(here, there, style),
        "ghost": _ghost(here, there),
    }, body


def text_before(question: Mapping[str, Any], source: str) -> str:
    """The text before the edit."""
    text = question.get("text")
    if isinstance(text, str):
        if len(text) > SCENARIO_BYTES:
            raise EditRefused(words("author.refused.too_large", limit=SCENARIO_BYTES // 1024))
        return text
    return source


def shown_alone(draft: Draft) -> str:
    """The text of ``draft`` without what its author says of the run. Raises ``EditRefused`` if it is not simple."""
    try:
        assert draft.read is not None
        return without_said(draft.read).text
    except EditError:
        raise EditRefused(words("author.refused.not_simple")) from None


def _draft(draft: Draft, shown: tuple[str, str], here: Ran, there: Ran) -> Row:
    """``address`` of a draft of it, with what its author says and still holds, and what was ``left_out``, in words.

    ``shown`` is the address without all of that.
    """
    assert draft.read is not None
    if draft.scenario is None or not draft.whole:
        return {"address": list(shown), "left_out": words("tryout.left_out.all")}
    text, left_out = what_holds(draft.read, draft.scenario, here, there)
    try:
        return {"address": list(links.of_file(words("author.called"), text.text).address), "left_out": left_out}
    except (LinkError, ScenarioError):
        return {"address": list(shown), "left_out": words("tryout.left_out.all")}


def _scenario(text: str) -> Scenario:
    scenario = draft_of(text).scenario
    assert scenario is not None  # it was shown
    return scenario


def _same_moment(past: Ran, there: Ran, step: Any) -> int:
    """The step that the changed run shows for a step of the run before: the same one if all is the same up to there,
    else the last one of the moment; if nothing happens then, the one before."""
    last = len(there.trace) - 1
    if not isinstance(step, int) or step >= len(past.trace) - 1:
        return last
    same = slice(max(step, 0) + 1)
    if past.trace.steps[same] == there.trace.steps[same]:
        return max(step, 0)
    moment = past.moments[past.trace.steps[max(step, 0)].item]
    return max((each for at, each in there.last_steps.items() if at <= moment), default=0)


def _where_it_fires(there: Ran, question: Mapping[str, Any]) -> int | None:
    """The step at which what was put in fires the ``window`` of the question; None where it names none."""
    if "window" not in question or question["edit"]["kind"] != "insert":
        return None
    return step_of_effect(there.facts, there.trace, question)


def _what(scenario: Scenario, changed: Scenario) -> str:
    """``Bound: 2 s → 2.501 s, one record moved.``"""
    were = {each["name"]: each for each in numbers(scenario)}
    said = [
        words("tryout.number", label=each["label"], before=were[each["name"]]["value"], after=each["value"])
        for each in numbers(changed)
        if each["name"] in were and were[each["name"]]["value"] != each["value"]
    ]
    moved = len(_moved(scenario, changed))
    if moved:
        said.append(words("tryout.moved_one" if moved == 1 else "tryout.moved", count=moved))
    added = len(list(items(changed))) - len(list(items(scenario)))
    if added > 0:
        said.append(words("tryout.added_one" if added == 1 else "tryout.added", count=added))
    return sentenced(words("app.comma").join(said) if said else words("tryout.as_before"))


def _moved(scenario: Scenario, changed: Scenario) -> list[int]:
    """The items of the original whose record is another one now, or comes after one that it was before."""
    ours, theirs = list(items(scenario)), list(items(changed))
    found = {item: was for item, was in partners(scenario, changed).items() if was is not None}
    others = [was for item, was in found.items() if ours[was] != theirs[item]]
    return others or [was for was, following in pairwise(found.values()) if following < was][:1]


def _ghost(here: Ran, there: Ran) -> Row:
    """``records``: [event time, arrival, input] of those moved; ``watermark``: [value, arrival] of each rise; in ms."""
    moved = set(_moved(here.scenario, there.scenario))
    places = {
        row["item"]: [row["at"] if row["ts"] is None else row["ts"], row["arrival"], row["input"]]
        for row in here.facts.tables["records"]
        if row["item"] in moved
    }
    rises = [[row["value"], row["arrival"]] for row in here.facts.tables["watermark"] if row["value"] is not None]
    return {"records": list(places.values()), "watermark": rises}


# Whether what a Why card advises does what it says: found by a run with the items that the advice names.


def fires(question: Mapping[str, Any], source: str) -> dict[str, Any]:
    """The answer to {text, edit, window, effect, step}: {address} of the changed scenario, or {problem}.

    There is an address only if ``effect``, one of ``EFFECTS``, happens to ``window`` (an id of the facts: see
    ``steps_of_effect``) while an item is processed that ``edit``, an insertion, has added. ``text`` is as in
    ``tryout``, ``step`` is the step that is shown.
    """
    try:
        edit = question["edit"]
        effect = question.get("effect", "fires")
        if edit["kind"] != "insert" or effect not in EFFECTS:
            return {"problem": words("share.desk.unknown")}
        before = draft_of(text_before(question, source))
        if before.scenario is None or not is_short(before.scenario):
            return {"problem": words("tryout.too_long", limit=f"{SEARCHED_STEPS:,}")}
        if len(asked_for(before.scenario, edit)) > MOST_AT_ONCE:
            return {"problem": words("tryout.too_many", most=MOST_AT_ONCE)}
        draft, _ = edited(before, edit)
        assert draft.scenario is not None
        if not is_short(draft.scenario):
            return {"problem": words("tryout.too_long", limit=f"{SEARCHED_STEPS:,}")}
        run = run_of(draft.scenario)
        if step_of_effect(run.facts, run.trace, question) is None:
            shown, last = int(question.get("step", len(run.trace))), int(edit["after"])
            steps = steps_of_effect(run.facts, run.trace, question)
            coming = next((step for step in steps if step > shown and run.trace.steps[step].item <= last), None)
            return {"problem": words(f"tryout.{effect}_not" if coming is None else "tryout.anyway", step=coming)}
        return {"address": list(links.of_file(words("author.called"), shown_alone(draft)).address)}
    except (EditRefused, LinkError, ScenarioError) as error:
        return {"problem": str(error)}
    except (AttributeError, LookupError, TypeError, ValueError):  # nothing that the page itself asks
        return {"problem": words("share.desk.unknown")}
