"""Window table functions: the watermark at which each window fires, where rows wait in a buffer (FLINK-38075).

A row gets its window a timer when the buffer is emptied, and that may come too late. So what a window waits for is
neither its timer nor its end alone. Here the operator's rules are run ahead over what is known at each step: the
slices in state, those in the buffer, the timers and the next flush (``LocalSliceOperator``).
"""

from collections import defaultdict
from collections.abc import Iterator, Set
from itertools import groupby
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.assigners.base import SliceAssigner
from tidemark.simulator.engine.operators.group_window_functions import ACCUMULATORS
from tidemark.simulator.engine.operators.window_aggregate import has_fired
from tidemark.simulator.engine.trace.events import (
    BufferFlushed,
    CheckpointTaken,
    FlushWaits,
    Restored,
    RowBuffered,
    TimerFired,
    WatermarkCombined,
    WatermarkForwarded,
    WatermarkRestored,
)
from tidemark.simulator.engine.values.items import Key, key_of
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.scenario.builder import slices_of
from tidemark.simulator.scenario.model import Operator, Sliding
from tidemark.simulator.scenario.zones import session_zone, zone_of
from tidemark.simulator.timeline.facts import Row, Timeline
from tidemark.simulator.timeline.ids import window_id
from tidemark.simulator.timeline.time import DUE, WAITING

END: Final = "end"
FLUSH: Final = "flush"
"""Why that watermark: the window ends there, or the buffer is emptied there."""

EVENTS: Final = frozenset(
    each.__name__
    for each in (
        RowBuffered, BufferFlushed, FlushWaits, TimerFired, CheckpointTaken, Restored,
        WatermarkCombined, WatermarkForwarded, WatermarkRestored,
    )
)  # fmt: skip
"""What bears on the buffer and on flushes."""

Piece = tuple[Key, TimeWindow]


class Awaited(NamedTuple):
    """The watermark (ms) at which a window fires, why, and whether it is ``waiting`` for it or ``due``."""

    needs: int
    reason: str
    phase: str


def awaited(timeline: Timeline, operator: Operator) -> dict[str, list[tuple[int, Awaited | None]]]:
    """What each window waits for from a step on, by its id; None while nothing fires it as things are."""
    found: dict[str, list[tuple[int, Awaited | None]]] = defaultdict(list)
    standing = _Standing(operator)
    for step, changes in groupby(_changes(timeline), key=lambda change: change[0]):
        touched: set[Key] = set()
        for _, _, what, given in changes:
            touched |= standing.apply(what, given)
        for key, window in standing.windows_of(touched):
            seen = found[window_id(key, window)]
            now = standing.awaited(key, window)
            if not seen or seen[-1][1] != now:
                seen.append((step, now))
    return found


def _changes(timeline: Timeline) -> list[tuple[int, int, str, Any]]:
    """(step, 0 for what ends and 1 for what begins then, what, which), in order."""
    found: list[tuple[int, int, str, Any]] = []

    def lives(what: str, row: Row) -> None:
        found.append((row["from_step"], 1, what, row))
        if row["until_step"] is not None:
            found.append((row["until_step"], 0, f"no-{what}", row))

    tables = timeline.by_name()
    for row in tables["windows"]:
        lives("window", row)
    for row in tables["timers"]:
        lives("timer", row)
    for row in tables["state"]:
        if row["state"] == ACCUMULATORS:
            lives("state", row)
    known = {row["from_step"]: row["value"] for row in tables["watermark"]}
    known |= {row["from_step"]: row for row in timeline.notes["buffered"]}
    happened = ((row["step"], row["event"]) for row in tables["steps"] if row["event"] in EVENTS)
    found += [(step, 1, "event", (event, known.get(step))) for step, event in happened]
    return sorted(found, key=lambda change: change[:2])


class _Standing:
    """Buffer, state, timers and flushes at a step."""

    def __init__(self, operator: Operator) -> None:
        self._zone = zone_of(operator) or session_zone("UTC")
        self._offset = operator.flush_offset
        self._slices: SliceAssigner = slices_of(operator)
        self._is_hop = isinstance(operator.assigner, Sliding)
        self._sets: dict[str, dict[Key, dict[TimeWindow, None]]] = {
            name: defaultdict(dict) for name in ("window", "timer", "state", "buffer", "flushed")
        }
        self._timers_lag = operator.timers_lag
        self._before = self._watermark = self._next_flush = MIN
        self._advancing = self._flushes = False

    def windows_of(self, keys: Set[Key]) -> Iterator[Piece]:
        """The windows of these keys that are not over."""
        for key in keys:
            for window in self._sets["window"][key]:
                yield key, window

    def apply(self, what: str, given: Any) -> Set[Key]:
        """A fact begins or ends, or something happened; to which keys."""
        if what == "event":
            return self._happened(*given)
        key, piece, name = key_of(given["key"]), TimeWindow(given["start"], given["end"]), what.removeprefix("no-")
        if what == name and given.get("status") != "cleared":
            self._sets[name][key][piece] = None
        else:
            self._sets[name][key].pop(piece, None)
        return {key}

    def _happened(self, event: str, what: Any) -> Set[Key]:
        """``what``: the watermark that it brings, or the row that it puts into the buffer."""
        buffer = self._sets["buffer"]
        match event:
            case RowBuffered.__name__:
                buffer[what["key"]][what["piece"]] = None
                return {what["key"]}
            case BufferFlushed.__name__:
                # Until all is done, slices come into state and timers are set one after another.
                self._sets["flushed"].update(buffer)
                buffer.clear()
                self._flushes = False
            case FlushWaits.__name__:
                self._flushes = False
            case WatermarkCombined.__name__:
                self._before, self._watermark = self._watermark, what
                self._advancing, self._flushes = True, what >= self._next_flush
                if self._flushes:
                    self._next_flush = self._zone.next_flush(
                        what, self._slices.interval, self._offset, self._slices.start_of
                    )
            case TimerFired.__name__ | CheckpointTaken.__name__:
                self._sets["flushed"].clear()
            case WatermarkForwarded.__name__:
                self._sets["flushed"].clear()
                self._advancing, self._before = False, self._watermark
            case WatermarkRestored.__name__:
                self._watermark = what
                self._before = MIN if self._timers_lag else what
            case Restored.__name__:
                buffer.clear()
                self._next_flush = MIN
                self._before = self._watermark = MIN
                self._advancing = False
            case _:
                pass
        return set(self._sets["window"])

    def awaited(self, key: Key, window: TimeWindow) -> Awaited | None:
        """What fires the window as things are."""
        local = self._slices.window_of(window.end)
        if self._advancing and self._fires(key, local, self._watermark, flushes=self._flushes):
            return Awaited(local.max_timestamp, END, DUE)
        for needs, reason in self._candidates(local.max_timestamp):
            if self._fires(key, local, needs, flushes=needs >= self._next_flush):
                return Awaited(needs, reason, WAITING)
        return None

    def _candidates(self, end: int) -> Iterator[tuple[int, str]]:
        if end > self._watermark:
            yield end, END
        following = max(end, self._next_flush, min(self._watermark, MAX - 1) + 1)
        if following > end:
            yield following, FLUSH

    def _fires(self, key: Key, window: TimeWindow, watermark: int, *, flushes: bool) -> bool:
        """Whether the window fires in the advance to ``watermark`` (ms). ``flushes``: the buffer may be emptied."""
        if window.max_timestamp > watermark:
            return False
        slices = self._slices
        timers, held = set(self._sets["timer"][key]), set(self._sets["state"][key])
        buffer, coming = self._sets["buffer"], list(self._sets["flushed"].get(key, ()))
        if flushes and any(
            has_fired(slices.slice_up_to(piece.end), watermark) for of in buffer.values() for piece in of
        ):
            coming += buffer.get(key, ())
        held.update(coming)
        firsts = (slices.window_of(piece.end) for piece in coming)
        timers.update(first for first in firsts if not has_fired(first, self._before))
        ends = {timer.end for timer in timers if timer.end <= window.end}
        while ends:
            end = min(ends)
            ends.remove(end)
            passing = slices.window_of(end)
            if self._is_hop and not any(passing.start <= piece.start and piece.end <= end for piece in held):
                continue
            if end == window.end:
                return True
            following = slices.next_end(passing) if slices.shares else None
            if following is not None:
                ends.add(following)
        return False
