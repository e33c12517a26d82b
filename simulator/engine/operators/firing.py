"""What a window emits when it fires: how its contents are kept, and which rows are made of them.

Source: ``InternalWindowFunction``, and ``EvictingWindowOperator.emitWindowContents`` for the evicting kind.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tidemark.simulator.engine.evictors import Evictor
from tidemark.simulator.engine.functions import CONTENTS, WindowFunction
from tidemark.simulator.engine.operators.base import OperatorRuntime, Output
from tidemark.simulator.engine.state import AppendingState, ListState
from tidemark.simulator.engine.timers import InternalTimerService
from tidemark.simulator.engine.trace.events import ElementsEvicted, GroupFired, JoinMatched, PaneFired
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.key import Element, Key, new_element
from tidemark.simulator.engine.values.window import GLOBAL_WINDOW, Window
from tidemark.simulator.limits import FIRINGS_WITHIN_AN_ITEM

PLACE = "WindowOperator.emit_window_contents"


class Firing(ABC):
    """Makes the rows of a firing. ``contents`` is the state that the records of a window are added to."""

    contents: AppendingState

    element: Callable[[str, int | None, Any], Any] | None = None
    """(input, timestamp, value) → what is kept of a record; None where the value alone is kept."""

    @abstractmethod
    def fire(self, key: Key, window: Window, state_window: Window, contents: Any) -> None:
        """Emit the result of ``window`` over ``contents``, which are kept under ``state_window``."""

    def forget(self, key: Key, window: Window) -> None:  # noqa: B027 - only panes are numbered
        """The window is gone."""


class ElementsFiring(Protocol):
    """A firing that can work on a list of records, as an evictor needs it."""

    def fire_elements(self, key: Key, window: Window, elements: Sequence[Element]) -> None:
        """Emit the result of ``window`` over ``elements``, in order of arrival."""

    def forget(self, key: Key, window: Window) -> None:
        """The window is gone."""


class PaneFiring(Firing):
    """A pane row for each firing."""

    def __init__(
        self,
        runtime: OperatorRuntime,
        timers: InternalTimerService,
        function: WindowFunction,
        *,
        is_event_time: bool,
    ) -> None:
        self.contents = function.contents_state(runtime.state, runtime.trace)
        self.function = function
        self.panes = runtime.panes
        self._is_event_time = is_event_time
        self._timers = timers
        self._clock = runtime.clock
        self._output = runtime.output
        self._trace = runtime.trace

    def fire(self, key: Key, window: Window, state_window: Window, contents: Any) -> None:
        """Emit the function's result over the contents."""
        self._emit(key, window, self.function.result(contents))

    def fire_elements(self, key: Key, window: Window, elements: Sequence[Element]) -> None:
        """Emit the function's result over the values of ``elements``."""
        self._emit(key, window, self.function.result_of([element.value for element in elements]))

    def forget(self, key: Key, window: Window) -> None:
        """The window is gone, and its pane numbers with it."""
        self.panes.forget(key, window)

    def _emit(self, key: Key, window: Window, value: Any) -> None:
        watermark = self._timers.current_watermark
        by_watermark = self._is_event_time or window is GLOBAL_WINDOW
        number, timing = self.panes.next(key, window, watermark if by_watermark else self._clock.now)
        if self._trace is not None:
            self._trace.add(PaneFired(PLACE, key, window, timing, number, value, window.max_timestamp))
        self._output.emit_pane(key, window, timing, number, value, watermark)


class EvictingFiring(Firing):
    """Keeps whole records, and lets an evictor remove some of them before or after ``inner`` has seen them."""

    def __init__(
        self, runtime: OperatorRuntime, inner: ElementsFiring, evictor: Evictor, stamped: frozenset[str]
    ) -> None:
        self._list = ListState(runtime.state, CONTENTS, runtime.trace)
        self.contents = self._list
        self.element = make_element
        self._inner = inner
        self._evictor = evictor
        self._stamped = stamped
        self._trace = runtime.trace

    def fire(self, key: Key, window: Window, state_window: Window, contents: Any) -> None:
        """Evict before or after emitting, and keep what remains.

        Evicted records are gone from every later firing. Source: ``EvictingWindowOperator.emitWindowContents``.
        """
        elements: Sequence[Element] = tuple(contents)
        if not self._evictor.after:
            elements = self._evict(key, window, elements, "before")
        self._inner.fire_elements(key, window, elements)
        if self._evictor.after:
            elements = self._evict(key, window, elements, "after")
        if len(elements) != len(contents):
            self._list.update(key, state_window, list(elements))

    def forget(self, key: Key, window: Window) -> None:
        """The window is gone."""
        self._inner.forget(key, window)

    def _evict(self, key: Key, window: Window, elements: Sequence[Element], when: str) -> Sequence[Element]:
        kept = self._evictor.evict(elements, self._stamped)
        if self._trace is not None and len(kept) != len(elements):
            left = {id(element) for element in kept}
            evicted = tuple(element for element in elements if id(element) not in left)
            place = f"{type(self._evictor).__name__}.evict_{when}"
            name = type(self._evictor).__name__
            self._trace.add(ElementsEvicted(place, key, window, when, name, evicted, len(kept)))
        return kept


def make_element(input: str, timestamp: int | None, value: Any) -> Element:
    """What is kept of a record in a list of records."""
    return new_element((timestamp, value, input))


# What a window join and a coGroup emit when a window fires: the records of both sides, paired or side by side.
#
# Both are one window operator over the union of the inputs, whose records know their side. Source:
# ``CoGroupedStreams`` and ``JoinedStreams``.


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


class FiringLimit:
    """Counts the firings that timers cause; a record causes no more than one for each window."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._item = -1
        self._counts: dict[tuple[Key, Window], int] = {}

    def fired(self, key: Key, window: Window) -> None:
        """Count one firing; raises ``EngineFailure`` (LimitExceeded) beyond the limit."""
        if self._item != self._output.item:
            self._item = self._output.item
            self._counts.clear()
        count = self._counts.get((key, window), 0) + 1
        self._counts[key, window] = count
        if count > FIRINGS_WITHIN_AN_ITEM:
            message = f"a trigger fired more than {FIRINGS_WITHIN_AN_ITEM} times for one key and window within one item"
            raise EngineFailure("LimitExceeded", message)
