"""Flink SQL's group windows for one key, record by record: panes, sessions of its own kind, retractions, triggers.

Written after the table runtime's ``WindowOperator``, but apart from the simulator's. A trigger answers whether to emit.
"""

from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.engine.values.time import MAX, wrap
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.zones import zone_of
from tidemark.spark_bridge.keyed.assigners import Aligned, TableSessions, Window
from tidemark.spark_bridge.keyed.context import FOLDS, Arrival, Fired, Memory, Span, TimerService, TriggerContext
from tidemark.spark_bridge.keyed.datastream import FIRE, NOTHING, Trigger, WindowOperator


class EveryRow(Trigger):
    """Emits at every row."""

    def on_element(self, record: Arrival, context: TriggerContext) -> int:
        """Always."""
        return FIRE


@dataclass(frozen=True, slots=True)
class CountRows(Trigger):
    """Emits at every ``max``-th row. Two counts with the same number share their state, as in Flink."""

    max: int

    @property
    def name(self) -> str:
        """The name of the state."""
        return f"count {self.max}"

    def on_element(self, record: Arrival, context: TriggerContext) -> int:
        """Counts, and starts at 0 again when it emits."""
        count = context.memory.pop(self.name, 0) + 1
        if count < self.max:
            context.memory[self.name] = count
        return bool(count >= self.max)

    def clear(self, context: TriggerContext) -> None:
        """Removes the count."""
        context.memory.pop(self.name, None)


@dataclass(frozen=True, slots=True)
class AfterEnd(Trigger):
    """Emits at the last instant; ``early`` decides before it, ``late`` after it, by default at every late row."""

    early: Trigger | None
    late: Trigger | None

    def on_element(self, record: Arrival, context: TriggerContext) -> int:
        """Waits for the end."""
        if self.late is not None and "fired" in context.memory:
            return self.late.on_element(record, context)
        if context.last <= record.before:
            return FIRE
        context.register_event_time_timer(context.last)
        return NOTHING if self.early is None else self.early.on_element(record, context)

    def on_event_time(self, timestamp: int, context: TriggerContext) -> int:
        """Emits at the end; from then on ``late`` decides."""
        if self.late is not None and "fired" in context.memory:
            return self.late.on_event_time(timestamp, context)
        if timestamp != context.last:
            return NOTHING if self.early is None else self.early.on_event_time(timestamp, context)
        if self.late is not None:
            context.memory["fired"] = True
        return FIRE

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> int:
        """``early`` decides; from the end on ``late``, if there is one."""
        inner = self.late if self.late is not None and "fired" in context.memory else self.early
        return NOTHING if inner is None else inner.on_processing_time(timestamp, context)

    def on_merge(self, record: Arrival, context: TriggerContext) -> None:
        """Waits for the new end, even if the watermark has passed it."""
        for inner in (self.early, self.late):
            if inner is not None:
                inner.on_merge(record, context)
        context.memory.pop("fired", None)
        context.register_event_time_timer(context.last)

    def clear(self, context: TriggerContext) -> None:
        """Deletes the timers."""
        for inner in (self.early, self.late):
            if inner is not None:
                inner.clear(context)
        context.delete_event_time_timer(context.last)
        context.memory.pop("fired", None)


@dataclass(frozen=True, slots=True)
class AfterEndByClock(Trigger):
    """Emits when the clock has passed the last instant; ``early`` decides before that. The watermark has no effect."""

    early: Trigger | None

    def on_element(self, record: Arrival, context: TriggerContext) -> int:
        """Waits for the end."""
        context.register_processing_time_timer(context.last)
        return NOTHING if self.early is None else self.early.on_element(record, context)

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> int:
        """Emits at the end; else ``early`` decides."""
        if timestamp == context.last:
            return FIRE
        return NOTHING if self.early is None else self.early.on_processing_time(timestamp, context)

    def on_merge(self, record: Arrival, context: TriggerContext) -> None:
        """Waits for the new end."""
        if self.early is not None:
            self.early.on_merge(record, context)
        context.register_processing_time_timer(context.last)

    def clear(self, context: TriggerContext) -> None:
        """Deletes the timers."""
        if self.early is not None:
            self.early.clear(context)
        context.delete_processing_time_timer(context.last)


@dataclass(frozen=True, slots=True)
class Every(Trigger):
    """Emits every ``interval`` ms of the clock from the first row on, whether or not new rows have come.

    Two intervals of the same length share their state, as in Flink. The watermark has no effect.
    """

    interval: int

    @property
    def name(self) -> str:
        """The name of the state."""
        return f"{_EVERY}{self.interval}"

    def on_element(self, record: Arrival, context: TriggerContext) -> int:
        """The first row registers the first firing."""
        if self.name not in context.memory:
            self._go_on(record.at, context)
        return NOTHING

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> int:
        """Emits if the timer is its own."""
        if context.memory.get(self.name) != timestamp:
            return NOTHING
        self._go_on(timestamp, context)
        return FIRE

    def on_merge(self, record: Arrival, context: TriggerContext) -> None:
        """Goes on with the earliest of the firings."""
        if self.name in context.memory:
            context.register_processing_time_timer(context.memory[self.name])

    def clear(self, context: TriggerContext) -> None:
        """Deletes the next firing."""
        if self.name in context.memory:
            context.delete_processing_time_timer(context.memory.pop(self.name))

    def _go_on(self, since: int, context: TriggerContext) -> None:
        context.memory[self.name] = wrap(since + self.interval)
        context.register_processing_time_timer(context.memory[self.name])


_EVERY: Final = "every "


def joined(name: str, one: Any, other: Any) -> Any:
    """The state of two windows under ``name``, merged: the earlier firing, or the sum of the counts."""
    return min(one, other) if name.startswith(_EVERY) else one + other


def table_trigger_of(spec: object, *, by_clock: bool) -> Trigger:
    """The trigger of the scenario; ``by_clock``: windows end in processing time.

    Raises ``TypeError`` for one that the bridge does not know.
    """
    match spec:
        case model.AfterEndOfWindow(early, late):
            before_end = None if early is None else table_trigger_of(early, by_clock=by_clock)
            if by_clock:
                return AfterEndByClock(before_end)
            # Late firings at every row are the default; Flink leaves them out.
            if late is None or isinstance(late, model.EveryElement):
                return AfterEnd(before_end, None)
            return AfterEnd(before_end, table_trigger_of(late, by_clock=by_clock))
        case model.EveryElement():
            return EveryRow()
        case model.CountElement(every):
            return CountRows(every)
        case model.ProcessingTimeEvery(interval):
            return Every(interval)
        case _:
            raise TypeError(f"no keyed table trigger for {spec}")


class KeyedTable(WindowOperator):
    """A window operator of the table runtime. Rows are accumulated by pane, in a session by the home of the window."""

    def __init__(
        self, operator: model.Window, watermark: TimerService, clock: TimerService, *, forgets: bool = True
    ) -> None:
        super().__init__(operator, watermark, clock, forgets)
        self._zone = zone_of(operator)
        self._trigger = table_trigger_of(operator.trigger, by_clock=self._by_clock)
        self._fold = FOLDS[operator.function.compute or ""]
        self._gap = operator.assigner.gap if isinstance(operator.assigner, model.Session) else None
        self._aligned = Aligned.of(operator.assigner) if self._gap is None else None
        self._previous: dict[Window, Any] = {}
        self._sessions = TableSessions()

    @property
    def is_empty(self) -> bool:
        """Whether no state of the key is left."""
        return not (self._contents or self._memory or self._lives or self._previous or self._sessions.homes)

    def process_element(self, record: Arrival) -> None:
        """Work on the key's next row."""
        panes, windows = self._places(record)
        for pane in panes:
            self._contents[pane] = self._fold.add(self._contents.get(pane, self._fold.start), record.value)
        for window in windows:
            if self._trigger.on_element(record, self._context(window)):
                self._emit(window, record)
            if self._cleanup(window) < MAX:
                self._timers.register(self._cleanup_timer(window), window)
        if not panes and not windows:
            self.out.late(record)

    def on_timer(self, timestamp: int, namespace: Any, *, by_clock: bool) -> None:
        """A timer fires, by the clock or by the watermark."""
        window: Window = namespace
        context = self._context(window)
        ask = self._trigger.on_processing_time if by_clock else self._trigger.on_event_time
        if ask(timestamp, context):
            self._emit(window, None)
        if by_clock == self._by_clock and timestamp == self._cleanup(window):
            self._clean(window)
        elif not context.memory:
            del self._memory[window]

    def _places(self, record: Arrival) -> tuple[list[Window], list[Window]]:
        """Where the record is accumulated, and the windows that it is in."""
        ts = record.at if self._by_clock else record.ts
        if self._zone is not None:
            ts = self._zone.to_local(ts)
        if self._aligned is None:
            window = self._merged((ts, ts + (self._gap or 0)), record)
            if self._is_late(window, record):
                del self._sessions.homes[window]
                return [], []
            return [self._sessions.homes[window]], [window]
        pane = self._aligned.pane(ts)
        windows = [window for window in self._aligned.windows(ts) if not self._is_late(window, record)]
        return ([] if self._is_late(self._aligned.last_window(pane), record) else [pane]), windows

    def _emit(self, window: Window, record: Arrival | None) -> None:
        value = self._fold.result(self._accumulator(window))
        if not self._operator.updates:
            changes: list[tuple[str | None, Any]] = [(None, value)]
        elif window not in self._previous:
            changes = [("+I", value)]
        elif self._previous[window] == value:
            return
        else:
            changes = [("-U", self._previous[window]), ("+U", value)]
        if self._operator.updates:
            self._previous[window] = value
        life = self._life(window)
        for change, shown in changes:
            self.out.collect(Fired("pane", window, shown, by=record, life=life, pane=life.panes, change=change))
        life.panes += 1

    def _accumulator(self, window: Window) -> Any:
        """The accumulator of a firing of ``window``: that of the session, or those of its panes joined."""
        if self._aligned is None:
            return self._contents.get(self._sessions.homes[window], self._fold.start)
        held = self._fold.start
        panes = self._panes_in(window, self._aligned.pane_size)
        # A hopping window of a table function begins with its last slice.
        for pane in reversed(panes) if self._operator.api == "tvf" and not self._aligned.grow else panes:
            held = self._fold.join(held, self._contents[pane])
        return held

    def _panes_in(self, window: Window, size: int) -> list[Window]:
        """The panes of ``window`` that hold something, ascending: there may be thousands, and often few do."""
        contents, first, behind = self._contents, *window
        if len(contents) < (behind - first) // size:
            return sorted(pane for pane in contents if first <= pane[0] < behind)
        return [pane for start in range(first, behind, size) if (pane := (start, start + size)) in contents]

    def _clean(self, window: Window) -> None:
        self._forget(window)
        if self._aligned is None:
            # The previous result of a session is never removed, as in Flink.
            home = self._sessions.homes.pop(window, None)
            if home is not None:
                self._contents.pop(home, None)
        else:
            for pane in self._panes_in(window, self._aligned.pane_size):
                if self._aligned.last_window(pane) == window:
                    del self._contents[pane]
            self._previous.pop(window, None)

    def _merged(self, new: Window, record: Arrival) -> Window:
        def merged(result: Window, gone: list[Window], home: Window, homes: list[Window]) -> None:
            context = self._context(result)
            self._bring_memories(homes, context.memory)
            self._trigger.on_merge(record, context)
            for window in gone:
                self._forget(window)
                if self._cleanup(window) < MAX:
                    self._timers.delete(self._cleanup_timer(window), window)
            for each in homes:
                self._previous.pop(each, None)
                if each in self._contents:
                    value, there = self._contents.pop(each), home in self._contents
                    self._contents[home] = self._fold.join(self._contents[home], value) if there else value

        return self._sessions.add(new, merged)

    def _bring_memories(self, homes: list[Window], memory: Memory) -> None:
        """What the trigger takes over comes from where the contents are, not from the merged windows, as in Flink."""
        for home in homes:
            theirs = self._memory.get(home, {})
            for name in [name for name in theirs if name != "fired"]:
                value = theirs.pop(name)
                memory[name] = joined(name, memory[name], value) if name in memory else value

    def _last(self, span: Span) -> int:
        """The instant at which the window is over (ms): its bounds are local in a session time zone."""
        return super()._last(span) if span is None or self._zone is None else self._zone.timer_time(span[1] - 1)

    def _cleanup_timer(self, window: Window) -> int:
        """When the timer is set that cleans up: not before 1970, in local time where windows are."""
        if self._zone is None:
            return max(0, self._cleanup(window))
        if self._operator.api == "tvf":  # sessions of a window table function: no timer is moved there
            return self._cleanup(window)
        return self._zone.timer_time(max(0, window[1] - 1))
