"""Records that wait or are kept one by one: the tables ``queue``, ``buffers``, ``versions`` and ``frames``.

They wait in an event sort, and in a join of either engine. A row that waits in an SQL operator is the same fact for a
temporal join's left side, an OVER aggregation and a deduplication: it goes when the watermark has reached its time. A
row of a bounded OVER frame moves from ``queue`` to ``frames``, under another id.
"""

from collections import defaultdict
from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any, Final

from tidemark.simulator.engine.operators import over, temporal_join
from tidemark.simulator.engine.operators.event_sort import QUEUE
from tidemark.simulator.engine.operators.interval_join import BUFFERS
from tidemark.simulator.engine.trace import events
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.values.items import DELETE, Key, plain_key
from tidemark.simulator.timeline.facts import Folding, Handlers, Row
from tidemark.simulator.timeline.ids import buffered_id, frame_id, queued_id, state_id, version_id
from tidemark.simulator.timeline.records import RecordFacts
from tidemark.simulator.timeline.state import VALUE_KIND, Entries

QUEUE_KIND: Final = "queue"
BUFFER_KIND: Final = "buffer"

Waiting = tuple[int, int, str]
"""(timestamp, order of arrival, id)."""


class BufferFacts:
    """``popped``: the row that left a queue last. Records with equal timestamps keep their order of arrival."""

    def __init__(self, folding: Folding, records: RecordFacts, entries: Entries) -> None:
        self._facts = folding.facts
        self._entries = entries
        self._records = records
        self._queues: dict[Key, list[Waiting]] = {}
        self._buffers: dict[tuple[str, Key], dict[int, list[str]]] = {}
        self._added = 0
        self.popped: Row = {}

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            events.QueuePushed: self._pushed,
            events.QueuePopped: self._popped,
            events.BufferAdded: self._buffered,
            events.BufferRemoved: self._removed,
        }

    def save(self) -> Any:
        """A copy of the queues and buffers; numbering continues after a restore."""
        queues = {key: list(queue) for key, queue in self._queues.items()}
        buffers = {entry: {ts: list(ids) for ts, ids in buffer.items()} for entry, buffer in self._buffers.items()}
        return queues, buffers

    def restore(self, saved: Any) -> None:
        """Go back to what was saved."""
        self._queues, self._buffers = saved
        self._queues, self._buffers = self.save()

    def _pushed(self, step: Step, event: events.QueuePushed) -> None:
        id = queued_id(event.key, self._added)
        self._put("queue", id, step, event)
        heappush(self._queues.setdefault(event.key, []), (event.ts, self._added, id))
        self._added += 1
        self._count_queue(event.key)
        self._records.accepted(step, late=False)

    def _popped(self, step: Step, event: events.QueuePopped) -> None:
        _, _, id = heappop(self._queues[event.key])
        self.popped = self._facts.get(id) or {}
        self._facts.end(id)
        self._count_queue(event.key)

    def _buffered(self, step: Step, event: events.BufferAdded) -> None:
        id = buffered_id(event.side, event.key, self._added)
        self._put("buffers", id, step, event, side=event.side, kept_until=event.kept_until)
        self._buffers.setdefault((event.side, event.key), {}).setdefault(event.ts, []).append(id)
        self._added += 1
        self._count_buffer(event.side, event.key)
        self._records.accepted(step, late=False)

    def _removed(self, step: Step, event: events.BufferRemoved) -> None:
        for id in self._buffers[event.side, event.key].pop(event.ts):
            self._facts.end(id)
        self._count_buffer(event.side, event.key)

    def _put(
        self,
        table: str,
        id: str,
        step: Step,
        event: events.QueuePushed | events.BufferAdded | events.JoinRowStored,
        **more: Any,
    ) -> None:
        self._facts.put(
            table,
            id,
            key=plain_key(event.key),
            ts=event.ts,
            value=event.value,
            item=step.item,
            order=self._added,
            **more,
        )

    def _count_queue(self, key: Key) -> None:
        """Update the entry in ``state``. An empty queue stays there; an empty buffer does not."""
        self._entries.put(QUEUE, QUEUE_KIND, key, None, None, len(self._queues[key]))

    def _count_buffer(self, side: str, key: Key) -> None:
        self._show_buffer(BUFFERS[side], key, sum(map(len, self._buffers[side, key].values())))

    def _show_buffer(self, state: str, key: Key, entries: int) -> None:
        if entries:
            self._entries.put(state, BUFFER_KIND, key, None, None, entries)
        else:
            self._entries.forget(state_id(state, key, None))


Kept = tuple[str, int, Any]
"""(id, timestamp, value)."""


class JoinFacts(BufferFacts):
    """A join of Spark's: the records of each side and key, in order of arrival; equal ones leave in that order."""

    def __init__(self, folding: Folding, records: RecordFacts, entries: Entries) -> None:
        super().__init__(folding, records, entries)
        self._kept: dict[tuple[str, Key], list[Kept]] = {}

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {events.JoinRowStored: self._stored, events.JoinRowEvicted: self._evicted}

    def _stored(self, step: Step, event: events.JoinRowStored) -> None:
        id = buffered_id(event.side, event.key, self._added)
        self._put("buffers", id, step, event, side=event.side, kept_until=event.kept_until)
        self._added += 1
        self._kept.setdefault((event.side, event.key), []).append((id, event.ts, event.value))
        self._show_buffer(event.side, event.key, len(self._kept[event.side, event.key]))
        over = event.kept_until is not None and step.watermark is not None and event.kept_until <= step.watermark
        self._records.accepted(step, over)

    def _evicted(self, step: Step, event: events.JoinRowEvicted) -> None:
        kept = self._kept[event.side, event.key]
        place = next(number for number, (_, *row) in enumerate(kept) if row == [event.ts, event.value])
        self._facts.end(kept.pop(place)[0])
        self._show_buffer(event.side, event.key, len(self._kept[event.side, event.key]))


ROWS_KIND: Final = "rows"
VERSIONS_KIND: Final = "versions"


class RowFacts:
    """``gone``: the row that left ``queue`` last, {} before the first; ``given``: the item of the row emitted last."""

    def __init__(self, folding: Folding, records: RecordFacts, entries: Entries) -> None:
        operator = folding.scenario.operator
        self._facts = folding.facts
        self._entries = entries
        self._records = records
        self._operator = operator
        self._waiting: defaultdict[Key, list[str]] = defaultdict(list)
        self._framed: defaultdict[Key, list[str]] = defaultdict(list)
        self._versions: defaultdict[Key, dict[int, str]] = defaultdict(dict)
        self._kept: dict[Key, int] = {}
        self._entered: list[int] = []
        self._added = 0
        self.gone: Row = {}
        self.given = 0

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            events.RowStored: self._stored,
            events.RowDisplaced: self._displaced,
            events.RowIgnored: self._ignored,
            events.DeduplicateEmitted: self._deduplicated,
            events.VersionStored: self._version,
            events.VersionsRemoved: self._versions_removed,
            events.LeftRowJoined: self._left_row,
            events.LeftRowUnmatched: self._left_row,
            events.FrameMoved: self._moved,
            events.OverEmitted: self._emitted,
            events.FrameCleared: self._cleared,
        }

    def save(self) -> Any:
        """A copy of what is kept by key; numbering continues after a restore."""
        # Containers alone are copied, never the keys: a boolean key is the one object that stands for it.
        return (
            {key: list(ids) for key, ids in self._waiting.items()},
            {key: list(ids) for key, ids in self._framed.items()},
            {key: dict(versions) for key, versions in self._versions.items()},
            dict(self._kept),
        )

    def restore(self, saved: Any) -> None:
        """Go back to what was saved."""
        waiting, framed, versions, kept = saved
        self._waiting = defaultdict(list, {key: list(ids) for key, ids in waiting.items()})
        self._framed = defaultdict(list, {key: list(ids) for key, ids in framed.items()})
        self._versions = defaultdict(dict, {key: dict(each) for key, each in versions.items()})
        self._kept = dict(kept)

    def _stored(self, step: Step, event: events.RowStored) -> None:
        id = queued_id(event.key, self._added)
        self._put("queue", id, event.key, event.ts, event.value, step.item)
        self._waiting[event.key].append(id)
        accepted = self._operator.accepts_at_watermark or step.watermark is None or event.ts > step.watermark
        self._records.accepted(step, late=not accepted)
        self._count(event.key)

    def _put(self, table: str, id: str, key: Key, ts: int, value: Any, item: int, **more: Any) -> None:
        columns = {"order": self._added, **more}
        self._facts.put(table, id, key=plain_key(key), ts=ts, value=value, item=item, **columns)
        self._added += 1

    def _leave(self, key: Key, ts: int) -> Row:
        """The row of this time that came first goes."""
        id = next(each for each in self._waiting[key] if self._facts.row(each)["ts"] == ts)
        self._waiting[key].remove(id)
        self.gone = self._facts.row(id)
        self._facts.end(id)
        return self.gone

    def _displaced(self, step: Step, event: events.RowDisplaced) -> None:
        self._leave(event.key, event.ts)

    def _ignored(self, step: Step, event: events.RowIgnored) -> None:
        self._records.accepted(step, late=False)  # it came in time, and is a duplicate

    def _deduplicated(self, step: Step, event: events.DeduplicateEmitted) -> None:
        if not self._operator.emits_at_once:
            self.given = self._leave(event.key, event.ts)["item"]
        elif event.change == "-U":
            self.given = self._kept[event.key]
        else:
            self.given = self._kept[event.key] = step.item
            self._records.accepted(step, late=False)

    def _version(self, step: Step, event: events.VersionStored) -> None:
        versions = self._versions[event.key]
        if event.ts in versions:
            self._facts.end(versions.pop(event.ts))
        value = None if event.op == DELETE else event.value
        id = versions[event.ts] = version_id(event.key, self._added)
        self._put("versions", id, event.key, event.ts, value, step.item, op=event.op, until=None)
        self._bound(versions)
        self._records.accepted(step, late=False)
        self._count_versions(event.key)

    def _bound(self, versions: dict[int, str]) -> None:
        """Each version is valid until the next one begins."""
        starts = sorted(versions)
        for start, until in zip(starts, [*starts[1:], None], strict=True):
            if self._facts.row(versions[start])["until"] != until:
                self._facts.change("versions", versions[start], until=until)

    def _versions_removed(self, step: Step, event: events.VersionsRemoved) -> None:
        for start in event.starts:
            self._facts.end(self._versions[event.key].pop(start))
        self._count_versions(event.key)

    def _left_row(self, step: Step, event: events.LeftRowJoined | events.LeftRowUnmatched) -> None:
        assert event.left.timestamp is not None
        self.given = self._leave(event.key, event.left.timestamp)["item"]
        self._count(event.key)

    def _moved(self, step: Step, event: events.FrameMoved) -> None:
        for _ in event.left:
            self._facts.end(self._framed[event.key].pop(0))
        self._entered = []
        for each in event.entered:
            assert each.timestamp is not None
            row = self._leave(event.key, each.timestamp)
            self._entered.append(row["item"])
            if self._operator.keeps_frames:
                id = frame_id(event.key, row["order"])
                columns = {name: row[name] for name in ("key", "ts", "value", "item", "order")}
                self._facts.put("frames", id, **columns)
                self._framed[event.key].append(id)
        self._count(event.key)
        self._entries.put(over.ACCUMULATOR, VALUE_KIND, event.key, None, plain(event.after), 1)

    def _emitted(self, step: Step, event: events.OverEmitted) -> None:
        self.given = self._entered.pop(0)

    def _cleared(self, step: Step, event: events.FrameCleared) -> None:
        for id in (*self._waiting.pop(event.key, ()), *self._framed.pop(event.key, ())):
            self._facts.end(id)
        for state in (over.ROWS, over.ACCUMULATOR, over.LAST, over.CLEANUP):
            self._entries.forget(state_id(state, event.key, None))

    def _count(self, key: Key) -> None:
        """Update the entry of the rows of a key in ``state``, if they are kept in a list."""
        if self._operator.rows_state is not None:
            self._set_entry(self._operator.rows_state, ROWS_KIND, key, (*self._waiting[key], *self._framed[key]))

    def _count_versions(self, key: Key) -> None:
        self._set_entry(temporal_join.VERSIONS, VERSIONS_KIND, key, self._versions[key].values())

    def _set_entry(self, state: str, kind: str, key: Key, held: Iterable[str]) -> None:
        entries = len(tuple(held))
        if entries:
            self._entries.put(state, kind, key, None, None, entries)
        else:
            self._entries.forget(state_id(state, key, None))
