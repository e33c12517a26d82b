"""Windows of a window table function in a session time zone: slices of local time, behind a buffer of all keys.

Written after the table runtime's ``WindowAggOperator`` and ``RecordsWindowBuffer``, but apart from the simulator's. The
buffer is why one task has to see all keys: a slice of one key that has ended writes the rows of all keys to their
slices, and a slice that is written after its end has no timer any more.

A window is named by its end (local ms), and so is a slice. The arithmetic of the zone is that
of ``simulator.engine.values.zone``.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any, Final

from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.zone import SessionZone
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.zones import zone_of
from tidemark.spark_bridge.keyed.assigners import Aligned, is_over
from tidemark.spark_bridge.keyed.context import FOLDS, Arrival, Collector, Fired, Life, TimerService

OF_NOTHING: Final = {"count": 0, "collect": ()}
"""The aggregates of no rows at all, None if they are not here."""


class LocalTime:
    """Where the slices and windows of an operator lie, and when they are over."""

    def __init__(self, operator: model.Window) -> None:
        zone = zone_of(operator)
        assert zone is not None
        self.zone: SessionZone = zone
        self._aligned = Aligned.of(operator.assigner)
        self.size, self.step, self.grow = self._aligned.size, self._aligned.step, self._aligned.grow

    def slice_at(self, instant: int) -> int:
        """The end of the slice that holds an instant (epoch ms)."""
        return self._aligned.floor(self.zone.to_local(instant), self.step) + self.step

    def start_of(self, window: int) -> int:
        """The first local ms of the window that ends at ``window``."""
        return self._aligned.floor(window - 1, self.size) if self.grow else window - self.size

    def last_of(self, piece: int) -> int:
        """The last window that holds the slice ``piece``."""
        return self._aligned.floor(piece - 1, self.size) + self.size if self.grow else piece - self.step + self.size

    def over(self, window: int) -> int:
        """The instant (epoch ms) at which the window's last local ms is over."""
        return self.zone.timer_time(window - 1)

    def has_ended(self, window: int, watermark: int) -> bool:
        """Whether the window is over at ``watermark`` (ms)."""
        return window != MAX and is_over(self.over(window), watermark)

    def next_flush(self, progress: int) -> int:
        """From where on (epoch ms) the buffer may be emptied again after ``progress``."""
        return self.zone.next_flush(progress, self.step, self._aligned.offset)


class KeyedLocalSlices:
    """The slices of one key. What it ``holds_back`` goes through the buffer and comes back by ``written``."""

    def __init__(self, operator: model.Window, watermark: TimerService, clock: TimerService) -> None:
        self.out = Collector()
        self._by_clock = operator.time == "processing"
        self._local = LocalTime(operator)
        self._compute = operator.function.compute or ""
        self._fold = FOLDS[self._compute]
        self._timers = clock if self._by_clock else watermark
        self._slices: dict[int, Any] = {}
        self._waiting: list[tuple[int, Any]] = []
        self._emitted = 0

    @property
    def is_empty(self) -> bool:
        """Whether no slice of the key holds anything."""
        return not (self._slices or self._waiting)

    def process_element(self, record: Arrival) -> None:
        """Hold the row back for its slice, or drop it if all windows of the slice have ended."""
        local = self._local
        piece = local.slice_at(record.at if self._by_clock else record.ts)
        if self._by_clock or not local.has_ended(piece, record.before):
            self._waiting.append((piece, record.value))
            if self._by_clock:
                self._wait_for(piece)
            return
        last = local.last_of(piece)
        if local.has_ended(last, record.before):
            self.out.late(record)
            return
        window = piece
        while local.has_ended(window, record.before):
            window += local.step
        accumulated_in = local.start_of(piece) + local.step if local.grow else piece
        self._waiting.append((accumulated_in, record.value))
        self._wait_for(window)

    def holds_back(self) -> list[tuple[int, Any]]:
        """The (slice, value) of the rows since the last call."""
        waiting, self._waiting = self._waiting, []
        return waiting

    def written(self, piece: int, values: list[Any], before: int) -> None:
        """The buffer gives rows to a slice; ``before``: the watermark (ms) before the one that has emptied it."""
        self._slices[piece] = reduce(self._fold.add, values, self._slices.get(piece, self._fold.start))
        if not self._by_clock and not self._local.has_ended(piece, before):
            self._wait_for(piece)

    def on_timer(self, timestamp: int, namespace: Any, *, by_clock: bool) -> None:
        """A window ends: emit it, wait for the next one, forget the slices that none needs any more."""
        local, window, slices = self._local, namespace, self._slices
        start = local.start_of(window)
        if local.grow:
            self._grow(window, start + local.step)
            self._emit(start, window, slices.get(start + local.step))
            if window < start + local.size:
                self._wait_for(window + local.step)
            else:
                slices.pop(start + local.step, None)
        elif local.step == local.size:
            self._emit(start, window, slices.pop(window, None))
        else:
            held = [slices[each] for each in range(window, start, -local.step) if each in slices]
            if held:
                self._emit(start, window, reduce(self._fold.join, held))
                self._wait_for(window + local.step)
            slices.pop(start + local.step, None)

    def _grow(self, newest: int, first: int) -> None:
        if newest != first and newest in self._slices:
            value = self._slices.pop(newest)
            self._slices[first] = self._fold.join(self._slices[first], value) if first in self._slices else value

    def _wait_for(self, window: int) -> None:
        self._timers.register(self._local.over(window), window)

    def _emit(self, start: int, window: int, held: Any) -> None:
        value = OF_NOTHING.get(self._compute) if held is None else self._fold.result(held)
        self.out.collect(Fired("pane", (start, window), value, life=Life(self._emitted), pane=0))
        self._emitted += 1


OperatorOf = Callable[[str], Any]
"""The operator of a key, which is a ``KeyedLocalSlices``."""


class Buffer:
    """The rows of all keys that wait to be written to their slices."""

    def __init__(self, operator: model.Window) -> None:
        self._local = LocalTime(operator)
        self._by_clock = operator.time == "processing"
        self._rows: dict[tuple[str, int], list[Any]] = {}
        self._progress = MIN
        self._next_flush = MIN

    def take(self, key: str, operator: Any) -> None:
        """The operator of ``key`` has worked on a record."""
        for piece, value in operator.holds_back():
            self._rows.setdefault((key, piece), []).append(value)

    def moved(self, watermark: int, before: int, operator_of: OperatorOf) -> None:
        """The watermark is about to rise from ``before`` to ``watermark`` (ms): nothing to windows by the clock."""
        if not self._by_clock:
            self._advance(watermark, before, operator_of)

    def clocked(self, timestamp: int, operator_of: OperatorOf) -> None:
        """A timer of the clock is about to fire."""
        self._advance(timestamp, MIN, operator_of)

    def emptied(self, watermark: int, operator_of: OperatorOf) -> None:
        """A checkpoint is about to be taken: write all rows."""
        rows, self._rows = self._rows, {}
        for (key, piece), values in rows.items():
            operator_of(key).written(piece, values, watermark)

    def begin_anew(self, watermark: int) -> None:
        """After a restore that has brought ``watermark`` (ms) back."""
        self._rows, self._next_flush = {}, MIN
        self._progress = MIN if self._by_clock else watermark

    def _advance(self, progress: int, before: int, operator_of: OperatorOf) -> None:
        if progress <= self._progress:
            return
        self._progress = progress
        if progress < self._next_flush:
            return
        if self._rows and self._local.has_ended(min(piece for _, piece in self._rows), progress):
            self.emptied(before, operator_of)
        self._next_flush = self._local.next_flush(progress)
