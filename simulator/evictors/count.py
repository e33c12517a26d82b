"""Keeps the last n records."""

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.evictors.base import Evictor
from simulator.values.element import Element


@dataclass(frozen=True, slots=True)
class CountEvictor(Evictor):
    """Keeps the ``max`` (>= 0) records that came last. Source: ``CountEvictor``."""

    max: int
    after: bool = False

    def evict(self, elements: Sequence[Element]) -> list[Element]:
        """The last ``max`` records."""
        return list(elements[max(0, len(elements) - self.max) :])
