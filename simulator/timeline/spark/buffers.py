"""The tables ``buffers`` and ``state`` of a stream join: the records that each side keeps."""

from typing import Any, Final

from tidemark.simulator.engine.trace.events import JoinRowEvicted, JoinRowStored
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.engine.values.key import Key, plain_key
from tidemark.simulator.timeline.entries import Entries
from tidemark.simulator.timeline.folding import Folding, Handlers
from tidemark.simulator.timeline.ids import buffered_id, state_id
from tidemark.simulator.timeline.records import RecordFacts

BUFFER_KIND: Final = "buffer"

Kept = tuple[str, int, Any]
"""(id, timestamp, value)."""


class JoinFacts:
    """The records of each side and key, in order of arrival; equal ones leave in that order."""

    def __init__(self, folding: Folding, records: RecordFacts, entries: Entries) -> None:
        self._facts = folding.facts
        self._records = records
        self._entries = entries
        self._kept: dict[tuple[str, Key], list[Kept]] = {}
        self._added = 0

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {JoinRowStored: self._stored, JoinRowEvicted: self._evicted}

    def _stored(self, step: Step, event: JoinRowStored) -> None:
        id = buffered_id(event.side, event.key, self._added)
        self._facts.put(
            "buffers",
            id,
            key=plain_key(event.key),
            ts=event.ts,
            value=event.value,
            item=step.item,
            order=self._added,
            side=event.side,
            kept_until=event.kept_until,
        )
        self._added += 1
        self._kept.setdefault((event.side, event.key), []).append((id, event.ts, event.value))
        self._count(event.side, event.key)
        over = event.kept_until is not None and step.watermark is not None and event.kept_until <= step.watermark
        self._records.accepted(step, over)

    def _evicted(self, step: Step, event: JoinRowEvicted) -> None:
        kept = self._kept[event.side, event.key]
        place = next(number for number, (_, *row) in enumerate(kept) if row == [event.ts, event.value])
        self._facts.end(kept.pop(place)[0])
        self._count(event.side, event.key)

    def _count(self, side: str, key: Key) -> None:
        entries = len(self._kept[side, key])
        if entries:
            self._entries.put(side, BUFFER_KIND, key, None, None, entries)
        else:
            self._entries.forget(state_id(side, key, None))
