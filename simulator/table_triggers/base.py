"""What a trigger of the table runtime is: it answers whether to emit. Nothing is ever purged."""

from abc import ABC, abstractmethod

from simulator.triggers.base import TriggerContext


class TableTrigger(ABC):
    """Like a trigger of the DataStream API it is frozen; its state is kept by key and window, behind the context.

    Source: ``org.apache.flink.table.runtime.operators.window...triggers.Trigger``.
    """

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
        """Several windows became the context's window."""

    @abstractmethod
    def clear(self, context: TriggerContext) -> None:
        """Remove all state and timers of the window."""
