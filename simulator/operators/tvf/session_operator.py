"""Aggregation over sessions of a window table function.

Unlike slices they are kept as the group windows of the table runtime keep them: a merging set, a trigger at the end
of the session, no lateness. What differs is the checkpoint, which holds the watermark, and that no timer is moved to
the epoch.

Source: ``WindowAggOperator`` with ``UnsliceSyncStateWindowAggProcessor`` (Flink 2.3.0).
"""

from typing import ClassVar

from tidemark.simulator.operators.table.merging_function import MergingFunction
from tidemark.simulator.operators.table.window_operator import TableWindowOperator
from tidemark.simulator.values.window import Window


class SessionFunction(MergingFunction):
    """Sessions whose timer is at their end, also before the epoch."""

    def timer_cleanup_time(self, window: Window) -> int:
        """The session's last instant (ms)."""
        return self.cleanup_time(window)


class SessionWindowOperator(TableWindowOperator):
    """Group windows of the table runtime whose watermark a restore brings back."""

    keeps_watermark: ClassVar[bool] = True
