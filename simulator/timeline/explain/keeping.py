"""The stories of what is kept: contents, trigger state and timers."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tidemark.simulator.engine.operators import temporal_join
from tidemark.simulator.engine.operators.group_window_functions import PREVIOUS
from tidemark.simulator.engine.trace.events import (
    ElementsEvicted,
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
)
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.triggers.base import TriggerFacts, all_of
from tidemark.simulator.engine.values.window import Namespace, TimeWindow
from tidemark.simulator.timeline.explain.java import answer
from tidemark.simulator.timeline.explain.kept import value_updated
from tidemark.simulator.timeline.explain.story import Decided, Raw, Story, Tell, Teller, bounds, window_of_key
from tidemark.simulator.timeline.explain.windowing import added_in_slice, flushed_into_slice, of_slice
from tidemark.simulator.timeline.ids import state_id, timer_id, window_id
from tidemark.simulator.timeline.state import CONTENT_STATES
from tidemark.simulator.timeline.timers import DUE
from tidemark.simulator.timeline.windows import result_of

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


STORIES: dict[type[TraceEvent], Tell] = {
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
