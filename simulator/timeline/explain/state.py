"""The stories of what is kept: rows of the SQL operators, records that wait or meet, contents, trigger state, timers.

Checkpoints belong to them, since a restore sends records again.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from tidemark.simulator.engine.functions import AGGREGATES, FIRINGS
from tidemark.simulator.engine.operators import temporal_join
from tidemark.simulator.engine.operators.group_window_functions import PREVIOUS
from tidemark.simulator.engine.trace import events
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.triggers.base import TriggerFacts, all_of
from tidemark.simulator.engine.values.items import DELETE
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.scenario.calc import several_of
from tidemark.simulator.timeline.explain.fields import answer
from tidemark.simulator.timeline.explain.story import Decided, Raw, Stories, Story, Teller, bounds, record
from tidemark.simulator.timeline.explain.windows import SLICE, added_in_slice
from tidemark.simulator.timeline.ids import state_id, timer_id, window_id
from tidemark.simulator.timeline.state import CONTENT_STATES, SINGLE_VALUES
from tidemark.simulator.timeline.time import DUE
from tidemark.simulator.timeline.windows import result_of

GIVEN: Final = {"+I": "row_given", "-U": "row_taken_back", "+U": "row_replaced"}


def row_ignored(teller: Teller, step: Step, event: events.RowIgnored) -> Story:
    """The key has a better row, or its only one was given."""
    return Story("row_ignored", "item record", "first_was_given" if event.rule is None else "")


def deduplicate_emitted(teller: Teller, step: Step, event: events.DeduplicateEmitted) -> Story:
    """A new row, one taken back, or its successor."""
    return Story(GIVEN[event.change], "item=emitted record", "first_of_its_key" if event.rule is None else "")


def version_stored(teller: Teller, step: Step, event: events.VersionStored) -> Story:
    """The beginning of a version, or the end of one."""
    if event.op == DELETE:
        return Story("version_ends", "item key ts", "versions_by_time")
    return Story("version_begins", "item key ts value", "versions_by_time")


def left_row_joined(teller: Teller, step: Step, event: events.LeftRowJoined) -> Story:
    """With the version of its time, or with none."""
    if event.right is not None:
        return Story("left_joined", "item=emitted key left right")
    return Story("left_alone", "item=emitted key left", "no_version" if event.rule is None else "")


def frame_moved(teller: Teller, step: Step, event: events.FrameMoved) -> Story:
    """Rows enter; others may leave."""
    several = several_of(teller.scenario.operator, teller.scenario.inputs)
    function = several[1] if several is not None else AGGREGATES[teller.scenario.operator.compute or ""]
    more = {"value": plain(function.result(event.after))}
    fields = "key values=entered compute"
    if not event.left:
        return Story("frame_takes", fields, "peers_together" if len(event.entered) > 1 else "", more)
    if event.low is None:
        return Story("frame_moves", f"{fields} evicted=left", "frame_by_rows", more)
    return Story("frame_moves", f"{fields} evicted=left time=low", "frame_by_range", more)


def over_emitted(teller: Teller, step: Step, event: events.OverEmitted) -> Story:
    """The aggregate, beside the row's own value."""
    return Story("row_gets", "item=emitted compute value", more={"record": record(event.key, event.ts, event.own)})


def frame_cleared(teller: Teller, step: Step, event: events.FrameCleared) -> Story:
    """Rows that wait may go with it."""
    return Story("frame_cleared_waiting" if event.waiting else "frame_cleared", "key count=waiting")


def group_fired(teller: Teller, step: Step, event: events.GroupFired) -> Story:
    """Both sides, each in order of arrival."""
    why, decided = teller.decision
    return Story("grouped", "window lefts=left rights=right", why, decided=decided)


def checkpoint_taken(teller: Teller, step: Step, event: events.CheckpointTaken) -> Story:
    """What is in it, and what is not."""
    kept = teller.scenario.operator.is_table_function
    return Story("checkpoint", "name entries timers", "in_checkpoint_watermark" if kept else "not_in_checkpoint")


def restored(teller: Teller, step: Step, event: events.Restored) -> Story:
    """Time starts over; the source sends again what came since."""
    kept = teller.scenario.operator.is_table_function
    return Story("restored", "name", "time_goes_on" if kept else "time_starts_anew")


def rows_withdrawn(teller: Teller, step: Step, event: events.RowsWithdrawn) -> Story:
    """Exactly once: they did not count yet. Watermarks passed on are not counted: they are no results."""
    count = len(set(event.steps) - teller.forwarded)
    why = "given_again" if count else ""
    return Story("withdrawn" if count else "withdrawn_nothing", "", why, {"count": count})


MEMORY = re.compile(r"^trigger-|-\d+$")
"""What a trigger's state is called beyond its kind: ``trigger-count-2`` is a count."""

REMOVED_BY = {"merge": "went_into_another", "cleanup": "cleaned_with_window", "": "purged"}
"""Why contents are removed, by what is going on."""


def state_added(teller: Teller, step: Step, event: events.StateAdded) -> Story:
    """One value that takes the record in, or a list that keeps it."""
    teller.cause = ""
    operator = teller.scenario.operator
    if operator.keeps_lists:
        return _held(teller, Story("added_to_list", "window=state_window item"), event)
    if operator.buffers_rows:
        return _held(teller, Story("flushed_in_slice_to_value", f"{SLICE} item", "flushed_with_buffer"), event)
    if operator.keeps_slices:
        story = added_in_slice(teller, step, event)
        return _held(teller, replace(story, fields=f"{story.fields} item"), event)
    return _held(teller, Story(f"added{_in_pane(teller)}_to_value", "window=state_window item"), event)


def state_merged(teller: Teller, step: Step, event: events.StateMerged) -> Story:
    """The parts of a merged session have one state now."""
    operator = teller.scenario.operator
    window: Raw = {"window": teller.window_of_state(event.key, event.target)}
    if event.after is None:
        return Story("joined_nothing", more=window)
    if operator.keeps_lists:
        return _held(teller, Story("joined_to_list", more=window), event)
    if operator.keeps_slices:
        return _held(teller, Story("joined_in_slice_to_value", "window=target key", "slice_first"), event)
    return _held(teller, Story(f"joined{_in_pane(teller)}_to_value", more=window), event)


def _in_pane(teller: Teller) -> str:
    return "_in_pane" if teller.scenario.operator.keeps_panes else ""


def _held(teller: Teller, story: Story, event: events.StateAdded | events.StateMerged) -> Story:
    """A list says how long it is now, a value what its result would be."""
    if teller.scenario.operator.keeps_lists:
        return replace(story, more=story.more | {"entries": len(event.after)})
    value = plain(result_of(teller.scenario, event.after))
    return replace(story, fields=f"{story.fields} compute", more=story.more | {"value": value})


def state_updated(teller: Teller, step: Step, event: events.StateUpdated) -> Story:
    """A list that is shorter now, the result that was given last, or a value of an SQL operator."""
    after: Any = event.after
    if event.state == FIRINGS:
        return Story("firing_counted", "window=namespace", "counted_in_window", {"count": after})
    single = SINGLE_VALUES.get(event.state)
    if single and isinstance(after, tuple):
        return Story(single, "key", more={"value": plain(after[1]), "ts": after[0]})
    if single:
        return Story(single, "key time=after")
    if event.state in CONTENT_STATES:
        return Story("contents_left", "window=state_window", more={"entries": len(after)})
    return Story("result_remembered", "window=state_window", "for_retraction", {"value": plain(after[0])})


def elements_evicted(teller: Teller, step: Step, event: events.ElementsEvicted) -> Story:
    """Before or after the function has seen them."""
    fields = "window evictor evicted remaining"
    if event.when == "before":
        empty = _missing_side(teller, event, event.evicted)
        if empty and not _missing_side(teller, event):
            return Story("evicted", fields, "evicted_one_side", empty)
    return Story("evicted", fields, f"evicted_{event.when}")


def state_cleared(teller: Teller, step: Step, event: events.StateCleared) -> Story:
    """By the cleanup, or because the trigger purges; the timer of a temporal join when it has fired."""
    operator = teller.scenario.operator
    if event.rule is not None:
        return Story("row_expired", "key")
    if event.state == temporal_join.TIMER:
        return Story("key_timer_gone", "key")
    if event.state in CONTENT_STATES and operator.keeps_slices:
        return Story("contents_removed_in_slice", SLICE, "slice_over")
    more = {"bounds": bounds(event.namespace)} if isinstance(event.namespace, TimeWindow) else {}
    if event.state == FIRINGS:
        return Story("count_cleared", "window=namespace", "cleared_by_function")
    if event.state not in CONTENT_STATES:
        return Story("result_forgotten", "window=state_window", "cleaned_with_window", more)
    if operator.keeps_panes:
        return Story("contents_removed_in_pane", "window=state_window", "pane_cleaned", more)
    return Story("contents_removed", "window=state_window", REMOVED_BY[teller.cause], more)


def trigger_evaluated(teller: Teller, step: Step, event: events.TriggerEvaluated) -> Story:
    """Remembered: what fires next does so for the same reason."""
    teller.cause = ""
    teller.decision = why, decided = _decision(teller, step, event)
    name = event.result.lower()
    if event.result == "CONTINUE" and event.method != "on_element":
        name = "continue_timer"
    more = {"answer": answer(event)}
    if event.fires:
        silent, more["unchanged"] = _why_nothing_comes(teller, event)
        if silent:
            why, decided = silent, None
        elif empty := _missing_side(teller, event):
            name, more = f"{name}_one_side", more | empty
    return Story(f"trigger_{name}", "window trigger", why, more, decided)


def _missing_side(
    teller: Teller, event: events.TriggerEvaluated | events.ElementsEvicted, without: Sequence[Any] = ()
) -> Raw:
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


def _why_nothing_comes(teller: Teller, event: events.TriggerEvaluated) -> tuple[str, Any]:
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


def _decision(teller: Teller, step: Step, event: events.TriggerEvaluated) -> tuple[str, Decided | None]:
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


def _before_first_firing(teller: Teller, event: events.TriggerEvaluated, rule: events.Rule) -> str:
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


def trigger_state_changed(teller: Teller, step: Step, event: events.TriggerStateChanged) -> Story:
    """Set, changed or forgotten."""
    what = "trigger_forgets" if event.after is None else "trigger_remembers"
    return Story(what, "window state old=before value=after", more={"memory": MEMORY.sub("", event.state)})


TIMER: Final = "time=timestamp window=namespace"


def timer_registered(teller: Teller, step: Step, event: events.TimerRegistered) -> Story:
    """An event-time timer in the past waits for the next watermark all the same."""
    why = f"waits_for_{event.domain}"
    if event.domain == "event" and step.watermark is not None and event.timestamp <= step.watermark:
        row = teller.facts.get(timer_id(event.domain, event.timestamp, event.key, event.namespace))
        why = "due_in_this_advance" if row is not None and row["status"] == DUE else "waits_in_the_past"
    return Story(f"timer_{event.purpose.replace('+', '_')}", TIMER, why)


def timer_deleted(teller: Teller, step: Step, event: events.TimerDeleted) -> Story:
    """With the window that it was for, or because the trigger has another plan."""
    return Story("timer_deleted", TIMER, "" if teller.cause == "" else REMOVED_BY[teller.cause])


def timer_fired(teller: Teller, step: Step, event: events.TimerFired) -> Story:
    """The rule says which clock reached it."""
    teller.cause = ""
    teller.timer = Decided(event.rule, step.step)
    return Story("timer_fired", TIMER)


STORIES: Stories = {
    events.RowStored: lambda teller, step, event: Story(
        teller.scenario.operator.row_waits[0], "item record", teller.scenario.operator.row_waits[1]
    ),
    events.RowDisplaced: Story("row_displaced", "item=displaced record time=by"),
    events.RowIgnored: row_ignored,
    events.DeduplicateEmitted: deduplicate_emitted,
    events.VersionStored: version_stored,
    events.VersionsRemoved: Story("versions_forgotten", "key ts=kept"),
    events.LeftRowJoined: left_row_joined,
    events.LeftRowUnmatched: Story("left_unmatched", "item=emitted key left", "no_version"),
    events.FrameMoved: frame_moved,
    events.OverEmitted: over_emitted,
    events.FrameCleared: frame_cleared,
    events.QueuePushed: Story("queued", "item record"),
    events.QueuePopped: Story("emitted", "item=popped record"),
    events.BufferAdded: Story("buffered", "item record side which=side time=kept_until", "kept_for_partners"),
    events.BufferRemoved: Story("forgotten", "key side which=side ts values=elements", "no_partner_can_come"),
    events.JoinMatched: lambda teller, step, event: Story(
        "matched", "key left right window", "" if event.window is None else "in_one_window"
    ),
    events.GroupFired: group_fired,
    events.CheckpointTaken: checkpoint_taken,
    events.Restored: restored,
    events.RowsWithdrawn: rows_withdrawn,
    events.StateAdded: state_added,
    events.StateUpdated: state_updated,
    events.StateMerged: state_merged,
    events.ElementsEvicted: elements_evicted,
    events.StateCleared: state_cleared,
    events.TriggerEvaluated: trigger_evaluated,
    events.TriggerStateChanged: trigger_state_changed,
    events.TimerRegistered: timer_registered,
    events.TimerDeleted: timer_deleted,
    events.TimerFired: timer_fired,
}
