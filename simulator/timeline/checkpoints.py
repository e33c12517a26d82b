"""Checkpoint and restore: the facts about keyed state, timers and counters become true again."""

from collections.abc import Sequence
from typing import Any, Final, Protocol

from tidemark.simulator.engine.trace.events import CheckpointTaken, Restored
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.folding import Folding, Handlers

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
