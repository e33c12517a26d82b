"""Flink SQL's group windows for one key, record by record: panes, sessions of its own kind, results taken back.

Written after the table runtime's ``WindowOperator``, but apart from the simulator's.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from math import gcd
from typing import Any

from simulator.scenario import model
from simulator.values.time import MAX
from spark_bridge.keyed.contents import FOLDS
from spark_bridge.keyed.records import Arrival, Fired
from spark_bridge.keyed.sessions import TableSessions, Window
from spark_bridge.keyed.table_triggers import table_trigger_of
from spark_bridge.keyed.timers import Timers
from spark_bridge.keyed.triggers import Memory


class KeyedTable:
    """A window operator of the table runtime for one key; ``last_watermark`` is the highest there is."""

    def __init__(self, operator: model.Window, last_watermark: int) -> None:
        self._operator = operator
        self._last_watermark = last_watermark
        self._trigger = table_trigger_of(operator.trigger)
        self._fold = FOLDS[operator.function.compute or ""]
        self._kept: dict[Window, Any] = {}
        self._memory: dict[Window, Memory] = {}
        self._said: dict[Window, Any] = {}
        self._panes: dict[Window, tuple[int, int]] = {}
        self._born = 0
        self._sessions = TableSessions()
        self._merges = isinstance(operator.assigner, model.Session)
        self._timers = Timers()
        self._rows: list[Fired] = []
        self._order = 0

    def run(self, records: Iterable[Arrival]) -> Iterator[Fired]:
        """The rows that ``records``, in order of arrival, give."""
        for record in records:
            self._fire_timers(record.before)
            self._timers.floor = min(record.before + 1, MAX)
            self._process(record)
            yield from self._given()
        self._fire_timers(self._last_watermark)
        yield from self._given()

    def _given(self) -> list[Fired]:
        rows, self._rows = self._rows, []
        return rows

    def _process(self, record: Arrival) -> None:
        homes, windows = self._places(record)
        for home in homes:
            self._kept[home] = self._fold.add(self._kept.get(home, self._fold.start), record.value)
        for window in windows:
            memory = self._memory.setdefault(window, {})
            if self._trigger.on_row(record, window, memory, partial(self._timers.register, namespace=window)):
                self._emit(window, record)
            if self._cleanup(window) < MAX:
                self._timers.register(max(0, self._cleanup(window)), window)
        if not homes and not windows:
            self._give(Fired("late", None, record.value, 0, by=record, time=record.ts))

    def _places(self, record: Arrival) -> tuple[list[Window], list[Window]]:
        """Where the record's value is kept, and the windows that it is in."""
        ts, assigner = record.ts, self._operator.assigner
        if isinstance(assigner, model.Session):
            window = self._merged((ts, ts + assigner.gap), record)
            if self._is_late(window, record):
                del self._sessions.homes[window]
                return [], []
            return [self._sessions.homes[window]], [window]
        windows = [window for window in _windows_of(assigner, ts) if not self._is_late(window, record)]
        if isinstance(assigner, model.Tumbling):
            return windows, windows
        pane = _pane_of(assigner, ts)
        return ([] if self._is_late(_last_window(assigner, pane), record) else [pane]), windows

    def _fire_timers(self, watermark: int) -> None:
        for timestamp, namespace in self._timers.fire(watermark):
            window: Any = namespace
            if self._trigger.on_timer(timestamp, window, self._memory.setdefault(window, {})):
                self._emit(window, None)
            if timestamp == self._cleanup(window):
                self._clean(window)

    def _emit(self, window: Window, record: Arrival | None) -> None:
        value = self._fold.result(self._held(window))
        if not self._operator.updates:
            changes: list[tuple[str | None, Any]] = [(None, value)]
        elif window not in self._said:
            changes = [("+I", value)]
        elif self._said[window] == value:
            return
        else:
            changes = [("-U", self._said[window]), ("+U", value)]
        if self._operator.updates:
            self._said[window] = value
        if window not in self._panes:
            self._born += 1
            self._panes[window] = (self._born, 0)
        life, pane = self._panes[window]
        self._panes[window] = (life, pane + 1)
        due = None if record is not None else self._timers.floor
        for change, shown in changes:
            self._give(Fired("pane", window, shown, 0, due, record, life, pane, change))

    def _held(self, window: Window) -> Any:
        """What a firing of ``window`` adds up: its own contents, or its panes'."""
        assigner = self._operator.assigner
        if isinstance(assigner, model.Session):
            home = self._sessions.homes.get(window)
            return self._fold.start if home is None else self._kept.get(home, self._fold.start)
        held = self._fold.start
        for pane in _panes_of(assigner, window):
            if pane in self._kept:
                held = self._fold.join(held, self._kept[pane])
        return held

    def _clean(self, window: Window) -> None:
        assigner = self._operator.assigner
        self._forget_trigger(window)
        if isinstance(assigner, model.Session):
            # What was said of a session stays said.
            home = self._sessions.homes.pop(window, None)
            if home is not None:
                self._kept.pop(home, None)
        else:
            for pane in _panes_of(assigner, window):
                if isinstance(assigner, model.Tumbling) or _last_window(assigner, pane) == window:
                    self._kept.pop(pane, None)
            self._said.pop(window, None)
        self._panes.pop(window, None)

    def _merged(self, new: Window, record: Arrival) -> Window:
        def merged(result: Window, gone: list[Window], home: Window, homes: list[Window]) -> None:
            memory = self._memory.setdefault(result, {})
            self._bring_counts(homes, memory)
            self._trigger.on_merge(result, memory, partial(self._timers.register, namespace=result))
            for window in gone:
                self._forget_trigger(window)
                if self._cleanup(window) < MAX:
                    self._timers.delete(max(0, self._cleanup(window)), window)
                self._panes.pop(window, None)
            for each in homes:
                if each in self._kept:
                    value = self._kept.pop(each)
                    self._kept[home] = self._fold.join(self._kept[home], value) if home in self._kept else value

        return self._sessions.add(new, merged)

    def _bring_counts(self, homes: list[Window], memory: Memory) -> None:
        """Counts are looked for where the contents are, not in the windows that are gone; as in Flink."""
        for home in homes:
            theirs = self._memory.get(home, {})
            for name in [name for name in theirs if name != "fired"]:
                memory[name] = memory.get(name, 0) + theirs.pop(name)

    def _forget_trigger(self, window: Window) -> None:
        memory = self._memory.pop(window, {})
        self._trigger.clear(window, memory, partial(self._timers.delete, namespace=window))

    def _cleanup(self, window: Window) -> int:
        return min(window[1] - 1 + self._operator.allowed_lateness, MAX)

    def _is_late(self, window: Window, record: Arrival) -> bool:
        return self._cleanup(window) <= record.before

    def _give(self, row: Fired) -> None:
        self._order += 1
        self._rows.append(row._replace(order=self._order))


def _floor(ts: int, width: int, offset: int) -> int:
    return ts - (ts - offset) % width


def _windows_of(assigner: model.Assigner, ts: int) -> list[Window]:
    match assigner:
        case model.Tumbling(size, offset):
            start = _floor(ts, size, offset)
            return [(start, start + size)]
        case model.Sliding(size, slide, offset):
            newest = _floor(ts, slide, offset)
            return [(start, start + size) for start in range(newest, ts - size, -slide)]
        case model.Cumulative(max_size, step, offset):
            start = _floor(ts, max_size, offset)
            return [(start, end) for end in range(_floor(ts, step, offset) + step, start + max_size + 1, step)]
        case _:
            raise TypeError(f"no windows of {assigner}")


def _pane_size(assigner: model.Assigner) -> int:
    return gcd(assigner.size, assigner.slide) if isinstance(assigner, model.Sliding) else assigner.step  # type: ignore[union-attr]


def _pane_of(assigner: model.Sliding | model.Cumulative | Any, ts: int) -> Window:
    start = _floor(ts, _pane_size(assigner), assigner.offset)
    return (start, start + _pane_size(assigner))


def _panes_of(assigner: model.Assigner, window: Window) -> list[Window]:
    if isinstance(assigner, model.Tumbling):
        return [window]
    size = _pane_size(assigner)
    return [(start, start + size) for start in range(window[0], window[1], size)]


def _last_window(assigner: model.Assigner, pane: Window) -> Window:
    """The last window that needs ``pane``."""
    if isinstance(assigner, model.Sliding):
        start = _floor(pane[0], assigner.slide, assigner.offset)
        return (start, start + assigner.size)
    assert isinstance(assigner, model.Cumulative)
    start = _floor(pane[0], assigner.max_size, assigner.offset)
    return (start, start + assigner.max_size)
