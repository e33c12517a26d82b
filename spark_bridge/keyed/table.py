"""Flink SQL's group windows for one key, record by record: panes, sessions of its own kind, retractions, triggers.

Written after the table runtime's ``WindowOperator``, but apart from the simulator's. A trigger answers whether to emit.
"""

from dataclasses import dataclass
from math import gcd
from typing import Any, Final, Protocol

from tidemark.simulator.engine.values.time import MAX, wrap
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.zones import zone_of
from tidemark.spark_bridge.keyed.assigners import TableSessions, Window
from tidemark.spark_bridge.keyed.context import FOLDS, Arrival, Collector, Fired, Life, TimerService, TriggerContext
from tidemark.spark_bridge.keyed.datastream import Memory


class TableTrigger(Protocol):
    """``memory`` is the trigger's state for the window; ``context`` registers and deletes its timers."""

    def on_element(self, record: Arrival, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """A row was added."""

    def on_event_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """An event-time timer of the window fires."""

    def on_processing_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """A processing-time timer of the window fires."""

    def on_merge(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Several windows became ``window``."""

    def clear(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Remove state and timers of the window."""


class Timeless:
    """The base of triggers without timers."""

    def on_event_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """Never."""
        return False

    def on_processing_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """Never."""
        return False


@dataclass(frozen=True, slots=True)
class EveryRow(Timeless):
    """Emits at every row."""

    def on_element(self, record: Arrival, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """Always."""
        return True

    def on_merge(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """There is no state."""

    def clear(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """There is no state."""


@dataclass(frozen=True, slots=True)
class CountRows(Timeless):
    """Emits at every ``max``-th row. Two counts with the same number share their state, as in Flink."""

    max: int

    @property
    def name(self) -> str:
        """The name of the state."""
        return f"count {self.max}"

    def on_element(self, record: Arrival, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """Counts, and starts at 0 again when it emits."""
        count = memory.pop(self.name, 0) + 1
        if count < self.max:
            memory[self.name] = count
        return bool(count >= self.max)

    def on_merge(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Nothing to do: the counts have been added up."""

    def clear(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Removes the count."""
        memory.pop(self.name, None)


@dataclass(frozen=True, slots=True)
class AfterEnd:
    """Emits at the last instant; ``early`` decides before it, ``late`` after it, by default at every late row."""

    early: TableTrigger | None
    late: TableTrigger | None

    def on_element(self, record: Arrival, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """TriggerContext for the end."""
        if self.late is not None and "fired" in memory:
            return self.late.on_element(record, window, memory, context)
        if context.last <= record.before:
            return True
        context.register_event_time_timer(context.last)
        return self.early is not None and self.early.on_element(record, window, memory, context)

    def on_event_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """Emits at the end; from then on ``late`` decides."""
        if self.late is not None and "fired" in memory:
            return self.late.on_event_time(timestamp, window, memory, context)
        if timestamp != context.last:
            return self.early is not None and self.early.on_event_time(timestamp, window, memory, context)
        if self.late is not None:
            memory["fired"] = True
        return True

    def on_processing_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """``early`` decides; from the end on ``late``, if there is one."""
        asked = self.late if self.late is not None and "fired" in memory else self.early
        return asked is not None and asked.on_processing_time(timestamp, window, memory, context)

    def on_merge(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """TriggerContext for the new end, even if the watermark has passed it."""
        for inner in (self.early, self.late):
            if inner is not None:
                inner.on_merge(window, memory, context)
        memory.pop("fired", None)
        context.register_event_time_timer(context.last)

    def clear(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Deletes the timers."""
        for inner in (self.early, self.late):
            if inner is not None:
                inner.clear(window, memory, context)
        context.delete_event_time_timer(context.last)
        memory.pop("fired", None)


@dataclass(frozen=True, slots=True)
class AfterEndByClock:
    """Emits when the clock has passed the last instant; ``early`` decides before that."""

    early: TableTrigger | None

    def on_element(self, record: Arrival, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """TriggerContext for the end."""
        context.register_processing_time_timer(context.last)
        return self.early is not None and self.early.on_element(record, window, memory, context)

    def on_event_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """The watermark has no effect."""
        return False

    def on_processing_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """Emits at the end; else ``early`` decides."""
        if timestamp == context.last:
            return True
        return self.early is not None and self.early.on_processing_time(timestamp, window, memory, context)

    def on_merge(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """TriggerContext for the new end."""
        if self.early is not None:
            self.early.on_merge(window, memory, context)
        context.register_processing_time_timer(context.last)

    def clear(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Deletes the timers."""
        if self.early is not None:
            self.early.clear(window, memory, context)
        context.delete_processing_time_timer(context.last)


@dataclass(frozen=True, slots=True)
class Every:
    """Emits every ``interval`` ms of the clock from the first row on, whether or not new rows have come.

    Two intervals of the same length share their state, as in Flink.
    """

    interval: int

    @property
    def name(self) -> str:
        """The name of the state."""
        return f"{_EVERY}{self.interval}"

    def on_element(self, record: Arrival, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """The first row registers the first firing."""
        if self.name not in memory:
            self._go_on(record.at, memory, context)
        return False

    def on_event_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """The watermark has no effect."""
        return False

    def on_processing_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """Emits if the timer is its own."""
        if memory.get(self.name) != timestamp:
            return False
        self._go_on(timestamp, memory, context)
        return True

    def on_merge(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Goes on with the earliest of the firings."""
        if self.name in memory:
            context.register_processing_time_timer(memory[self.name])

    def clear(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Deletes the next firing."""
        if self.name in memory:
            context.delete_processing_time_timer(memory.pop(self.name))

    def _go_on(self, since: int, memory: Memory, context: TriggerContext) -> None:
        memory[self.name] = wrap(since + self.interval)
        context.register_processing_time_timer(memory[self.name])


_EVERY: Final = "every "


def joined(name: str, one: Any, other: Any) -> Any:
    """The state of two windows under ``name``, merged: the earlier firing, or the sum of the counts."""
    return min(one, other) if name.startswith(_EVERY) else one + other


def table_trigger_of(spec: object, *, by_clock: bool) -> TableTrigger:
    """The trigger of the scenario; ``by_clock``: windows end in processing time.

    Raises ``TypeError`` for one that the bridge does not know.
    """
    match spec:
        case model.AfterEndOfWindow(early, late):
            asked = None if early is None else table_trigger_of(early, by_clock=by_clock)
            if by_clock:
                return AfterEndByClock(asked)
            # Late firings at every row are the default; Flink leaves them out.
            left_out = late is None or isinstance(late, model.EveryElement)
            return AfterEnd(asked, None if left_out or late is None else table_trigger_of(late, by_clock=by_clock))
        case model.EveryElement():
            return EveryRow()
        case model.CountElement(every):
            return CountRows(every)
        case model.ProcessingTimeEvery(interval):
            return Every(interval)
        case _:
            raise TypeError(f"no keyed table trigger for {spec}")


class KeyedTable:
    """A window operator of the table runtime for one key. ``watermark`` and ``clock`` hold its timers.

    ``forgets``: pane numbers are removed with their window.
    """

    def __init__(
        self, operator: model.Window, watermark: TimerService, clock: TimerService, *, forgets: bool = True
    ) -> None:
        self.out = Collector()
        self._operator = operator
        self._by_clock = operator.time == "processing"
        self._zone = zone_of(operator)
        self._trigger = table_trigger_of(operator.trigger, by_clock=self._by_clock)
        self._fold = FOLDS[operator.function.compute or ""]
        self._watermark = watermark
        self._clock = clock
        self._forgets = forgets
        self._kept: dict[Window, Any] = {}
        self._memory: dict[Window, Memory] = {}
        self._said: dict[Window, Any] = {}
        self._lives: dict[Window, Life] = {}
        self._born = 0
        self._sessions = TableSessions()

    @property
    def is_empty(self) -> bool:
        """Whether no state of the key is left."""
        return not (self._kept or self._memory or self._lives or self._said or self._sessions.homes)

    def process_element(self, record: Arrival) -> None:
        """Work on the key's next row."""
        homes, windows = self._places(record)
        for home in homes:
            self._kept[home] = self._fold.add(self._kept.get(home, self._fold.start), record.value)
        for window in windows:
            memory = self._memory.setdefault(window, {})
            if self._trigger.on_element(record, window, memory, self._context(window)):
                self._emit(window, record)
            if self._cleanup(window) < MAX:
                (self._clock if self._by_clock else self._watermark).register(self._cleanup_timer(window), window)
        if not homes and not windows:
            self.out.collect(Fired("late", None, record.value, by=record, time=record.ts))

    def on_timer(self, timestamp: int, namespace: Any, *, by_clock: bool) -> None:
        """A timer fires, by the clock or by the watermark."""
        window: Window = namespace
        memory = self._memory.setdefault(window, {})
        ask = self._trigger.on_processing_time if by_clock else self._trigger.on_event_time
        if ask(timestamp, window, memory, self._context(window)):
            self._emit(window, None)
        if by_clock == self._by_clock and timestamp == self._cleanup(window):
            self._clean(window)
        elif not memory:
            del self._memory[window]

    def _places(self, record: Arrival) -> tuple[list[Window], list[Window]]:
        """Where the record is accumulated, and the windows that it is in."""
        ts, assigner = record.at if self._by_clock else record.ts, self._operator.assigner
        if self._zone is not None:
            ts = self._zone.to_local(ts)
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
        if window not in self._lives:
            self._born += 1
            self._lives[window] = Life(self._born)
        life = self._lives[window]
        for change, shown in changes:
            self.out.collect(Fired("pane", window, shown, by=record, life=life, pane=life.panes, change=change))
        life.panes += 1

    def _held(self, window: Window) -> Any:
        """The accumulator of a firing of ``window``: its own, or that of its panes."""
        assigner = self._operator.assigner
        if isinstance(assigner, model.Session):
            return self._kept.get(self._sessions.homes[window], self._fold.start)
        held = self._fold.start
        for pane in self._panes_in(window):
            held = self._fold.join(held, self._kept[pane])
        return held

    def _panes_in(self, window: Window) -> list[Window]:
        """The panes of ``window`` that hold something, ascending: there may be thousands, and often few do."""
        assigner, kept = self._operator.assigner, self._kept
        if isinstance(assigner, model.Tumbling):
            return [window] if window in kept else []
        first, behind, size = *window, _pane_size(assigner)
        if len(kept) < (behind - first) // size:
            return sorted(pane for pane in kept if first <= pane[0] < behind)
        return [pane for start in range(first, behind, size) if (pane := (start, start + size)) in kept]

    def _clean(self, window: Window) -> None:
        assigner = self._operator.assigner
        self._forget(window)
        if isinstance(assigner, model.Session):
            # The previous result of a session is never removed, as in Flink.
            home = self._sessions.homes.pop(window, None)
            if home is not None:
                self._kept.pop(home, None)
        else:
            for pane in self._panes_in(window):
                if isinstance(assigner, model.Tumbling) or _last_window(assigner, pane) == window:
                    del self._kept[pane]
            self._said.pop(window, None)

    def _merged(self, new: Window, record: Arrival) -> Window:
        def merged(result: Window, gone: list[Window], home: Window, homes: list[Window]) -> None:
            memory = self._memory.setdefault(result, {})
            self._bring_memories(homes, memory)
            self._trigger.on_merge(result, memory, self._context(result))
            for window in gone:
                self._forget(window)
                if self._cleanup(window) < MAX:
                    timers = self._clock if self._by_clock else self._watermark
                    timers.delete(self._cleanup_timer(window), window)
            for each in homes:
                self._said.pop(each, None)
                if each in self._kept:
                    value = self._kept.pop(each)
                    self._kept[home] = self._fold.join(self._kept[home], value) if home in self._kept else value

        return self._sessions.add(new, merged)

    def _bring_memories(self, homes: list[Window], memory: Memory) -> None:
        """What the trigger takes over comes from where the contents are, not from the merged windows, as in Flink."""
        for home in homes:
            theirs = self._memory.get(home, {})
            for name in [name for name in theirs if name != "fired"]:
                value = theirs.pop(name)
                memory[name] = joined(name, memory[name], value) if name in memory else value

    def _forget(self, window: Window) -> None:
        """Remove what the trigger keeps for a window that is gone, its timers, and its pane numbers."""
        self._trigger.clear(window, self._memory.pop(window, {}), self._context(window))
        if self._forgets:
            self._lives.pop(window, None)

    def _context(self, window: Window) -> TriggerContext:
        return TriggerContext(self._watermark, self._clock, window, self._last(window))

    def _last(self, window: Window) -> int:
        """The instant at which the window is over (ms): its bounds are local in a session time zone."""
        return window[1] - 1 if self._zone is None else self._zone.timer_time(window[1] - 1)

    def _cleanup(self, window: Window) -> int:
        lateness = 0 if self._by_clock else self._operator.allowed_lateness
        return min(self._last(window) + lateness, MAX)

    def _cleanup_timer(self, window: Window) -> int:
        """When the timer is set that cleans up: not before 1970, in local time where windows are."""
        if self._zone is None:
            return max(0, self._cleanup(window))
        if self._operator.api == "tvf":  # sessions of a window table function: no timer is moved there
            return self._cleanup(window)
        return self._zone.timer_time(max(0, window[1] - 1))

    def _is_late(self, window: Window, record: Arrival) -> bool:
        return not self._by_clock and self._cleanup(window) <= record.before


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


def _last_window(assigner: model.Assigner, pane: Window) -> Window:
    """The last window that needs ``pane``."""
    if isinstance(assigner, model.Sliding):
        start = _floor(pane[0], assigner.slide, assigner.offset)
        return (start, start + assigner.size)
    assert isinstance(assigner, model.Cumulative)
    start = _floor(pane[0], assigner.max_size, assigner.offset)
    return (start, start + assigner.max_size)
