"""What an evictor is: frozen configuration that removes records from a window when it fires."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from simulator.values.element import Element


class Evictor(ABC):
    """Removes records, which are then gone for every later firing. Source: ``Evictor``.

    ``after``: it removes them after the function has seen them, not before.
    """

    after: bool

    @abstractmethod
    def evict(self, elements: Sequence[Element]) -> list[Element]:
        """The records to keep out of ``elements``, in order of arrival. Raises ``EngineFailure`` where Flink throws."""
