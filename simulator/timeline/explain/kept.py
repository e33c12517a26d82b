"""The stories of the SQL operators that keep rows: the temporal join, OVER and deduplication.

Then those of records that wait or meet: the event sort and the joins, and of checkpoints, which send them again.
"""

from collections.abc import Callable
from typing import Any, Final

from tidemark.simulator.engine.functions import AGGREGATES
from tidemark.simulator.engine.trace.events import (
    BufferAdded,
    BufferRemoved,
    CheckpointTaken,
    DeduplicateEmitted,
    FrameCleared,
    FrameMoved,
    GroupFired,
    JoinMatched,
    LeftRowJoined,
    LeftRowUnmatched,
    OverEmitted,
    QueuePopped,
    QueuePushed,
    Restored,
    RowDisplaced,
    RowIgnored,
    RowStored,
    RowsWithdrawn,
    StateUpdated,
    TraceEvent,
    VersionsRemoved,
    VersionStored,
)
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.values.items import DELETE
from tidemark.simulator.engine.values.key import Element
from tidemark.simulator.timeline.buffers import BufferFacts
from tidemark.simulator.timeline.explain.story import Raw, Story, Tell, Teller, record, value_at, window_of_key
from tidemark.simulator.timeline.kept_rows import SINGLE_VALUES, KeptRows

GIVEN: Final = {"+I": "row_given", "-U": "row_taken_back", "+U": "row_replaced"}


def row_stored(teller: Teller, step: Step, event: RowStored) -> Story:
    """Until the watermark reaches its time; why that long is another matter for each operator."""
    what, why = teller.scenario.operator.row_waits
    fields = {"item": step.item, "record": record(event.key, event.ts, event.value)}
    return Story(what, why, event.rule, fields)


def row_displaced(kept: KeptRows) -> Tell:
    """Which row it was is known to the table of the rows that wait."""

    def tell(teller: Teller, step: Step, event: RowDisplaced) -> Story:
        fields = {"item": kept.gone["item"], "record": record(event.key, event.ts, event.value), "time": event.by}
        return Story("row_displaced", rule=event.rule, fields=fields)

    return tell


def row_ignored(teller: Teller, step: Step, event: RowIgnored) -> Story:
    """The key has a better row, or its only one was given."""
    fields = {"item": step.item, "record": record(event.key, event.ts, event.value)}
    return Story("row_ignored", "first_was_given" if event.rule is None else "", event.rule, fields)


def deduplicate_emitted(kept: KeptRows) -> Tell:
    """A new row, one taken back, or its successor."""

    def tell(teller: Teller, step: Step, event: DeduplicateEmitted) -> Story:
        fields = {"item": kept.given, "record": record(event.key, event.ts, event.value)}
        why = "first_of_its_key" if event.rule is None else ""
        return Story(GIVEN[event.change], why, event.rule, fields)

    return tell


def version_stored(teller: Teller, step: Step, event: VersionStored) -> Story:
    """The beginning of a version, or the end of one."""
    fields: Raw = {"item": step.item, "key": plain(event.key), "ts": event.ts}
    if event.op == DELETE:
        return Story("version_ends", "versions_by_time", fields=fields)
    return Story("version_begins", "versions_by_time", fields=fields | {"value": plain(event.value)})


def versions_removed(teller: Teller, step: Step, event: VersionsRemoved) -> Story:
    """All that a newer one at or before the watermark has made useless."""
    return Story("versions_forgotten", rule=event.rule, fields={"key": plain(event.key), "ts": event.kept})


def left_row_joined(kept: KeptRows) -> Tell:
    """With the version of its time, or with none."""

    def tell(teller: Teller, step: Step, event: LeftRowJoined) -> Story:
        fields: Raw = {"item": kept.given, "key": plain(event.key), "left": _at(event.left)}
        if event.right is not None:
            return Story("left_joined", rule=event.rule, fields=fields | {"right": _at(event.right)})
        why = "no_version" if event.rule is None else ""
        return Story("left_alone", why, event.rule, fields)

    return tell


def left_row_unmatched(kept: KeptRows) -> Tell:
    """An inner join gives nothing then."""

    def tell(teller: Teller, step: Step, event: LeftRowUnmatched) -> Story:
        fields = {"item": kept.given, "key": plain(event.key), "left": _at(event.left)}
        return Story("left_unmatched", "no_version", fields=fields)

    return tell


def frame_moved(teller: Teller, step: Step, event: FrameMoved) -> Story:
    """Rows enter; others may leave."""
    compute = teller.scenario.operator.compute or ""
    fields = {
        "key": plain(event.key),
        "values": [plain(each.value) for each in event.entered],
        "compute": compute,
        "value": plain(AGGREGATES[compute].result(event.after)),
    }
    peers = "peers_together" if len(event.entered) > 1 else ""
    if not event.left:
        return Story("frame_takes", peers, fields=fields)
    why = "frame_by_rows" if event.low is None else "frame_by_range"
    low = {} if event.low is None else {"time": event.low}
    evicted = [plain(each.value) for each in event.left]
    return Story("frame_moves", why, fields=fields | {"evicted": evicted} | low)


def over_emitted(kept: KeptRows) -> Tell:
    """The aggregate, beside the row's own value."""

    def tell(teller: Teller, step: Step, event: OverEmitted) -> Story:
        fields = {
            "item": kept.given,
            "record": record(event.key, event.ts, event.own),
            "compute": teller.scenario.operator.compute,
            "value": plain(event.value),
        }
        return Story("row_gets", rule=event.rule, fields=fields)

    return tell


def frame_cleared(teller: Teller, step: Step, event: FrameCleared) -> Story:
    """Rows that wait may go with it."""
    fields = {"key": plain(event.key), "count": event.waiting}
    return Story("frame_cleared_waiting" if event.waiting else "frame_cleared", rule=event.rule, fields=fields)


def value_updated(event: StateUpdated) -> Story | None:
    """The story of a state with one value; None for any other state."""
    what = SINGLE_VALUES.get(event.state)
    if not what:
        return None
    after: Any = event.after
    if isinstance(after, tuple):
        ts, value, _ = after
        return Story(what, fields={"key": plain(event.key), "value": plain(value), "ts": ts})
    return Story(what, fields={"key": plain(event.key), "time": after})


def _at(element: Element) -> Raw:
    return value_at(element.value, element.timestamp)


def stories(kept: KeptRows) -> dict[type[TraceEvent], Tell]:
    """By event."""
    by_event: dict[type[TraceEvent], Callable[[Teller, Step, Any], Story]] = {
        RowStored: row_stored,
        RowDisplaced: row_displaced(kept),
        RowIgnored: row_ignored,
        DeduplicateEmitted: deduplicate_emitted(kept),
        VersionStored: version_stored,
        VersionsRemoved: versions_removed,
        LeftRowJoined: left_row_joined(kept),
        LeftRowUnmatched: left_row_unmatched(kept),
        FrameMoved: frame_moved,
        OverEmitted: over_emitted(kept),
        FrameCleared: frame_cleared,
    }
    return by_event


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
    kept = teller.scenario.operator.is_table_function
    return Story("checkpoint", "in_checkpoint_watermark" if kept else "not_in_checkpoint", fields=fields)


def restored(teller: Teller, step: Step, event: Restored) -> Story:
    """Time starts over; the source sends again what came since."""
    kept = teller.scenario.operator.is_table_function
    return Story("restored", "time_goes_on" if kept else "time_starts_anew", fields={"name": event.name})


def rows_withdrawn(teller: Teller, step: Step, event: RowsWithdrawn) -> Story:
    """Exactly once: they did not count yet. Watermarks passed on are not counted: they are no results."""
    count = len(set(event.steps) - teller.forwarded)
    return Story("withdrawn" if count else "withdrawn_nothing", "given_again" if count else "", fields={"count": count})


def waiting_stories(buffers: BufferFacts) -> dict[type[TraceEvent], Tell]:
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
