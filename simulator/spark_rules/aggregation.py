"""Windows of a fixed size: partial aggregates of the batch, the late filter, state, results, eviction.

The order is that of the physical plan, and it shows. Partial aggregates come before the late filter, so a sum of late
values can still overflow. Results come before eviction, so update mode emits a window that the same batch evicts.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, Final

from tidemark.simulator.engine.functions import AGGREGATES, AggregateFunction
from tidemark.simulator.engine.trace.events import (
    PaneEmitted,
    PartialUpdated,
    Rule,
    SessionsMerged,
    StateCleared,
    StateEvicted,
    StateUpdated,
    WindowsAssigned,
)
from tidemark.simulator.engine.values.items import Key, Record, key_of
from tidemark.simulator.engine.values.rows import batch_pane_row
from tidemark.simulator.engine.values.time import Number
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.spark_rules.micro_batches import Batch, BatchOutput, StatefulOperator, filter_out

STATE = "aggregate"
"""The name of the state that holds an accumulator for each key and window."""

Entry = tuple[Key, TimeWindow]
Windows = Callable[[int], tuple[TimeWindow, ...]]
"""The windows of a timestamp (ms), the latest first."""


class WindowAggregation(StatefulOperator):
    """``groupBy(window(…), key).agg(…)``.

    ``mode``: ``append``, ``update`` or ``complete``. ``filters``: there is a watermark, and late records are dropped by
    it. ``evicts``: windows are removed once the watermark has reached their end.

    Source: ``HashAggregateExec``, ``StateStoreSaveExec``.
    """

    store = "StateStoreSaveExec"
    assigning = "TimeWindowing.apply"

    def __init__(
        self, windows: Windows, function: AggregateFunction, mode: str, *, filters: bool, evicts: bool
    ) -> None:
        self.windows = windows
        self.function = function
        self.mode = mode
        self.filters = filters
        self.evicts = evicts
        self.state: dict[Entry, Any] = {}

    @property
    def waits_for_watermark(self) -> bool:
        """Whether windows may be closed."""
        return self.evicts

    def state_rows(self) -> int:
        """One for each key and window."""
        return len(self.state)

    def snapshot(self) -> Mapping[str, Any]:
        """The accumulators by (key, window)."""
        return {STATE: dict(self.state)} if self.state else {}

    def run(self, batch: Batch, output: BatchOutput, read: Callable[[Record], None]) -> None:
        """First all records, then each window once."""
        partials: dict[Entry, Any] = {}
        late: dict[Entry, Any] = {}
        for item, record in batch.records:
            output.at_record(item)
            read(record)
            self._add(record, batch, output, partials, late)
        output.at_batch()
        changed = self.save(partials, output)
        self._emit_results(changed, batch, output)

    # --- the records of a batch ---

    def _add(
        self, record: Record, batch: Batch, output: BatchOutput, partials: dict[Entry, Any], late: dict[Entry, Any]
    ) -> None:
        assert record.ts is not None
        key, add = key_of(record.key), self.function.add
        windows = self.windows(record.ts)
        if output.trace is not None:
            output.trace.add(WindowsAssigned(self.assigning, key, windows))
        for window in windows:
            entry = (key, window)
            if self.filters and window.end <= batch.late_watermark:
                # Spark filters whole partial aggregates: a sum may fail before it is found to be late.
                late[entry] = add(late.get(entry, self.function.empty), record.value)
                filter_out(record, key, window, batch, output)
                continue
            after = partials[entry] = add(partials.get(entry, self.function.empty), record.value)
            if output.trace is not None:
                output.trace.add(PartialUpdated("HashAggregateExec.do_execute", key, window, record.value, after))

    # --- the batch as a whole ---

    def save(self, partials: dict[Entry, Any], output: BatchOutput) -> list[Entry]:
        """Merge the batch's partial aggregates into the state; returns the entries written."""
        for entry, partial in partials.items():
            before = self.state.get(entry)
            after = partial if before is None else self.function.merge(before, partial)
            self.state[entry] = after
            if output.trace is not None:
                output.trace.add(StateUpdated(f"{self.store}.put", STATE, *entry, after))
        return list(partials)

    def _emit_results(self, changed: list[Entry], batch: Batch, output: BatchOutput) -> None:
        """Emit the rows of the output mode, then evict; append emits exactly what it evicts."""
        closed = self._closed(batch) if self.evicts else []
        if self.mode == "append":
            for entry in closed:
                self._emit(entry, batch, output, _closed_rule(entry[1], batch))
                self._evict(entry, batch, output)
            return
        for entry in sorted(changed if self.mode == "update" else self.state, key=_by_end):
            self._emit(entry, batch, output, None)
        for entry in closed:
            self._evict(entry, batch, output)

    def _emit(self, entry: Entry, batch: Batch, output: BatchOutput, rule: Rule | None) -> None:
        key, window = entry
        value = self.function.result(self.state[entry])
        if output.trace is not None:
            output.trace.add(PaneEmitted(f"{self.store}.do_execute", key, window, value, self.mode, rule))
        output.emit_result(batch_pane_row(key, window, value, batch.number, batch.watermark))

    def _evict(self, entry: Entry, batch: Batch, output: BatchOutput) -> None:
        del self.state[entry]
        if output.trace is not None:
            rule = _closed_rule(entry[1], batch)
            output.trace.add(StateEvicted(f"{self.store}.remove_keys_older_than_watermark", STATE, *entry, rule))

    def _closed(self, batch: Batch) -> list[Entry]:
        closed = [entry for entry in self.state if entry[1].end <= batch.watermark]
        return sorted(closed, key=_by_end)


def _by_end(entry: Entry) -> tuple[int, int]:
    return entry[1].end, entry[1].start


def _closed_rule(window: TimeWindow, batch: Batch) -> Rule:
    numbers = (("end", window.end), ("watermark", batch.watermark))
    return Rule("batch-window-closed", "end <= watermark", numbers, True)


# What the aggregates hold in state: Spark's buffers, by ``compute`` and by the type of the value column.
#
# A column of whole numbers is BIGINT: its sum fails where it leaves 64 bits (ANSI mode). With one double anywhere
# in the stream the column is DOUBLE, and nothing fails. ``avg`` adds doubles either way.

_EXACT: Final = 2**53
"""Up to here every whole number is exact as a double."""


def _add_doubles(left: Number, right: Number) -> Number:
    """The sum. Whole numbers are shown as such, as long as they equal the doubles that Spark has."""
    total = left + right
    exact = isinstance(total, float) or max(abs(left), abs(right), abs(total)) <= _EXACT
    return total if exact else float(left) + float(right)


def _add_to_average(accumulator: tuple[float, int], value: Number) -> tuple[float, int]:
    return accumulator[0] + float(value), accumulator[1] + 1


def _merge_averages(left: tuple[float, int], right: tuple[float, int]) -> tuple[float, int]:
    return left[0] + right[0], left[1] + right[1]


def _average(accumulator: tuple[float, int]) -> float:
    return accumulator[0] / accumulator[1]


def _itself(accumulator: Any) -> Any:
    return accumulator


AVERAGE = AggregateFunction((0.0, 0), _add_to_average, _merge_averages, _average)
SUM_OF_DOUBLES = AggregateFunction(0, _add_doubles, _add_doubles, _itself)


def aggregate(compute: str, *, doubles: bool) -> AggregateFunction:
    """The function named ``compute`` over a column of doubles, or of whole numbers."""
    if compute == "avg":
        return AVERAGE
    if compute == "sum" and doubles:
        return SUM_OF_DOUBLES
    return AGGREGATES[compute]


# Session windows: the late filter looks at a record's own window; then windows that overlap or touch become one.
#
# Since the filter comes first, a late record never extends an open session. In Flink it would: there the record's
# window merges first, and the merged window is asked whether it is late.

Part = tuple[TimeWindow, Any, bool]
"""Window, accumulator, and whether it comes from the state."""


class SessionAggregation(WindowAggregation):
    """``groupBy(session_window(…), key).agg(…)``.

    Source: ``SessionWindowStateStoreRestoreExec``, ``MergingSessionsExec``, ``SessionWindowStateStoreSaveExec``.
    """

    store = "SessionWindowStateStoreSaveExec"
    assigning = "SessionWindowing.apply"

    def save(self, partials: dict[Entry, Any], output: BatchOutput) -> list[Entry]:
        """Merge the batch's windows with the sessions of their keys, each group from the earliest start on."""
        by_key: dict[Key, list[Part]] = defaultdict(list)
        for (key, window), partial in partials.items():
            by_key[key].append((window, partial, False))
        for (key, window), held in self.state.items():
            if key in by_key:
                by_key[key].append((window, held, True))
        written: list[Entry] = []
        for key, parts in by_key.items():
            parts.sort(key=lambda part: part[0])
            changed = (group for group in _groups(parts) if not all(part[2] for part in group))
            written.extend(self._merge(key, group, output) for group in changed)
        return written

    def _merge(self, key: Key, group: list[Part], output: BatchOutput) -> Entry:
        window, after, _ = group[0]
        for other, partial, _ in group[1:]:
            window, after = window.cover(other), self.function.merge(after, partial)
        old = [part[0] for part in group if part[2]]
        if len(group) > 1 and output.trace is not None:
            new = tuple(part[0] for part in group if not part[2])
            output.trace.add(SessionsMerged("MergingSessionsExec.do_execute", key, window, tuple(old), new))
        for gone in old:
            del self.state[key, gone]
            if gone != window and output.trace is not None:
                output.trace.add(StateCleared(f"{self.store}.put", STATE, key, gone))
        self.state[key, window] = after
        if output.trace is not None:
            output.trace.add(StateUpdated(f"{self.store}.put", STATE, key, window, after))
        return key, window


def _groups(parts: list[Part]) -> list[list[Part]]:
    """Groups of windows, in order of start, that overlap or touch."""
    groups: list[list[Part]] = []
    end = 0
    for part in parts:
        if groups and part[0].start <= end:
            groups[-1].append(part)
            end = max(end, part[0].end)
        else:
            groups.append([part])
            end = part[0].end
    return groups
