"""Keeps the records of the most recent span of time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from tidemark.simulator.evictors.base import Evictor
from tidemark.simulator.values.element import Element
from tidemark.simulator.values.errors import EngineFailure
from tidemark.simulator.values.time import MIN, Milliseconds, wrap

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
