"""The values beside a line of the code walk, as they are at that step: ``7.999 <= 8.999``, ``dropped 0 → 1``.

Most of them are fields that the sentences of the step have as well. What is counted is known here alone.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from tidemark.simulator.engine.trace import events as e
from tidemark.simulator.engine.trace.events import TraceEvent

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
    "ranked": "record",
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
            case e.QueuePushed() | e.RowStored():
                return self._moved("queued", +1)
            case e.QueuePopped() | e.LeftRowJoined() | e.LeftRowUnmatched() | e.RowDisplaced():
                return self._moved("queued", -1)
            case e.FrameMoved():
                return self._moved("queued", -len(event.entered))
            case e.FrameCleared():
                return self._moved("queued", -event.waiting)
            case e.DeduplicateEmitted() if event.rule is not None and event.change == "+I":
                return self._moved("queued", -1)
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
            case _:
                pass
        return {}

    def _moved(self, name: str, change: int) -> dict[str, Any]:
        was = self._counts[name]
        self._counts[name] += change
        return {"was": was, "now": was + change}
