"""The stories of what comes in (records, the clock, channels, watermarks) and of windows.

Which windows take a record, which are too late, merges, firings and the end. Those of window table functions and of
Top-N come last: slices that become a window, ranks, the watermark restored.
"""

from typing import Any, Final

from tidemark.simulator.engine.trace import events
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.engine.values.errors import LIMIT_EXCEEDED
from tidemark.simulator.engine.values.items import Key
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.timeline.explain.story import Raw, Stories, Story, Teller, all_bounds
from tidemark.simulator.timeline.ids import record_id, window_id


def arrived(teller: Teller, step: Step, event: events.RecordArrived) -> Story:
    """Also forgets what was remembered of the record before. The why is whether it comes in order of its time."""
    teller.late_windows = []
    teller.cause = ""
    what, fields = ("arrived_on", "item record channel") if _several(teller) else ("arrived", "item record")
    row = teller.facts.get(record_id(step.item))
    if row is None or not row["out_of_order"]:
        return Story(what, fields)
    return Story(what, fields, "out_of_order", {"newest": row["newest_ts"]})


def filtered(teller: Teller, step: Step, event: events.RowFiltered) -> Story:
    """The why is the filter's condition; whether the record counts for a watermark as well, its input says."""
    counts = teller.scenario.input(event.input).watermark.makes_watermarks
    why = "filtered" if counts else "filtered_without_generator"
    return Story("filtered", "item record condition outcome", why)


def channel_advanced(teller: Teller, step: Step, event: events.ChannelAdvanced) -> Story:
    """A channel that is not aligned does not count yet."""
    if event.ts == MAX:
        return Story("channel_ended", "channel watermark=ts")
    why = "not_aligned" if not event.aligned else "lowest_decides" if _several(teller) else "only_channel"
    return Story("channel_advanced", "channel watermark=ts", why)


def watermark_combined(teller: Teller, step: Step, event: events.WatermarkCombined) -> Story:
    """The why is the promise that a watermark makes, or with several channels the one that holds it."""
    teller.cause = ""
    fields = "before watermark=ts channel"
    if event.ts == MAX:
        return Story("watermark_at_end", fields, "all_ended")
    what = "first_watermark" if event.before is None else "watermark_moves"
    return Story(what, fields, "held_by" if _several(teller) else "watermark_promise")


def watermark_forwarded(teller: Teller, step: Step, event: events.WatermarkForwarded) -> Story:
    """Always after everything that it fired."""
    teller.forwarded.add(step.step)
    return Story("end_forwarded" if event.ts == MAX else "watermark_forwarded", "watermark=ts", "forwarded_last")


def idleness_probed(teller: Teller, step: Step, event: events.IdlenessProbed) -> Story:
    """Without a rule the silence is not being measured yet."""
    why = "" if event.rule is not None else "silence_begins"
    return Story("probed_idle" if event.idle else "probed_busy", "channel", why)


def _several(teller: Teller) -> bool:
    """Whether there is more than one channel, over all inputs."""
    return sum(each.channels for each in teller.scenario.inputs) > 1


def windows_assigned(teller: Teller, step: Step, event: events.WindowsAssigned) -> Story:
    """The why is the assigner's own rule."""
    teller.assigned = event.windows
    lengths, why = by_assigner(teller)
    if not event.windows:
        return Story("assigned_none", "item windows", "between_windows", {"count": 0})
    return Story("assigned", "item windows", why and f"by_{why}", {"count": len(event.windows), **lengths})


def by_assigner(teller: Teller) -> tuple[Raw, str]:
    """The lengths of the operator's assigner, and its type; "" without one."""
    assigner: Any = teller.scenario.operator.assigner
    names = [name for name in ("size", "slide", "max_size", "step", "gap") if hasattr(assigner, name)]
    return {name: getattr(assigner, name) for name in names}, (assigner and assigner.type.replace("-", "_")) or ""


def window_skipped_late(teller: Teller, step: Step, event: events.WindowSkippedLate) -> Story:
    """Remembered: why the record is dropped, a step later, goes back to it."""
    if event.window not in teller.late_windows:
        teller.late_windows.append(event.window)
    if event.rule.name == "window-fired":
        return Story("window_late", "item window")
    return Story("window_late", "item window lateness", *_why_late(teller, event.key))


def late(what: str) -> Any:
    """Too late for all its windows; without windows the rule itself says why."""

    def tell(teller: Teller, step: Step, event: events.LateDropped | events.LateSideOutput) -> Story:
        if not teller.late_windows or event.rule.name == "last-window-fired":
            return Story(what, "item record")
        return Story(what, "item record lateness", *_why_late(teller, event.key))

    return tell


def _why_late(teller: Teller, key: Key) -> tuple[str, Raw]:
    """The windows are over, or were even there and cleaned up; with a lateness or without."""
    windows = sorted(teller.late_windows)
    was_there = len(windows) == 1 and teller.facts.get(window_id(key, windows[0])) is not None
    name = "late_cleaned" if was_there else "late_over" if len(windows) == 1 else "late_over_all"
    why = f"{name}_lateness" if teller.scenario.operator.allowed_lateness else name
    return why, {"late": all_bounds(windows)}


def silently_skipped(teller: Teller, step: Step, event: events.ElementSilentlySkipped) -> Story:
    """Not late, yet in no window."""
    if teller.scenario.operator.skips_between_windows:
        return Story("skipped", "item record", "between_windows")
    return Story("skipped", "item record", "in_no_window" if event.rule.numbers else "in_no_window_clock")


def windows_merged(teller: Teller, step: Step, event: events.WindowsMerged) -> Story:
    """One session grows, or several become one."""
    teller.cause = "merge"
    what = "session_grows" if len(event.merged) == 1 else "sessions_merge"
    return Story(what, "result key", "sessions_touch", {"merged": all_bounds(sorted(event.merged))})


def pane_fired(teller: Teller, step: Step, event: events.PaneFired) -> Story:
    """The why is that of the trigger, just before."""
    if event.change == "-U":
        return Story("fired_retraction", "window value pane", "for_retraction")
    why, decided = ("", teller.timer) if teller.scenario.operator.fires_without_trigger else teller.decision
    return Story(f"fired_{event.timing.replace('-', '_')}", "window value pane", why, decided=decided)


def window_cleaned(teller: Teller, step: Step, event: events.WindowCleaned) -> Story:
    """What follows is removed because of it."""
    teller.cause = "cleanup"
    return Story("cleaned", "window")


# Slices. A slice that takes a record in is needed by the windows that are still to come.

SLICE: Final = "window=namespace key"


def added_in_slice(teller: Teller, step: Step, event: events.StateAdded) -> Story:
    """The slice takes the record in."""
    teller.cause = ""
    what, why = ("added_late", "slice_late") if teller.late_windows else ("added", "slice_serves")
    return Story(f"{what}_in_slice_to_value", SLICE, why, _still_to_come(teller))


def row_buffered(teller: Teller, step: Step, event: events.RowBuffered) -> Story:
    """The record waits for its slice."""
    return Story("row_buffered", f"{SLICE} item", "buffered_for", _still_to_come(teller))


def _still_to_come(teller: Teller) -> Raw:
    return {"windows": all_bounds(each for each in teller.assigned if each not in teller.late_windows)}


STORIES: Stories = {
    events.RecordArrived: arrived,
    events.RowFiltered: filtered,
    events.ClockAdvanced: Story("clock", "clock=after old_clock=before"),
    events.MaxTimestampRaised: lambda teller, step, event: Story(
        "first_time" if event.before is None else "largest_time", "channel ts=after"
    ),
    events.WatermarkNull: Story("watermark_null", "item channel condition outcome", "watermark_null"),
    events.WatermarkEmitted: lambda teller, step, event: Story(f"watermark_{event.source}", "channel watermark=ts"),
    events.ChannelAdvanced: channel_advanced,
    events.WatermarkIgnored: lambda teller, step, event: Story(
        "watermark_ignored", "channel watermark=ts", "channel_is_idle" if event.reason == "idle" else ""
    ),
    events.WatermarkCombined: watermark_combined,
    events.WatermarkForwarded: watermark_forwarded,
    events.ChannelIdle: lambda teller, step, event: Story("channel_idle", "channel", f"idle_by_{event.source}"),
    events.ChannelActive: lambda teller, step, event: Story(
        "channel_active", "channel", "caught_up" if event.aligned else "must_catch_up"
    ),
    events.IdlenessProbed: idleness_probed,
    events.OperatorFailed: lambda teller, step, event: (
        Story("stopped", "message", "stopped")
        if event.type == LIMIT_EXCEEDED
        else Story("failed", "type", "failed", {"message": event.message.removesuffix(".")})
    ),
    events.WindowsAssigned: windows_assigned,
    events.WindowSkippedLate: window_skipped_late,
    events.LateDropped: late("dropped"),
    events.LateSideOutput: late("side_output"),
    events.ElementSilentlySkipped: silently_skipped,
    events.WindowTracked: Story("session_begins", "window"),
    events.WindowsMerged: windows_merged,
    events.WindowRetired: Story("session_ends", "window"),
    events.PaneFired: pane_fired,
    events.WindowCleaned: window_cleaned,
    events.RowBuffered: row_buffered,
    events.BufferFlushed: Story("buffer_flushed", "records=rows"),
    events.FlushWaits: Story("flush_waits", "result=namespace until=next_flush"),
    events.SliceStranded: Story("slice_stranded", SLICE),
    events.SlicesMerged: lambda teller, step, event: Story(
        "slices_merged" if event.slices else "slices_empty", "window parts=slices"
    ),
    events.RowRanked: lambda teller, step, event: Story(
        "ranked", "window rank record", teller.scenario.operator.row_ranked
    ),
    events.LateForWindow: Story("dropped_from_window", "item window record"),
    events.WatermarkRestored: Story("watermark_restored", "watermark=ts", "watermark_in_checkpoint"),
    events.WatermarkBehindRestored: Story("watermark_behind", "time=ts watermark=kept"),
}
