"""The tables ``state`` and ``queue``: keyed state, entry by entry."""

from heapq import heappop, heappush
from typing import Any, Final

from simulator.operators.event_sort import QUEUE
from simulator.operators.merging_window_operator import MERGING_SET
from simulator.timeline.folding import Folding, Handlers, keeps_lists
from simulator.timeline.ids import bounds, key_token, state_id
from simulator.trace.events import (
    QueuePopped,
    QueuePushed,
    StateAdded,
    StateCleared,
    StateMerged,
    TriggerStateChanged,
    WindowRetired,
    WindowsMerged,
    WindowTracked,
)
from simulator.trace.trace import Step, plain
from simulator.values.key import Key, plain_key
from simulator.values.window import Window

CONTENTS_KIND: Final = "contents"
TRIGGER_KIND: Final = "trigger"
MERGING_KIND: Final = "merging-set"
QUEUE_KIND: Final = "queue"


class StateFacts:
    """``popped`` is the row that left the queue last."""

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._in_lists = keeps_lists(folding.scenario)
        self._queues: dict[Key, list[tuple[int, int, str]]] = {}
        self._pushed = 0
        self.popped: dict[str, Any] = {}

    def handlers(self) -> Handlers:
        """What this group listens to."""
        return {
            StateAdded: self._added,
            StateMerged: self._merged,
            StateCleared: self._cleared,
            TriggerStateChanged: self._trigger_state_changed,
            WindowTracked: self._tracked,
            WindowsMerged: self._windows_merged,
            WindowRetired: self._retired,
            QueuePushed: self._pushed_to_queue,
            QueuePopped: self._popped_from_queue,
        }

    def _added(self, step: Step, event: StateAdded) -> None:
        self._hold(event.state, event.key, event.namespace, event.after)

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

    def _pushed_to_queue(self, step: Step, event: QueuePushed) -> None:
        id = f"queue:{key_token(event.key)}|{self._pushed}"
        self._facts.put(
            "queue",
            id,
            key=plain_key(event.key),
            ts=event.ts,
            value=event.value,
            item=step.item,
            order=self._pushed,
        )
        heappush(self._queues.setdefault(event.key, []), (event.ts, self._pushed, id))
        self._pushed += 1
        self._count_queue(event.key)

    def _popped_from_queue(self, step: Step, event: QueuePopped) -> None:
        _, _, id = heappop(self._queues[event.key])
        self.popped = self._facts.get(id) or {}
        self._facts.end(id)
        self._count_queue(event.key)

    def _count_queue(self, key: Key) -> None:
        self._put(QUEUE, QUEUE_KIND, key, None, None, len(self._queues[key]))

    def _hold(self, state: str, key: Key, namespace: Window | None, after: Any) -> None:
        """``after`` is all that the entry holds; of a list only the length is told here."""
        if self._in_lists:
            self._put(state, CONTENTS_KIND, key, namespace, None, len(after))
        else:
            self._put(state, CONTENTS_KIND, key, namespace, plain(after), 1)

    def _put(self, state: str, kind: str, key: Key, namespace: Window | None, value: Any, entries: int) -> None:
        self._facts.put(
            "state",
            state_id(state, key, namespace),
            state=state,
            kind=kind,
            key=plain_key(key),
            **bounds(namespace),
            value=value,
            entries=entries,
        )

    def _forget(self, id: str) -> None:
        if self._facts.get(id) is not None:
            self._facts.end(id)
