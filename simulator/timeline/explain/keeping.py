"""The stories of what is kept: contents, trigger state, timers, and the queue of the event sort."""

from typing import Any

from simulator.scenario.model import Window
from simulator.timeline.explain.story import Story, Tell, Teller
from simulator.timeline.ids import state_id, window_id
from simulator.timeline.state import StateFacts
from simulator.trace.events import (
    QueuePopped,
    QueuePushed,
    StateAdded,
    StateCleared,
    StateMerged,
    TimerDeleted,
    TimerFired,
    TimerRegistered,
    TraceEvent,
    TriggerEvaluated,
    TriggerStateChanged,
)
from simulator.trace.trace import Step
from simulator.values.key import Key
from simulator.values.window import Window as Namespace

REMOVED_BY = {"merge": "went_into_another", "cleanup": "cleaned_with_window", "": "purged"}
"""Why contents are removed, by what is going on."""

WITHOUT_RULE = {"NeverTrigger": "never_fires", "CountTrigger": "only_counts"}
"""Why a trigger answers as it does where it looks at no number."""


def state_added(teller: Teller, step: Step, event: StateAdded) -> Story:
    """One value that takes the record in, or a list that keeps it."""
    teller.cause = ""
    return Story(*_held(teller, "added", event.state, event.key, event.namespace, {"item": step.item}))


def state_merged(teller: Teller, step: Step, event: StateMerged) -> Story:
    """The parts of a merged session have one state now."""
    if event.after is None:
        return Story("joined_nothing", fields={"window": teller.window_of_key(event.key, event.target)})
    return Story(*_held(teller, "joined", event.state, event.key, event.target, {}))


def _held(
    teller: Teller, what: str, state: str, key: Key, namespace: Namespace | None, fields: dict[str, Any]
) -> tuple[str, str, None, dict[str, Any]]:
    """The story's parts: a list tells how long it is now, a value what it is."""
    entry = teller.facts.get(state_id(state, key, namespace))
    assert entry is not None
    fields["window"] = teller.window_of_key(key, namespace)
    operator = teller.scenario.operator
    if entry["value"] is None or not isinstance(operator, Window):
        return f"{what}_to_list", "", None, fields | {"entries": entry["entries"]}
    window = None if namespace is None else teller.facts.get(window_id(key, namespace))
    value = entry["value"] if window is None or window["status"] == "merged" else window["result"]
    compute = teller.part(f"compute_{operator.function.compute}")
    return f"{what}_to_value", "", None, fields | {"compute": compute, "value": teller.value(value)}


def state_cleared(teller: Teller, step: Step, event: StateCleared) -> Story:
    """By the cleanup, or because the trigger purges."""
    fields = {"window": teller.window_of_key(event.key, event.namespace)}
    return Story("contents_removed", REMOVED_BY[teller.cause], fields=fields)


def trigger_evaluated(teller: Teller, step: Step, event: TriggerEvaluated) -> Story:
    """Remembered: what fires next does so by this rule."""
    teller.decision = event.rule
    teller.cause = ""
    name = event.result.lower()
    if event.result == "CONTINUE" and event.method != "on_element":
        name = "continue_timer"
    why = WITHOUT_RULE.get(event.trigger, "") if event.rule is None else ""
    fields = {"window": teller.window_of_key(event.key, event.window)}
    return Story(f"trigger_{name}", why, event.rule, fields)


def trigger_state_changed(teller: Teller, step: Step, event: TriggerStateChanged) -> Story:
    """Set, changed or forgotten."""
    fields = {
        "window": teller.window_of_key(event.key, event.window),
        "state": event.state,
        "value": teller.value(event.after),
    }
    return Story("trigger_forgets" if event.after is None else "trigger_remembers", fields=fields)


def timer_registered(teller: Teller, step: Step, event: TimerRegistered) -> Story:
    """An event-time timer in the past waits for the next watermark all the same."""
    why = f"waits_for_{event.domain}"
    if event.domain == "event" and step.watermark is not None and event.timestamp <= step.watermark:
        why = "waits_in_the_past"
    return Story(f"timer_{event.purpose.replace('+', '_')}", why, fields=_timer(teller, event))


def timer_deleted(teller: Teller, step: Step, event: TimerDeleted) -> Story:
    """With the window that it was for, or because the trigger has another plan."""
    why = "" if teller.cause == "" else REMOVED_BY[teller.cause]
    return Story("timer_deleted", why, fields=_timer(teller, event))


def timer_fired(teller: Teller, step: Step, event: TimerFired) -> Story:
    """The rule says which clock reached it."""
    teller.cause = ""
    return Story("timer_fired", rule=event.rule, fields=_timer(teller, event))


def _timer(teller: Teller, event: TimerRegistered | TimerDeleted | TimerFired) -> dict[str, Any]:
    return {
        "time": teller.times.exact(event.timestamp),
        "window": teller.window_of_key(event.key, event.namespace),
    }


def queue_pushed(teller: Teller, step: Step, event: QueuePushed) -> Story:
    """Above the watermark, so that it can still be put in order."""
    fields = {"item": step.item, "record": teller.record(event.key, event.ts, event.value)}
    return Story("queued", rule=event.rule, fields=fields)


def queue_popped(queue: StateFacts) -> Tell:
    """Which record left is known to the table of the queue."""

    def tell(teller: Teller, step: Step, event: QueuePopped) -> Story:
        fields = {"item": queue.popped["item"], "record": teller.record(event.key, event.ts, event.value)}
        return Story("emitted", rule=event.rule, fields=fields)

    return tell


def stories(queue: StateFacts) -> dict[type[TraceEvent], Tell]:
    """By event."""
    return {
        StateAdded: state_added,
        StateMerged: state_merged,
        StateCleared: state_cleared,
        TriggerEvaluated: trigger_evaluated,
        TriggerStateChanged: trigger_state_changed,
        TimerRegistered: timer_registered,
        TimerDeleted: timer_deleted,
        TimerFired: timer_fired,
        QueuePushed: queue_pushed,
        QueuePopped: queue_popped(queue),
    }
