"""What a window join and a coGroup emit when a window fires: the records of both sides, paired or side by side.

Both are one window operator over the union of the inputs, whose records know their side.
Source: ``CoGroupedStreams`` and ``JoinedStreams``.
"""

from collections.abc import Sequence
from typing import Any

from tidemark.simulator.functions.base import CONTENTS
from tidemark.simulator.operators.firing import Firing, make_element
from tidemark.simulator.operators.runtime import OperatorRuntime
from tidemark.simulator.state.keyed_state import ListState
from tidemark.simulator.timers.timer_service import InternalTimerService
from tidemark.simulator.trace.events import GroupFired, JoinMatched
from tidemark.simulator.values.element import Element
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.window import Window


class _TwoSided(Firing):
    """Keeps the records of both sides in one list, in order of arrival."""

    def __init__(self, runtime: OperatorRuntime, timers: InternalTimerService) -> None:
        self.contents = ListState(runtime.state, CONTENTS, runtime.trace)
        self.element = make_element
        self._timers = timers
        self._output = runtime.output
        self._trace = runtime.trace

    def fire(self, key: Key, window: Window, state_window: Window, contents: Any) -> None:
        """Emit for all records of the window."""
        self.fire_elements(key, window, contents)

    def fire_elements(self, key: Key, window: Window, elements: Sequence[Element]) -> None:
        """Emit for ``elements``, in order of arrival."""
        left = [element for element in elements if element.input == "left"]
        right = [element for element in elements if element.input == "right"]
        self._emit(key, window, left, right)

    def _emit(self, key: Key, window: Window, left: list[Element], right: list[Element]) -> None:
        raise NotImplementedError


class JoinFiring(_TwoSided):
    """A ``joined`` row for each pair, by left record, then by right record."""

    def _emit(self, key: Key, window: Window, left: list[Element], right: list[Element]) -> None:
        for one in left:
            for other in right:
                if self._trace is not None:
                    place = "JoinCoGroupFunction.co_group"
                    timestamp = window.max_timestamp
                    self._trace.add(JoinMatched(place, key, one, other, timestamp, window, None))
                watermark = self._timers.current_watermark
                self._output.emit_joined(key, one, other, window.max_timestamp, window, watermark)


class CoGroupFiring(_TwoSided):
    """A ``group`` row for each firing that ``join`` lets through.

    ``join``: ``inner`` (both sides have records), ``left``, ``right`` (that side has) or ``full`` (any).
    """

    def __init__(self, runtime: OperatorRuntime, timers: InternalTimerService, join: str) -> None:
        super().__init__(runtime, timers)
        self._needs_left = join in ("inner", "left")
        self._needs_right = join in ("inner", "right")

    def _emit(self, key: Key, window: Window, left: list[Element], right: list[Element]) -> None:
        if (self._needs_left and not left) or (self._needs_right and not right):
            return
        left_values = [element.value for element in left]
        right_values = [element.value for element in right]
        if self._trace is not None:
            place = "CoGroupWindowFunction.apply"
            timestamp = window.max_timestamp
            event = GroupFired(place, key, window, tuple(left_values), tuple(right_values), timestamp)
            self._trace.add(event)
        self._output.emit_group(key, window, left_values, right_values, self._timers.current_watermark)
