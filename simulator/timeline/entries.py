"""The tables ``state``, ``held`` and ``checkpoints``: what keyed state holds, and what it shares with a snapshot.

The rule is that of ``StateTable``: a snapshot shares every value; a value that is written afterwards is no longer
shared; a restore shares them all again. An entry's version is the number of snapshots before it was last written.
"""

from collections.abc import Sequence
from typing import Any, Final, Protocol

from tidemark.simulator.engine.state import key_group
from tidemark.simulator.engine.trace.events import CheckpointTaken, Restored
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.engine.values.key import Key, plain_key
from tidemark.simulator.engine.values.window import Namespace
from tidemark.simulator.timeline.facts import Folding, Handlers, Row
from tidemark.simulator.timeline.ids import bounds, checkpoint_id, state_id

STATE: Final = "state"
HELD: Final = "held"


class Entries:
    """Writes the rows of keyed state, on behalf of the groups that know what is in it."""

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self.version = 0
        self._values = self._peak = 0
        self._latest: str | None = None
        self._tell_held()

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {CheckpointTaken: self._taken, Restored: self._restored}

    def put(
        self,
        state: str,
        kind: str,
        key: Key,
        namespace: Namespace,
        value: Any,
        entries: int,
        stamp: tuple[int, bool] | None = None,
        holder: str | None = None,
    ) -> None:
        """Record that an entry with ``entries`` values was written. ``stamp``: (version, shared) of an earlier write.

        ``holder`` joins it to its ``contents``, if its elements are rows there.
        """
        id = state_id(state, key, namespace)
        before = self._facts.get(id)
        version, shared = (self.version, False) if stamp is None else stamp
        self._facts.put(
            STATE,
            id,
            state=state,
            kind=kind,
            key=plain_key(key),
            **bounds(namespace),
            value=value,
            entries=entries,
            group=key_group(key),
            version=version,
            shared=shared,
            written=self._facts.step,
            holder=holder,
        )
        self._count(entries - (0 if before is None else before["entries"]))

    def forget(self, id: str) -> bool:
        """Remove the entry; return whether there was one."""
        before = self._facts.get(id)
        if before is None:
            return False
        self._facts.end(id)
        self._count(-before["entries"])
        return True

    def stamp(self, id: str, version: int, shared: bool) -> None:
        """Set in which version an entry was written, and whether the last snapshot shares it."""
        row = self._facts.get(id)
        if row is not None and (row["version"], row["shared"]) != (version, shared):
            self._facts.change(STATE, id, version=version, shared=shared)

    def _taken(self, step: Step, event: CheckpointTaken) -> None:
        self.version += 1
        for id, row in self._facts.save((STATE,)).items():
            self.stamp(id, row["version"], shared=True)
        self._facts.put(
            "checkpoints",
            checkpoint_id(event.name),
            name=event.name,
            number=self.version,
            entries=event.entries,
            timers=event.timers,
            taken=step.step,
            item=step.item,
            latest=False,
        )
        self._share_with(event.name)

    def _restored(self, step: Step, event: Restored) -> None:
        rows = self._facts.save((STATE,))
        for id in rows:
            self.stamp(id, 0, shared=True)
        self._values = sum(row["entries"] for row in rows.values())
        self._count(0)
        self._share_with(event.name)
        restored = self._facts.get(checkpoint_id(event.name))
        assert restored is not None
        for id, row in self._facts.save(("checkpoints",)).items():
            if row["item"] > restored["item"]:
                self._facts.end(id)  # it was taken after the restored one, in a part of the run that no longer counts

    def _share_with(self, name: str) -> None:
        if self._latest is not None and self._latest != name:
            self._facts.change("checkpoints", checkpoint_id(self._latest), latest=False)
        self._latest = name
        self._facts.change("checkpoints", checkpoint_id(name), latest=True)

    def _count(self, more: int) -> None:
        self._values += more
        row = self._facts.get(HELD)
        if row is None or row["values"] != self._values:
            self._tell_held()

    def _tell_held(self) -> None:
        self._peak = max(self._peak, self._values)
        self._facts.put(HELD, HELD, values=self._values, peak=self._peak)


CHECKPOINTED: Final = (
    "records", "windows", "contents", "timers", "state", "queue", "buffers", "versions", "frames", "counters",
)  # fmt: skip
"""The tables that a restore resets. A record that came after the checkpoint is ahead again: the source replays it."""


class Remembering(Protocol):
    """A group that keeps working data beside its facts."""

    def save(self) -> Any:
        """A copy of that data."""

    def restore(self, saved: Any) -> None:
        """Go back to what was saved, which may be restored again later."""


class CheckpointFacts:
    """Keeps the facts of each checkpoint."""

    def __init__(self, folding: Folding, groups: Sequence[Remembering]) -> None:
        self._facts = folding.facts
        self._groups = groups
        self._saved: dict[str, tuple[dict[str, Row], list[Any]]] = {}

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {CheckpointTaken: self._taken, Restored: self._restored}

    def _taken(self, step: Step, event: CheckpointTaken) -> None:
        self._saved[event.name] = self._facts.save(CHECKPOINTED), [group.save() for group in self._groups]

    def _restored(self, step: Step, event: Restored) -> None:
        rows, memories = self._saved[event.name]
        self._facts.restore(rows, CHECKPOINTED)
        for group, memory in zip(self._groups, memories, strict=True):
            group.restore(memory)
