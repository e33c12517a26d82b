"""Sessions, in the table runtime."""

from collections.abc import Sequence
from dataclasses import dataclass

from tidemark.simulator.table_assigners.base import TableWindowAssigner
from tidemark.simulator.values.time import wrap
from tidemark.simulator.values.window import TimeWindow


@dataclass(frozen=True, slots=True)
class SessionWindowAssigner(TableWindowAssigner):
    """``[time, time + gap)``; ``gap`` > 0 in ms. Source: ``SessionWindowAssigner``."""

    gap: int

    def assign_windows(self, time: int) -> Sequence[TimeWindow]:
        """The row's own window, before any merge."""
        return (TimeWindow(time, wrap(time + self.gap)),)
