"""The windows of one key, record by record: sessions, triggers that remember, evictors, the global window.

Written after Flink's ``WindowOperator``, but apart from the simulator's: here the watermark is known only where a
record comes, and what happens between is told by what it waits for.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from simulator.scenario import model
from simulator.values.time import MAX, MIN, wrap
from spark_bridge.keyed.contents import Growing, Kept, Listed
from spark_bridge.keyed.evicting import evicted
from spark_bridge.keyed.records import Arrival, Fired, Span
from spark_bridge.keyed.sessions import Sessions, Window
from spark_bridge.keyed.timers import Timers
from spark_bridge.keyed.triggers import FIRE, JOINED, PURGE, Memory, last_instant, trigger_of


@dataclass(slots=True)
class _Life:
    """One life of a window: its number, and how many rows it has given."""

    number: int
    panes: int = 0


class KeyedWindows:
    """A window operator for the records of one key; ``last_watermark`` is the highest that the stream reaches."""

    def __init__(self, operator: model.Window | model.WindowJoin, last_watermark: int) -> None:
        self._operator = operator
        self._last_watermark = last_watermark
        self._trigger = trigger_of(operator.trigger)
        self._lateness = operator.allowed_lateness
        self._merges = isinstance(operator.assigner, model.Session | model.DynamicSession)
        self._is_global = isinstance(operator.assigner, model.Global)
        self._contents = _contents_of(operator)
        self._kept: dict[Span, Kept] = {}
        self._memory: dict[Span, Memory] = {}
        self._lives: dict[Span, _Life] = {}
        self._born = 0
        self._sessions = Sessions()
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
        taken = False
        for window in self._windows_of(record):
            span = self._merged(window, record) if self._merges and window is not None else window
            cleanup = self._cleanup(span)
            if span is not None and cleanup <= record.before:
                self._sessions.homes.pop(span, None)
                continue
            taken = True
            home = self._home(span)
            self._kept[home] = self._contents.added(self._kept.get(home), record)
            memory = self._memory.setdefault(span, {})
            answer = self._trigger.on_record(record, span, memory, partial(self._timers.register, namespace=span))
            self._act(answer, span, record)
            if cleanup < MAX:
                self._timers.register(cleanup, span)
        if not taken and wrap(record.ts + self._lateness) <= record.before:
            self._give(Fired("late", None, record.value, 0, by=record, time=record.ts))

    def _fire_timers(self, watermark: int) -> None:
        for timestamp, namespace in self._timers.fire(watermark):
            span: Any = namespace
            if self._merges and span not in self._sessions.homes:
                continue
            memory = self._memory.setdefault(span, {})
            answer = self._trigger.on_timer(timestamp, span, memory, partial(self._timers.register, namespace=span))
            self._act(answer, span, None)
            if span is not None and timestamp == self._cleanup(span):
                self._clear(span)

    def _act(self, answer: int, span: Span, record: Arrival | None) -> None:
        home = self._home(span)
        if answer & FIRE and home in self._kept:
            self._fire(span, home, record)
        if answer & PURGE:
            self._kept.pop(home, None)

    def _fire(self, span: Span, home: Span, record: Arrival | None) -> None:
        kept, evictor = self._kept[home], self._operator.evictor
        shown = kept
        if evictor is not None:
            left = evicted(evictor, kept)
            shown = kept if evictor.after else left
            if left:
                self._kept[home] = left
            else:
                del self._kept[home]
        due = None if record is not None else self._timers.floor
        if isinstance(self._operator, model.WindowJoin):
            for kind, value in _both_sides(self._operator, shown):
                self._give(Fired(kind, span, value, 0, due, record))
            return
        life = self._lives.get(span)
        if life is None:
            self._born += 1
            life = self._lives[span] = _Life(self._born)
        self._give(Fired("pane", span, self._contents.result(shown), 0, due, record, life.number, life.panes))
        life.panes += 1

    def _give(self, row: Fired) -> None:
        self._order += 1
        self._rows.append(row._replace(order=self._order))

    def _clear(self, span: Span) -> None:
        self._kept.pop(self._home(span), None)
        self._forget_trigger(span)
        self._lives.pop(span, None)
        if span is not None:
            self._sessions.homes.pop(span, None)

    def _forget_trigger(self, span: Span) -> None:
        memory = self._memory.pop(span, {})
        self._trigger.clear(span, memory, partial(self._timers.delete, namespace=span))

    def _cleanup(self, span: Span) -> int:
        """When the window is over: never, where the sum would leave 64 bits."""
        return MAX if span is None else min(last_instant(span) + self._lateness, MAX)

    def _home(self, span: Span) -> Span:
        return self._sessions.homes.get(span, span) if self._merges and span is not None else span

    def _windows_of(self, record: Arrival) -> list[Span]:
        match self._operator.assigner:
            case model.Tumbling(size, offset):
                start = record.ts - (record.ts - offset) % size
                return [(start, start + size)]
            case model.Sliding(size, slide, offset):
                newest = record.ts - (record.ts - offset) % slide
                return [(start, start + size) for start in range(newest, record.ts - size, -slide)]
            case model.Session(gap):
                return [(record.ts, record.ts + gap)]
            case model.DynamicSession(gap_field):
                return [(record.ts, record.ts + record.value[gap_field])]
            case _:
                return [None]

    def _merged(self, window: Window, record: Arrival) -> Window:
        def merged(result: Window, gone: list[Window], home: Window, homes: list[Window]) -> None:
            memory = self._memory.setdefault(result, {})
            for name, value in self._remembered(gone).items():
                memory[name] = JOINED[name](memory[name], value) if name in memory else value
            self._trigger.on_merge(record.before, result, memory, partial(self._timers.register, namespace=result))
            for window in gone:
                self._forget_trigger(window)
                if self._cleanup(window) < MAX:
                    self._timers.delete(self._cleanup(window), window)
                self._lives.pop(window, None)
            self._join_contents(home, homes)

        return self._sessions.add(window, merged)

    def _remembered(self, gone: list[Window]) -> Memory:
        """What the windows that are gone remembered, taken from them."""
        found: Memory = {}
        for window in gone:
            memory = self._memory.get(window, {})
            for name in [name for name in memory if name in JOINED]:
                value = memory.pop(name)
                found[name] = JOINED[name](found[name], value) if name in found else value
        return found

    def _join_contents(self, home: Window, homes: list[Window]) -> None:
        moved = [self._kept.pop(each) for each in homes if each in self._kept]
        if not moved:
            return
        joined = moved[0]
        for each in moved[1:]:
            joined = self._contents.joined(joined, each)
        held = self._kept.get(home)
        self._kept[home] = joined if held is None else self._contents.joined(held, joined)


def _contents_of(operator: model.Window | model.WindowJoin) -> Growing | Listed:
    if isinstance(operator, model.WindowJoin):
        return Listed("process", "collect")
    call, compute = operator.function.call, operator.function.compute or ""
    return Listed(call, compute) if call == "process" or operator.evictor is not None else Growing(compute)


def _both_sides(operator: model.WindowJoin, records: list[Arrival]) -> Iterator[tuple[str, Any]]:
    left = [record for record in records if record.side == 0]
    right = [record for record in records if record.side == 1]
    if operator.type == "window-join":
        for one in left:
            for other in right:
                yield "joined", {"left": _stamped(one), "right": _stamped(other)}
    elif (left or operator.join in ("right", "full")) and (right or operator.join in ("left", "full")):
        yield "group", {"left": [each.value for each in left], "right": [each.value for each in right]}


def _stamped(record: Arrival) -> dict[str, Any]:
    return {"ts": None if record.ts == MIN else record.ts, "value": record.value}
