"""The table ``state``: keyed state, entry by entry."""

from typing import Any, Final

from tidemark.simulator.engine.trace.events import (
    StateAdded,
    StateCleared,
    StateMerged,
    StateUpdated,
    TriggerStateChanged,
)
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.values.key import Key
from tidemark.simulator.engine.values.window import Namespace, Window
from tidemark.simulator.timeline.entries import Entries
from tidemark.simulator.timeline.folding import Folding, Handlers
from tidemark.simulator.timeline.ids import holder_id, state_id
from tidemark.simulator.timeline.kept_rows import SINGLE_VALUES, VALUE_KIND
from tidemark.simulator.timeline.operator import CONTENT_STATES, keeps_lists

CONTENTS_KIND: Final = "contents"
TRIGGER_KIND: Final = "trigger"
EMITTED_KIND: Final = "emitted"


class StateFacts:
    """Entries of window contents, of trigger state, and of the results emitted last."""

    def __init__(self, folding: Folding, entries: Entries) -> None:
        self._entries = entries
        self._in_lists = keeps_lists(folding.scenario)

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
