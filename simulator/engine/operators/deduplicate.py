"""Deduplication by event time: of the rows of a key the first one, or the last one.

Theory of operation
-------------------
``ROW_NUMBER() OVER (PARTITION BY key ORDER BY rowtime ASC) = 1`` wants the row with the smallest timestamp. An earlier
one may still come until the watermark has passed the first so far. So this row waits, with a timer at its own time. An
earlier row takes its place. When the timer fires the row is given, and the key is done for ever. A record
strictly behind the watermark is late.

``DESC`` wants the row with the largest timestamp. Whoever comes with a larger or an equal one replaces the row that was
given before, at once: ``-U`` takes the old row back, ``+U`` gives the new one. The watermark has no part in it, and
nothing is late. With a time to live the row is forgotten once it was written that long ago, by the clock: the next one
is a first one again, and nothing takes the old one back (``TtlValueState``).

Source: ``RowTimeDeduplicateKeepFirstRowFunction`` and ``RowTimeDeduplicateFunction`` (Flink 2.3.0).
"""

from typing import Any, Final

from tidemark.simulator.engine.operators.base import Operator, OperatorRuntime
from tidemark.simulator.engine.trace.events import (
    DeduplicateEmitted,
    RowDisplaced,
    RowIgnored,
    RowStored,
    Rule,
    StateCleared,
    StateUpdated,
)
from tidemark.simulator.engine.values.items import Key
from tidemark.simulator.engine.values.rows import Change
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.engine.values.window import Namespace

ROW: Final = "deduplicate-state"
"""The state that holds a key's row: (timestamp, value, whether it was given, with a time to live: written when)."""


class _DeduplicateOperator(Operator):
    """What both kinds have in common: the row of the key, and how one is emitted."""

    function = ""

    def __init__(self, runtime: OperatorRuntime) -> None:
        super().__init__(runtime)
        self._row = runtime.state.table(ROW)
        self._clock = runtime.clock

    def on_processing_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Never called: the operator registers no processing-time timers."""

    def _keep(self, key: Key, ts: int, value: Any, *, given: bool) -> None:
        self._put(key, (ts, value, given))

    def _put(self, key: Key, row: tuple[Any, ...]) -> None:
        self._row.put((key, None), row)
        if self.trace is not None:
            self.trace.add(StateUpdated("HeapValueState.update", ROW, key, None, row))

    def _ignore(self, key: Key, ts: int, value: Any, rule: Rule | None) -> None:
        if self.trace is not None:
            self.trace.add(RowIgnored(f"{self.function}.process_element", key, ts, value, rule))

    def _emit(self, method: str, key: Key, ts: int, value: Any, change: Change, rule: Rule | None) -> None:
        if self.trace is not None:
            self.trace.add(DeduplicateEmitted(f"{self.function}.{method}", key, ts, value, change, rule))
        self.output.emit_deduplicated(key, ts, value, change, self.timers.current_watermark)


class KeepFirstOperator(_DeduplicateOperator):
    """``ORDER BY rowtime ASC``: an insert for each key, when the watermark has passed its earliest row."""

    function = "RowTimeDeduplicateKeepFirstRowFunction"

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Let the record wait, if it is not late and the earliest so far.

        Source: ``RowTimeDeduplicateKeepFirstRowFunction.processElement``.
        """
        assert timestamp is not None  # event time
        watermark = self.timers.current_watermark
        late = timestamp < watermark
        rule = None
        if self.trace is not None:
            numbers = (("timestamp", timestamp), ("watermark", watermark))
            rule = Rule("before-watermark", "timestamp < watermark", numbers, late)
        if late:
            self.drop_late(input, key, timestamp, value, rule)
            return
        row = self._row.get((key, None))
        if row is None:
            self._wait(key, timestamp, value, rule)
            return
        waiting, old, given = row
        if given:
            self._ignore(key, timestamp, value, None)
            return
        earlier = timestamp < waiting
        if self.trace is not None:
            numbers = (("timestamp", timestamp), ("waiting", waiting))
            rule = Rule("before-waiting", "timestamp < waiting", numbers, earlier)
        if not earlier:
            self._ignore(key, timestamp, value, rule)
            return
        self.timers.delete_event_time_timer(waiting, key, None)
        if self.trace is not None and rule is not None:
            self.trace.add(RowDisplaced(f"{self.function}.process_element", key, waiting, old, timestamp, rule))
        self._wait(key, timestamp, value, rule)

    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Give the row that waits. Source: ``RowTimeDeduplicateKeepFirstRowFunction.onTimer``."""
        ts, value, _ = self._row.get((key, None))
        rule = None
        if self.trace is not None:
            numbers = (("timestamp", ts), ("watermark", self.timers.current_watermark))
            rule = Rule("row-reached", "timestamp <= watermark", numbers, True)
        self._emit("on_timer", key, ts, value, "+I", rule)
        self._keep(key, ts, value, given=True)

    def _wait(self, key: Key, timestamp: int, value: Any, rule: Rule | None) -> None:
        if self.trace is not None:
            self.trace.add(RowStored(f"{self.function}.process_element", key, timestamp, value, rule))
        self._keep(key, timestamp, value, given=False)
        self.timers.register_event_time_timer(timestamp, key, None, "emit")


class KeepLastOperator(_DeduplicateOperator):
    """``ORDER BY rowtime DESC``: a stream of updates, at once."""

    function = "RowTimeDeduplicateFunction"
    keeps_first = False

    def __init__(self, runtime: OperatorRuntime, ttl: int | None = None) -> None:
        super().__init__(runtime)
        self._ttl = ttl

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Replace the key's row by one that is not older, an equal value included; or, the first one, by an older.

        Source: ``RowTimeDeduplicateFunction.deduplicateOnRowTime``.
        """
        assert timestamp is not None  # event time
        row, rule = self._row.get((key, None)), None
        if row is None or self._expires(key, row):
            self._emit("process_element", key, timestamp, value, "+I", None)
            self._keep(key, timestamp, value, given=True)
            return
        kept, old = row[:2]
        replaces = timestamp < kept if self.keeps_first else timestamp >= kept
        if self.trace is not None:
            numbers = (("timestamp", timestamp), ("kept", kept))
            rule = Rule("not-before-kept", "timestamp >= kept", numbers, replaces)
            if self.keeps_first:
                rule = Rule("before-kept", "timestamp < kept", numbers, replaces)
        if not replaces:
            self._ignore(key, timestamp, value, rule)
            return
        self._emit("process_element", key, kept, old, "-U", rule)
        self._emit("process_element", key, timestamp, value, "+U", rule)
        self._keep(key, timestamp, value, given=True)

    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Never called: the operator registers no timers."""

    def _keep(self, key: Key, ts: int, value: Any, *, given: bool) -> None:
        written = () if self._ttl is None else (self._clock.now,)
        self._put(key, (ts, value, given, *written))

    def _expires(self, key: Key, row: tuple[Any, ...]) -> bool:
        """Whether the key's row is too old to be seen; then it is removed. Source: ``TtlUtils.expired``."""
        if self._ttl is None:
            return False
        written, now = row[3], self._clock.now
        expired: bool = min(written + self._ttl, MAX) <= now
        if expired:
            self._row.remove((key, None))
            if self.trace is not None:
                numbers = (("written", written), ("state_ttl", self._ttl), ("now", now))
                rule = Rule("state-expired", "written + state_ttl <= now", numbers, True)
                self.trace.add(StateCleared("TtlValueState.value", ROW, key, None, rule))
        return expired


class FirstSoFarOperator(KeepLastOperator):
    """``ORDER BY rowtime ASC`` before FLINK-37005: at once, too, and an earlier row replaces what was emitted."""

    keeps_first = True
