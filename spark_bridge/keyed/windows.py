"""The windows of one key, record by record: sessions, triggers that remember, evictors, the global window.

Modelled on Flink's ``WindowOperator``, but written apart from the simulator's. Whoever goes through the records
(``by_key``, ``ordered``) keeps the timers and fires them.

Evictors: which records of a window are kept when it fires.
"""

from collections.abc import Iterator
from typing import Any

from tidemark.simulator.engine.values.time import MAX, MIN, wrap
from tidemark.simulator.scenario import model
from tidemark.spark_bridge.keyed.records import Arrival, Collector, Fired, Growing, Kept, Life, Listed, Span
from tidemark.spark_bridge.keyed.sessions import Sessions, Window
from tidemark.spark_bridge.keyed.timers import TimerService, TriggerContext
from tidemark.spark_bridge.keyed.triggers import FIRE, JOINED, PURGE, Memory, last_instant, trigger_of


class KeyedWindows:
    """A window operator for the records of one key. ``watermark`` and ``clock`` hold its timers.

    ``forgets``: pane numbers are removed with their window. ``stamped``: see ``evicted``.
    """

    def __init__(
        self,
        operator: model.Window | model.WindowJoin,
        watermark: TimerService,
        clock: TimerService,
        *,
        forgets: bool = True,
        stamped: frozenset[int] = frozenset(),
    ) -> None:
        self.out = Collector()
        self._operator = operator
        self._trigger = trigger_of(operator.trigger)
        self._lateness = operator.allowed_lateness
        self._by_clock = operator.time == "processing"
        self._merges = isinstance(operator.assigner, model.Session | model.DynamicSession)
        self._contents = _contents_of(operator)
        self._watermark = watermark
        self._clock = clock
        self._forgets = forgets
        self._stamped = stamped
        self._kept: dict[Span, Kept] = {}
        self._memory: dict[Span, Memory] = {}
        self._lives: dict[Span, Life] = {}
        self._born = 0
        self._sessions = Sessions()

    @property
    def is_empty(self) -> bool:
        """Whether no state of the key is left."""
        return not (self._kept or self._memory or self._lives or self._sessions.homes)

    def process_element(self, record: Arrival) -> None:
        """Work on the key's next record."""
        taken = False
        for window in self._windows_of(record):
            span = self._merged(window, record) if self._merges and window is not None else window
            cleanup = self._cleanup(span)
            if span is not None and not self._by_clock and cleanup <= record.before:
                self._sessions.homes.pop(span, None)
                continue
            taken = True
            home = self._home(span)
            self._kept[home] = self._contents.added(self._kept.get(home), record)
            memory = self._memory.setdefault(span, {})
            context = TriggerContext(self._watermark, self._clock, span)
            answer = self._trigger.on_element(record, span, memory, context)
            if answer:
                self._act(answer, span, record)
            if cleanup < MAX:
                (self._clock if self._by_clock else self._watermark).register(cleanup, span)
        if not taken and not self._by_clock and wrap(record.ts + self._lateness) <= record.before:
            self.out.collect(Fired("late", None, record.value, by=record, time=record.ts))

    def on_timer(self, timestamp: int, namespace: Any, *, by_clock: bool) -> None:
        """A timer fires, by the clock or by the watermark."""
        span: Span = namespace
        if self._merges and span not in self._sessions.homes:
            return
        memory = self._memory.setdefault(span, {})
        ask = self._trigger.on_processing_time if by_clock else self._trigger.on_event_time
        self._act(ask(timestamp, span, memory, self._context(span)), span, None)
        if span is not None and by_clock == self._by_clock and timestamp == self._cleanup(span):
            self._clear(span)
        elif not memory:
            del self._memory[span]

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
            left = evicted(evictor, kept, self._stamped)
            shown = kept if evictor.after else left
            if left:
                self._kept[home] = left
            else:
                del self._kept[home]
        if self._operator.is_join:
            for kind, value in _both_sides(self._operator, shown):
                self.out.collect(Fired(kind, span, value, by=record))
            return
        life = self._lives.get(span)
        if life is None:
            self._born += 1
            life = self._lives[span] = Life(self._born)
        value = self._contents.result(shown)
        self.out.collect(Fired("pane", span, value, by=record, life=life, pane=life.panes))
        life.panes += 1

    def _clear(self, span: Span) -> None:
        self._kept.pop(self._home(span), None)
        self._forget(span)
        if span is not None:
            self._sessions.homes.pop(span, None)

    def _forget(self, span: Span) -> None:
        """Remove what the trigger keeps for a window that is gone, its timers, and its pane numbers."""
        self._trigger.clear(span, self._memory.pop(span, {}), self._context(span))
        if self._forgets:
            self._lives.pop(span, None)

    def _context(self, span: Span) -> TriggerContext:
        return TriggerContext(self._watermark, self._clock, span)

    def _cleanup(self, span: Span) -> int:
        """When the window is over (ms): never, if the sum would leave 64 bits.

        In processing time there is no lateness.
        """
        lateness = 0 if self._by_clock else self._lateness
        return MAX if span is None else min(last_instant(span) + lateness, MAX)

    def _home(self, span: Span) -> Span:
        return self._sessions.homes.get(span, span) if self._merges and span is not None else span

    def _windows_of(self, record: Arrival) -> list[Span]:
        time = record.at if self._by_clock else record.ts
        match self._operator.assigner:
            case model.Tumbling(size, offset):
                start = time - (time - offset) % size
                return [(start, start + size)]
            case model.Sliding(size, slide, offset):
                newest = time - (time - offset) % slide
                return [(start, start + size) for start in range(newest, time - size, -slide)]
            case model.Session(gap):
                return [(time, time + gap)]
            case model.DynamicSession(gap_field):
                return [(time, time + record.value[gap_field])]
            case _:
                return [None]

    def _merged(self, window: Window, record: Arrival) -> Window:
        def merged(result: Window, gone: list[Window], home: Window, homes: list[Window]) -> None:
            memory = self._memory.setdefault(result, {})
            for name, value in self._remembered(gone).items():
                memory[name] = JOINED[name](memory[name], value) if name in memory else value
            self._trigger.on_merge(record, result, memory, self._context(result))
            for window in gone:
                self._forget(window)
                if self._cleanup(window) < MAX:
                    (self._clock if self._by_clock else self._watermark).delete(self._cleanup(window), window)
            self._join_contents(home, homes)

        return self._sessions.add(window, merged)

    def _remembered(self, gone: list[Window]) -> Memory:
        """Take and merge the trigger state of the windows that are gone."""
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
    function = operator.function
    if function is None:  # a join
        return Listed("process", "collect")
    call, compute = function.call, function.compute or ""
    return Listed(call, compute) if call == "process" or operator.evictor is not None else Growing(compute)


def _both_sides(operator: model.Window | model.WindowJoin, records: list[Arrival]) -> Iterator[tuple[str, Any]]:
    left = [record for record in records if record.side == 0]
    right = [record for record in records if record.side == 1]
    needed = operator.sides_needed
    if operator.pairs:
        for one in left:
            for other in right:
                yield "joined", {"left": _stamped(one), "right": _stamped(other)}
    elif (left or "left" not in needed) and (right or "right" not in needed):
        yield "group", {"left": [each.value for each in left], "right": [each.value for each in right]}


def _stamped(record: Arrival) -> dict[str, Any]:
    return {"ts": None if record.ts == MIN else record.ts, "value": record.value}


def evicted(evictor: object, records: list[Arrival], stamped: frozenset[int]) -> list[Arrival]:
    """The records that are kept, in order of arrival.

    ``stamped``: the sides whose generator sets the timestamp of every record, Long.MIN_VALUE if it has none.
    """
    match evictor:
        case model.CountEvictor(most):
            return records[max(len(records) - most, 0) :]
        case model.TimeEvictor(window):
            if records[0].ts == MIN and records[0].side not in stamped:
                return records  # the first record has no timestamp: Flink keeps all of them then
            cutoff = wrap(max(record.ts for record in records) - window)  # all have one, or Flink fails
            return [record for record in records if record.ts > cutoff]
        case model.DeltaEvictor(threshold):
            last = records[-1].value
            return [record for record in records if last - record.value < threshold]
        case _:
            raise TypeError(f"unknown evictor {evictor}")
