"""The stories of records that wait or meet: the event sort and the joins; of checkpoints, which send them again."""

from tidemark.simulator.engine.trace.events import (
    BufferAdded,
    BufferRemoved,
    CheckpointTaken,
    GroupFired,
    JoinMatched,
    QueuePopped,
    QueuePushed,
    Restored,
    RowsWithdrawn,
    TraceEvent,
)
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.timeline.buffers import BufferFacts
from tidemark.simulator.timeline.explain.story import Story, Tell, Teller, record, value_at, window_of_key
from tidemark.simulator.timeline.operator import restores_watermark


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
    kept = restores_watermark(teller.scenario.operator)
    return Story("checkpoint", "in_checkpoint_watermark" if kept else "not_in_checkpoint", fields=fields)


def restored(teller: Teller, step: Step, event: Restored) -> Story:
    """Time starts over; the source sends again what came since."""
    kept = restores_watermark(teller.scenario.operator)
    return Story("restored", "time_goes_on" if kept else "time_starts_anew", fields={"name": event.name})


def rows_withdrawn(teller: Teller, step: Step, event: RowsWithdrawn) -> Story:
    """Exactly once: they did not count yet. Watermarks passed on are not counted: they are no results."""
    count = len(set(event.steps) - teller.forwarded)
    return Story("withdrawn" if count else "withdrawn_nothing", "given_again" if count else "", fields={"count": count})


def stories(buffers: BufferFacts) -> dict[type[TraceEvent], Tell]:
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
