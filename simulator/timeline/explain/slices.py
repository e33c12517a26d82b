"""The stories of window table functions and of Top-N: slices that become a window, ranks, the watermark restored."""

from typing import Any

from tidemark.simulator.engine.trace.events import (
    BufferFlushed,
    FlushWaits,
    LateForWindow,
    RowBuffered,
    RowRanked,
    SlicesMerged,
    SliceStranded,
    StateAdded,
    TraceEvent,
    WatermarkBehindRestored,
    WatermarkRestored,
)
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.values.key import Key
from tidemark.simulator.engine.values.window import Namespace
from tidemark.simulator.scenario.model import WindowTopN
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


def flushed_into_slice(event: StateAdded) -> Story:
    """A buffered record comes into its slice."""
    return Story("flushed_in_slice_to_value", "flushed_with_buffer", fields=of_slice(event.key, event.namespace))


def row_buffered(teller: Teller, step: Step, event: RowBuffered) -> Story:
    """The record waits for its slice; the windows that are still to come need it."""
    fields = of_slice(event.key, event.namespace) | {"item": step.item}
    fields["windows"] = all_bounds(each for each in teller.assigned if each not in teller.late_windows)
    return Story("row_buffered", "buffered_for", fields=fields)


def buffer_flushed(teller: Teller, step: Step, event: BufferFlushed) -> Story:
    """The buffer is emptied."""
    return Story("buffer_flushed", rule=event.rule, fields={"records": event.rows})


def flush_waits(teller: Teller, step: Step, event: FlushWaits) -> Story:
    """A slice is over, but its rows stay in the buffer."""
    return Story("flush_waits", rule=event.rule, fields={"result": bounds(event.namespace), "until": event.next_flush})


def slice_stranded(teller: Teller, step: Step, event: SliceStranded) -> Story:
    """Rows that came into state too late for a timer."""
    return Story("slice_stranded", rule=event.rule, fields=of_slice(event.key, event.namespace))


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
    RowBuffered: row_buffered,
    BufferFlushed: buffer_flushed,
    FlushWaits: flush_waits,
    SliceStranded: slice_stranded,
    SlicesMerged: slices_merged,
    RowRanked: row_ranked,
    LateForWindow: late_for_window,
    WatermarkRestored: watermark_restored,
    WatermarkBehindRestored: watermark_behind,
}
