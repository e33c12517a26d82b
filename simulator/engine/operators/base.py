"""What every operator has: a timer service, and the callbacks that drive it.

An operator does nothing on its own account. It is called, reads no clock but the one that it was given, and uses no
randomness and no input or output.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from tidemark.simulator.engine.state import KeyedStateBackend
from tidemark.simulator.engine.timers import InternalTimerService, ProcessingTimeService
from tidemark.simulator.engine.trace.events import LateDropped, LateSideOutput, Rule
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import Element, Key
from tidemark.simulator.engine.values.rows import (
    Change,
    FlinkRow,
    Timing,
    deduplicated_row,
    emitted_row,
    group_row,
    joined_row,
    lost_row,
    over_row,
    paired_record,
    pane_row,
    ranked_row,
)
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.engine.values.versions import NEWEST_RULES, FlinkRules
from tidemark.simulator.engine.values.window import Namespace, TimeWindow, Window


class PaneNumbers:
    """Counts the results of each (key, window) from 0.

    With ``forgets`` a window that is gone is forgotten, so that a long run stays small. A run that restores must not
    forget: a window may come back, and its numbers go on from the checkpoint.
    """

    def __init__(self, forgets: bool) -> None:
        self._forgets = forgets
        self._emitted: dict[tuple[Key, Window], tuple[int, bool]] = {}

    def next(self, key: Key, window: Window, now: int) -> tuple[int, Timing]:
        """(number, timing) of the result emitted at ``now`` (ms): the watermark, or in processing time the clock.

        ``early`` before ``end - 1``; ``on-time`` the first at or after it; ``late`` those that follow.
        """
        entry = (key, window)
        number, was_on_time = self._emitted.get(entry, (0, False))
        timing: Timing
        if now < window.max_timestamp:
            timing = "early"
        else:
            timing = "late" if was_on_time else "on-time"
        self._emitted[entry] = (number + 1, was_on_time or timing == "on-time")
        return number, timing

    def forget(self, key: Key, window: Window) -> None:
        """The window is gone."""
        if self._forgets and self._emitted:
            self._emitted.pop((key, window), None)

    def snapshot(self) -> dict[tuple[Key, Window], tuple[int, bool]]:
        """All numbers as they are now."""
        return dict(self._emitted)

    def restore(self, snapshot: dict[tuple[Key, Window], tuple[int, bool]]) -> None:
        """Go on from a snapshot."""
        self._emitted = dict(snapshot)


class Output:
    """Makes rows and passes them to the sink.

    A row carries the moment at which it is emitted: the operator's ``watermark`` (ms), which each method takes, the
    clock, and ``item``, the index of the stream item that is being worked on. ``panes``, ``late``, ``dropped`` and
    ``skipped`` count results and records, as Flink's metrics do, and ``filtered``, if an input ``filters``, the records
    that never reach the operator.
    """

    __slots__ = ("_clock", "_filters", "dropped", "filtered", "item", "late", "panes", "sink", "skipped")

    def __init__(
        self, sink: Callable[[FlinkRow], None], clock: ProcessingTimeService, *, filters: bool = False
    ) -> None:
        self.sink = sink
        self.item = 0
        self.panes = self.late = self.dropped = self.skipped = self.filtered = 0
        self._filters = filters
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
        counts = {"panes": self.panes, "late": self.late, "dropped": self.dropped, "skipped": self.skipped}
        return counts | {"filtered": self.filtered} if self._filters else counts

    def set_counters(self, counters: dict[str, int]) -> None:
        """Set the counts to what ``counters()`` returned before."""
        for name, count in counters.items():
            setattr(self, name, count)


@dataclass(slots=True)
class OperatorRuntime:
    """The clock, the keyed state, the output, the pane numbers and, if the run is traced, the trace.

    ``restores``: whether the stream restores a checkpoint. State and timers go back then, and the watermark begins
    again. ``rules``: those of the version of Flink.
    """

    clock: ProcessingTimeService
    state: KeyedStateBackend
    output: Output
    panes: PaneNumbers
    trace: Trace | None = None
    restores: bool = False
    rules: FlinkRules = NEWEST_RULES


class Operator(ABC):
    """A keyed operator with a timer service. Source: ``AbstractStreamOperator``."""

    keeps_watermark: ClassVar[bool] = False
    """Whether a checkpoint holds the watermark, so that a restore brings it back."""

    buffers: ClassVar[bool] = False
    """Whether a watermark is announced before it fires timers (``advance_progress``)."""

    def __init__(self, runtime: OperatorRuntime) -> None:
        self.runtime = runtime
        self.trace = runtime.trace
        self.clock = runtime.clock
        self.output = runtime.output
        self.timers = InternalTimerService(self, runtime.clock, runtime.trace, runtime.rules)

    @abstractmethod
    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Work on a record of ``input``. ``timestamp`` in ms; None, which only processing time allows, if it has none.

        Raises ``EngineFailure`` where Flink's operator throws.
        """

    def process_delete(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Work on a record that ends what the one before it has begun: only a versioned side has such records."""
        raise TypeError(f"{type(self).__name__} takes no deletes")

    @abstractmethod
    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """An event-time timer of the operator fires."""

    @abstractmethod
    def on_processing_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """A processing-time timer of the operator fires."""

    def prepare_checkpoint(self) -> None:  # noqa: B027 - most operators have nothing to do
        """A checkpoint is about to be taken. Raises ``EngineFailure`` where Flink's operator throws.

        Source: ``AbstractStreamOperator.prepareSnapshotPreBarrier``.
        """

    def restored(self) -> None:  # noqa: B027 - most operators remember nothing
        """State and timers are those of a checkpoint again; forget what was remembered beside them."""

    def advance_progress(self, progress: int) -> None:  # noqa: B027 - only where rows are buffered
        """The watermark is about to rise to ``progress`` (ms); called where ``buffers``. Raises ``EngineFailure``."""

    def watermark_restored(self, watermark: int) -> None:  # noqa: B027 - most operators ask the timer service
        """The watermark (ms) of a checkpoint is the operator's again."""

    def visible_state(self) -> dict[str, dict[Any, Any]]:
        """The keyed state as a reader sees it: state name → (key, namespace) → value; no empty tables."""
        tables = ((name, table.entries) for name, table in self.runtime.state.tables.items())
        return {name: entries for name, entries in tables if entries}

    def side_output_late(self, input: str, key: Key, timestamp: int, value: Any, rule: Rule | None) -> None:
        """Send a late record to the side output."""
        self.output.late += 1
        if self.trace is not None and rule is not None:
            place = f"{type(self).__name__}.side_output"
            self.trace.add(LateSideOutput(place, input, key, timestamp, value, rule))
        self.output.emit_lost("late", input, key, timestamp, value, self.timers.current_watermark)

    def drop_late(self, input: str, key: Key, timestamp: int, value: Any, rule: Rule | None) -> None:
        """Drop a late record and count it."""
        self.output.dropped += 1
        if self.trace is not None and rule is not None:
            place = f"{type(self).__name__}.process_element"
            self.trace.add(LateDropped(place, input, key, timestamp, value, rule))
        self.output.emit_lost("dropped", input, key, timestamp, value, self.timers.current_watermark)
