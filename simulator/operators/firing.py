"""What a window emits when it fires: how its contents are kept, and which rows are made of them.

Source: ``InternalWindowFunction``, and ``EvictingWindowOperator.emitWindowContents`` for the evicting kind.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tidemark.simulator.evictors.base import Evictor
from tidemark.simulator.functions.base import CONTENTS, WindowFunction
from tidemark.simulator.operators.runtime import OperatorRuntime
from tidemark.simulator.state.keyed_state import AppendingState, ListState
from tidemark.simulator.timers.timer_service import InternalTimerService
from tidemark.simulator.trace.events import ElementsEvicted, PaneFired
from tidemark.simulator.values.element import Element, new_element
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.window import GLOBAL_WINDOW, Window

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
