"""What a window assigner is: frozen configuration that assigns a record to windows."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from tidemark.simulator.values.time import MAX
from tidemark.simulator.values.window import Window


class WindowAssigner(ABC):
    """Source: ``WindowAssigner``.

    ``is_event_time``: whether windows end by the watermark; otherwise they end by the clock (or never) and no record
    is late. ``is_merging``: whether overlapping windows of a key become one.
    """

    is_event_time: ClassVar[bool] = True
    is_merging: ClassVar[bool] = False

    @property
    def reach(self) -> int:
        """How long after a record's timestamp its windows end at the latest (ms); where that is not known, ``MAX``."""
        return MAX

    @abstractmethod
    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[Window]:
        """The windows of a record, in Flink's order; ``timestamp`` and ``processing_time`` in ms.

        Raises ``EngineFailure`` where the assigner of Flink throws.
        """
