"""Windows of a fixed size: partial aggregates of the batch, the late filter, state, results, eviction.

The order is that of the physical plan, and it shows. Partial aggregates come before the late filter, so a sum of late
values can still overflow. Results come before eviction, so update mode emits a window that the same batch evicts.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tidemark.simulator.functions.base import AggregateFunction
from tidemark.simulator.spark_dialect.base import Batch, BatchOutput, StatefulOperator
from tidemark.simulator.spark_dialect.late_filter import filter_out
from tidemark.simulator.trace.events import (
    PaneEmitted,
    PartialUpdated,
    Rule,
    StateEvicted,
    StateUpdated,
    WindowsAssigned,
)
from tidemark.simulator.values.items import Record
from tidemark.simulator.values.key import Key, key_of
from tidemark.simulator.values.rows import batch_pane_row
from tidemark.simulator.values.window import TimeWindow

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
