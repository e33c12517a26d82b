"""The code walk: which listings a scenario goes through, and where in them a micro-step stands.

The listings are those of its operator, its triggers, and the way of its watermarks: short pseudo-code of Flink's
operators in our own words, as files beside this one. A file holds sections, ``[name] Flink's own class and method`` and
under it lines ``id | text``. The id says which micro-step stands there; a line without one only helps to read. They
hold no words: names in them are Flink's terms.

Mostly an event says where it stands; what triggers, merges and cleanups do with timers and state also depends on what
is going on, which ``Going`` remembers. Beside the line stand values as they are at that step (``7.999 <= 8.999``,
``dropped 0 → 1``): mostly fields that the sentences have as well; what is counted is known here alone.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from tidemark.simulator.engine.functions import FIRINGS
from tidemark.simulator.engine.operators import temporal_join
from tidemark.simulator.engine.source import PROCESS_ELEMENT
from tidemark.simulator.engine.trace import events as e
from tidemark.simulator.engine.trace.events import TraceEvent
from tidemark.simulator.engine.triggers.base import ConfiguredTrigger, TriggerFacts
from tidemark.simulator.engine.values.items import Checkpoint, Restore
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.state import CONTENT_STATES, SINGLE_VALUES

_HEAD = re.compile(r"\[([\w.]+)\] (.+)")


@dataclass(frozen=True, slots=True)
class Line:
    """``id`` is "" where no micro-step stands; ``text`` keeps its indentation of two spaces a level."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Method:
    """``flink``: the class and method of Flink that these lines retell, in Java's spelling."""

    flink: str
    lines: tuple[Line, ...]


@cache
def methods() -> dict[str, Method]:
    """All sections of all files by their names; ``ValueError`` for a name that comes twice or a line without a bar."""
    found: dict[str, Method] = {}
    for path in sorted(files(__package__).joinpath("texts").iterdir(), key=lambda each: each.name):
        if path.name.endswith(".code"):
            _read(path.read_text(encoding="utf-8"), path.name, found)
    return found


def _read(text: str, where: str, found: dict[str, Method]) -> None:
    for section in re.split(r"\n(?=\[)", text):
        head, *rest = section.strip().splitlines()
        match = _HEAD.fullmatch(head)
        if match is None:
            continue  # what stands before the first section is a note
        name, flink = match.groups()
        if name in found or not all("|" in line for line in rest):
            message = f"{where}: section {name}"
            raise ValueError(message)
        parts: list[Any] = [line.partition("|") for line in rest]
        found[name] = Method(flink, tuple(Line(id.strip(), text[1:]) for id, _, text in parts))


@dataclass(frozen=True, slots=True)
class Part:
    """A chapter of the walk. ``name``: ``batch``, ``operator``, ``trigger``, ``watermark`` or ``recovery``."""

    name: str
    methods: tuple[Method, ...]


def walk(scenario: Scenario) -> list[Part]:
    """The chapters in reading order; every line id is there once at most within a trigger, and once elsewhere."""
    chapters = _of_batches(scenario) if scenario.engine == "spark" else _chapters(scenario)
    known = methods()
    return [
        Part(name, tuple(known[each] for each in dict.fromkeys(sections)))
        for name, sections in chapters.items()
        if sections
    ]


def _chapters(scenario: Scenario) -> dict[str, list[str]]:
    return {
        "operator": [*(["calc"] if _filters(scenario) else []), *scenario.operator.code_walk()],
        "trigger": [each for name in trigger_names(scenario) for each in _of_trigger(name)],
        "watermark": list(_watermark(scenario)),
        "recovery": _recovery(scenario),
    }


def _filters(scenario: Scenario) -> bool:
    return any(each.where is not None for each in scenario.inputs)


def _of_batches(scenario: Scenario) -> dict[str, list[str]]:
    """Without a watermark nothing is read for one, and nothing is filtered by it."""
    marked = any(each.delay is not None for each in scenario.inputs)
    operator = [each for each in scenario.operator.code_walk() if marked or each != "batch.filter"]
    return {
        "batch": ["batch.trigger"],
        "operator": [*(["batch.read"] if marked else []), *operator],
        "watermark": ["batch.watermark"] if marked else [],
    }


def trigger_names(scenario: Scenario) -> list[str]:
    """The classes of the triggers, the outer one first."""
    operator = scenario.operator
    if operator.trigger is None or not operator.asks_trigger:
        return []
    # As it is written, also a late trigger that the table runtime drops.
    return list(_classes(operator.trigger, is_event_time=operator.time == "event"))


def _classes(trigger: TriggerFacts | ConfiguredTrigger, *, is_event_time: bool) -> Iterator[str]:
    inside: Sequence[TriggerFacts] | Sequence[ConfiguredTrigger]
    if isinstance(trigger, ConfiguredTrigger):
        yield type(trigger.in_time(is_event_time=is_event_time)).__name__
        inside = trigger.written()
    else:
        yield type(trigger).__name__
        inside = trigger.nested()
    for each in inside:
        yield from _classes(each, is_event_time=is_event_time)


def _of_trigger(name: str) -> list[str]:
    return [each for each in (f"{name}.element", f"{name}.timer") if each in methods()]


def _watermark(scenario: Scenario) -> Iterator[str]:
    for spec in (each.watermark for each in scenario.inputs):
        yield from _source(spec)
    yield "source.end"
    yield "input"
    yield "valve.watermark"
    yield "valve.status"
    if scenario.operator.combines_watermarks:
        yield "valve.two_inputs"
        yield "operator.combined"
    else:
        yield "valve.minimum"
    yield from ("operator.watermark", "timers.event", "timers.processing", "clock")


def _source(spec: model.WatermarkSpec) -> Iterator[str]:
    if not spec.makes_watermarks:
        return
    if spec.in_table_runtime:
        yield from ("source.sql", "source.sql_advance")
        if spec.idle_timeout:
            yield "source.sql_idle"
        return
    # What only ascends is bounded by nothing: AscendingTimestampsWatermarks extends the bounded generator.
    own = f"generator.{spec.type}"
    yield from ("source.record", own if own in methods() else "generator.bounded")
    if spec.idle_timeout:
        yield "generator.idleness"
    yield "source.emit"


def _recovery(scenario: Scenario) -> list[str]:
    items = scenario.stream if isinstance(scenario.stream, tuple | list) else ()
    sections = []
    if any(isinstance(item, Checkpoint) for item in items):
        sections.append("checkpoint.snapshot")
    if any(isinstance(item, Restore) for item in items):
        sections.append("checkpoint.restore")
        if scenario.operator.is_table_function:
            sections += ["slice.restore", "slice.watermark"]
        sections.append("checkpoint.abort")
    return [*sections, "task"]


LINES: Final = {"cleanup_planned": "planned"}
"""Lines of states with one value, where they are not called as their sentence is."""
KEY_TIMERS: Final = {"sort": "sort_timer", "join": "join_timer", "emit": "emit_timer"}
"""Where an operator sets a timer of each purpose for a key."""
EMITTED: Final = {"stream": "stream", "end": "end"}
IGNORED: Final = {"idle": "ignored.idle", "not-greater": "ignored.greater"}
CHANGES: Final = {None: "fire", "+I": "fire.insert", "-U": "fire.before", "+U": "fire.after"}


class Going:
    """What is going on: ``phase`` is ``element`` or ``timer``; ``within`` a ``merge``, a ``cleanup``, or "" neither."""

    def __init__(self, scenario: Scenario) -> None:
        self.ids = {line.id for part in walk(scenario) for method in part.methods for line in method.lines}
        self._generators = {each.name: each.watermark.type for each in scenario.inputs}
        self._phase = "element"
        self._within = ""
        self._merged_to: Any = None
        self._left_none = False
        self._late = False
        self._purposes: dict[tuple[Any, ...], str] = {}
        self._own: dict[type[TraceEvent], Callable[[Any], str]] = {
            e.MaxTimestampRaised: lambda event: self._of_generator("largest", event.input),
            e.WatermarkEmitted: lambda event: EMITTED.get(event.source) or self._of_generator("emit", event.input),
            e.IdlenessProbed: lambda event: self._of_generator("probed", event.input),
            e.WatermarkIgnored: lambda event: IGNORED[event.reason],
            e.OperatorFailed: lambda event: "rowtime_null" if event.place == PROCESS_ELEMENT else event.line,
            e.WindowRetired: lambda event: "retire.cleanup" if self._within == "cleanup" else "retire.late",
            e.StateAdded: lambda event: "added.flushed" if "added.flushed" in self.ids else self._added(),
            e.RowBuffered: lambda event: self._added(),
            e.StateMerged: lambda event: "joined" if "joined" in self.ids else "merge.contents",
            e.ElementSilentlySkipped: lambda event: "if.late" if "if.late" in self.ids else "assigned",
            e.PaneFired: lambda event: CHANGES[event.change],
            e.ElementsEvicted: self._evicted,
            e.StateUpdated: self._updated,
            e.StateCleared: self._cleared,
            e.TriggerEvaluated: self._asked,
            e.TriggerStateChanged: self._trigger_state,
            e.TimerRegistered: self._registered,
            e.TimerDeleted: self._deleted,
            e.TimerFired: lambda event: f"timer.{event.domain}",
        }

    def lines(self, event: TraceEvent) -> list[str]:
        """The lines that ``event`` goes through, the one at which it stands last; call it for every step, in order.

        Those before are the conditions that were looked at within the same step. [] where the listing has no line.
        """
        self._notice(event)
        own = self._own.get(type(event))
        names = [*event.conditions, event.line if own is None else own(event)]
        if isinstance(event, e.TriggerEvaluated) and event.rule is not None:
            names.insert(0, f"{self._phase}.{event.rule.name}")
        return [name for name in names if name in self.ids]

    def _of_generator(self, name: str, input: str) -> str:
        """SQL's source has lines of its own, and so has the generator that looks at each record alone."""
        own = f"{name}.{self._generators[input]}"
        return own if own in self.ids else name

    def _notice(self, event: TraceEvent) -> None:
        match event:
            case e.RecordArrived():
                self._phase, self._within, self._late = "element", "", False
            case e.WindowSkippedLate():
                self._late = True
            case e.BufferFlushed():
                self._phase = "flush"
            case e.TimerFired():
                self._phase, self._within = "timer", ""
            case e.WindowsMerged():
                self._within, self._merged_to = "merge", event.result
            case e.WindowCleaned():
                self._within = "cleanup"
            case e.StateAdded() | e.WindowTracked():
                self._within = ""
            case _:
                pass

    def _added(self) -> str:
        return "added.late" if self._late and "added.late" in self.ids else "added"

    def _evicted(self, event: e.ElementsEvicted) -> str:
        self._left_none = event.remaining == 0
        return f"evict.{event.when}"

    def _updated(self, event: e.StateUpdated) -> str:
        if event.state in CONTENT_STATES:
            return "keep_rest"
        if event.state == FIRINGS:
            return "counted"
        line = SINGLE_VALUES.get(event.state) or "remember"
        line = LINES.get(line, line)
        return f"{self._phase}.{line}" if f"{self._phase}.{line}" in self.ids else line

    def _cleared(self, event: e.StateCleared) -> str:
        if event.state == temporal_join.TIMER:
            return "key_timer_gone"
        if event.rule is not None:
            return "expired"
        if event.state == FIRINGS:
            return "count_cleared"
        if event.state not in CONTENT_STATES:
            return "clear.previous"
        if self._within == "cleanup":
            return "clear.contents"
        if self._left_none:
            self._left_none = False
            return "keep_rest"
        return f"purge.{self._phase}"

    def _asked(self, event: e.TriggerEvaluated) -> str:
        self._left_none = False
        if self._within != "cleanup":
            self._within = ""
        return f"ask.{self._phase}"

    def _trigger_state(self, event: e.TriggerStateChanged) -> str:
        if self._within == "merge":
            moved = "merge_partitioned" in event.place or event.window == self._merged_to
            return "merge.trigger" if moved else "merge.clear"
        if self._within == "cleanup":
            return "clear.trigger"
        state = re.sub(r"-\d+$", "", event.state)
        does = "forget" if event.after is None else "keep"
        return self._of_trigger(f"{does}.{state}", f"keep.{state}")

    def _registered(self, event: e.TimerRegistered) -> str:
        self._purposes[event.domain, event.timestamp, event.key, event.namespace] = event.purpose
        if event.purpose in KEY_TIMERS:
            line = KEY_TIMERS[event.purpose]
            return f"{self._phase}.{line}" if f"{self._phase}.{line}" in self.ids else line
        if self._phase == "flush" and "timer.flushed" in self.ids:
            return "timer.flushed"
        if "timer.element" in self.ids:
            return "timer.element" if self._phase == "element" else "timer.next"
        if self._within == "merge":
            return "merge.trigger"
        if event.purpose == "cleanup":
            return "cleanup_timer"
        last = getattr(event.namespace, "max_timestamp", None)
        kinds = ("end", "next") if event.timestamp == last else ("next", "end")
        return self._of_trigger(*(f"{event.domain}.{kind}" for kind in kinds))

    def _deleted(self, event: e.TimerDeleted) -> str:
        purpose = self._purposes.get((event.domain, event.timestamp, event.key, event.namespace))
        if purpose in KEY_TIMERS:
            return "timer_deleted"
        if self._within == "merge":
            return "merge.timer" if purpose == "cleanup" else "merge.clear"
        if self._within == "cleanup":
            return "clear.trigger"
        return self._of_trigger(f"{event.domain}.deleted")

    def _of_trigger(self, *roles: str) -> str:
        """The line of a trigger for one of these roles, in this phase or the other; else where it is asked."""
        phases = (self._phase, "timer" if self._phase == "element" else "element")
        for phase in phases:
            for role in roles:
                if f"{phase}.{role}" in self.ids:
                    return f"{phase}.{role}"
        return f"ask.{self._phase}"


LIVE: Final[Mapping[str, str]] = {
    **dict.fromkeys(("arrived", "arrived_on", "batch_waits", "batch_waits_on"), "record"),
    "clock": "clock",
    **dict.fromkeys(("first_time", "largest_time", "batch_largest"), "ts"),
    **dict.fromkeys(("channel_advanced", "channel_ended", "watermark_forwarded", "end_forwarded"), "watermark"),
    **dict.fromkeys(("channel_idle", "channel_active"), "channel"),
    **dict.fromkeys(("assigned", "batch_assigned"), "windows"),
    "assigned_none": "none",
    **dict.fromkeys(("session_begins", "session_ends", "result_forgotten", "batch_session_replaced"), "bounds"),
    **dict.fromkeys(("contents_removed", "contents_removed_in_pane", "contents_removed_in_slice"), "bounds"),
    **dict.fromkeys(("session_grows", "sessions_merge", "batch_sessions"), "merged"),
    **dict.fromkeys(("dropped", "dropped_from_window"), "dropped"),
    **dict.fromkeys(("ranked", "filtered"), "record"),
    "watermark_null": "outcome",
    "firing_counted": "counted",
    "count_cleared": "bounds",
    "row_expired": "key",
    "side_output": "late",
    **dict.fromkeys(("fired_early", "fired_on_time", "fired_late", "fired_retraction", "batch_emitted"), "value"),
    "result_remembered": "value",
    "evicted": "stay",
    **dict.fromkeys(("added_to_list", "joined_to_list", "contents_left"), "held"),
    **dict.fromkeys(
        ("added_to_value", "added_in_pane_to_value", "added_in_slice_to_value", "added_late_in_slice_to_value"),
        "result",
    ),
    **dict.fromkeys(("batch_partial", "batch_state"), "result"),
    **dict.fromkeys(("joined_to_value", "joined_in_pane_to_value", "joined_in_slice_to_value"), "result"),
    "flushed_in_slice_to_value": "result",
    "row_buffered": "bounds",
    **dict.fromkeys(("trigger_continue", "trigger_continue_timer", "trigger_fire", "trigger_purge"), "answer"),
    **dict.fromkeys(("trigger_fire_and_purge", "trigger_fire_one_side"), "answer"),
    "trigger_fire_and_purge_one_side": "answer",
    **dict.fromkeys(("trigger_remembers", "trigger_forgets"), "remembered"),
    **dict.fromkeys(("timer_fire", "timer_cleanup", "timer_fire_cleanup", "timer_sort", "timer_deleted"), "timer"),
    **dict.fromkeys(("timer_join", "timer_emit"), "timer"),
    **dict.fromkeys(("queued", "emitted"), "queued"),
    **dict.fromkeys(("buffered", "forgotten", "batch_kept", "batch_forgotten"), "side"),
    **dict.fromkeys(("matched", "batch_matched"), "pair"),
    "grouped": "group",
    **dict.fromkeys(("row_waits", "left_row_waits", "first_row_waits"), "queued"),
    **dict.fromkeys(("row_displaced", "row_ignored", "row_given", "row_taken_back", "row_replaced"), "record"),
    **dict.fromkeys(("version_begins", "version_ends", "versions_forgotten"), "ts"),
    "left_joined": "pair",
    **dict.fromkeys(("left_alone", "left_unmatched"), "left_alone"),
    **dict.fromkeys(("frame_moves", "frame_takes", "row_gets"), "result"),
    **dict.fromkeys(("frame_cleared", "frame_cleared_waiting"), "key"),
    **dict.fromkeys(("key_timer", "last_timer", "cleanup_planned"), "time"),
    "key_timer_gone": "key",
    "row_kept": "value",
    "checkpoint": "entries",
    "restored": "name",
    **dict.fromkeys(("withdrawn", "withdrawn_nothing", "batch_withdrawn"), "rows"),
    "failed": "type",
    **dict.fromkeys(("batch_begins", "batch_begins_empty", "batch_begins_without_data"), "batch"),
    "batch_ends": "batch_done",
}
"""By what happens the text in ``code.live`` of the catalogue; beside the other lines stands the step's predicate.

``joined_nothing`` has none: there is no state to show.
"""

SILENT: Final = "joined_nothing"
"""Beside its line stands nothing."""


class Counts:
    """What is counted over a run: timers, dropped and late records, the queue, the two sides of a join."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._saved: dict[str, Counter[str]] = {}

    def fields(self, event: TraceEvent) -> dict[str, Any]:
        """{was, now} where ``event`` changes a number, else {}. Call it for every step, in order."""
        match event:
            case e.LateDropped() | e.LateForWindow():
                return self._moved("dropped", +1)
            case e.LateSideOutput():
                return self._moved("late", +1)
            case e.TimerRegistered():
                return self._moved("timers", +1)
            case e.TimerDeleted() | e.TimerFired():
                return self._moved("timers", -1)
            case e.BufferAdded() | e.JoinRowStored():
                return self._moved(event.side, +1)
            case e.BufferRemoved():
                return self._moved(event.side, -len(event.elements))
            case e.JoinRowEvicted():
                return self._moved(event.side, -1)
            case e.CheckpointTaken():
                self._saved[event.name] = self._counts.copy()
            case e.Restored():
                self._counts = self._saved[event.name].copy()
            case _ if event.queued is not None:
                return self._moved("queued", event.queued)
            case _:
                pass
        return {}

    def _moved(self, name: str, change: int) -> dict[str, Any]:
        was = self._counts[name]
        self._counts[name] += change
        return {"was": was, "now": was + change}
