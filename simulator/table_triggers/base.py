"""What a trigger of the table runtime is: it answers whether to emit; there is no purging.

A scenario names a trigger without saying by which time it runs: ``ConfiguredTrigger`` is what it names, and
``in_time`` returns the trigger that runs. Most are the same in both times.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

from tidemark.simulator.triggers.base import TriggerContext
from tidemark.simulator.triggers.ways import TriggerFacts
from tidemark.simulator.values.part import Part


class ConfiguredTrigger(Part, ABC):
    """What ``trigger``, ``early`` or ``late`` says in a scenario with ``api: sql``."""

    __slots__ = ()

    family: ClassVar[str] = "triggers"

    @abstractmethod
    def in_time(self, *, is_event_time: bool) -> "TableTrigger":
        """The trigger that runs on windows of event time or of processing time."""

    def written(self) -> "tuple[ConfiguredTrigger, ...]":
        """The triggers that stand within it in the file, () for none."""
        return ()


class TableTrigger(TriggerFacts, ABC):
    """Holds no state, like a trigger of the DataStream API. Source: ``...operators.window.triggers.Trigger``."""

    __slots__ = ()

    flink: ClassVar[str]
    """Flink's name of the class, which is an inner one there."""

    @property
    def only_waits_for_end(self) -> bool:
        """As that of the DataStream API's triggers: ``on_element`` does nothing while the timer at the end waits."""
        return False

    @abstractmethod
    def on_element(self, context: TriggerContext) -> bool:
        """A row was accumulated; returns whether to emit."""

    def on_event_time(self, timestamp: int, context: TriggerContext) -> bool:
        """An event-time timer of the window fires at ``timestamp`` (ms); returns whether to emit."""
        return False

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> bool:
        """A processing-time timer of the window fires at ``timestamp`` (ms); returns whether to emit."""
        return False

    @abstractmethod
    def on_merge(self, context: TriggerContext) -> None:
        """Several windows were merged into the context's window."""

    @abstractmethod
    def clear(self, context: TriggerContext) -> None:
        """Remove all state and timers of the trigger for this window."""


class PeriodicTrigger(TableTrigger, ConfiguredTrigger):
    """One that is the same in both times, and may also decide before (``early``) or after (``late``) the end."""

    __slots__ = ()

    def in_time(self, *, is_event_time: bool) -> TableTrigger:
        """Itself."""
        return self
