"""The tables ``queue`` and ``buffers``: records that wait in an event sort, and in a join of either engine."""

from heapq import heappop, heappush
from typing import Any, Final

from tidemark.simulator.engine.operators.event_sort import QUEUE
from tidemark.simulator.engine.operators.interval_join import BUFFERS
from tidemark.simulator.engine.trace.events import (
    BufferAdded,
    BufferRemoved,
    JoinRowEvicted,
    JoinRowStored,
    QueuePopped,
    QueuePushed,
)
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.engine.values.key import Key, plain_key
from tidemark.simulator.timeline.entries import Entries
from tidemark.simulator.timeline.facts import Folding, Handlers, Row
from tidemark.simulator.timeline.ids import buffered_id, queued_id, state_id
from tidemark.simulator.timeline.records import RecordFacts

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
            QueuePushed: self._pushed,
            QueuePopped: self._popped,
            BufferAdded: self._buffered,
            BufferRemoved: self._removed,
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

    def _pushed(self, step: Step, event: QueuePushed) -> None:
        id = queued_id(event.key, self._added)
        self._put("queue", id, step, event)
        heappush(self._queues.setdefault(event.key, []), (event.ts, self._added, id))
        self._added += 1
        self._count_queue(event.key)
        self._records.accepted(step, late=False)

    def _popped(self, step: Step, event: QueuePopped) -> None:
        _, _, id = heappop(self._queues[event.key])
        self.popped = self._facts.get(id) or {}
        self._facts.end(id)
        self._count_queue(event.key)

    def _buffered(self, step: Step, event: BufferAdded) -> None:
        id = buffered_id(event.side, event.key, self._added)
        self._put("buffers", id, step, event, side=event.side, kept_until=event.kept_until)
        self._buffers.setdefault((event.side, event.key), {}).setdefault(event.ts, []).append(id)
        self._added += 1
        self._count_buffer(event.side, event.key)
        self._records.accepted(step, late=False)

    def _removed(self, step: Step, event: BufferRemoved) -> None:
        for id in self._buffers[event.side, event.key].pop(event.ts):
            self._facts.end(id)
        self._count_buffer(event.side, event.key)

    def _put(
        self, table: str, id: str, step: Step, event: QueuePushed | BufferAdded | JoinRowStored, **more: Any
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
        return {JoinRowStored: self._stored, JoinRowEvicted: self._evicted}

    def _stored(self, step: Step, event: JoinRowStored) -> None:
        id = buffered_id(event.side, event.key, self._added)
        self._put("buffers", id, step, event, side=event.side, kept_until=event.kept_until)
        self._added += 1
        self._kept.setdefault((event.side, event.key), []).append((id, event.ts, event.value))
        self._show_buffer(event.side, event.key, len(self._kept[event.side, event.key]))
        over = event.kept_until is not None and step.watermark is not None and event.kept_until <= step.watermark
        self._records.accepted(step, over)

    def _evicted(self, step: Step, event: JoinRowEvicted) -> None:
        kept = self._kept[event.side, event.key]
        place = next(number for number, (_, *row) in enumerate(kept) if row == [event.ts, event.value])
        self._facts.end(kept.pop(place)[0])
        self._show_buffer(event.side, event.key, len(self._kept[event.side, event.key]))
