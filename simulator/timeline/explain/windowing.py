"""The stories of windows: which take a record, which are too late, merges, firings and the end."""

from typing import Any

from tidemark.simulator.engine.trace.events import (
    ElementSilentlySkipped,
    LateDropped,
    LateSideOutput,
    PaneFired,
    TraceEvent,
    WindowCleaned,
    WindowRetired,
    WindowsAssigned,
    WindowSkippedLate,
    WindowsMerged,
    WindowTracked,
)
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.values.key import Key
from tidemark.simulator.scenario import model
from tidemark.simulator.timeline.explain.story import (
    Raw,
    Story,
    Tell,
    Teller,
    all_bounds,
    bounds,
    record,
    window_of_key,
)
from tidemark.simulator.timeline.ids import window_id
from tidemark.simulator.timeline.operator import has_no_trigger


def windows_assigned(teller: Teller, step: Step, event: WindowsAssigned) -> Story:
    """The why is the assigner's own rule."""
    teller.assigned = event.windows
    fields: Raw = {"item": step.item, "windows": all_bounds(event.windows), "count": len(event.windows)}
    if not event.windows:
        return Story("assigned_none", "between_windows", fields=fields)
    operator = teller.scenario.operator
    assigner: Any = operator.assigner if isinstance(operator, model.Windowed) else None
    for name in ("size", "slide", "max_size", "step", "gap"):
        if hasattr(assigner, name):
            fields[name] = getattr(assigner, name)
    why = f"by_{assigner.type.replace('-', '_')}" if assigner is not None else ""
    return Story("assigned", why, fields=fields)


def window_skipped_late(teller: Teller, step: Step, event: WindowSkippedLate) -> Story:
    """Remembered: why the record is dropped, a step later, goes back to it."""
    if event.window not in teller.late_windows:
        teller.late_windows.append(event.window)
    if event.rule.name == "window-fired":
        fields = {"item": step.item, "window": window_of_key(event.key, event.window)}
        return Story("window_late", rule=event.rule, fields=fields)
    why, fields = _why_late(teller, event.key)
    fields |= {"item": step.item, "window": window_of_key(event.key, event.window)}
    return Story("window_late", why, fields=fields)


def late_dropped(teller: Teller, step: Step, event: LateDropped) -> Story:
    """Too late for all its windows; without windows the rule itself says why."""
    return _late(teller, step, event, "dropped")


def late_side_output(teller: Teller, step: Step, event: LateSideOutput) -> Story:
    """As ``late_dropped``."""
    return _late(teller, step, event, "side_output")


def silently_skipped(teller: Teller, step: Step, event: ElementSilentlySkipped) -> Story:
    """Not late, yet in no window."""
    fields = {"item": step.item, "record": record(event.key, event.ts, event.value)}
    if isinstance(teller.scenario.operator, model.WindowTopN):
        return Story("skipped", "between_windows", fields=fields)
    return Story("skipped", "in_no_window" if event.rule.numbers else "in_no_window_clock", fields=fields)


def window_tracked(teller: Teller, step: Step, event: WindowTracked) -> Story:
    """A session begins."""
    return Story("session_begins", fields={"window": window_of_key(event.key, event.window)})


def windows_merged(teller: Teller, step: Step, event: WindowsMerged) -> Story:
    """One session grows, or several become one."""
    teller.cause = "merge"
    parts = sorted(event.merged)
    fields = {
        "result": bounds(event.result),
        "merged": all_bounds(parts),
        "key": plain(event.key),
    }
    return Story("session_grows" if len(parts) == 1 else "sessions_merge", "sessions_touch", fields=fields)


def window_retired(teller: Teller, step: Step, event: WindowRetired) -> Story:
    """A session is no longer known."""
    return Story("session_ends", fields={"window": window_of_key(event.key, event.window)})


def pane_fired(teller: Teller, step: Step, event: PaneFired) -> Story:
    """The why is that of the trigger, just before."""
    fields = {
        "window": window_of_key(event.key, event.window),
        "value": plain(event.value),
        "pane": event.pane,
    }
    if event.change == "-U":
        return Story("fired_retraction", "for_retraction", fields=fields)
    why, decided = ("", teller.timer) if has_no_trigger(teller.scenario.operator) else teller.decision
    return Story(f"fired_{event.timing.replace('-', '_')}", why, fields=fields, decided=decided)


def window_cleaned(teller: Teller, step: Step, event: WindowCleaned) -> Story:
    """What follows is removed because of it."""
    teller.cause = "cleanup"
    fields = {"window": window_of_key(event.key, event.window)}
    return Story("cleaned", rule=event.rule, fields=fields)


def _late(teller: Teller, step: Step, event: LateDropped | LateSideOutput, what: str) -> Story:
    fields = {"item": step.item, "record": record(event.key, event.ts, event.value)}
    if not teller.late_windows or event.rule.name == "last-window-fired":
        return Story(what, rule=event.rule, fields=fields)
    why, windows = _why_late(teller, event.key)
    return Story(what, why, fields=fields | windows)


def _why_late(teller: Teller, key: Key) -> tuple[str, Raw]:
    """The windows are over, or were even there and cleaned up; with a lateness or without."""
    operator = teller.scenario.operator
    lateness = operator.allowed_lateness if isinstance(operator, model.Windowed) else 0
    windows = sorted(teller.late_windows)
    fields = {
        "late": all_bounds(windows),
        "lateness": lateness,
    }
    was_there = len(windows) == 1 and teller.facts.get(window_id(key, windows[0])) is not None
    name = "late_cleaned" if was_there else "late_over" if len(windows) == 1 else "late_over_all"
    return (f"{name}_lateness" if lateness else name), fields


STORIES: dict[type[TraceEvent], Tell] = {
    WindowsAssigned: windows_assigned,
    WindowSkippedLate: window_skipped_late,
    LateDropped: late_dropped,
    LateSideOutput: late_side_output,
    ElementSilentlySkipped: silently_skipped,
    WindowTracked: window_tracked,
    WindowsMerged: windows_merged,
    WindowRetired: window_retired,
    PaneFired: pane_fired,
    WindowCleaned: window_cleaned,
}
