"""Where a reader stops: at which steps an arrow key does, level by level, and at which a walkthrough does.

Levels: a novice stops where something happens to a record, a watermark or a result, about three times a record; a
practitioner also at timers, state and merging; a reader of the source at every micro-step. No level loses a sentence:
a step also says what led to it since the reader's last stop, as far as that is needed (``since``). What matters
may depend on what follows within the same stream item, so this is worked out from the finished steps and is no column
of ``schema.py``, whose facts know nothing of later steps.

A walkthrough: each beat with its step and its texts filled in; goals with the numbers that they count.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

from tidemark.simulator.engine.trace.trace import Step, Trace, event_fields
from tidemark.simulator.scenario.format.document import WAYS
from tidemark.simulator.scenario.languages import fill, names
from tidemark.simulator.scenario.model import Beat, Goal, Place, Scenario, Text
from tidemark.simulator.timeline.explain.narrator import LEVELS
from tidemark.simulator.timeline.schema import Level, LevelColumns, Sentence
from tidemark.simulator.words import words
from tidemark.simulator.words.tags import text_for

Row = Mapping[str, Any]

NOVICE: Final = frozenset(
    (
        "added_in_pane_to_value", "added_in_slice_to_value", "added_late_in_slice_to_value", "added_to_list",
        "added_to_value", "arrived", "arrived_on", "buffered", "channel_active", "channel_idle", "checkpoint",
        "dropped", "dropped_from_window", "emitted", "evicted", "failed", "filtered", "fired_early", "fired_late",
        "fired_on_time",
        "fired_retraction", "first_watermark", "grouped", "matched", "queued", "ranked", "restored", "sessions_merge",
        "side_output", "skipped", "slices_merged", "trigger_fire_and_purge_one_side", "trigger_fire_one_side",
        "watermark_at_end", "watermark_behind", "watermark_ignored", "watermark_moves", "watermark_null",
        "watermark_restored",
        "first_row_waits", "frame_cleared", "frame_cleared_waiting", "left_alone", "left_joined", "left_row_waits",
        "left_unmatched", "row_displaced", "row_gets", "row_given", "row_ignored", "row_replaced", "row_taken_back",
        "row_expired", "row_waits", "version_begins", "version_ends", "buffer_flushed", "flush_waits", "row_buffered",
        "slice_stranded",
        "withdrawn", "batch_begins", "batch_begins_empty", "batch_begins_without_data", "batch_emitted", "batch_ends",
        "batch_filtered", "batch_filtered_join", "batch_kept", "batch_matched", "batch_partial", "batch_sessions",
        "batch_waits", "batch_waits_on", "batch_watermark_moves", "batch_withdrawn",
    )
)  # fmt: skip
"""What happens that a novice stops at, as ``story`` names it."""

PRACTITIONER: Final = frozenset(
    (
        "assigned", "assigned_none", "channel_advanced", "channel_ended", "cleaned", "contents_removed",
        "contents_removed_in_pane", "contents_removed_in_slice", "forgotten", "joined_in_slice_to_value",
        "flushed_in_slice_to_value",
        "joined_nothing", "joined_to_list", "joined_to_value", "probed_idle", "session_begins", "session_ends",
        "session_grows", "slices_empty", "timer_cleanup", "timer_deleted", "timer_fire", "timer_fire_cleanup",
        "timer_fired", "timer_sort", "trigger_fire", "trigger_fire_and_purge", "trigger_forgets", "trigger_purge",
        "trigger_remembers", "watermark_end", "watermark_generator", "watermark_stream", "window_late",
        "frame_moves", "frame_takes", "timer_emit", "timer_join", "versions_forgotten",
        "withdrawn_nothing", "firing_counted", "count_cleared",
        "batch_assigned", "batch_evicted", "batch_forgotten", "batch_input_watermark",
        "batch_state", "batch_watermark_stays",
    )
)  # fmt: skip
"""What a practitioner stops at too."""

ADDED: Final = frozenset(
    (
        "added_in_pane_to_value",
        "added_in_slice_to_value",
        "added_late_in_slice_to_value",
        "added_to_list",
        "added_to_value",
        "batch_partial",
        "row_buffered",
    )
)
FIRED: Final = frozenset(
    ("fired_early", "fired_late", "fired_on_time", "grouped", "matched", "ranked", "trigger_fire_one_side")
)
SENT: Final = frozenset(("watermark_generator", "watermark_stream"))
CHANNEL: Final = frozenset(("channel_advanced", "channel_ended"))
OPERATOR: Final = frozenset(("first_watermark", "watermark_moves", "watermark_at_end"))
SESSION: Final = frozenset(("session_begins", "session_grows"))
ASSIGNED: Final = frozenset(("assigned", "batch_assigned"))
OVER: Final = frozenset(("window_late", "batch_filtered"))


def levels_of(steps: Sequence[Row]) -> list[LevelColumns]:
    """The ``level`` and ``since`` of each of ``steps``, all steps of a run in order."""
    found: list[LevelColumns] = []
    for _, group in groupby(steps, key=lambda row: row["item"]):
        rows = list(group)
        stories = [str(row["story"]).partition(".")[2] for row in rows]
        levels = _levels(stories)
        found += [{"level": level, "since": [*_since(rows, stories, place)]} for place, level in enumerate(levels)]
    return found


def shown_at(level: str, columns: LevelColumns) -> bool:
    """Whether readers of ``level`` stop at a step with these ``columns``."""
    return LEVELS.index(columns["level"]) <= LEVELS.index(level)


def _levels(stories: Sequence[str]) -> list[Level]:
    """The levels of the steps of one stream item."""
    levels = [_own_level(story) for story in stories]
    for place, story in enumerate(stories):
        after = range(place + 1, len(stories))
        if story in ADDED:
            # Of a record that goes into several windows, the last one stands for all.
            following = next((stories[each] for each in after if levels[each] == "novice"), "")
            if following in ADDED:
                levels[place] = "practitioner"
        elif story in CHANNEL:
            # The operator's own watermark is the news, unless another channel holds it where it is.
            following = next((stories[each] for each in after if stories[each] in SENT | OPERATOR), "")
            if following not in OPERATOR:
                levels[place] = "novice"
        elif story == "cleaned" and not any(each in FIRED for each in stories[:place]):
            levels[place] = "novice"
    if "novice" not in levels:
        # Every stream item has a stop, such as the clock's for one that only moves the clock.
        last = [place for place, level in enumerate(levels) if level == "practitioner"] or [len(levels) - 1]
        levels[last[-1]] = "novice"
    return levels


def _own_level(story: str) -> Level:
    return "novice" if story in NOVICE else "practitioner" if story in PRACTITIONER else "source"


def _since(rows: Sequence[Row], stories: Sequence[str], place: int) -> Iterator[tuple[int, Sentence]]:
    """The sentences of earlier steps of the item that belong to the step at ``place``, in order."""
    story = stories[place]
    if story in OPERATOR or story in CHANNEL:
        sent = next((each for each in reversed(range(place)) if stories[each] in SENT), None)
        if sent is None or any(each in OPERATOR for each in stories[sent:place]):
            return
        channel = rows[sent]["fields"].get("channel") or {}
        if story in OPERATOR and any(value is not None for value in channel.values()):
            yield rows[sent]["step"], "story"
        if rows[sent]["reason"]:
            yield rows[sent]["step"], "reason"
    elif story in ADDED:
        for each in range(place):
            if stories[each] in OVER:
                yield rows[each]["step"], "story"
            if stories[each] in SESSION:
                yield rows[each]["step"], "story"
            if stories[each] in ASSIGNED:
                if len(rows[each]["fields"].get("windows", ())) > 1:
                    yield rows[each]["step"], "story"
                if rows[each]["reason"]:
                    yield rows[each]["step"], "reason"


TIMES: Final = frozenset(("ts", "timestamp", "start", "end", "at", "watermark", "late_watermark", "kept_until"))
"""Members that are times (ms) in every event."""

TIMES_BEFORE_AND_AFTER: Final = frozenset(
    ("ClockAdvanced", "InputWatermarkMoved", "MaxTimestampRaised", "WatermarkCombined", "WatermarkMoved")
)
"""Events whose ``before`` and ``after`` are times too."""

FormatTime = Callable[[int, bool], str]
"""Writes a time (ms); True for bare, without its unit."""


def milliseconds(ms: int, bare: bool) -> str:
    """A time as it is in the trace; it has no unit in any place."""
    return str(ms)


@dataclass(frozen=True, slots=True)
class ResolvedBeat:
    """One stop of the walkthrough, located in a trace.

    ``kind`` is ``say``, ``ask`` or ``predict``. A ``predict`` comes before ``step``, the others at it. ``answer`` is
    an index into ``choices``; ``replies`` has what is said to each wrong one, None where its author wrote nothing.
    ``text`` is what is said or asked; it is empty for ``predict``. ``beliefs`` names the belief that leads to each
    choice, "" for none, and is empty if none is named; ``way`` is how a class answers a ``predict``.
    """

    number: int
    step: int
    kind: str
    text: str = ""
    choices: tuple[str, ...] = ()
    replies: tuple[str | None, ...] = ()
    answer: int | None = None
    because: str | None = None
    predict: str | None = None
    note: str | None = None
    beliefs: tuple[str, ...] = ()
    way: str = "choose"


@dataclass(frozen=True, slots=True)
class GoalResult:
    """The number of rows or events that a goal counts, and whether that meets the goal."""

    goal: Goal
    found: int
    met: bool


class UnknownNameError(ValueError):
    """A text names a field that the event does not have. ``known``: the fields that it has."""

    def __init__(self, name: str, event: str, known: tuple[str, ...]) -> None:
        super().__init__(name)
        self.name = name
        self.event = event
        self.known = known


@dataclass(slots=True)
class StepIndex:
    """Where in a trace things happen, indexed in one pass."""

    trace: Trace
    by_event: dict[str, list[int]] = field(default_factory=dict)
    first_of_item: dict[int, int] = field(default_factory=dict)
    last_of_item: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for step in self.trace:
            self.by_event.setdefault(type(step.event).__name__, []).append(step.step)
            self.first_of_item.setdefault(step.item, step.step)
            self.last_of_item[step.item] = step.step

    def find(self, place: Place, *, first: bool = False) -> int | None:
        """The step at ``place``, None if the run never gets there. An item has its last step, or its ``first``."""
        if place.event is not None:
            steps = self.by_event.get(place.event, [])
            return steps[place.occurrence - 1] if place.occurrence <= len(steps) else None
        if place.item is not None:
            return (self.first_of_item if first else self.last_of_item).get(place.item)
        assert place.step is not None
        return place.step if place.step < len(self.trace) else None


def resolve_beats(
    scenario: Scenario, trace: Trace, *, format_time: FormatTime = milliseconds, language: str = "en"
) -> list[ResolvedBeat]:
    """The beats that the run reaches, in the order of the file, each with its step and its texts in ``language``.

    Texts that are not there in ``language`` are in the one nearest to it, or in English. Raises ``UnknownNameError``
    for a name that the event at the step does not have; ``problems_of_run`` finds both mistakes with their place.
    """
    index = StepIndex(trace)
    resolved = []
    for number, beat in enumerate(scenario.walkthrough):
        step = index.find(beat.at, first=beat.predict is not None)
        if step is not None:
            resolved.append(_resolved(number, beat, trace.steps[step], format_time, language))
    return resolved


def _resolved(number: int, beat: Beat, step: Step, format_time: FormatTime, language: str) -> ResolvedBeat:
    known = placeholders(step)

    def filled(text: Text | None) -> str | None:
        return (
            None
            if text is None
            else fill(text_for(language, text), lambda name, bare: _shown(known, step, name, bare, format_time))
        )

    kind = "predict" if beat.predict is not None else "ask" if beat.ask is not None else "say"
    return ResolvedBeat(
        number,
        step.step,
        kind,
        filled(beat.ask if beat.say is None else beat.say) or "",
        tuple(filled(choice.text) or "" for choice in beat.choices),
        tuple(filled(choice.reply) for choice in beat.choices),
        beat.answer if isinstance(beat.answer, int) else None,
        filled(beat.because),
        beat.predict,
        filled(beat.note),
        tuple(choice.belief or "" for choice in beat.choices) if any(each.belief for each in beat.choices) else (),
        "choose" if beat.predict is None else str(beat.answer or WAYS[beat.predict][0]),
    )


def placeholders(step: Step) -> dict[str, Any]:
    """What the names in a text stand for at ``step``: the event's members, ``item``, ``at`` and ``watermark``."""
    return {"item": step.item, "at": step.at, "watermark": step.watermark} | event_fields(step.event)


def _shown(known: Mapping[str, Any], step: Step, name: str, bare: bool, format_time: FormatTime) -> str:
    event = type(step.event).__name__
    if name not in known:
        raise UnknownNameError(name, event, tuple(known))
    value = known[name]
    if value is None:
        return words("problems.placeholder_none")
    is_time = name in TIMES or (name in ("before", "after") and event in TIMES_BEFORE_AND_AFTER)
    if is_time and type(value) is int:
        return format_time(value, bare)
    if isinstance(value, dict):
        return " · ".join(f"{name} {_plain(each)}" for name, each in value.items())
    return _plain(value)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def texts_of(beat: Beat) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every text of ``beat`` in every language, with its path below the beat."""
    named: list[tuple[tuple[str | int, ...], Text | None]] = [(("say",), beat.say), (("ask",), beat.ask)]
    for number, choice in enumerate(beat.choices):
        at = ("choices", number)
        # A choice without anything else may be written as its text alone.
        is_text = choice.reply is None and choice.belief is None
        named.append((at if is_text else (*at, "text"), choice.text))
        named.append(((*at, "reply"), choice.reply))
    named += [(("because",), beat.because), (("note",), beat.note)]
    for path, text in named:
        for language, written in (text or {}).items():
            yield (*path, language), written


def unknown_names(text: str, step: Step) -> list[str]:
    """The names in ``text`` that stand for nothing at ``step``, each once."""
    known = placeholders(step)
    return [name for name in dict.fromkeys(names(text)) if name not in known]


def evaluate_goals(scenario: Scenario, rows: Counter[str], events: Counter[str]) -> list[GoalResult]:
    """Each goal with its count, from the numbers of rows by kind and events by type that the run produced."""
    results = []
    for goal in scenario.goals:
        found = found_for(goal, rows, events)
        results.append(GoalResult(goal, found, is_met(goal, found)))
    return results


def found_for(goal: Goal, rows: Counter[str], events: Counter[str]) -> int:
    """The count that ``goal`` is about."""
    return rows[goal.rows] if goal.rows is not None else events[goal.event or ""]


def is_met(goal: Goal, found: int) -> bool:
    """Whether the count ``found`` meets ``goal``."""
    return (
        (goal.count is None or found == goal.count)
        and (goal.at_least is None or found >= goal.at_least)
        and (goal.at_most is None or found <= goal.at_most)
    )
