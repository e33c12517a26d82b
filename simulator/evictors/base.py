"""What an evictor is: frozen configuration that removes records from a window when it fires."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from simulator.values.element import Element


class Evictor(ABC):
    """Records removed are gone for every later firing. Source: ``Evictor``.

    ``after``: it removes after the function has looked at the records, not before.
    """

    after: bool

    @abstractmethod
    def evict(self, elements: Sequence[Element]) -> list[Element]:
        """The records that stay, of ``elements`` in order of arrival. Raises ``EngineFailure`` where Flink throws."""
