"""The event-time temporal join: each left row meets the version of the right side that was valid at the row's time.

Theory of operation
-------------------
The right side is a history: a record is a version, valid from its timestamp to the next version of the key. A delete is
a version too, one that says that there is nothing. Only when the watermark has passed a left row's timestamp is it
certain which versions there were by then. So both sides only store what arrives; the watermark joins.

There is one timer for each key, at the smallest timestamp that was stored since it fired last. When it fires, all left
rows up to the watermark are joined, in order of arrival. Then of the versions up to the watermark all but the newest
are forgotten. Versions alone register no new timer: a key without left rows is not cleaned up.

Nothing is late. A left row behind the watermark is joined at the next one, with whatever versions are left.

Source: ``TemporalRowTimeJoinOperator`` (Flink 2.3.0).
"""

from bisect import bisect_left, bisect_right
from operator import itemgetter
from typing import Any, Final

from tidemark.simulator.engine.operators.base import Operator, OperatorRuntime
from tidemark.simulator.engine.trace.events import (
    LeftRowJoined,
    LeftRowUnmatched,
    RowStored,
    Rule,
    StateCleared,
    StateUpdated,
    VersionsRemoved,
    VersionStored,
)
from tidemark.simulator.engine.values.items import DELETE, UPSERT, Element, Key
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.engine.values.window import Namespace

LEFT: Final = "left"
RIGHT: Final = "right"
ROWS: Final = "left"
"""The state of the left rows of a key: (timestamp, value), in order of arrival."""
VERSIONS: Final = "right"
"""The state of the versions of a key: (timestamp, value, op), by timestamp."""
TIMER: Final = "timer"
"""The state that holds the timestamp (ms) of the key's timer."""
_timestamp: Final = itemgetter(0)

Version = tuple[int, Any, str]


class TemporalJoinOperator(Operator):
    """With ``outer`` a left row without a version gives a row too (``LEFT JOIN``)."""

    def __init__(self, runtime: OperatorRuntime, *, outer: bool) -> None:
        super().__init__(runtime)
        self._outer = outer
        self._rows = runtime.state.table(ROWS)
        self._versions = runtime.state.table(VERSIONS)
        self._timer = runtime.state.table(TIMER)

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Store a left row or a version, and see to it that a timer is at or before its timestamp.

        Source: ``TemporalRowTimeJoinOperator.processElement1`` and ``processElement2``.
        """
        assert timestamp is not None  # event time
        if input == RIGHT:
            self._store_version(key, timestamp, value, UPSERT)
            return
        entry = (key, None)
        rows = self._rows.writable(entry)
        if rows is None:
            self._rows.put(entry, [(timestamp, value)])
        else:
            rows.append((timestamp, value))
        if self.trace is not None:
            place = "TemporalRowTimeJoinOperator.process_element1"
            self.trace.add(RowStored(place, key, timestamp, value, None))
        self._register_smallest_timer(key, timestamp)

    def process_delete(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Store the end of a version."""
        assert timestamp is not None  # event time
        self._store_version(key, timestamp, None, DELETE)

    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Join what the watermark has passed, not only what the timer was for; then forget versions.

        Source: ``TemporalRowTimeJoinOperator.onEventTime`` and ``emitResultAndCleanUpState``.
        """
        entry, watermark = (key, None), self.timers.current_watermark
        self._timer.remove(entry)
        if self.trace is not None:
            self.trace.add(StateCleared("HeapValueState.clear", TIMER, key, None))
        rows: list[tuple[int, Any]] = self._rows.get(entry) or []
        versions: list[Version] = self._versions.get(entry) or []
        waiting = [row for row in rows if row[0] > watermark]
        if len(waiting) < len(rows):
            for ts, value in rows:
                if ts <= watermark:
                    self._join(key, ts, value, versions)
            if waiting:
                self._rows.put(entry, waiting)
            else:
                self._rows.remove(entry)
        self._forget_versions(key, versions, watermark)
        earliest = min((ts for ts, _ in waiting), default=MAX)
        if earliest < MAX:
            self._register(key, earliest)

    def on_processing_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Never called: the operator registers no processing-time timers."""

    def _store_version(self, key: Key, ts: int, value: Any, op: str) -> None:
        entry = (key, None)
        versions = self._versions.writable(entry)
        if versions is None:
            self._versions.put(entry, [(ts, value, op)])
        else:
            place = bisect_left(versions, ts, key=_timestamp)
            same = place < len(versions) and versions[place][0] == ts
            versions[place : place + same] = [(ts, value, op)]
        if self.trace is not None:
            self.trace.add(VersionStored("TemporalRowTimeJoinOperator.process_element2", key, ts, value, op))
        self._register_smallest_timer(key, ts)

    def _join(self, key: Key, ts: int, value: Any, versions: list[Version]) -> None:
        """Emit the row with the last version at or before ``ts``. Source: ``latestRightRowToJoin``."""
        found = bisect_right(versions, ts, key=_timestamp) - 1
        version = versions[found] if found >= 0 else None
        left, right = Element(ts, value, LEFT), None
        if version is not None and version[2] != DELETE:
            right = Element(version[0], version[1], RIGHT)
        if self.trace is not None:
            place = "TemporalRowTimeJoinOperator.emit_result_and_clean_up_state"
            if right is None and not self._outer:
                self.trace.add(LeftRowUnmatched(place, key, left))
            else:
                rule = None
                if version is not None:
                    numbers = (("begins", version[0]), ("row_time", ts))
                    rule = Rule("valid-at" if right is not None else "ended-at", "begins <= row_time", numbers, True)
                self.trace.add(LeftRowJoined(place, key, left, right, rule))
        if right is not None or self._outer:
            self.output.emit_joined(key, left, right, ts, None, self.timers.current_watermark)

    def _forget_versions(self, key: Key, versions: list[Version], watermark: int) -> None:
        """Of those at or before the watermark keep the newest. Source: ``cleanupExpiredVersionInState``."""
        kept = bisect_right(versions, watermark, key=_timestamp) - 1
        if kept <= 0:
            return
        removed, newest = tuple(map(_timestamp, versions[:kept])), versions[kept][0]
        del self._versions.writable((key, None))[:kept]
        if self.trace is not None:
            numbers = (("newer_version", newest), ("watermark", watermark))
            rule = Rule("superseded", "newer_version <= watermark", numbers, True)
            place = "TemporalRowTimeJoinOperator.cleanup_expired_version_in_state"
            self.trace.add(VersionsRemoved(place, key, removed, newest, rule))

    def _register_smallest_timer(self, key: Key, timestamp: int) -> None:
        registered = self._timer.get((key, None))
        if registered is None:
            self._register(key, timestamp)
        elif registered > timestamp:
            self.timers.delete_event_time_timer(registered, key, None)
            self._register(key, timestamp)

    def _register(self, key: Key, timestamp: int) -> None:
        self._timer.put((key, None), timestamp)
        if self.trace is not None:
            self.trace.add(StateUpdated("HeapValueState.update", TIMER, key, None, timestamp))
        self.timers.register_event_time_timer(timestamp, key, None, "join")
