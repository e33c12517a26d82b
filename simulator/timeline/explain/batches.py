"""The stories of micro-batches: what waits, what a batch does with it, and what its end does to the watermark."""

from collections.abc import Mapping
from typing import Any, Final

from tidemark.simulator.engine.trace.events import (
    BatchEnded,
    BatchStarted,
    InputWatermarkMoved,
    JoinMatched,
    JoinRowEvicted,
    JoinRowStored,
    MaxTimestampRaised,
    OperatorFailed,
    PaneEmitted,
    PartialUpdated,
    RecordArrived,
    RecordFiltered,
    RowsWithdrawn,
    SessionsMerged,
    StateCleared,
    StateEvicted,
    StateUpdated,
    TraceEvent,
    WatermarkKept,
    WatermarkMoved,
    WindowsAssigned,
)
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.explain.story import (
    Raw,
    Story,
    Tell,
    Teller,
    all_bounds,
    bounds,
    record,
    value_at,
    window_of_key,
)
from tidemark.simulator.timeline.explain.windows import operator_failed
from tidemark.simulator.timeline.windows import shown_result

BEGINS: Final = {"records": "batch_begins", "empty": "batch_begins_empty", "watermark": "batch_begins_without_data"}


def waits(teller: Teller, step: Step, event: RecordArrived) -> Story:
    """Nothing is done with it before its batch."""
    fields = {"item": step.item, "record": record(event.key, event.ts, event.value)}
    if len(teller.scenario.inputs) == 1:
        return Story("batch_waits", "batch_not_before", fields=fields)
    fields["channel"] = teller.channel(event.input, 0)
    return Story("batch_waits_on", "batch_not_before", fields=fields)


def batch_started(teller: Teller, step: Step, event: BatchStarted) -> Story:
    """The why gives the watermarks, as far as the batch heeds them."""
    fields = {
        "batch": event.batch,
        "records": event.records,
        "watermark": step.watermark or 0,
        "late_watermark": event.late_watermark,
    }
    why = "batch_may_close" if event.reason == "watermark" else _heeded(teller.scenario)
    return Story(BEGINS[event.reason], why, fields=fields)


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


def largest(teller: Teller, step: Step, event: MaxTimestampRaised) -> Story:
    """Before any filter."""
    fields = {"channel": teller.channel(event.input, 0), "ts": event.after}
    return Story("batch_largest", "batch_largest_counts", fields=fields)


def windows_assigned(teller: Teller, step: Step, event: WindowsAssigned) -> Story:
    """The why is the window expression."""
    assigner = teller.scenario.operator.assigner
    assert assigner is not None
    fields: Raw = {
        "item": step.item,
        "windows": all_bounds(event.windows),
    }
    for name in ("size", "slide", "gap"):
        if hasattr(assigner, name):
            fields[name] = getattr(assigner, name)
    return Story("batch_assigned", f"batch_by_{assigner.type}", fields=fields)


def record_filtered(teller: Teller, step: Step, event: RecordFiltered) -> Story:
    """Out of a window, or in a join out of the batch."""
    fields = {"item": step.item, "record": record(event.key, event.ts, event.value)}
    if event.window is None:
        return Story("batch_filtered_join", rule=event.rule, fields=fields)
    fields["window"] = window_of_key(event.key, event.window)
    return Story("batch_filtered", rule=event.rule, fields=fields)


def partial_updated(teller: Teller, step: Step, event: PartialUpdated) -> Story:
    """Not in state yet."""
    return Story("batch_partial", "batch_state_once", fields=_held(teller, event.key, event.window, event.after))


def state_updated(teller: Teller, step: Step, event: StateUpdated) -> Story:
    """Once for each window of the batch."""
    return Story("batch_state", "batch_state_written", fields=_held(teller, event.key, event.namespace, event.after))


def sessions_merged(teller: Teller, step: Step, event: SessionsMerged) -> Story:
    """Those of the state and those of the batch alike."""
    parts = sorted({*event.merged, *event.parts})
    fields = {
        "parts": all_bounds(parts),
        "result": bounds(event.result),
        "key": plain(event.key),
    }
    return Story("batch_sessions", "batch_sessions_touch", fields=fields)


def state_cleared(teller: Teller, step: Step, event: StateCleared) -> Story:
    """It went into a larger session."""
    fields = {"window": window_of_key(event.key, event.namespace)}
    return Story("batch_session_replaced", "batch_sessions_touch", fields=fields)


def pane_emitted(teller: Teller, step: Step, event: PaneEmitted) -> Story:
    """The why is the output mode, in append the end of the window."""
    fields = {"window": window_of_key(event.key, event.window), "value": plain(event.value)}
    if event.rule is not None:
        return Story("batch_emitted", rule=event.rule, fields=fields)
    return Story("batch_emitted", "batch_changed" if event.mode == "update" else "batch_complete", fields=fields)


def state_evicted(teller: Teller, step: Step, event: StateEvicted) -> Story:
    """By this batch's own watermark."""
    fields = {"window": window_of_key(event.key, event.window)}
    return Story("batch_evicted", rule=event.rule, fields=fields)


def join_row_stored(teller: Teller, step: Step, event: JoinRowStored) -> Story:
    """Until a watermark, or for ever."""
    fields = {"item": step.item, "of_side": event.side, "which": event.side}
    if event.kept_until is None:
        return Story("batch_kept", "batch_kept_for_ever", fields=fields)
    fields["until"] = event.kept_until
    return Story("batch_kept", "batch_kept_until", fields=fields)


def join_row_evicted(teller: Teller, step: Step, event: JoinRowEvicted) -> Story:
    """By this batch's own watermark."""
    fields = {
        "record": record(event.key, event.ts, event.value),
        "of_side": event.side,
        "which": event.side,
    }
    return Story("batch_forgotten", rule=event.rule, fields=fields)


def join_matched(teller: Teller, step: Step, event: JoinMatched) -> Story:
    """Within the bounds, where there are any."""
    fields = {
        "left": value_at(event.left.value, event.left.timestamp),
        "right": value_at(event.right.value, event.right.timestamp),
    }
    if event.rule is None:
        return Story("batch_matched", "batch_same_key", fields=fields)
    return Story("batch_matched", rule=event.rule, fields=fields)


def batch_ended(teller: Teller, step: Step, event: BatchEnded) -> Story:
    """With its numbers."""
    fields = {
        "batch": event.batch,
        "read": event.rows_in,
        "results": event.rows_out,
        "state_rows": event.state_rows,
    }
    return Story("batch_ends", fields=fields)


def input_watermark_moved(teller: Teller, step: Step, event: InputWatermarkMoved) -> Story:
    """The rule has the largest time and the delay."""
    fields = {"channel": teller.channel(event.input, 0), "watermark": event.ts}
    return Story("batch_input_watermark", rule=event.rule, fields=fields)


def watermark_moved(teller: Teller, step: Step, event: WatermarkMoved) -> Story:
    """With two inputs the why is the policy."""
    fields: Raw = {"watermark": event.ts, "before": event.before}
    return _by_policy(teller, event, "batch_watermark_moves", "", fields)


def watermark_kept(teller: Teller, step: Step, event: WatermarkKept) -> Story:
    """As ``watermark_moved``."""
    return _by_policy(teller, event, "batch_watermark_stays", "_stays", {"watermark": event.ts})


def rows_withdrawn(teller: Teller, step: Step, event: RowsWithdrawn) -> Story:
    """The batch failed."""
    return Story("batch_withdrawn", "batch_not_committed", fields={"count": len(event.steps)})


def _by_policy(teller: Teller, event: WatermarkMoved | WatermarkKept, what: str, suffix: str, fields: Raw) -> Story:
    if sum(each.delay is not None for each in teller.scenario.inputs) == 1:
        return Story(what, rule=event.rule, fields=fields)
    fields["channel"] = teller.channel(event.input, 0)
    return Story(what, f"batch_policy_{event.policy}{suffix}", fields=fields)


def _held(teller: Teller, key: Any, window: Any, accumulator: Any) -> Raw:
    compute = teller.scenario.operator.compute
    return {
        "window": window_of_key(key, window),
        "compute": compute,
        "value": plain(shown_result(compute, accumulator)),
    }


STORIES: Mapping[type[TraceEvent], Tell] = {
    RecordArrived: waits,
    BatchStarted: batch_started,
    MaxTimestampRaised: largest,
    WindowsAssigned: windows_assigned,
    RecordFiltered: record_filtered,
    PartialUpdated: partial_updated,
    SessionsMerged: sessions_merged,
    StateUpdated: state_updated,
    StateCleared: state_cleared,
    PaneEmitted: pane_emitted,
    StateEvicted: state_evicted,
    JoinRowStored: join_row_stored,
    JoinRowEvicted: join_row_evicted,
    JoinMatched: join_matched,
    BatchEnded: batch_ended,
    InputWatermarkMoved: input_watermark_moved,
    WatermarkMoved: watermark_moved,
    WatermarkKept: watermark_kept,
    RowsWithdrawn: rows_withdrawn,
    OperatorFailed: operator_failed,
}
