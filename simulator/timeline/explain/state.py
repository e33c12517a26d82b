"""The stories of what is kept: rows of the SQL operators, records that wait or meet, contents, trigger state, timers.

Checkpoints belong to them, since a restore sends records again.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from tidemark.simulator.engine.functions import AGGREGATES
from tidemark.simulator.engine.operators import temporal_join
from tidemark.simulator.engine.operators.group_window_functions import PREVIOUS
from tidemark.simulator.engine.trace.events import (
    BufferAdded,
    BufferRemoved,
    CheckpointTaken,
    DeduplicateEmitted,
    ElementsEvicted,
    FrameCleared,
    FrameMoved,
    GroupFired,
    JoinMatched,
    LeftRowJoined,
    LeftRowUnmatched,
    OverEmitted,
    QueuePopped,
    QueuePushed,
    Restored,
    RowDisplaced,
    RowIgnored,
    RowStored,
    RowsWithdrawn,
    Rule,
    StateAdded,
    StateCleared,
    StateMerged,
    StateUpdated,
    TimerDeleted,
    TimerFired,
    TimerRegistered,
    TraceEvent,
    TriggerEvaluated,
    TriggerStateChanged,
    VersionsRemoved,
    VersionStored,
)
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.triggers.base import TriggerFacts, all_of
from tidemark.simulator.engine.values.items import DELETE, Element
from tidemark.simulator.engine.values.window import Namespace, TimeWindow
from tidemark.simulator.timeline.explain.fields import answer
from tidemark.simulator.timeline.explain.story import (
    Decided,
    Raw,
    Story,
    Tell,
    Teller,
    bounds,
    record,
    value_at,
    window_of_key,
)
from tidemark.simulator.timeline.explain.windows import added_in_slice, flushed_into_slice, of_slice
from tidemark.simulator.timeline.ids import state_id, timer_id, window_id
from tidemark.simulator.timeline.rows import BufferFacts, RowFacts
from tidemark.simulator.timeline.state import CONTENT_STATES, SINGLE_VALUES
from tidemark.simulator.timeline.time import DUE
from tidemark.simulator.timeline.windows import result_of

GIVEN: Final = {"+I": "row_given", "-U": "row_taken_back", "+U": "row_replaced"}


def row_stored(teller: Teller, step: Step, event: RowStored) -> Story:
    """Until the watermark reaches its time; why that long is another matter for each operator."""
    what, why = teller.scenario.operator.row_waits
    fields = {"item": step.item, "record": record(event.key, event.ts, event.value)}
    return Story(what, why, event.rule, fields)


def row_displaced(kept: RowFacts) -> Tell:
    """Which row it was is known to the table of the rows that wait."""

    def tell(teller: Teller, step: Step, event: RowDisplaced) -> Story:
        fields = {"item": kept.gone["item"], "record": record(event.key, event.ts, event.value), "time": event.by}
        return Story("row_displaced", rule=event.rule, fields=fields)

    return tell


def row_ignored(teller: Teller, step: Step, event: RowIgnored) -> Story:
    """The key has a better row, or its only one was given."""
    fields = {"item": step.item, "record": record(event.key, event.ts, event.value)}
    return Story("row_ignored", "first_was_given" if event.rule is None else "", event.rule, fields)


def deduplicate_emitted(kept: RowFacts) -> Tell:
    """A new row, one taken back, or its successor."""

    def tell(teller: Teller, step: Step, event: DeduplicateEmitted) -> Story:
        fields = {"item": kept.given, "record": record(event.key, event.ts, event.value)}
        why = "first_of_its_key" if event.rule is None else ""
        return Story(GIVEN[event.change], why, event.rule, fields)

    return tell


def version_stored(teller: Teller, step: Step, event: VersionStored) -> Story:
    """The beginning of a version, or the end of one."""
    fields: Raw = {"item": step.item, "key": plain(event.key), "ts": event.ts}
    if event.op == DELETE:
        return Story("version_ends", "versions_by_time", fields=fields)
    return Story("version_begins", "versions_by_time", fields=fields | {"value": plain(event.value)})


def versions_removed(teller: Teller, step: Step, event: VersionsRemoved) -> Story:
    """All that a newer one at or before the watermark has made useless."""
    return Story("versions_forgotten", rule=event.rule, fields={"key": plain(event.key), "ts": event.kept})


def left_row_joined(kept: RowFacts) -> Tell:
    """With the version of its time, or with none."""

    def tell(teller: Teller, step: Step, event: LeftRowJoined) -> Story:
        fields: Raw = {"item": kept.given, "key": plain(event.key), "left": _at(event.left)}
        if event.right is not None:
            return Story("left_joined", rule=event.rule, fields=fields | {"right": _at(event.right)})
        why = "no_version" if event.rule is None else ""
        return Story("left_alone", why, event.rule, fields)

    return tell


def left_row_unmatched(kept: RowFacts) -> Tell:
    """An inner join gives nothing then."""

    def tell(teller: Teller, step: Step, event: LeftRowUnmatched) -> Story:
        fields = {"item": kept.given, "key": plain(event.key), "left": _at(event.left)}
        return Story("left_unmatched", "no_version", fields=fields)

    return tell


def frame_moved(teller: Teller, step: Step, event: FrameMoved) -> Story:
    """Rows enter; others may leave."""
    compute = teller.scenario.operator.compute or ""
    fields = {
        "key": plain(event.key),
        "values": [plain(each.value) for each in event.entered],
        "compute": compute,
        "value": plain(AGGREGATES[compute].result(event.after)),
    }
    peers = "peers_together" if len(event.entered) > 1 else ""
    if not event.left:
        return Story("frame_takes", peers, fields=fields)
    why = "frame_by_rows" if event.low is None else "frame_by_range"
    low = {} if event.low is None else {"time": event.low}
    evicted = [plain(each.value) for each in event.left]
    return Story("frame_moves", why, fields=fields | {"evicted": evicted} | low)


def over_emitted(kept: RowFacts) -> Tell:
    """The aggregate, beside the row's own value."""

    def tell(teller: Teller, step: Step, event: OverEmitted) -> Story:
        fields = {
            "item": kept.given,
            "record": record(event.key, event.ts, event.own),
            "compute": teller.scenario.operator.compute,
            "value": plain(event.value),
        }
        return Story("row_gets", rule=event.rule, fields=fields)

    return tell


def frame_cleared(teller: Teller, step: Step, event: FrameCleared) -> Story:
    """Rows that wait may go with it."""
    fields = {"key": plain(event.key), "count": event.waiting}
    return Story("frame_cleared_waiting" if event.waiting else "frame_cleared", rule=event.rule, fields=fields)


def value_updated(event: StateUpdated) -> Story | None:
    """The story of a state with one value; None for any other state."""
    what = SINGLE_VALUES.get(event.state)
    if not what:
        return None
    after: Any = event.after
    if isinstance(after, tuple):
        ts, value, _ = after
        return Story(what, fields={"key": plain(event.key), "value": plain(value), "ts": ts})
    return Story(what, fields={"key": plain(event.key), "time": after})


def _at(element: Element) -> Raw:
    return value_at(element.value, element.timestamp)


def stories(kept: RowFacts) -> dict[type[TraceEvent], Tell]:
    """By event."""
    by_event: dict[type[TraceEvent], Callable[[Teller, Step, Any], Story]] = {
        RowStored: row_stored,
        RowDisplaced: row_displaced(kept),
        RowIgnored: row_ignored,
        DeduplicateEmitted: deduplicate_emitted(kept),
        VersionStored: version_stored,
        VersionsRemoved: versions_removed,
        LeftRowJoined: left_row_joined(kept),
        LeftRowUnmatched: left_row_unmatched(kept),
        FrameMoved: frame_moved,
        OverEmitted: over_emitted(kept),
        FrameCleared: frame_cleared,
    }
    return by_event


def queue_pushed(teller: Teller, step: Step, event: QueuePushed) -> Story:
    """Above the watermark, so that it can still be put in order."""
    fields = {"item": step.item, "record": record(event.key, event.ts, event.value)}
    return Story("queued", rule=event.rule, fields=fields)


def queue_popped(buffers: BufferFacts) -> Tell:
    """Which record left is known to the table of the queue."""

    def tell(teller: Teller, step: Step, event: QueuePopped) -> Story:
        fields = {"item": buffers.popped["item"], "record": record(event.key, event.ts, event.value)}
        return Story("emitted", rule=event.rule, fields=fields)

    return tell


def buffer_added(teller: Teller, step: Step, event: BufferAdded) -> Story:
    """Kept as long as a partner may come."""
    fields = {
        "item": step.item,
        "record": record(event.key, event.ts, event.value),
        "side": event.side,
        "which": event.side,
        "time": event.kept_until,
    }
    return Story("buffered", "kept_for_partners", fields=fields)


def buffer_removed(teller: Teller, step: Step, event: BufferRemoved) -> Story:
    """All records of one time at once."""
    fields = {
        "key": plain(event.key),
        "side": event.side,
        "which": event.side,
        "ts": event.ts,
        "values": [plain(each.value) for each in event.elements],
    }
    return Story("forgotten", "no_partner_can_come", fields=fields)


def join_matched(teller: Teller, step: Step, event: JoinMatched) -> Story:
    """Within the interval, or in the same window."""
    fields = {
        "key": plain(event.key),
        "left": value_at(event.left.value, event.left.timestamp),
        "right": value_at(event.right.value, event.right.timestamp),
        "window": window_of_key(event.key, event.window),
    }
    return Story("matched", "" if event.window is None else "in_one_window", event.rule, fields)


def group_fired(teller: Teller, step: Step, event: GroupFired) -> Story:
    """Both sides, each in order of arrival."""
    fields = {
        "window": window_of_key(event.key, event.window),
        "lefts": plain(event.left),
        "rights": plain(event.right),
    }
    why, decided = teller.decision
    return Story("grouped", why, fields=fields, decided=decided)


def checkpoint_taken(teller: Teller, step: Step, event: CheckpointTaken) -> Story:
    """What is in it, and what is not."""
    fields = {"name": event.name, "entries": event.entries, "timers": event.timers}
    kept = teller.scenario.operator.is_table_function
    return Story("checkpoint", "in_checkpoint_watermark" if kept else "not_in_checkpoint", fields=fields)


def restored(teller: Teller, step: Step, event: Restored) -> Story:
    """Time starts over; the source sends again what came since."""
    kept = teller.scenario.operator.is_table_function
    return Story("restored", "time_goes_on" if kept else "time_starts_anew", fields={"name": event.name})


def rows_withdrawn(teller: Teller, step: Step, event: RowsWithdrawn) -> Story:
    """Exactly once: they did not count yet. Watermarks passed on are not counted: they are no results."""
    count = len(set(event.steps) - teller.forwarded)
    return Story("withdrawn" if count else "withdrawn_nothing", "given_again" if count else "", fields={"count": count})


def waiting_stories(buffers: BufferFacts) -> dict[type[TraceEvent], Tell]:
    """By event."""
    return {
        QueuePushed: queue_pushed,
        QueuePopped: queue_popped(buffers),
        BufferAdded: buffer_added,
        BufferRemoved: buffer_removed,
        JoinMatched: join_matched,
        GroupFired: group_fired,
        CheckpointTaken: checkpoint_taken,
        Restored: restored,
        RowsWithdrawn: rows_withdrawn,
    }


MEMORY = re.compile(r"^trigger-|-\d+$")
"""What a trigger's state is called beyond its kind: ``trigger-count-2`` is a count."""

REMOVED_BY = {"merge": "went_into_another", "cleanup": "cleaned_with_window", "": "purged"}
"""Why contents are removed, by what is going on."""


def state_added(teller: Teller, step: Step, event: StateAdded) -> Story:
    """One value that takes the record in, or a list that keeps it."""
    teller.cause = ""
    return _held(teller, "added", event, event.namespace, {"item": step.item})


def state_merged(teller: Teller, step: Step, event: StateMerged) -> Story:
    """The parts of a merged session have one state now."""
    if event.after is None:
        return Story("joined_nothing", fields={"window": teller.window_of_state(event.key, event.target)})
    return _held(teller, "joined", event, event.target, {})


def _held(teller: Teller, what: str, event: StateAdded | StateMerged, namespace: Namespace, fields: Raw) -> Story:
    """A list says how long it is now, a value what its result would be."""
    operator = teller.scenario.operator
    fields["window"] = teller.window_of_state(event.key, namespace)
    if operator.keeps_lists:
        return Story(f"{what}_to_list", fields=fields | {"entries": len(event.after)})
    fields |= {"compute": operator.compute, "value": plain(result_of(teller.scenario, event.after))}
    if isinstance(event, StateAdded) and operator.buffers_rows:
        story = flushed_into_slice(event)
    elif operator.keeps_slices and isinstance(event, StateAdded):
        story = added_in_slice(teller, event)
    elif operator.keeps_slices:
        story = Story("joined_in_slice_to_value", "slice_first", fields=of_slice(event.key, namespace))
    else:
        story = Story(f"{what}_in_pane_to_value" if operator.keeps_panes else f"{what}_to_value")
    return replace(story, fields=fields | story.fields)


def state_updated(teller: Teller, step: Step, event: StateUpdated) -> Story:
    """A list that is shorter now, the result that was given last, or a value of an SQL operator."""
    single = value_updated(event)
    if single is not None:
        return single
    fields = {"window": teller.window_of_state(event.key, event.namespace)}
    if event.state in CONTENT_STATES:
        return Story("contents_left", fields=fields | {"entries": len(event.after)})
    return Story("result_remembered", "for_retraction", fields=fields | {"value": plain(event.after[0])})


def elements_evicted(teller: Teller, step: Step, event: ElementsEvicted) -> Story:
    """Before or after the function has seen them."""
    fields = {
        "window": window_of_key(event.key, event.window),
        "evictor": event.evictor,
        "evicted": [plain(each.value) for each in event.evicted],
        "remaining": event.remaining,
    }
    why = f"evicted_{event.when}"
    if event.when == "before":
        empty = _missing_side(teller, event, event.evicted)
        if empty and not _missing_side(teller, event):
            why, fields = "evicted_one_side", fields | empty
    return Story("evicted", why, fields=fields)


def state_cleared(teller: Teller, step: Step, event: StateCleared) -> Story:
    """By the cleanup, or because the trigger purges; the timer of a temporal join when it has fired."""
    if event.state == temporal_join.TIMER:
        return Story("key_timer_gone", fields={"key": plain(event.key)})
    fields = {"window": teller.window_of_state(event.key, event.namespace)}
    if isinstance(event.namespace, TimeWindow):
        fields["bounds"] = bounds(event.namespace)
    if event.state not in CONTENT_STATES:
        return Story("result_forgotten", "cleaned_with_window", fields=fields)
    if teller.scenario.operator.keeps_slices:
        return Story("contents_removed_in_slice", "slice_over", fields=of_slice(event.key, event.namespace))
    if teller.scenario.operator.keeps_panes:
        return Story("contents_removed_in_pane", "pane_cleaned", fields=fields)
    return Story("contents_removed", REMOVED_BY[teller.cause], fields=fields)


def trigger_evaluated(teller: Teller, step: Step, event: TriggerEvaluated) -> Story:
    """Remembered: what fires next does so for the same reason."""
    teller.cause = ""
    teller.decision = why, decided = _decision(teller, step, event)
    name = event.result.lower()
    if event.result == "CONTINUE" and event.method != "on_element":
        name = "continue_timer"
    fields = {
        "window": window_of_key(event.key, event.window),
        "trigger": event.trigger,
        "answer": answer(event),
    }
    if event.fires:
        silent, fields["unchanged"] = _why_nothing_comes(teller, event)
        if silent:
            why, decided = silent, None
        elif empty := _missing_side(teller, event):
            name, fields = f"{name}_one_side", fields | empty
    return Story(f"trigger_{name}", why, fields=fields, decided=decided)


def _missing_side(teller: Teller, event: TriggerEvaluated | ElementsEvicted, without: Sequence[Any] = ()) -> Raw:
    """The side that is ``empty`` in a window ``without`` some of its records, and what a join does not give therefore.

    {} where the firing gives something, and where there is one input.
    """
    operator = teller.scenario.operator
    needed = operator.sides_needed
    gone = {id(element) for element in without}
    held = teller.elements(event.key, event.window) if needed else ()
    there = {element.input for element in held if id(element) not in gone}
    empty = next((side for side in needed if side not in there), None)
    if empty is None:
        return {}
    return {"empty": empty, "given": operator.type.replace("-", "_")}


def _why_nothing_comes(teller: Teller, event: TriggerEvaluated) -> tuple[str, Any]:
    """``fire_unchanged`` with the result that was given last, ``fire_empty``, or "" where a firing gives a row."""
    operator = teller.scenario.operator
    row = teller.facts.get(window_id(event.key, event.window))
    if row is None or operator.evictor is not None:
        return "", ""
    if not operator.in_sql:
        return ("" if row["records"] else "fire_empty"), ""
    last = teller.facts.get(state_id(PREVIOUS, event.key, event.window))
    # Doubles that are added up pane by pane may differ in their last digits from the result that the window shows.
    exact = not (operator.keeps_panes and isinstance(row["result"], float))
    same = operator.updates and exact and last is not None and last["value"] == [row["result"]]
    return ("fire_unchanged", row["result"]) if same else ("", "")


def _decision(teller: Teller, step: Step, event: TriggerEvaluated) -> tuple[str, Decided | None]:
    """The trigger's own rule; without one, or in spite of it, the timer or the mere record makes it fire."""
    fires = event.fires
    if fires and event.method == "on_processing_time":
        return "", teller.timer
    if event.rule is not None and (event.rule.holds or not fires):
        return _before_first_firing(teller, event, event.rule), Decided(event.rule, step.step)
    if not fires:
        trigger = _trigger(teller)
        by_timer = trigger.without_rule_by_timer if event.method != "on_element" else ""
        return by_timer or trigger.without_rule, None
    if event.method != "on_element":
        return "", teller.timer
    return "at_every_record", None


def _before_first_firing(teller: Teller, event: TriggerEvaluated, rule: Rule) -> str:
    """The sentence of a rule that reads differently until the window has fired; "" for the rule's own sentence."""
    triggers = all_of(_trigger(teller))
    first = next((each.first_firing[rule.name] for each in triggers if rule.name in each.first_firing), "")
    row = teller.facts.get(window_id(event.key, event.window))
    if not first or (row is not None and row["firings"]):
        return ""
    return first if rule.holds else f"{first}_fails"


def _trigger(teller: Teller) -> TriggerFacts:
    trigger = teller.scenario.operator.running_trigger
    assert trigger is not None
    return trigger


def trigger_state_changed(teller: Teller, step: Step, event: TriggerStateChanged) -> Story:
    """Set, changed or forgotten."""
    fields = {
        "window": window_of_key(event.key, event.window),
        "state": event.state,
        "memory": MEMORY.sub("", event.state),
        "old": plain(event.before),
        "value": plain(event.after),
    }
    return Story("trigger_forgets" if event.after is None else "trigger_remembers", fields=fields)


def timer_registered(teller: Teller, step: Step, event: TimerRegistered) -> Story:
    """An event-time timer in the past waits for the next watermark all the same."""
    why = f"waits_for_{event.domain}"
    if event.domain == "event" and step.watermark is not None and event.timestamp <= step.watermark:
        row = teller.facts.get(timer_id(event.domain, event.timestamp, event.key, event.namespace))
        why = "due_in_this_advance" if row is not None and row["status"] == DUE else "waits_in_the_past"
    return Story(f"timer_{event.purpose.replace('+', '_')}", why, fields=_timer(teller, event))


def timer_deleted(teller: Teller, step: Step, event: TimerDeleted) -> Story:
    """With the window that it was for, or because the trigger has another plan."""
    why = "" if teller.cause == "" else REMOVED_BY[teller.cause]
    return Story("timer_deleted", why, fields=_timer(teller, event))


def timer_fired(teller: Teller, step: Step, event: TimerFired) -> Story:
    """The rule says which clock reached it."""
    teller.cause = ""
    teller.timer = Decided(event.rule, step.step)
    return Story("timer_fired", rule=event.rule, fields=_timer(teller, event))


def _timer(teller: Teller, event: TimerRegistered | TimerDeleted | TimerFired) -> Raw:
    return {
        "time": event.timestamp,
        "window": window_of_key(event.key, event.namespace),
    }


STATE_STORIES: dict[type[TraceEvent], Tell] = {
    StateAdded: state_added,
    StateUpdated: state_updated,
    StateMerged: state_merged,
    ElementsEvicted: elements_evicted,
    StateCleared: state_cleared,
    TriggerEvaluated: trigger_evaluated,
    TriggerStateChanged: trigger_state_changed,
    TimerRegistered: timer_registered,
    TimerDeleted: timer_deleted,
    TimerFired: timer_fired,
}
