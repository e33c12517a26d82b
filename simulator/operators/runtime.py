"""What an operator works with: clock, keyed state, output, trace; and where its rows go."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tidemark.simulator.operators.pane_numbers import PaneNumbers
from tidemark.simulator.state.keyed_state import KeyedStateBackend
from tidemark.simulator.timers.processing_time import ProcessingTimeService
from tidemark.simulator.trace.trace import Trace
from tidemark.simulator.values.element import Element
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.rows import (
    Change,
    FlinkRow,
    Timing,
    emitted_row,
    group_row,
    joined_row,
    lost_row,
    paired_record,
    pane_row,
)
from tidemark.simulator.values.sql_rows import deduplicated_row, over_row, ranked_row
from tidemark.simulator.values.time import MIN
from tidemark.simulator.values.window import TimeWindow, Window


class Output:
    """Makes rows and passes them to the sink.

    A row carries the moment at which it is emitted: the operator's ``watermark`` (ms), which each method takes, the
    clock, and ``item``, the index of the stream item that is being worked on. ``panes``, ``late``, ``dropped`` and
    ``skipped`` count results and records, as Flink's metrics do.
    """

    __slots__ = ("_clock", "dropped", "item", "late", "panes", "sink", "skipped")

    def __init__(self, sink: Callable[[FlinkRow], None], clock: ProcessingTimeService) -> None:
        self.sink = sink
        self.item = 0
        self.panes = self.late = self.dropped = self.skipped = 0
        self._clock = clock

    def emit_pane(
        self,
        key: Key,
        window: Window,
        timing: Timing,
        number: int,
        value: Any,
        watermark: int,
        change: Change | None = None,
    ) -> None:
        """Emit a ``pane`` row; ``change`` marks one of a stream of updates."""
        self.panes += 1
        known = None if watermark == MIN else watermark
        self.sink(pane_row(key, window, timing, number, value, change, known, self._clock.now, self.item))

    def emit_joined(
        self, key: Key, left: Element, right: Element | None, timestamp: int, window: Window | None, watermark: int
    ) -> None:
        """Emit a ``joined`` row; ``window`` is None in an interval or temporal join, ``right`` without a version."""
        # By index, which is faster than by name: a record may have many partners.
        one = paired_record(left[0], left[1])
        other = None if right is None else paired_record(right[0], right[1])
        known = None if watermark == MIN else watermark
        self.sink(joined_row(key, one, other, timestamp, window, known, self._clock.now, self.item))

    def emit_group(self, key: Key, window: Window, left: list[Any], right: list[Any], watermark: int) -> None:
        """Emit a ``group`` row with the values of both sides."""
        known = None if watermark == MIN else watermark
        self.sink(group_row(key, left, right, window, known, self._clock.now, self.item))

    def emit_sorted(self, key: Key, ts: int, value: Any, watermark: int) -> None:
        """Emit an ``emitted`` row: a record that the event sort lets go."""
        known = None if watermark == MIN else watermark
        self.sink(emitted_row(key, ts, value, known, self._clock.now, self.item))

    def emit_over(self, key: Key, ts: int, value: Any, own: Any, watermark: int) -> None:
        """Emit an ``emitted`` row: a record's ``own`` value, and the aggregate over its frame."""
        known = None if watermark == MIN else watermark
        self.sink(over_row(key, ts, value, own, known, self._clock.now, self.item))

    def emit_deduplicated(self, key: Key, ts: int, value: Any, change: Change, watermark: int) -> None:
        """Emit an ``emitted`` row: the row that a deduplication gives, or takes back."""
        known = None if watermark == MIN else watermark
        self.sink(deduplicated_row(key, ts, value, change, known, self._clock.now, self.item))

    def emit_ranked(self, key: Key, window: TimeWindow, rank: int, row: Element, watermark: int) -> None:
        """Emit a ``ranked`` row: a row that is among the first of its window."""
        assert row.timestamp is not None  # event time
        known = None if watermark == MIN else watermark
        self.sink(ranked_row(key, window, rank, row.timestamp, row.value, known, self._clock.now, self.item))

    def emit_lost(
        self,
        kind: Literal["late", "dropped"],
        input: str,
        key: Key,
        ts: int,
        value: Any,
        watermark: int,
        window: TimeWindow | None = None,
    ) -> None:
        """Emit a ``late`` or ``dropped`` row; with ``window`` for a record that one window alone refuses."""
        known = None if watermark == MIN else watermark
        self.sink(lost_row(kind, input, key, ts, value, known, self._clock.now, self.item, window))

    def counters(self) -> dict[str, int]:
        """The counts by name."""
        return {"panes": self.panes, "late": self.late, "dropped": self.dropped, "skipped": self.skipped}

    def set_counters(self, counters: dict[str, int]) -> None:
        """Set the counts to what ``counters()`` returned before."""
        for name, count in counters.items():
            setattr(self, name, count)


@dataclass(slots=True)
class OperatorRuntime:
    """The clock, the keyed state, the output, the pane numbers and, if the run is traced, the trace.

    ``restores``: whether the stream restores a checkpoint. State and timers go back then, and the watermark begins
    again.
    """

    clock: ProcessingTimeService
    state: KeyedStateBackend
    output: Output
    panes: PaneNumbers
    trace: Trace | None = None
    restores: bool = False
