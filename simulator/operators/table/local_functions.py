"""The functions of the table window operator for windows in local time, of a session time zone.

A window knows when it is over as an instant, so most of what the plain functions do holds for local windows as well.
What they read off the bounds of a window, which are local ms, is asked otherwise here.

Source: ``InternalWindowProcessFunction`` and ``WindowOperator`` with their ``shiftTimeZone`` (Flink 2.3.0).
"""

from collections.abc import Sequence
from typing import cast

from tidemark.simulator.operators.table.merging_function import MergingFunction
from tidemark.simulator.operators.table.window_function import GeneralFunction, PanedFunction
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.time import MAX
from tidemark.simulator.values.window import TimeWindow, Window
from tidemark.simulator.values.zone import LocalWindow


def local_timer_time(window: Window) -> int:
    """The instant of the cleanup timer (epoch ms): the local time 0 is the earliest, not the instant 0.

    There is no allowed lateness in local time (``scenario/format/operators.py``).
    Source: ``WindowOperator.registerCleanupTimer`` of the table runtime.
    """
    local = cast("LocalWindow", window)
    end = max(0, local.end - 1)
    return end if end == MAX else local.zone.timer_time(end)


class LocalGeneralFunction(GeneralFunction):
    """One accumulator for each local window."""

    is_local = True

    def timer_cleanup_time(self, window: Window) -> int:
        """As the zone's clock shows it."""
        return local_timer_time(window)

    def assign_state_namespaces(self, key: Key, time: int) -> Sequence[TimeWindow]:
        """The row's windows that are not late."""
        windows = self._assign(time)
        self.trace_assigned(key, windows)
        self._windows = self.not_late(key, windows)
        return self._windows


class LocalPanedFunction(PanedFunction):
    """One accumulator for each local pane."""

    is_local = True

    def timer_cleanup_time(self, window: Window) -> int:
        """As the zone's clock shows it."""
        return local_timer_time(window)


class LocalMergingFunction(MergingFunction):
    """One accumulator for each session of local time."""

    is_local = True

    def timer_cleanup_time(self, window: Window) -> int:
        """As the zone's clock shows it."""
        return local_timer_time(window)
