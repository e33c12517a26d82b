"""Keeps the records whose value is close to the last one's."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tidemark.simulator.evictors.base import Evictor
from tidemark.simulator.values.element import Element
from tidemark.simulator.values.errors import EngineFailure


@dataclass(frozen=True, slots=True)
class DeltaEvictor(Evictor):
    """Removes a record if the last value − its value is ``threshold`` or more. Source: ``DeltaEvictor``."""

    type: ClassVar[str] = "delta"
    needs_numbers: ClassVar[bool] = True
    threshold: int | float
    after: bool = False

    def evict(self, elements: Sequence[Element], stamped: frozenset[str]) -> list[Element]:
        """Fails where there is no record, since it asks for the last one."""
        if not elements:
            raise EngineFailure("NoSuchElementException", "the delta evictor found no last record")
        last = elements[-1].value
        return [element for element in elements if last - element.value < self.threshold]
