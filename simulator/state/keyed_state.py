"""Keyed state: state name → table → (key, namespace) → value, and the kinds of state over it.

A state asked for by the same name is the same state. Values are immutable (numbers, strings, tuples) but for the list
of a ``ListState``, which belongs to its table alone.
Source: ``HeapKeyedStateBackend``, ``StateTable``, ``HeapListState``, ``HeapReducingState``, ``HeapAggregatingState``.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from simulator.trace.events import StateAdded, StateCleared, StateMerged
from simulator.trace.trace import Trace
from simulator.values.key import Key
from simulator.values.window import Window

Entry = tuple[Key, Window | None]
"""(key, namespace); the namespace is None for Flink's VoidNamespace."""

Merge = Callable[[Any, Any], Any]
"""What two namespaces hold, the first one's values having come first, as one."""


class KeyedStateBackend:
    """All keyed state of one operator."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[Entry, Any]] = {}

    def table(self, name: str) -> dict[Entry, Any]:
        """The table of the state called ``name``, made at the first call."""
        return self.tables.setdefault(name, {})


class AppendingState(Protocol):
    """State that one adds to: what a window's contents are kept in. Source: ``InternalAppendingState``."""

    name: str

    def add(self, key: Key, namespace: Window, value: Any) -> None:
        """Add ``value`` to what ``key`` and ``namespace`` hold."""

    def get(self, key: Key, namespace: Window) -> Any:
        """What is held, None when there is nothing."""

    def clear(self, key: Key, namespace: Window) -> None:
        """Remove it."""

    def merge_namespaces(self, key: Key, target: Window, sources: Sequence[Window]) -> None:
        """Move what the ``sources`` hold to ``target``."""


class HeapState:
    """What the kinds of state share: removing, and moving what several namespaces hold into one."""

    kind = ""

    def __init__(self, backend: KeyedStateBackend, name: str, merge: Merge, trace: Trace | None) -> None:
        self.name = name
        self._table = backend.table(name)
        self._merge = merge
        self._trace = trace

    def get(self, key: Key, namespace: Window) -> Any:
        """What is held, None when there is nothing."""
        return self._table.get((key, namespace))

    def clear(self, key: Key, namespace: Window) -> None:
        """Remove it."""
        if self._table.pop((key, namespace), None) is not None and self._trace is not None:
            self._trace.add(StateCleared(f"{self.kind}.clear", self.name, key, namespace))

    def merge_namespaces(self, key: Key, target: Window, sources: Sequence[Window]) -> None:
        """Move what the ``sources`` hold to ``target``: the sources are folded in their order, then go behind it.

        Source: ``AbstractHeapMergingState.mergeNamespaces``.
        """
        if not sources:
            return
        table, merged = self._table, None
        for source in sources:
            value = table.pop((key, source), None)
            if value is not None:
                merged = value if merged is None else self._merge(merged, value)
        if merged is not None:
            held = table.get((key, target))
            table[key, target] = merged if held is None else self._merge(held, merged)
        if self._trace is not None:
            after = self._shown(table.get((key, target)))
            place = f"{self.kind}.merge_namespaces"
            self._trace.add(StateMerged(place, self.name, key, target, tuple(sources), after))

    def _shown(self, value: Any) -> Any:
        return value

    def _added(self, key: Key, namespace: Window, value: Any, trace: Trace) -> None:
        after = self._shown(self._table[key, namespace])
        trace.add(StateAdded(f"{self.kind}.add", self.name, key, namespace, value, after))


class ListState(HeapState):
    """A list of values in order of arrival; never empty."""

    kind = "HeapListState"

    def __init__(self, backend: KeyedStateBackend, name: str, trace: Trace | None = None) -> None:
        super().__init__(backend, name, operator.add, trace)

    def add(self, key: Key, namespace: Window, value: Any) -> None:
        """Append ``value``."""
        entry = (key, namespace)
        held = self._table.get(entry)
        if held is None:
            self._table[entry] = [value]
        else:
            held.append(value)
        if self._trace is not None:
            self._added(key, namespace, value, self._trace)

    def _shown(self, value: list[Any] | None) -> tuple[Any, ...] | None:
        return None if value is None else tuple(value)


class ReducingState(HeapState):
    """One value: all values so far, reduced; the first stands as it is."""

    kind = "HeapReducingState"

    def __init__(self, backend: KeyedStateBackend, name: str, reduce: Merge, trace: Trace | None = None) -> None:
        super().__init__(backend, name, reduce, trace)

    def add(self, key: Key, namespace: Window, value: Any) -> None:
        """Reduce what is held with ``value``, in this order."""
        entry = (key, namespace)
        held = self._table.get(entry)
        self._table[entry] = value if held is None else self._merge(held, value)
        if self._trace is not None:
            self._added(key, namespace, value, self._trace)


class Aggregate(Protocol):
    """What an ``AggregatingState`` needs of a function; accumulators are immutable. Source: ``AggregateFunction``."""

    def create_accumulator(self) -> Any:
        """The accumulator of no values."""

    def add(self, accumulator: Any, value: Any) -> Any:
        """The accumulator with ``value`` added."""

    def merge(self, left: Any, right: Any) -> Any:
        """The accumulator of both, ``left`` having come first."""


class AggregatingState(HeapState):
    """One accumulator."""

    kind = "HeapAggregatingState"

    def __init__(
        self, backend: KeyedStateBackend, name: str, aggregate: Aggregate, trace: Trace | None = None
    ) -> None:
        super().__init__(backend, name, aggregate.merge, trace)
        self._aggregate_add = aggregate.add
        self._create = aggregate.create_accumulator

    def add(self, key: Key, namespace: Window, value: Any) -> None:
        """Add ``value`` to the accumulator, made anew when there is none."""
        entry = (key, namespace)
        held = self._table.get(entry)
        self._table[entry] = self._aggregate_add(self._create() if held is None else held, value)
        if self._trace is not None:
            self._added(key, namespace, value, self._trace)
