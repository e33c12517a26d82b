"""The tables ``windows``, ``contents`` and ``state`` of windows: what a batch holds for them, and what state holds."""

from typing import Any, Final

from tidemark.simulator.engine.trace.events import (
    PaneEmitted,
    PartialUpdated,
    SessionsMerged,
    StateCleared,
    StateEvicted,
    StateUpdated,
)
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.values.key import Key, plain_key
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.scenario.model import SparkWindow
from tidemark.simulator.timeline.entries import Entries
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.folding import Folding, Handlers
from tidemark.simulator.timeline.ids import bounds, holder_id, record_id, state_id, window_id
from tidemark.simulator.timeline.records import RecordFacts
from tidemark.simulator.timeline.results import shown_result

AGGREGATE_KIND: Final = "contents"
GONE: Final = ("cleared", "merged")

Entry = tuple[Key, TimeWindow]


class BatchWindowFacts:
    """A window opens with the first record that a batch has for it. ``partial``: the result over this batch so far."""

    def __init__(self, folding: Folding, records: RecordFacts, entries: Entries) -> None:
        self._facts = folding.facts
        self._records = records
        self._entries = entries
        operator = folding.scenario.operator
        self._operator = operator if isinstance(operator, SparkWindow) else None
        complete = self._operator is not None and self._operator.output_mode == "complete"
        self._evicts = not complete and any(each.delay is not None for each in folding.scenario.inputs)
        self._contents: dict[Entry, list[str]] = {}
        self._added = 0

    def handlers(self) -> Handlers:
        """The events that this group handles; a join has no windows, and none of them."""
        return {
            PartialUpdated: self._partial,
            SessionsMerged: self._merged,
            StateUpdated: self._updated,
            StateCleared: self._cleared,
            PaneEmitted: self._emitted,
            StateEvicted: self._evicted,
        }

    def _partial(self, step: Step, event: PartialUpdated) -> None:
        entry = event.key, event.window
        id = self._opened(entry)
        late = step.watermark is not None and event.window.end <= step.watermark and self._evicts
        record = self._row(record_id(step.item))
        content = f"contents:{self._added}"
        self._facts.put(
            "contents",
            content,
            holder=holder_id(*entry),
            item=step.item,
            input=record["input"],
            ts=record["ts"],
            value=record["value"],
            late=late,
            order=self._added,
        )
        self._added += 1
        held = self._contents.setdefault(entry, [])
        held.append(content)
        self._facts.change("windows", id, records=len(held), partial=self._shown(event.after))
        self._records.accepted(step, late)

    def _merged(self, step: Step, event: SessionsMerged) -> None:
        target = event.key, event.result
        result = self._opened(target)
        kept = self._contents.setdefault(target, [])
        for window in dict.fromkeys((*event.merged, *event.parts)):
            if window == event.result:
                continue
            for content in self._contents.pop((event.key, window), []):
                self._facts.change("contents", content, holder=holder_id(*target))
                kept.append(content)
            columns = {"status": "merged", "merged_into": result, "partial": None, "result": None}
            self._facts.change("windows", window_id(event.key, window), **columns)
        self._facts.change("windows", result, records=len(kept))

    def _updated(self, step: Step, event: StateUpdated) -> None:
        window = event.namespace
        assert isinstance(window, TimeWindow)
        id = self._opened((event.key, window))
        value = plain(event.after)
        self._entries.put(event.state, AGGREGATE_KIND, event.key, window, value, 1)
        self._facts.change("windows", id, result=self._shown(event.after), partial=None)

    def _cleared(self, step: Step, event: StateCleared) -> None:
        self._entries.forget(state_id(event.state, event.key, event.namespace))

    def _emitted(self, step: Step, event: PaneEmitted) -> None:
        id = window_id(event.key, event.window)
        self._facts.change("windows", id, status="fired", firings=self._row(id)["firings"] + 1)

    def _evicted(self, step: Step, event: StateEvicted) -> None:
        entry = event.key, event.window
        self._entries.forget(state_id(event.state, *entry))
        for content in self._contents.pop(entry, []):
            self._facts.end(content)
        self._facts.change("windows", window_id(*entry), status="cleared", records=0, result=None)

    def _opened(self, entry: Entry) -> str:
        """Open the window if it is not there; return its id."""
        key, window = entry
        id = window_id(key, window)
        row = self._facts.get(id)
        if row is None or row["status"] in GONE:
            self._facts.put(
                "windows",
                id,
                key=plain_key(key),
                **bounds(window),
                status="open",
                records=len(self._contents.get(entry, [])),
                result=None,
                firings=0,
                kept_until=window.end if self._evicts else None,
                state_window=list(window),
                holder=holder_id(key, window),
                merged_into=None,
                partial=None,
            )
        return id

    def _shown(self, accumulator: Any) -> Any:
        assert self._operator is not None
        return shown_result(self._operator, accumulator)

    def _row(self, id: str) -> Row:
        row = self._facts.get(id)
        assert row is not None
        return row
