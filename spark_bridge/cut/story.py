"""The walkthrough of a cut: where the watermark moves, what becomes of the record, and a question before it.

What a cut says of itself, in every language: title, summary, what to look for, what it showed, goals.

Numbers of records are those of the whole stream, from 0. Lengths of time are typed in, times are filled in by the run
itself, so an anonymous cut says nothing of the day.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tidemark.simulator import Trace
from tidemark.simulator.engine.trace.events import LateDropped, PaneFired, TraceEvent
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.scenario.model import Beat, Goal, Place, Scenario, Text
from tidemark.simulator.timeline.wording import duration
from tidemark.simulator.words import LANGUAGES, words
from tidemark.spark_bridge.cut.case import Case
from tidemark.spark_bridge.cut.choosing import Chosen, Written
from tidemark.spark_bridge.cut.rules import Fate, StreamRecord

from tidemark import simulator

Say = Callable[[str], Text]
"""The text of the beat of that name."""

WAITING: Final = ("waits", "silent", "unfinished")
"""The stories in which the window does not fire; the last beat of each has the same name."""


def beats_of(kind: str, case: Case, chosen: Chosen, made: Written, trace: Trace, say: Say) -> list[Beat]:
    """The beats of the story ``kind`` in the order of the run ``trace``, each at a step of its own."""
    found: dict[int, Beat] = {}
    for step, beat in sorted(_beats(kind, case, chosen, made, trace, say), key=lambda each: each[0]):
        found.setdefault(step, beat)
    return list(found.values())


def _beats(kind: str, case: Case, chosen: Chosen, made: Written, trace: Trace, say: Say) -> Iterator[tuple[int, Beat]]:
    steps = list(trace)
    number, last = chosen.records.index(case.in_question), len(chosen.records) - 1
    decider = None if case.decider is None else chosen.records.index(case.decider)

    def at_item(name: str, item: int) -> tuple[int, Beat]:
        return _last(steps, item).step, Beat(Place(item=item), say=say(name))

    def before_item(predict: str, item: int) -> tuple[int, Beat]:
        return next(step.step for step in steps if step.item == item), Beat(Place(item=item), predict=predict)

    if case.fires:
        key, start = made.items[number].key, case.window.start - made.shift
        yield from _at_event(steps, say("fires"), lambda event: _gives(event, key, start))
    if kind in ("dropped", "late"):
        if decider is not None:
            yield at_item("moved", decider)
        yield before_item("fate-of-record", number)
    else:
        yield at_item("in_time", number)
    if kind == "dropped":
        yield from _at_event(steps, say("dropped"), _drops, number)
        if number != last and case.also:
            yield from _at_event(steps, say("also"), _drops, last)
    elif kind == "late":
        yield at_item("late", number)
    elif kind in WAITING:
        yield at_item(kind, last)
    elif decider is not None:
        yield before_item("windows-that-fire", decider)


def _gives(event: TraceEvent, key: object, start: int) -> bool:
    return isinstance(event, PaneFired) and event.key == key and event.window.start == start


def _drops(event: TraceEvent) -> bool:
    return isinstance(event, LateDropped)


def _at_event(
    steps: list[Step], text: Text, wanted: Callable[[TraceEvent], bool], item: int | None = None
) -> Iterator[tuple[int, Beat]]:
    """A beat at the first event that is wanted, of stream item ``item`` if that is given."""
    found = next((each for each in steps if item in (None, each.item) and wanted(each.event)), None)
    if found is not None:
        name = type(found.event).__name__
        occurrence = sum(type(each.event).__name__ == name for each in steps[: found.step + 1])
        yield found.step, Beat(Place(event=name, occurrence=occurrence), say=text)


def _last(steps: list[Step], item: int) -> Step:
    return [step for step in steps if step.item == item][-1]


HEAD: Final = ("title", "summary", "look_for", "takeaway")

OF_A_FINDING: Final = ("title", "summary", "takeaway")

OF_OLD: Final = ("replay", "backfill")
"""Findings whose summary says of two records how far apart they are, and then what becomes of the first old one."""

TEACHES: Final = {
    "dropped": ("late-data", "watermark", "tumbling-window"),
    "late": ("allowed-lateness", "late-data", "watermark"),
    "silent": ("channels", "watermark"),
    "waits": ("channels", "watermark"),
}
"""The tags of a story, where they are not those of a window that fires."""

OF_A_WINDOW: Final = ("watermark", "tumbling-window")


def told(
    scenario: Scenario,
    case: Case,
    chosen: Chosen,
    made: Written,
    numbers: Mapping[StreamRecord, int],
    channels: Sequence[int | str],
) -> Scenario:
    """``scenario``, whose items are those of ``made``, with its story.

    ``numbers``: those in the whole stream. ``channels``: what the stream calls them.
    """
    kind = kind_of(case)
    fields = _fields(case, chosen, made, numbers) | {"channel": _channel(case, chosen, made, channels)}
    head = {name: said(f"story.{kind}.{name}", fields) for name in HEAD}
    if case.code is not None:
        code = case.code.replace("-", "_")
        if code in OF_OLD and case.culprit is None:
            code += "_unseen"
        if code == "future_timestamps" and case.culprit is None:
            code += "_harmless"
        about = {name: said(f"finding.{code}.{name}", fields) for name in OF_A_FINDING}
        if case.code == "bound-too-small" and kind != "dropped":
            del about["takeaway"]  # no bound would keep what is not lost
        if case.culprit is None or case.code in OF_OLD:
            about["summary"] = _joined(about["summary"], head["summary"])
        head |= about
    head["summary"] = _joined(head["summary"], said("left_out", fields))
    if made.anonymous:
        head["summary"] = _joined(head["summary"], said("anonymous", fields))
    rows, trace = simulator.run_traced(scenario)
    counts = {name: sum(row["row"] == name for row in rows) for name in ("dropped", "pane")}
    return replace(
        scenario,
        title=head["title"],
        summary=head["summary"],
        look_for=head["look_for"],
        takeaway=head["takeaway"],
        teaches=TEACHES.get(kind, OF_A_WINDOW),
        level="practitioner",
        minutes=3,
        goals=tuple(Goal(rows=name, count=count) for name, count in counts.items()),
        walkthrough=tuple(beats_of(kind, case, chosen, made, trace, lambda name: said(f"beats.{name}", fields))),
    )


def kind_of(case: Case) -> str:
    """Which story ``case`` is, a name in ``own_cut.story``."""
    if case.fate in (Fate.DROPPED, Fate.LATE):
        return "dropped" if case.fate is Fate.DROPPED else "late"
    if case.fires:
        return "window" if case.record is None else "in_time"
    if len(case.end) < case.rules.channels:
        return "silent"
    return "waits" if case.rules.channels > 1 else "unfinished"


def said(name: str, fields: Mapping[str, Any]) -> Text:
    """The text ``own_cut.<name>`` in every language."""
    return {
        language: words(
            f"own_cut.{name}",
            language=language,
            **{field: each[language] if isinstance(each, dict) else each for field, each in fields.items()},
        )
        for language in LANGUAGES
    }


def _fields(case: Case, chosen: Chosen, made: Written, numbers: Mapping[StreamRecord, int]) -> dict[str, Any]:
    rules, shown, decider = case.rules, case.in_question, case.decider

    def number(record: StreamRecord | None) -> str:
        return "" if record is None else f"{numbers[record]:,}"

    item = made.items[chosen.records.index(shown)]
    beyond = 0 if decider is None else decider.ts - case.window.end + 1
    return {
        "number": number(shown),
        "decider": number(decider),
        "culprit": number(case.culprit),
        "ahead": duration(0 if decider is None else decider.ts - shown.ts),
        "behind": duration(0 if case.culprit is None else abs(case.culprit.ts - shown.ts)),
        "delay": duration(0 if shown.at is None else abs(shown.at - shown.ts)),
        "key": shown_in_message(item.key),
        "lateness": duration(rules.lateness),
        "needed_bound": duration(beyond - rules.lateness),
        "needed_bound_on_time": duration(beyond),
        "needed_lateness": duration(beyond - rules.bound),
        "total": f"{case.inside_total:,}",
        "shown": len(chosen.records),
        "dropped": sum(each in case.also for each in chosen.records) + 1,
    }


def _channel(case: Case, chosen: Chosen, made: Written, channels: Sequence[int | str]) -> Text | str:
    """The channel that decides as the stream calls it, and in the cut, where this is another number."""
    if case.decider is None:
        return ""
    name, here = channels[case.decider.channel], chosen.channels.index(case.decider.channel)
    if name == here or (made.anonymous and isinstance(name, str)):
        return str(here)
    shown = shown_in_message(str(name))
    return {language: words("own_cut.channel", language=language, name=shown, here=here) for language in LANGUAGES}


def _joined(first: Text, second: Text) -> Text:
    """Two texts, one after the other. Chinese has no space between sentences."""
    return {language: f"{first[language]}{'' if language == 'zh' else ' '}{second[language]}" for language in first}
