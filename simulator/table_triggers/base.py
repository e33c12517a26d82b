"""What a trigger of the table runtime is: it answers whether to emit; there is no purging."""

from abc import ABC, abstractmethod

from simulator.triggers.base import TriggerContext


class TableTrigger(ABC):
    """Holds no state, as a trigger of the DataStream API. Source: ``...operators.window.triggers.Trigger``."""

    @abstractmethod
    def on_element(self, context: TriggerContext) -> bool:
        """A row was accumulated."""

    def on_event_time(self, timestamp: int, context: TriggerContext) -> bool:
        """An event-time timer of the window fired at ``timestamp`` (ms)."""
        return False

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> bool:
        """A processing-time timer of the window fired at ``timestamp`` (ms)."""
        return False

    @abstractmethod
    def on_merge(self, context: TriggerContext) -> None:
        """Several windows became the context's window."""

    @abstractmethod
    def clear(self, context: TriggerContext) -> None:
        """Remove all state and timers kept for the window."""
