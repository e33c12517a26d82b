"""Checkpoint and restore: keyed state, timers and counters become true again as they were."""

from collections.abc import Sequence
from typing import Any, Final, Protocol

from simulator.timeline.facts import Row
from simulator.timeline.folding import Folding, Handlers
from simulator.trace.events import CheckpointTaken, Restored
from simulator.trace.trace import Step

CHECKPOINTED: Final = ("records", "windows", "contents", "timers", "state", "queue", "buffers", "counters")
"""Tables that go back. A record that came after the checkpoint is ahead once more: the source sends it again."""


class Remembering(Protocol):
    """A group that has a memory beside its facts."""

    def save(self) -> Any:
        """A copy of the memory."""

    def restore(self, saved: Any) -> None:
        """Remember what was saved; it may be restored again later."""


class CheckpointFacts:
    """Keeps what was true at each checkpoint."""

    def __init__(self, folding: Folding, groups: Sequence[Remembering]) -> None:
        self._facts = folding.facts
        self._groups = groups
        self._saved: dict[str, tuple[dict[str, Row], list[Any]]] = {}

    def handlers(self) -> Handlers:
        """What this group listens to."""
        return {CheckpointTaken: self._taken, Restored: self._restored}

    def _taken(self, step: Step, event: CheckpointTaken) -> None:
        self._saved[event.name] = self._facts.save(CHECKPOINTED), [group.save() for group in self._groups]

    def _restored(self, step: Step, event: Restored) -> None:
        rows, memories = self._saved[event.name]
        self._facts.restore(rows, CHECKPOINTED)
        for group, memory in zip(self._groups, memories, strict=True):
            group.restore(memory)
