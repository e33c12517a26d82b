"""The stories of what comes in (records, the clock, channels, watermarks) and of windows.

Which windows take a record, which are too late, merges, firings and the end. Those of window table functions and of
Top-N come last: slices that become a window, ranks, the watermark restored.
"""

from typing import Any

from tidemark.simulator.engine.trace.events import (
    BufferFlushed,
    ChannelActive,
    ChannelAdvanced,
    ChannelIdle,
    ClockAdvanced,
    ElementSilentlySkipped,
    FlushWaits,
    IdlenessProbed,
    LateDropped,
    LateForWindow,
    LateSideOutput,
    MaxTimestampRaised,
    OperatorFailed,
    PaneFired,
    RecordArrived,
    RowBuffered,
    RowRanked,
    SlicesMerged,
    SliceStranded,
    StateAdded,
    TraceEvent,
    WatermarkBehindRestored,
    WatermarkCombined,
    WatermarkEmitted,
    WatermarkForwarded,
    WatermarkIgnored,
    WatermarkRestored,
    WindowCleaned,
    WindowRetired,
    WindowsAssigned,
    WindowSkippedLate,
    WindowsMerged,
    WindowTracked,
)
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.values.items import Key
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.engine.values.window import Namespace
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
from tidemark.simulator.timeline.ids import record_id, window_id


def arrived(teller: Teller, step: Step, event: RecordArrived) -> Story:
    """Also forgets what was remembered of the record before. The why is whether it comes in order of its time."""
    teller.late_windows = []
    teller.cause = ""
    fields = {"item": step.item, "record": record(event.key, event.ts, event.value)}
    why = ""
    row = teller.facts.get(record_id(step.item))
    if row is not None and row["out_of_order"]:
        why, fields["newest"] = "out_of_order", row["newest_ts"]
    if not _several(teller):
        return Story("arrived", why, fields=fields)
    return Story("arrived_on", why, fields=fields | {"channel": teller.channel(event.input, event.channel)})


def clock_advanced(teller: Teller, step: Step, event: ClockAdvanced) -> Story:
    """The new time alone; the clock's own moves decide nothing."""
    return Story("clock", fields={"clock": event.after, "old_clock": event.before})


def max_timestamp_raised(teller: Teller, step: Step, event: MaxTimestampRaised) -> Story:
    """The first time of a channel, or a larger one."""
    fields = {"channel": teller.channel(event.input, event.channel), "ts": event.after}
    return Story("first_time" if event.before is None else "largest_time", fields=fields)


def watermark_emitted(teller: Teller, step: Step, event: WatermarkEmitted) -> Story:
    """From a generator, which has a rule; written in the stream; or the end of a channel."""
    fields = {"channel": teller.channel(event.input, event.channel), "watermark": event.ts}
    return Story(f"watermark_{event.source}", rule=event.rule, fields=fields)


def channel_advanced(teller: Teller, step: Step, event: ChannelAdvanced) -> Story:
    """A channel that is not aligned does not count yet."""
    fields = {"channel": teller.channel(event.input, event.channel), "watermark": event.ts}
    if event.ts == MAX:
        return Story("channel_ended", fields=fields)
    why = "not_aligned" if not event.aligned else "lowest_decides" if _several(teller) else "only_channel"
    return Story("channel_advanced", why, fields=fields)


def watermark_ignored(teller: Teller, step: Step, event: WatermarkIgnored) -> Story:
    """On an idle channel, or not above its last one."""
    fields = {"channel": teller.channel(event.input, event.channel), "watermark": event.ts}
    why = "channel_is_idle" if event.reason == "idle" else ""
    return Story("watermark_ignored", why, event.rule, fields)


def watermark_combined(teller: Teller, step: Step, event: WatermarkCombined) -> Story:
    """The why is the promise that a watermark makes, or with several channels the one that holds it."""
    fields = {
        "before": event.before,
        "watermark": event.ts,
        "channel": teller.channel(event.input, event.channel),
    }
    teller.cause = ""
    if event.ts == MAX:
        return Story("watermark_at_end", "all_ended", fields=fields)
    what = "first_watermark" if event.before is None else "watermark_moves"
    return Story(what, "held_by" if _several(teller) else "watermark_promise", fields=fields)


def watermark_forwarded(teller: Teller, step: Step, event: WatermarkForwarded) -> Story:
    """Always after everything that it fired."""
    teller.forwarded.add(step.step)
    what = "end_forwarded" if event.ts == MAX else "watermark_forwarded"
    return Story(what, "forwarded_last", fields={"watermark": event.ts})


def channel_idle(teller: Teller, step: Step, event: ChannelIdle) -> Story:
    """``source``: ``generator`` or ``stream``."""
    fields = {"channel": teller.channel(event.input, event.channel)}
    return Story("channel_idle", f"idle_by_{event.source}", fields=fields)


def channel_active(teller: Teller, step: Step, event: ChannelActive) -> Story:
    """It may have to catch up first."""
    fields = {"channel": teller.channel(event.input, event.channel)}
    return Story("channel_active", "caught_up" if event.aligned else "must_catch_up", fields=fields)


def idleness_probed(teller: Teller, step: Step, event: IdlenessProbed) -> Story:
    """Without a rule the silence is not being measured yet."""
    fields = {"channel": teller.channel(event.input, event.channel)}
    why = "" if event.rule is not None else "silence_begins"
    return Story("probed_idle" if event.idle else "probed_busy", why, event.rule, fields)


def operator_failed(teller: Teller, step: Step, event: OperatorFailed) -> Story:
    """The message is the engine's own."""
    return Story("failed", "failed", fields={"type": event.type, "message": event.message})


def _several(teller: Teller) -> bool:
    """Whether there is more than one channel, over all inputs."""
    return sum(each.channels for each in teller.scenario.inputs) > 1


INPUT_STORIES: dict[type[TraceEvent], Tell] = {
    RecordArrived: arrived,
    ClockAdvanced: clock_advanced,
    MaxTimestampRaised: max_timestamp_raised,
    WatermarkEmitted: watermark_emitted,
    ChannelAdvanced: channel_advanced,
    WatermarkIgnored: watermark_ignored,
    WatermarkCombined: watermark_combined,
    WatermarkForwarded: watermark_forwarded,
    ChannelIdle: channel_idle,
    ChannelActive: channel_active,
    IdlenessProbed: idleness_probed,
    OperatorFailed: operator_failed,
}


def windows_assigned(teller: Teller, step: Step, event: WindowsAssigned) -> Story:
    """The why is the assigner's own rule."""
    teller.assigned = event.windows
    fields: Raw = {"item": step.item, "windows": all_bounds(event.windows), "count": len(event.windows)}
    if not event.windows:
        return Story("assigned_none", "between_windows", fields=fields)
    assigner: Any = teller.scenario.operator.assigner
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
    if teller.scenario.operator.skips_between_windows:
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
    why, decided = ("", teller.timer) if teller.scenario.operator.fires_without_trigger else teller.decision
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
    lateness = teller.scenario.operator.allowed_lateness
    windows = sorted(teller.late_windows)
    fields = {
        "late": all_bounds(windows),
        "lateness": lateness,
    }
    was_there = len(windows) == 1 and teller.facts.get(window_id(key, windows[0])) is not None
    name = "late_cleaned" if was_there else "late_over" if len(windows) == 1 else "late_over_all"
    return (f"{name}_lateness" if lateness else name), fields


WINDOW_STORIES: dict[type[TraceEvent], Tell] = {
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
    fields: Raw = {
        "window": window_of_key(event.key, event.window),
        "rank": event.rank,
        "record": record(event.key, event.ts, event.value),
    }
    return Story("ranked", teller.scenario.operator.row_ranked, fields=fields)


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


SLICE_STORIES: dict[type[TraceEvent], Tell] = {
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
