"""How a window fires: the trigger's view of the window operator, and the rows that are made of the contents.

Source: ``WindowOperator.Context``, ``InternalWindowFunction``, and ``EvictingWindowOperator.emitWindowContents``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tidemark.simulator.engine.evictors import Evictor
from tidemark.simulator.engine.functions import CONTENTS, ProcessFunction, WindowFunction
from tidemark.simulator.engine.operators.base import OperatorRuntime, Output
from tidemark.simulator.engine.state import AppendingState, ListState
from tidemark.simulator.engine.timers import InternalTimerService
from tidemark.simulator.engine.trace.event import new_rule
from tidemark.simulator.engine.trace.events import (
    ElementsEvicted,
    GroupFired,
    JoinMatched,
    PaneFired,
    Rule,
    TriggerStateChanged,
)
from tidemark.simulator.engine.values.errors import LIMIT_EXCEEDED, EngineFailure
from tidemark.simulator.engine.values.items import Element, Key, new_element
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.engine.values.window import GLOBAL_WINDOW, Window
from tidemark.simulator.limits import FIRINGS_OF_A_TIMER, FIRINGS_WITHIN_AN_ITEM


class WindowTriggerContext:
    """One object for the whole run; the operator sets ``key``, ``window`` and ``current_watermark`` (ms) before a call.

    ``merged`` holds the windows that became ``window`` while ``on_merge`` runs. ``rule`` is the last rule by which the
    trigger has decided. Source: ``WindowOperator.Context``.
    """

    def __init__(
        self, runtime: OperatorRuntime, timers: InternalTimerService, cleanup_time: Callable[[Window], int]
    ) -> None:
        self.key: Key = ""
        self.window: Window = None  # type: ignore[assignment]
        self.current_watermark = MIN
        self.merged: Sequence[Window] = ()
        self.rule: Rule | None = None
        self.tracing = runtime.trace is not None
        self.rules = runtime.rules
        self._trace = runtime.trace
        self._clock = runtime.clock
        self._state = runtime.state
        self._tables = runtime.state.tables
        self._timers = timers
        self._add_event_timer = timers.event_timers.add
        self._remove_event_timer = timers.event_timers.remove
        self._cleanup_time = cleanup_time

    @property
    def current_processing_time(self) -> int:
        """The clock (ms)."""
        return self._clock.now

    def register_event_time_timer(self, timestamp: int) -> None:
        """Call ``on_event_time`` when the watermark reaches ``timestamp`` (ms)."""
        timer = (timestamp, self.key, self.window)
        if self._add_event_timer(timer) and self.tracing:
            purpose = "fire+cleanup" if timestamp == self._cleanup_time(self.window) else "fire"
            self._timers.trace_event_time_timer(timer, purpose)

    def delete_event_time_timer(self, timestamp: int) -> None:
        """Delete such a timer; it is no error if there is none."""
        if self.tracing:
            self._timers.delete_event_time_timer(timestamp, self.key, self.window)
        else:
            self._remove_event_timer((timestamp, self.key, self.window))

    def register_processing_time_timer(self, timestamp: int) -> None:
        """Call ``on_processing_time`` when the clock has passed ``timestamp`` (ms)."""
        self._timers.register_processing_time_timer(timestamp, self.key, self.window, "fire")

    def delete_processing_time_timer(self, timestamp: int) -> None:
        """Delete such a timer; it is no error if there is none."""
        self._timers.delete_processing_time_timer(timestamp, self.key, self.window)

    def get_state(self, name: str) -> Any:
        """The trigger state called ``name``, None if there is none."""
        table = self._tables.get(name) or self._state.table(name)
        return table.get((self.key, self.window))

    def set_state(self, name: str, value: Any) -> None:
        """Keep ``value``; None clears the state. A value that is there already is not written again."""
        table, entry = self._tables.get(name) or self._state.table(name), (self.key, self.window)
        before = table.get(entry)
        if before == value:
            return
        if value is None:
            table.remove(entry)
        else:
            table.put(entry, value)
        if self._trace is not None:
            place = "WindowOperator.Context.get_partitioned_state"
            self._trace.add(TriggerStateChanged(place, name, self.key, self.window, before, value))

    def count_up(self, name: str, most: int) -> int:
        """Add one to the count called ``name`` (0 if there is none) and return it; at ``most`` (>= 1) it is cleared."""
        table = self._tables[name] if name in self._tables else self._state.table(name)
        by_key = table.namespaces.get(self.window)
        count: int = 1 if by_key is None else by_key.get(self.key, 0) + 1
        if by_key is None or self.tracing or table.version:
            self.set_state(name, None if count >= most else count)
        elif count < most:  # fewer look-ups than ``set_state``, for streams of millions of records
            by_key[self.key] = count
        else:
            table.remove((self.key, self.window))
        return count

    def merge_state(self, name: str, merge: Callable[[Any, Any], Any]) -> Any:
        """Move the state of the merged windows to this one and return what it holds then.

        Source: ``WindowOperator.Context.mergePartitionedState``.
        """
        table, entry = self._state.table(name), (self.key, self.window)
        moved = None
        for source in self.merged:
            value = table.remove((self.key, source))
            if value is not None:
                moved = value if moved is None else merge(moved, value)
                if self._trace is not None:
                    place = "WindowOperator.Context.merge_partitioned_state"
                    self._trace.add(TriggerStateChanged(place, name, self.key, source, value, None))
        before = table.get(entry)
        if moved is not None:
            self.set_state(name, moved if before is None else merge(before, moved))
        return table.get(entry)

    def decided(self, name: str, formula: str, numbers: Sequence[tuple[str, int | float]], holds: bool) -> None:
        """Keep the rule by which the trigger decides, for the event that traces its answer."""
        self.rule = new_rule((name, formula, tuple(numbers), holds))


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

    def clear_function(self, key: Key, window: Window) -> None:  # noqa: B027 - only some functions keep something
        """The window is cleaned up, which is said to its function."""


class ElementsFiring(Protocol):
    """A firing that can work on a list of records, as an evictor needs it."""

    def fire_elements(self, key: Key, window: Window, elements: Sequence[Element]) -> None:
        """Emit the result of ``window`` over ``elements``, in order of arrival."""

    def forget(self, key: Key, window: Window) -> None:
        """The window is gone."""

    def clear_function(self, key: Key, window: Window) -> None:
        """The window is cleaned up."""


class PaneFiring(Firing):
    """A pane row for each firing."""

    def __init__(
        self,
        runtime: OperatorRuntime,
        timers: InternalTimerService,
        function: WindowFunction,
        process: ProcessFunction | None = None,
        *,
        is_event_time: bool,
    ) -> None:
        self.contents = function.contents_state(runtime.state, runtime.trace)
        self.function = function
        self._process = process
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

    def clear_function(self, key: Key, window: Window) -> None:
        """The process function clears what it keeps of the window."""
        if self._process is not None:
            self._process.clear(key, window)

    def _emit(self, key: Key, window: Window, value: Any) -> None:
        if self._process is not None:
            value = self._process.process(key, window, value)
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

    def clear_function(self, key: Key, window: Window) -> None:
        """The window is cleaned up."""
        self._inner.clear_function(key, window)

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
        self._counts: dict[tuple[Key, Window], tuple[int, int, int]] = {}

    def fired(self, key: Key, window: Window, timestamp: int) -> None:
        """Count a firing by the timer of ``timestamp`` (ms).

        Raises ``EngineFailure`` (LimitExceeded) beyond a limit.
        """
        if self._item != self._output.item:
            self._item = self._output.item
            self._counts.clear()
        count, last, again = self._counts.get((key, window), (0, timestamp, 0))
        count, again = count + 1, again + 1 if last == timestamp else 1
        self._counts[key, window] = count, timestamp, again
        if again > FIRINGS_OF_A_TIMER:
            message = f"a timer fired more than {FIRINGS_OF_A_TIMER} times: it is set again for the same time for ever"
            raise EngineFailure(LIMIT_EXCEEDED, message)
        if count > FIRINGS_WITHIN_AN_ITEM:
            message = f"a trigger fired more than {FIRINGS_WITHIN_AN_ITEM} times for one key and window within one item"
            raise EngineFailure(LIMIT_EXCEEDED, message)
