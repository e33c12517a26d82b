"""Keeps the records of the most recent span of event time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from simulator.evictors.base import Evictor
from simulator.values.element import Element
from simulator.values.errors import EngineFailure
from simulator.values.time import MIN, wrap

NO_TIMESTAMP: Final = (
    "Record has no timestamp. Is the time characteristic set to 'ProcessingTime', or did you forget to call "
    "'DataStream.assignTimestampsAndWatermarks(...)'?"
)


@dataclass(frozen=True, slots=True)
class TimeEvictor(Evictor):
    """Keeps the records that lie less than ``window`` ms before the newest one. Source: ``TimeEvictor``.

    ``stamped``: the inputs whose generator sets the timestamp of every record, Long.MIN_VALUE if it has none
    (``TimestampsAndWatermarksOperator.processElement``).
    """

    window: int
    after: bool = False
    stamped: frozenset[str] = frozenset()

    def evict(self, elements: Sequence[Element]) -> list[Element]:
        """The most recent records; all of them if the first one has no timestamp.

        Raises ``EngineFailure`` if only a later one has none: Flink asks the first alone whether it has one.
        """
        if not elements or not self._has_timestamp(elements[0]):
            return list(elements)
        timestamps = [self._timestamp(element) for element in elements]
        cutoff = wrap(max(timestamps) - self.window)  # wraps if all timestamps are Long.MIN_VALUE
        return [element for element, timestamp in zip(elements, timestamps, strict=True) if timestamp > cutoff]

    def _has_timestamp(self, element: Element) -> bool:
        return element.timestamp is not None or element.input in self.stamped

    def _timestamp(self, element: Element) -> int:
        """The record's timestamp (ms). Source: ``TimestampedValue.getTimestamp``."""
        if not self._has_timestamp(element):
            raise EngineFailure("IllegalStateException", NO_TIMESTAMP)
        return MIN if element.timestamp is None else element.timestamp
