"""Keeps the records of the newest stretch of time."""

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.evictors.base import Evictor
from simulator.values.element import Element
from simulator.values.time import wrap


@dataclass(frozen=True, slots=True)
class TimeEvictor(Evictor):
    """Keeps what is less than ``window`` ms before the newest record. Source: ``TimeEvictor``."""

    window: int
    after: bool = False

    def evict(self, elements: Sequence[Element]) -> list[Element]:
        """All of them when the first one has no timestamp."""
        if not elements or elements[0].timestamp is None:
            return list(elements)
        timestamps = [element.timestamp for element in elements if element.timestamp is not None]
        cutoff = wrap(max(timestamps) - self.window)
        return [element for element in elements if element.timestamp is None or element.timestamp > cutoff]
