"""The table ``state``: keyed state, entry by entry."""

from typing import Any, Final

from tidemark.simulator.engine.functions import CONTENTS
from tidemark.simulator.engine.operators.group_window_functions import ACCUMULATORS
from tidemark.simulator.engine.operators.merging_window_operator import MERGING_SET
from tidemark.simulator.engine.operators.window_rank import RANKED
from tidemark.simulator.engine.trace.events import (
    CheckpointTaken,
    RecordArrived,
    Restored,
    StateAdded,
    StateCleared,
    StateMerged,
    StateUpdated,
    TimerFired,
    TriggerStateChanged,
    WindowRetired,
    WindowsMerged,
    WindowTracked,
)
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.values.key import Key, key_of
from tidemark.simulator.engine.values.window import Namespace, TimeWindow, Window
from tidemark.simulator.timeline.entries import STATE, Entries
from tidemark.simulator.timeline.facts import Folding, Handlers
from tidemark.simulator.timeline.ids import holder_id, state_id
from tidemark.simulator.timeline.kept_rows import SINGLE_VALUES, VALUE_KIND

CONTENTS_KIND: Final = "contents"
TRIGGER_KIND: Final = "trigger"
EMITTED_KIND: Final = "emitted"

CONTENT_STATES: Final = (CONTENTS, ACCUMULATORS, RANKED)
"""The states that hold what is in a window: of the two APIs, and of a window Top-N."""


class StateFacts:
    """Entries of window contents, of trigger state, and of the results emitted last."""

    def __init__(self, folding: Folding, entries: Entries) -> None:
        self._entries = entries
        self._in_lists = folding.scenario.operator.keeps_lists

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            StateAdded: self._added,
            StateUpdated: self._updated,
            StateMerged: self._merged,
            StateCleared: self._cleared,
            TriggerStateChanged: self._trigger_state_changed,
        }

    def _added(self, step: Step, event: StateAdded) -> None:
        self._hold(event.state, event.key, event.namespace, event.after)

    def _updated(self, step: Step, event: StateUpdated) -> None:
        if event.state in CONTENT_STATES:
            self._hold(event.state, event.key, event.namespace, event.after)
        elif event.state in SINGLE_VALUES:
            self._entries.put(event.state, VALUE_KIND, event.key, None, plain(event.after), 1)
        else:
            self._entries.put(event.state, EMITTED_KIND, event.key, event.namespace, plain(event.after), 1)

    def _merged(self, step: Step, event: StateMerged) -> None:
        moved = [self._entries.forget(state_id(event.state, event.key, source)) for source in event.sources]
        if event.after is not None and any(moved):
            self._hold(event.state, event.key, event.target, event.after)

    def _cleared(self, step: Step, event: StateCleared) -> None:
        self._entries.forget(state_id(event.state, event.key, event.namespace))

    def _trigger_state_changed(self, step: Step, event: TriggerStateChanged) -> None:
        if event.after is None:
            self._entries.forget(state_id(event.state, event.key, event.window))
        else:
            self._entries.put(event.state, TRIGGER_KIND, event.key, event.window, plain(event.after), 1)

    def _hold(self, state: str, key: Key, namespace: Namespace, after: Any) -> None:
        """Record that the entry holds ``after``; of a list, only the length."""
        if self._in_lists:
            assert isinstance(namespace, Window)
            holder = holder_id(key, namespace)
            self._entries.put(state, CONTENTS_KIND, key, namespace, None, len(after), holder=holder)
        else:
            self._entries.put(state, CONTENTS_KIND, key, namespace, plain(after), 1)


# Merging sets in the table ``state``: which windows of a key are in flight, and where their contents are kept.
#
# A key's whole mapping is one entry of the state. The operator reads it before a record or timer and writes it back
# afterwards if it has changed (Flink: ``MergingWindowSet.persist``). Here each window in it is a row of its own.

MERGING_KIND: Final = "merging-set"

Mapping = dict[Window, Window]
Stamp = tuple[int, bool]
"""(version, shared)."""


class MergingFacts:
    """The windows in flight, by key."""

    def __init__(self, folding: Folding, entries: Entries) -> None:
        self._facts = folding.facts
        self._entries = entries
        self._mappings: dict[Key, Mapping] = {}
        self._read: dict[Key, tuple[Mapping, Stamp]] = {}

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            WindowTracked: self._tracked,
            WindowsMerged: self._merged,
            WindowRetired: self._retired,
            RecordArrived: self._read_again,
            TimerFired: self._read_again,
            CheckpointTaken: self._read_again,
            Restored: self._restored,
        }

    def _read_again(self, step: Step, event: Any) -> None:
        """From now on a change is a change of the mapping as it is at this step."""
        self._read.clear()

    def _tracked(self, step: Step, event: WindowTracked) -> None:
        self._change(event.key, (), {event.window: event.state_window})

    def _merged(self, step: Step, event: WindowsMerged) -> None:
        self._change(event.key, event.merged, {event.result: event.state_window})

    def _retired(self, step: Step, event: WindowRetired) -> None:
        self._change(event.key, (event.window,), {})

    def _change(self, key: Key, gone: tuple[Window, ...], new: Mapping) -> None:
        mapping = self._mappings.setdefault(key, {})
        if key not in self._read:
            self._read[key] = dict(mapping), self._stamp(key, mapping)
        for window in gone:
            mapping.pop(window, None)
            if window not in new:
                self._entries.forget(state_id(MERGING_SET, key, window))
        mapping.update(new)
        read, stamp = self._read[key]
        if mapping != read:
            stamp = self._entries.version, False
        for window, state_window in new.items():
            value = list(state_window)
            self._entries.put(MERGING_SET, MERGING_KIND, key, window, value, 1, stamp)
        for window in mapping:
            self._entries.stamp(state_id(MERGING_SET, key, window), *stamp)

    def _stamp(self, key: Key, mapping: Mapping) -> Stamp:
        for window in mapping:
            row = self._facts.row(state_id(MERGING_SET, key, window))
            return row["version"], row["shared"]
        return self._entries.version, False

    def _restored(self, step: Step, event: Restored) -> None:
        self._read.clear()
        self._mappings.clear()
        for row in self._facts.save((STATE,)).values():
            if row["kind"] == MERGING_KIND:
                mapping = self._mappings.setdefault(key_of(row["key"]), {})
                mapping[TimeWindow(row["start"], row["end"])] = TimeWindow(*row["value"])
