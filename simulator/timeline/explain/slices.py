"""The stories of window table functions and of Top-N: slices that become a window, ranks, the watermark restored."""

from typing import Any

from simulator.scenario.model import WindowTopN
from simulator.timeline.explain.story import Raw, Story, Tell, Teller, all_bounds, record, window_of_key
from simulator.trace.events import (
    LateForWindow,
    RowRanked,
    SlicesMerged,
    StateAdded,
    TraceEvent,
    WatermarkBehindRestored,
    WatermarkRestored,
)
from simulator.trace.trace import Step, plain
from simulator.values.key import Key
from simulator.values.window import Namespace


def of_slice(key: Key, piece: Namespace) -> Raw:
    """A slice of a key."""
    return {"window": window_of_key(key, piece), "key": plain(key)}


def added_in_slice(teller: Teller, event: StateAdded) -> Story:
    """The slice takes the record in; the windows that are still to come need it."""
    teller.cause = ""
    fields = of_slice(event.key, event.namespace)
    fields["windows"] = all_bounds(each for each in teller.assigned if each not in teller.late_windows)
    what, why = ("added_late", "slice_late") if teller.late_windows else ("added", "slice_serves")
    return Story(f"{what}_in_slice_to_value", why, fields=fields)


def slices_merged(teller: Teller, step: Step, event: SlicesMerged) -> Story:
    """A window is put together, or there is nothing in it."""
    fields = {"window": window_of_key(event.key, event.window), "parts": all_bounds(event.slices)}
    return Story("slices_merged" if event.slices else "slices_empty", rule=event.rule, fields=fields)


def row_ranked(teller: Teller, step: Step, event: RowRanked) -> Story:
    """A row among the first."""
    operator = teller.scenario.operator
    assert isinstance(operator, WindowTopN)
    fields: Raw = {
        "window": window_of_key(event.key, event.window),
        "rank": event.rank,
        "record": record(event.key, event.ts, event.value),
    }
    return Story("ranked", "largest_first" if operator.order == "desc" else "smallest_first", fields=fields)


def late_for_window(teller: Teller, step: Step, event: LateForWindow) -> Story:
    """One window refuses the record, and counts it as dropped."""
    fields: dict[str, Any] = {
        "item": step.item,
        "window": window_of_key(event.key, event.window),
        "record": record(event.key, event.ts, event.value),
    }
    return Story("dropped_from_window", rule=event.rule, fields=fields)


def watermark_restored(teller: Teller, step: Step, event: WatermarkRestored) -> Story:
    """The watermark was in the checkpoint."""
    return Story("watermark_restored", "watermark_in_checkpoint", fields={"watermark": event.ts})


def watermark_behind(teller: Teller, step: Step, event: WatermarkBehindRestored) -> Story:
    """The inputs have not caught up with the restored watermark."""
    fields = {"time": event.ts, "watermark": event.kept}
    return Story("watermark_behind", rule=event.rule, fields=fields)


STORIES: dict[type[TraceEvent], Tell] = {
    SlicesMerged: slices_merged,
    RowRanked: row_ranked,
    LateForWindow: late_for_window,
    WatermarkRestored: watermark_restored,
    WatermarkBehindRestored: watermark_behind,
}
