"""Evictors: frozen configuration that removes records from a window when it fires.

As with triggers, the scenario holds the evictor itself, and what others ask about it stands in its own file.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.items import Element
from tidemark.simulator.engine.values.part import Part
from tidemark.simulator.engine.values.time import MIN, Milliseconds, wrap


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

        There is at least one: a window whose records have all been removed does not fire. ``stamped``: the inputs whose
        generator sets the timestamp of every record, ``Long.MIN_VALUE`` where it has none. Source of that:
        ``TimestampsAndWatermarksOperator.processElement``.
        """


@dataclass(frozen=True, slots=True)
class CountEvictor(Evictor):
    """Keeps the last ``max`` (>= 0) records. Source: ``CountEvictor``."""

    type: ClassVar[str] = "count"
    max: int
    after: bool = False

    def evict(self, elements: Sequence[Element], stamped: frozenset[str]) -> list[Element]:
        """The last ``max``."""
        return list(elements[max(0, len(elements) - self.max) :])


@dataclass(frozen=True, slots=True)
class DeltaEvictor(Evictor):
    """Removes a record if the last value − its value is ``threshold`` or more. Source: ``DeltaEvictor``."""

    type: ClassVar[str] = "delta"
    needs_numbers: ClassVar[bool] = True
    threshold: int | float
    after: bool = False

    def evict(self, elements: Sequence[Element], stamped: frozenset[str]) -> list[Element]:
        """Keeps the records whose distance from the last one is below the threshold."""
        last = elements[-1].value
        return [element for element in elements if last - element.value < self.threshold]


NO_TIMESTAMP: Final = (
    "Record has no timestamp. Is the time characteristic set to 'ProcessingTime', or did you forget to call "
    "'DataStream.assignTimestampsAndWatermarks(...)'?"
)


@dataclass(frozen=True, slots=True)
class TimeEvictor(Evictor):
    """Keeps the records that lie less than ``window`` ms before the newest one. Source: ``TimeEvictor``.

    A record whose input is not stamped may have no timestamp at all.
    """

    type: ClassVar[str] = "time"
    window: Milliseconds
    after: bool = False

    def evict(self, elements: Sequence[Element], stamped: frozenset[str]) -> list[Element]:
        """All of them when the first one has no timestamp.

        Raises ``EngineFailure`` if only a later one has none: Flink asks the first alone whether it has one.
        """
        if not elements or not _has_timestamp(elements[0], stamped):
            return list(elements)
        timestamps = [_timestamp(element, stamped) for element in elements]
        cutoff = wrap(max(timestamps) - self.window)  # wraps to after the newest record where all are Long.MIN_VALUE
        return [element for element, timestamp in zip(elements, timestamps, strict=True) if timestamp > cutoff]


def _has_timestamp(element: Element, stamped: frozenset[str]) -> bool:
    return element.timestamp is not None or element.input in stamped


def _timestamp(element: Element, stamped: frozenset[str]) -> int:
    """Source: ``TimestampedValue.getTimestamp``."""
    if not _has_timestamp(element, stamped):
        raise EngineFailure("IllegalStateException", NO_TIMESTAMP)
    return MIN if element.timestamp is None else element.timestamp
