"""Windows side by side, in the table runtime."""

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.table_assigners.base import TableWindowAssigner
from simulator.values.window import TimeWindow, tumbling_windows


@dataclass(frozen=True, slots=True)
class TumblingWindowAssigner(TableWindowAssigner):
    """``size`` > 0 and ``offset`` in ms. Source: ``TumblingWindowAssigner``."""

    size: int
    offset: int = 0

    def assign_windows(self, time: int) -> Sequence[TimeWindow]:
        """The one window that holds ``time``."""
        return tumbling_windows(time, self.size, self.offset)
