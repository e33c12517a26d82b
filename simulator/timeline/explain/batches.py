"""The stories of micro-batches: what waits, what a batch does with it, and what its end does to the watermark."""

from collections.abc import Callable
from typing import Any, Final

from tidemark.simulator.engine.trace import events
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.explain.story import Stories, Story, Teller, all_bounds
from tidemark.simulator.timeline.explain.windows import by_assigner
from tidemark.simulator.timeline.windows import shown_result

BEGINS: Final = {"records": "batch_begins", "empty": "batch_begins_empty", "watermark": "batch_begins_without_data"}


def waits(teller: Teller, step: Step, event: events.RecordArrived) -> Story:
    """Nothing is done with it before its batch."""
    if len(teller.scenario.inputs) == 1:
        return Story("batch_waits", "item record", "batch_not_before")
    return Story("batch_waits_on", "item record channel", "batch_not_before")


def batch_started(teller: Teller, step: Step, event: events.BatchStarted) -> Story:
    """The why gives the watermarks, as far as the batch heeds them."""
    why = "batch_may_close" if event.reason == "watermark" else _heeded(teller.scenario)
    return Story(BEGINS[event.reason], "batch records late_watermark", why, {"watermark": step.watermark or 0})


def _heeded(scenario: Scenario) -> str:
    """Which watermarks a batch uses."""
    operator = scenario.operator
    marked = [each.delay is not None for each in scenario.inputs]
    if not any(marked):
        return "batch_without_watermark"
    if operator.is_join:
        return "batch_join_watermarks" if all(marked) and operator.bounds is not None else "batch_join_keeps"
    if operator.output_mode != "complete":
        return "batch_has_two_watermarks"
    return "batch_forgets_nothing" if operator.filters_late else "batch_filters_nothing"


def windows_assigned(teller: Teller, step: Step, event: events.WindowsAssigned) -> Story:
    """The why is the window expression."""
    lengths, assigner = by_assigner(teller)
    return Story("batch_assigned", "item windows", f"batch_by_{assigner}", lengths)


def record_filtered(teller: Teller, step: Step, event: events.RecordFiltered) -> Story:
    """Out of a window, or in a join out of the batch."""
    if event.window is None:
        return Story("batch_filtered_join", "item record")
    return Story("batch_filtered", "item record window")


def sessions_merged(teller: Teller, step: Step, event: events.SessionsMerged) -> Story:
    """Those of the state and those of the batch alike."""
    parts = all_bounds(sorted({*event.merged, *event.parts}))
    return Story("batch_sessions", "result key", "batch_sessions_touch", {"parts": parts})


def pane_emitted(teller: Teller, step: Step, event: events.PaneEmitted) -> Story:
    """The why is the output mode, in append the end of the window."""
    by_mode = "batch_changed" if event.mode == "update" else "batch_complete"
    return Story("batch_emitted", "window value", by_mode if event.rule is None else "")


def join_row_stored(teller: Teller, step: Step, event: events.JoinRowStored) -> Story:
    """Until a watermark, or for ever."""
    if event.kept_until is None:
        return Story("batch_kept", "item of_side=side which=side", "batch_kept_for_ever")
    return Story("batch_kept", "item of_side=side which=side until=kept_until", "batch_kept_until")


def _by_policy(what: str, fields: str, suffix: str) -> Callable[..., Story]:
    """With two inputs the why is the policy."""

    def tell(teller: Teller, step: Step, event: events.WatermarkMoved | events.WatermarkKept) -> Story:
        if sum(each.delay is not None for each in teller.scenario.inputs) == 1:
            return Story(what, fields)
        return Story(what, f"{fields} channel", f"batch_policy_{event.policy}{suffix}")

    return tell


def _held(what: str, window: str, why: str) -> Callable[..., Story]:
    """Once for each window of the batch; before that, it is not in state."""

    def tell(teller: Teller, step: Step, event: Any) -> Story:
        value = plain(shown_result(teller.scenario.operator.compute, event.after))
        return Story(what, f"{window} compute", why, {"value": value})

    return tell


STORIES: Stories = {
    events.RecordArrived: waits,
    events.BatchStarted: batch_started,
    events.MaxTimestampRaised: Story("batch_largest", "channel ts=after", "batch_largest_counts"),
    events.WindowsAssigned: windows_assigned,
    events.RecordFiltered: record_filtered,
    events.PartialUpdated: _held("batch_partial", "window", "batch_state_once"),
    events.SessionsMerged: sessions_merged,
    events.StateUpdated: _held("batch_state", "window=namespace", "batch_state_written"),
    events.StateCleared: Story("batch_session_replaced", "window=namespace", "batch_sessions_touch"),
    events.PaneEmitted: pane_emitted,
    events.StateEvicted: Story("batch_evicted", "window"),
    events.JoinRowStored: join_row_stored,
    events.JoinRowEvicted: Story("batch_forgotten", "record of_side=side which=side"),
    events.JoinMatched: lambda teller, step, event: Story(
        "batch_matched", "left right", "batch_same_key" if event.rule is None else ""
    ),
    events.BatchEnded: Story("batch_ends", "batch read=rows_in results=rows_out state_rows"),
    events.InputWatermarkMoved: Story("batch_input_watermark", "channel watermark=ts"),
    events.WatermarkMoved: _by_policy("batch_watermark_moves", "watermark=ts before", ""),
    events.WatermarkKept: _by_policy("batch_watermark_stays", "watermark=ts", "_stays"),
    events.RowsWithdrawn: lambda teller, step, event: Story(
        "batch_withdrawn", "", "batch_not_committed", {"count": len(event.steps)}
    ),
    events.OperatorFailed: Story("failed", "type message", "failed"),
}
