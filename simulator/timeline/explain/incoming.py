"""The stories of what comes in: records, the clock, channels and watermarks."""

from tidemark.simulator.engine.trace.events import (
    ChannelActive,
    ChannelAdvanced,
    ChannelIdle,
    ClockAdvanced,
    IdlenessProbed,
    MaxTimestampRaised,
    OperatorFailed,
    RecordArrived,
    TraceEvent,
    WatermarkCombined,
    WatermarkEmitted,
    WatermarkForwarded,
    WatermarkIgnored,
)
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.timeline.explain.story import Story, Tell, Teller, record
from tidemark.simulator.timeline.ids import record_id


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


STORIES: dict[type[TraceEvent], Tell] = {
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
