"""What an evictor is: frozen configuration that removes records from a window when it fires.

As with triggers, the scenario holds the evictor itself, and what others ask about it stands in its own file.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from tidemark.simulator.values.element import Element
from tidemark.simulator.values.part import Part


class Evictor(Part, ABC):
    """Removed records are gone for every later firing. Source: ``Evictor``.

    ``after``: it removes records after the function has seen them, not before.
    """

    __slots__ = ()

    family: ClassVar[str] = "evictors"

    needs_numbers: ClassVar[bool] = False
    """Whether it calculates with the records' values."""

    after: bool

    @abstractmethod
    def evict(self, elements: Sequence[Element], stamped: frozenset[str]) -> list[Element]:
        """The records that stay, of ``elements`` in order of arrival. Raises ``EngineFailure`` where Flink throws.

        ``stamped``: the inputs whose generator sets the timestamp of every record, ``Long.MIN_VALUE`` where it has
        none. Source of that: ``TimestampsAndWatermarksOperator.processElement``.
        """
