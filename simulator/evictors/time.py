"""Keeps the records of the newest stretch of time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from simulator.evictors.base import Evictor
from simulator.values.element import Element
from simulator.values.errors import EngineFailure
from simulator.values.time import wrap

NO_TIMESTAMP: Final = (
    "Record has no timestamp. Is the time characteristic set to 'ProcessingTime', or did you forget to call "
    "'DataStream.assignTimestampsAndWatermarks(...)'?"
)


@dataclass(frozen=True, slots=True)
class TimeEvictor(Evictor):
    """Keeps what is less than ``window`` ms before the newest record. Source: ``TimeEvictor``."""

    window: int
    after: bool = False

    def evict(self, elements: Sequence[Element]) -> list[Element]:
        """All of them when the first one has no timestamp.

        Raises ``EngineFailure`` when only a later one has none: the first alone is asked whether it has.
        """
        if not elements or elements[0].timestamp is None:
            return list(elements)
        cutoff = wrap(max(map(_timestamp, elements)) - self.window)
        return [element for element in elements if _timestamp(element) > cutoff]


def _timestamp(element: Element) -> int:
    """Source: ``TimestampedValue.getTimestamp``."""
    if element.timestamp is None:
        raise EngineFailure("IllegalStateException", NO_TIMESTAMP)
    return element.timestamp
