"""Keeps the last n records."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tidemark.simulator.evictors.base import Evictor
from tidemark.simulator.values.element import Element


@dataclass(frozen=True, slots=True)
class CountEvictor(Evictor):
    """Keeps the last ``max`` (>= 0) records. Source: ``CountEvictor``."""

    type: ClassVar[str] = "count"
    max: int
    after: bool = False

    def evict(self, elements: Sequence[Element], stamped: frozenset[str]) -> list[Element]:
        """The last ``max``."""
        return list(elements[max(0, len(elements) - self.max) :])
