"""Where in the listings a micro-step stands.

Mostly its event says it; what triggers, merges and cleanups do with timers and state also depends on what is going on:
``Going`` remembers that. The answer is a line id of the scenario's walk.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from tidemark.simulator.engine.operators import temporal_join
from tidemark.simulator.engine.trace import events as e
from tidemark.simulator.engine.trace.events import TraceEvent
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.code.walk import walk
from tidemark.simulator.timeline.kept_rows import SINGLE_VALUES
from tidemark.simulator.timeline.state import CONTENT_STATES

BY_EVENT: Final[Mapping[type[TraceEvent], str]] = {
    e.RecordArrived: "arrived",
    e.ClockAdvanced: "clock",
    e.ChannelAdvanced: "advanced",
    e.WatermarkCombined: "combined",
    e.WatermarkForwarded: "forwarded",
    e.ChannelIdle: "idle",
    e.ChannelActive: "active",
    e.WindowsAssigned: "assigned",
    e.WindowSkippedLate: "window_late",
    e.LateSideOutput: "side",
    e.LateDropped: "drop",
    e.LateForWindow: "drop",
    e.BufferFlushed: "flush",
    e.FlushWaits: "flush.waits",
    e.SliceStranded: "stranded",
    e.SlicesMerged: "slices",
    e.RowRanked: "ranked",
    e.WatermarkRestored: "restored.watermark",
    e.WatermarkBehindRestored: "behind",
    e.WindowTracked: "tracked",
    e.WindowsMerged: "merged",
    e.WindowCleaned: "cleaned",
    e.QueuePushed: "queued",
    e.QueuePopped: "popped",
    e.BufferAdded: "buffered",
    e.BufferRemoved: "forgotten",
    e.JoinMatched: "matched",
    e.GroupFired: "grouped",
    e.RowStored: "stored",
    e.RowDisplaced: "displaced",
    e.RowIgnored: "ignored",
    e.VersionStored: "version",
    e.VersionsRemoved: "versions_removed",
    e.LeftRowJoined: "left_joined",
    e.LeftRowUnmatched: "left_unmatched",
    e.FrameMoved: "frame",
    e.OverEmitted: "over",
    e.FrameCleared: "frame_cleared",
    e.CheckpointTaken: "checkpoint",
    e.Restored: "restored",
    e.RowsWithdrawn: "withdrawn",
    e.OperatorFailed: "failed",
    e.BatchStarted: "batch",
    e.RecordFiltered: "filtered",
    e.PartialUpdated: "partial",
    e.SessionsMerged: "sessions",
    e.PaneEmitted: "emitted",
    e.StateEvicted: "evicted",
    e.JoinRowStored: "stored",
    e.JoinRowEvicted: "forgotten",
    e.BatchEnded: "committed",
    e.InputWatermarkMoved: "input_moved",
    e.WatermarkMoved: "wm_moved",
    e.WatermarkKept: "wm_kept",
}
"""Events that stand at one line whatever goes on."""

CONDITIONS: Final[Mapping[type[TraceEvent], tuple[str, ...]]] = {
    e.LateSideOutput: ("if.late",),
    e.LateDropped: ("if.late", "if.above", "if.accepted"),
    e.LateForWindow: ("window_late",),
    e.RowStored: ("if.accepted", "if.earlier"),
    e.RowDisplaced: ("if.earlier",),
    e.RowIgnored: ("if.given", "if.earlier", "if.newer"),
    e.LeftRowJoined: ("if.version",),
    e.LeftRowUnmatched: ("if.version",),
    e.FrameCleared: ("if.cleanup",),
    e.DeduplicateEmitted: ("if.newer",),
    e.QueuePushed: ("if.above",),
    e.QueuePopped: ("if.reached",),
    e.JoinMatched: ("if.within",),
}
"""The condition that such an event went through just before, in the same step."""

LINES: Final = {"cleanup_planned": "planned"}
"""Lines of states with one value, where they are not called as their sentence is."""
KEY_TIMERS: Final = {"sort": "sort_timer", "join": "join_timer", "emit": "emit_timer"}
"""Where an operator sets a timer of each purpose for a key."""
GIVEN: Final = {"+I": "given", "-U": "taken_back", "+U": "replaced"}
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
            e.WindowRetired: lambda event: "retire.cleanup" if self._within == "cleanup" else "retire.late",
            e.StateAdded: lambda event: "added.flushed" if "added.flushed" in self.ids else self._added(),
            e.RowBuffered: lambda event: self._added(),
            e.StateMerged: lambda event: "joined" if "joined" in self.ids else "merge.contents",
            e.ElementSilentlySkipped: lambda event: "if.late" if "if.late" in self.ids else "assigned",
            e.PaneFired: lambda event: CHANGES[event.change],
            e.ElementsEvicted: self._evicted,
            e.StateUpdated: self._updated,
            e.DeduplicateEmitted: lambda event: GIVEN[event.change],
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
        names = [*CONDITIONS.get(type(event), ()), BY_EVENT.get(type(event), "") if own is None else own(event)]
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
        line = SINGLE_VALUES.get(event.state) or "remember"
        line = LINES.get(line, line)
        return f"{self._phase}.{line}" if f"{self._phase}.{line}" in self.ids else line

    def _cleared(self, event: e.StateCleared) -> str:
        if event.state == temporal_join.TIMER:
            return "key_timer_gone"
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
