"""The table ``state``: keyed state, entry by entry."""

from typing import Any, Final

from simulator.operators.merging_window_operator import MERGING_SET
from simulator.timeline.facts import Facts
from simulator.timeline.folding import Folding, Handlers
from simulator.timeline.ids import bounds, state_id
from simulator.timeline.operator import CONTENT_STATES, keeps_lists
from simulator.trace.events import (
    StateAdded,
    StateCleared,
    StateMerged,
    StateUpdated,
    TriggerStateChanged,
    WindowRetired,
    WindowsMerged,
    WindowTracked,
)
from simulator.trace.trace import Step, plain
from simulator.values.key import Key, plain_key
from simulator.values.window import Namespace

CONTENTS_KIND: Final = "contents"
TRIGGER_KIND: Final = "trigger"
MERGING_KIND: Final = "merging-set"
EMITTED_KIND: Final = "emitted"


class StateFacts:
    """Entries of window contents, trigger state, merging sets and results given last."""

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._in_lists = keeps_lists(folding.scenario)

    def handlers(self) -> Handlers:
        """What this group listens to."""
        return {
            StateAdded: self._added,
            StateUpdated: self._updated,
            StateMerged: self._merged,
            StateCleared: self._cleared,
            TriggerStateChanged: self._trigger_state_changed,
            WindowTracked: self._tracked,
            WindowsMerged: self._windows_merged,
            WindowRetired: self._retired,
        }

    def _added(self, step: Step, event: StateAdded) -> None:
        self._hold(event.state, event.key, event.namespace, event.after)

    def _updated(self, step: Step, event: StateUpdated) -> None:
        if event.state in CONTENT_STATES:
            self._hold(event.state, event.key, event.namespace, event.after)
        else:
            self._put(event.state, EMITTED_KIND, event.key, event.namespace, plain(event.after), 1)

    def _merged(self, step: Step, event: StateMerged) -> None:
        for source in event.sources:
            self._forget(state_id(event.state, event.key, source))
        if event.after is not None:
            self._hold(event.state, event.key, event.target, event.after)

    def _cleared(self, step: Step, event: StateCleared) -> None:
        self._forget(state_id(event.state, event.key, event.namespace))

    def _trigger_state_changed(self, step: Step, event: TriggerStateChanged) -> None:
        if event.after is None:
            self._forget(state_id(event.state, event.key, event.window))
        else:
            self._put(event.state, TRIGGER_KIND, event.key, event.window, plain(event.after), 1)

    def _tracked(self, step: Step, event: WindowTracked) -> None:
        self._put(MERGING_SET, MERGING_KIND, event.key, event.window, list(event.state_window), 1)

    def _windows_merged(self, step: Step, event: WindowsMerged) -> None:
        for window in event.merged:
            self._forget(state_id(MERGING_SET, event.key, window))
        self._put(MERGING_SET, MERGING_KIND, event.key, event.result, list(event.state_window), 1)

    def _retired(self, step: Step, event: WindowRetired) -> None:
        self._forget(state_id(MERGING_SET, event.key, event.window))

    def _hold(self, state: str, key: Key, namespace: Namespace, after: Any) -> None:
        """``after`` is all that the entry holds; of a list only the length is told here."""
        if self._in_lists:
            self._put(state, CONTENTS_KIND, key, namespace, None, len(after))
        else:
            self._put(state, CONTENTS_KIND, key, namespace, plain(after), 1)

    def _put(self, state: str, kind: str, key: Key, namespace: Namespace, value: Any, entries: int) -> None:
        put_state(self._facts, state, kind, key, namespace, value, entries)

    def _forget(self, id: str) -> None:
        if self._facts.get(id) is not None:
            self._facts.end(id)


def put_state(facts: Facts, state: str, kind: str, key: Key, namespace: Namespace, value: Any, entries: int) -> None:
    """The row of one entry."""
    facts.put(
        "state",
        state_id(state, key, namespace),
        state=state,
        kind=kind,
        key=plain_key(key),
        **bounds(namespace),
        value=value,
        entries=entries,
    )
