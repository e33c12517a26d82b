"""Keeps the records whose value is close to that of the last one."""

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.evictors.base import Evictor
from simulator.values.element import Element
from simulator.values.errors import EngineFailure


@dataclass(frozen=True, slots=True)
class DeltaEvictor(Evictor):
    """Removes a record if the last value − its value is ``threshold`` or more. Source: ``DeltaEvictor``."""

    threshold: int | float
    after: bool = False

    def evict(self, elements: Sequence[Element]) -> list[Element]:
        """The records close to the last one. Raises ``EngineFailure`` if there are none at all, as there is no last."""
        if not elements:
            raise EngineFailure("NoSuchElementException", "the delta evictor found no last record")
        last = elements[-1].value
        return [element for element in elements if last - element.value < self.threshold]
