"""Windows of a fixed size: partial aggregates of the batch, the late filter, state, results, eviction."""

from collections.abc import Callable, Mapping
from typing import Any

from simulator.functions.base import AggregateFunction
from simulator.spark_dialect.base import Batch, StatefulOperator, Told
from simulator.spark_dialect.late_filter import filter_out
from simulator.trace.events import (
    PaneEmitted,
    PartialUpdated,
    Rule,
    StateEvicted,
    StateUpdated,
    WindowsAssigned,
)
from simulator.values.items import Record
from simulator.values.key import Key, key_of, plain_key
from simulator.values.window import TimeWindow

STATE = "aggregate"
"""The name of the state that holds an accumulator for each key and window."""

Entry = tuple[Key, TimeWindow]
Windows = Callable[[int], tuple[TimeWindow, ...]]
"""The windows of a timestamp (ms), the latest first."""


class WindowAggregation(StatefulOperator):
    """``groupBy(window(…), key).agg(…)``. ``filters``: the input has a watermark, and the mode heeds it.

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
        """It may close windows."""
        return self.evicts

    def state_rows(self) -> int:
        """One for each key and window."""
        return len(self.state)

    def snapshot(self) -> Mapping[str, Any]:
        """The accumulators by (key, window)."""
        return {STATE: dict(self.state)} if self.state else {}

    def run(self, batch: Batch, told: Told, read: Callable[[Record], None]) -> None:
        """First all records, then every window once."""
        partials: dict[Entry, Any] = {}
        late: dict[Entry, Any] = {}
        for item, record in batch.records:
            told.turn_to(item)
            read(record)
            self._add(record, batch, told, partials, late)
        told.turn_to_batch()
        changed = self.save(partials, told)
        self._give(changed, batch, told)

    # --- the records of a batch ---

    def _add(
        self, record: Record, batch: Batch, told: Told, partials: dict[Entry, Any], late: dict[Entry, Any]
    ) -> None:
        assert record.ts is not None
        key, add = key_of(record.key), self.function.add
        windows = self.windows(record.ts)
        if told.trace is not None:
            told.trace.add(WindowsAssigned(self.assigning, key, windows))
        for window in windows:
            entry = (key, window)
            if self.filters and window.end <= batch.late_watermark:
                # Spark filters whole partial aggregates: a sum may fail before anybody asks whether it is late.
                late[entry] = add(late.get(entry, self.function.empty), record.value)
                filter_out(record, key, window, batch, told)
                continue
            after = partials[entry] = add(partials.get(entry, self.function.empty), record.value)
            if told.trace is not None:
                told.trace.add(PartialUpdated("HashAggregateExec.do_execute", key, window, record.value, after))

    # --- the batch as a whole ---

    def save(self, partials: dict[Entry, Any], told: Told) -> list[Entry]:
        """Join what the batch has with the state; the entries that it wrote."""
        for entry, partial in partials.items():
            before = self.state.get(entry)
            after = partial if before is None else self.function.merge(before, partial)
            self.state[entry] = after
            if told.trace is not None:
                told.trace.add(StateUpdated(f"{self.store}.put", STATE, *entry, after))
        return list(partials)

    def _give(self, changed: list[Entry], batch: Batch, told: Told) -> None:
        """The rows of the output mode, and the eviction: append gives what it evicts."""
        closed = self._closed(batch) if self.evicts else []
        if self.mode == "append":
            for entry in closed:
                self._emit(entry, batch, told, _closed_rule(entry[1], batch))
                self._evict(entry, batch, told)
            return
        for entry in sorted(changed if self.mode == "update" else self.state, key=_by_end):
            self._emit(entry, batch, told, None)
        for entry in closed:
            self._evict(entry, batch, told)

    def _emit(self, entry: Entry, batch: Batch, told: Told, rule: Rule | None) -> None:
        key, window = entry
        value = self.function.result(self.state[entry])
        if told.trace is not None:
            told.trace.add(PaneEmitted(f"{self.store}.do_execute", key, window, value, self.mode, rule))
        told.result(
            {
                "row": "pane",
                "key": plain_key(key),
                "start": window.start,
                "end": window.end,
                "value": value,
                "batch": batch.number,
                "watermark": batch.watermark,
            }
        )

    def _evict(self, entry: Entry, batch: Batch, told: Told) -> None:
        del self.state[entry]
        if told.trace is not None:
            rule = _closed_rule(entry[1], batch)
            told.trace.add(StateEvicted(f"{self.store}.remove_keys_older_than_watermark", STATE, *entry, rule))

    def _closed(self, batch: Batch) -> list[Entry]:
        closed = [entry for entry in self.state if entry[1].end <= batch.watermark]
        return sorted(closed, key=_by_end)


def _by_end(entry: Entry) -> tuple[int, int]:
    return entry[1].end, entry[1].start


def _closed_rule(window: TimeWindow, batch: Batch) -> Rule:
    numbers = (("end", window.end), ("watermark", batch.watermark))
    return Rule("batch-window-closed", "end <= watermark", numbers, True)
