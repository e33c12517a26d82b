"""Keyed state: state name → table → (key, namespace) → value, and the kinds of state on top of it.

The same name is the same state, whoever asks for it. Values are never changed in place, except lists, and these only by
way of ``StateTable.writable``: a snapshot may share the value.
Source: ``HeapKeyedStateBackend``, ``StateTable``, ``HeapListState``, ``HeapReducingState``, ``HeapAggregatingState``.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from tidemark.simulator.engine.trace.events import StateAdded, StateCleared, StateMerged, StateUpdated
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import BooleanKey, Key
from tidemark.simulator.engine.values.window import Namespace, Window

# Key groups: the shards in which Flink keeps and moves keyed state.
#
# Source: ``KeyGroupRangeAssignment`` and ``MathUtils.murmurHash``.

DEFAULT_MAX_PARALLELISM: Final = 128
"""Flink's choice for a parallelism of up to 85. Source: ``computeDefaultMaxParallelism``."""

_MASK: Final = 2**32 - 1


def key_group(key: Key, max_parallelism: int = DEFAULT_MAX_PARALLELISM) -> int:
    """The key group of ``key``, from 0 to ``max_parallelism`` - 1. Source: ``assignToKeyGroup``."""
    return murmur_hash(java_hash_code(key)) % max_parallelism


def java_hash_code(key: Key) -> int:
    """``key.hashCode()`` of a Java String, Long or Boolean, as a signed 32-bit number."""
    if isinstance(key, BooleanKey):
        return 1231 if key.value else 1237
    if isinstance(key, int):
        return _signed((key ^ (key >> 32)) & _MASK)
    code = 0
    units = key.encode("utf-16-be", "surrogatepass")
    for index in range(0, len(units), 2):
        code = (31 * code + int.from_bytes(units[index : index + 2], "big")) & _MASK
    return _signed(code)


def murmur_hash(code: int) -> int:
    """Flink's murmur hash of a 32-bit number, never negative. Source: ``MathUtils.murmurHash``."""
    code = (code & _MASK) * 0xCC9E2D51 & _MASK
    code = _rotated(code, 15) * 0x1B873593 & _MASK
    code = (_rotated(code, 13) * 5 + 0xE6546B64) & _MASK
    code ^= 4
    code = (code ^ (code >> 16)) * 0x85EBCA6B & _MASK
    code = (code ^ (code >> 13)) * 0xC2B2AE35 & _MASK
    mixed = _signed(code ^ (code >> 16))
    if mixed >= 0:
        return mixed
    return -mixed if mixed != -(2**31) else 0


def _rotated(code: int, by: int) -> int:
    return (code << by | code >> (32 - by)) & _MASK


def _signed(code: int) -> int:
    return code - 2**32 if code & 0x80000000 else code


Entry = tuple[Key, Namespace]
"""(key, namespace); the namespace is None for Flink's VoidNamespace."""

Merge = Callable[[Any, Any], Any]
"""Merges what two namespaces hold; the values of the first have come first."""


class Held(NamedTuple):
    """A value, the snapshot version in which it was written, and whether the last snapshot holds the same object."""

    value: Any
    version: int
    shared: bool


class StateTable:
    """(key, namespace) → value, with copy on write.

    ``namespaces`` holds them, by namespace and then by key: a window has many records, and its hash is computed once
    for each, that of a key is known. No namespace is without entries, once a value has been written.
    A snapshot takes the table as it is and shares every value with it. A value that changes afterwards is copied or
    replaced first, and is no longer shared. ``shared`` holds the entries whose value is still the last snapshot's too,
    ``versions`` the snapshot version in which an entry was last written (0 before the first snapshot). ``restores``
    counts how often the table went back to a snapshot.
    Source: ``NestedStateMap``, and ``CopyOnWriteStateMap``, whose entries carry these versions.
    """

    __slots__ = ("name", "namespaces", "restores", "shared", "version", "versions")

    def __init__(self, name: str, version: int = 0) -> None:
        self.name = name
        self.namespaces: dict[Namespace, dict[Key, Any]] = {}
        self.version = version
        self.restores = 0
        self.shared: set[Entry] = set()
        self.versions: dict[Entry, int] = {}

    @property
    def entries(self) -> dict[Entry, Any]:
        """All entries as they are now, put together anew at each call."""
        return {
            (key, namespace): value for namespace, by_key in self.namespaces.items() for key, value in by_key.items()
        }

    def snapshot(self) -> dict[Entry, Any]:
        """All entries as they are now. Nobody may change the values in it."""
        self.version += 1
        entries = self.entries
        self.shared = set(entries)
        return entries

    def restore(self, entries: Mapping[Entry, Any]) -> None:
        """Go back to the entries of a snapshot, sharing its values."""
        self.namespaces.clear()
        for (key, namespace), value in entries.items():
            self.namespaces.setdefault(namespace, {})[key] = value
        self.restores += 1
        self.shared = set(entries)
        self.versions.clear()

    def get(self, entry: Entry) -> Any:
        """The value, None if there is none. It may be shared: use ``writable`` to change it in place."""
        key, namespace = entry
        by_key = self.namespaces.get(namespace)
        return None if by_key is None else by_key.get(key)

    def put(self, entry: Entry, value: Any) -> None:
        """Set the value."""
        key, namespace = entry
        by_key = self.namespaces.get(namespace)
        if by_key is None:
            self.namespaces[namespace] = {key: value}
        else:
            by_key[key] = value
        if self.version:
            self.written(entry)

    def remove(self, entry: Entry) -> Any:
        """Remove the entry; returns its value, None if there was none."""
        if self.version:
            self.shared.discard(entry)
            self.versions.pop(entry, None)
        key, namespace = entry
        by_key = self.namespaces.get(namespace)
        if by_key is None:
            return None
        value = by_key.pop(key, None)
        if not by_key:
            del self.namespaces[namespace]
        return value

    def take(self, entry: Entry) -> Any:
        """As ``remove``, for a value that goes on to be used elsewhere: a list that a snapshot shares is copied.

        Source: ``CopyOnWriteStateMap.removeAndGetOld``.
        """
        shared = entry in self.shared
        value = self.remove(entry)
        return value.copy() if shared and isinstance(value, list) else value

    def writable(self, entry: Entry) -> Any:
        """The list under ``entry``, to be changed in place; a copy replaces it first if a snapshot shares it."""
        key, namespace = entry
        by_key = self.namespaces.get(namespace)
        value = None if by_key is None else by_key.get(key)
        if self.version and by_key is not None and value is not None:
            if entry in self.shared:
                value = by_key[key] = value.copy()
            self.written(entry)
        return value

    def inspect(self, max_parallelism: int = DEFAULT_MAX_PARALLELISM) -> dict[int, dict[Entry, Held]]:
        """The entries by key group, ascending."""
        groups: dict[int, dict[Entry, Held]] = {}
        for entry, value in self.entries.items():
            held = Held(value, self.versions.get(entry, 0), entry in self.shared)
            groups.setdefault(key_group(entry[0], max_parallelism), {})[entry] = held
        return dict(sorted(groups.items()))

    def written(self, entry: Entry) -> None:
        """Note that the value under ``entry`` is newer than the last snapshot; needed only if there was one."""
        self.shared.discard(entry)
        self.versions[entry] = self.version


class KeyedStateBackend:
    """All keyed state of one operator."""

    def __init__(self) -> None:
        self.tables: dict[str, StateTable] = {}
        self._snapshots = 0

    def table(self, name: str) -> StateTable:
        """The table of the state called ``name``, made at the first call. It counts earlier snapshots as well."""
        table = self.tables.get(name)
        if table is None:
            table = self.tables[name] = StateTable(name, self._snapshots)
        return table

    def inspect(self, max_parallelism: int = DEFAULT_MAX_PARALLELISM) -> dict[str, dict[int, dict[Entry, Held]]]:
        """What is kept where: state name → key group → (key, namespace) → value, groups ascending."""
        return {name: table.inspect(max_parallelism) for name, table in self.tables.items() if table.namespaces}

    def snapshot(self) -> dict[str, dict[Entry, Any]]:
        """Every table's snapshot, by name."""
        self._snapshots += 1
        return {name: table.snapshot() for name, table in self.tables.items()}

    def restore(self, snapshot: Mapping[str, Mapping[Entry, Any]]) -> None:
        """Go back to a snapshot; a table that is not in it becomes empty."""
        for name, table in self.tables.items():
            table.restore(snapshot.get(name, {}))


class AppendingState(Protocol):
    """State that values are added to, such as the contents of a window. Source: ``InternalAppendingState``."""

    name: str

    def add(self, key: Key, namespace: Window, value: Any) -> bool:
        """Add ``value`` to what ``key`` and ``namespace`` hold; returns whether they held something before."""

    def get(self, key: Key, namespace: Window) -> Any:
        """What ``key`` and ``namespace`` hold, None if nothing."""

    def clear(self, key: Key, namespace: Window) -> None:
        """Remove it."""

    def merge_namespaces(self, key: Key, target: Window, sources: Sequence[Window]) -> None:
        """Move what the ``sources`` hold to ``target``."""


class HeapState:
    """What the kinds of state have in common: removing, and merging several namespaces into one."""

    kind = ""

    def __init__(self, backend: KeyedStateBackend, name: str, merge: Merge, trace: Trace | None) -> None:
        self.name = name
        self._table = backend.table(name)
        self._namespaces = self._table.namespaces
        self._merge = merge
        self._trace = trace
        self._place_of_add = f"{self.kind}.add"

    def get(self, key: Key, namespace: Window) -> Any:
        """What ``key`` and ``namespace`` hold, None if nothing."""
        by_key = self._namespaces.get(namespace)
        return None if by_key is None else by_key.get(key)

    def clear(self, key: Key, namespace: Window) -> None:
        """Remove it."""
        if self._table.remove((key, namespace)) is not None and self._trace is not None:
            self._trace.add(StateCleared(f"{self.kind}.clear", self.name, key, namespace))

    def merge_namespaces(self, key: Key, target: Window, sources: Sequence[Window]) -> None:
        """Move what the ``sources`` hold to ``target``.

        The sources are merged in their order, and the result follows what ``target`` holds. The order shows in lists
        and in sums of doubles. Source: ``AbstractHeapMergingState.mergeNamespaces``.
        """
        table, merged = self._table, None
        for source in sources:
            value = table.take((key, source))
            if value is not None:
                merged = value if merged is None else self._merge(merged, value)
        if merged is not None:
            held = table.get((key, target))
            table.put((key, target), merged if held is None else self._merge(held, merged))
        if self._trace is not None:
            after = self._shown(table.get((key, target)))
            place = f"{self.kind}.merge_namespaces"
            self._trace.add(StateMerged(place, self.name, key, target, tuple(sources), after))

    def _shown(self, value: Any) -> Any:
        return value

    def _added(self, key: Key, namespace: Window, value: Any, trace: Trace) -> None:
        after = self._shown(self._table.get((key, namespace)))
        trace.add(StateAdded(self._place_of_add, self.name, key, namespace, value, after))


class ListState(HeapState):
    """A list of values in order of arrival; an empty one is no entry at all."""

    kind = "HeapListState"

    def __init__(self, backend: KeyedStateBackend, name: str, trace: Trace | None = None) -> None:
        super().__init__(backend, name, operator.add, trace)

    def add(self, key: Key, namespace: Window, value: Any) -> bool:
        """Append ``value``; returns whether there was a list before."""
        entry = (key, namespace)
        held = self._table.writable(entry)
        if held is None:
            self._table.put(entry, [value])
        else:
            held.append(value)
        if self._trace is not None:
            self._added(key, namespace, value, self._trace)
        return held is not None

    def update(self, key: Key, namespace: Window, values: list[Any]) -> None:
        """Replace the list by ``values``; an empty list clears the state. Source: ``HeapListState.update``."""
        if not values:
            self.clear(key, namespace)
            return
        self._table.put((key, namespace), values)
        if self._trace is not None:
            place = f"{self.kind}.update"
            self._trace.add(StateUpdated(place, self.name, key, namespace, self._shown(values)))

    def _shown(self, value: list[Any] | None) -> tuple[Any, ...] | None:
        return None if value is None else tuple(value)


class ReducingState(HeapState):
    """One value: all values so far, reduced. A single value is kept as it is."""

    kind = "HeapReducingState"

    def __init__(self, backend: KeyedStateBackend, name: str, reduce: Merge, trace: Trace | None = None) -> None:
        super().__init__(backend, name, reduce, trace)

    def add(self, key: Key, namespace: Window, value: Any) -> bool:
        """Reduce the current value with ``value``, in this order; returns whether there was a value before."""
        by_key = self._namespaces.get(namespace)
        if by_key is None:
            by_key = self._namespaces[namespace] = {}
        held = by_key.get(key)
        by_key[key] = value if held is None else self._merge(held, value)
        if self._table.version:
            self._table.written((key, namespace))
        if self._trace is not None:
            self._added(key, namespace, value, self._trace)
        return held is not None


class Aggregate(Protocol):
    """What an ``AggregatingState`` needs of a function; accumulators are immutable. Source: ``AggregateFunction``."""

    def create_accumulator(self) -> Any:
        """The accumulator of no values."""

    def add(self, accumulator: Any, value: Any) -> Any:
        """The accumulator with ``value`` added."""

    def merge(self, left: Any, right: Any) -> Any:
        """The accumulator of both; the values of ``left`` have come first."""


class AggregatingState(HeapState):
    """One accumulator for all values so far."""

    kind = "HeapAggregatingState"

    def __init__(self, backend: KeyedStateBackend, name: str, aggregate: Aggregate, trace: Trace | None = None) -> None:
        super().__init__(backend, name, aggregate.merge, trace)
        self._aggregate_add = aggregate.add
        self._create = aggregate.create_accumulator

    def add(self, key: Key, namespace: Window, value: Any) -> bool:
        """Add ``value`` to the accumulator, a new one if there is none; returns whether there was one before."""
        by_key = self._namespaces.get(namespace)
        if by_key is None:
            by_key = self._namespaces[namespace] = {}
        held, add = by_key.get(key), self._aggregate_add
        by_key[key] = add(self._create() if held is None else held, value)
        if self._table.version:
            self._table.written((key, namespace))
        if self._trace is not None:
            self._added(key, namespace, value, self._trace)
        return held is not None
