"""The rules of operators without windows once more, as plainly as they can be said.

One channel for each input, explicit watermarks, no restores. Rows are tuples by item: (item, kind, key, times and
values), without watermark and clock.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tidemark.simulator.engine.values.items import End, Record, Watermark
from tidemark.simulator.scenario.model import Deduplicate, IntervalJoin, Over, Process, Scenario, TemporalJoin

MIN, MAX = -(2**63), 2**63 - 1
Row = tuple[Any, ...]


def plain_rows(scenario: Scenario) -> list[Row]:
    """The rows of the whole stream."""
    operator = scenario.operator
    machine: Any
    if isinstance(operator, TemporalJoin):
        machine = Join(operator.kind == "left")
    elif isinstance(operator, Over):
        machine = Frames(operator)
    elif isinstance(operator, IntervalJoin):
        machine = Pairs(operator)
    elif isinstance(operator, Process):
        machine = Sort()
    else:
        assert isinstance(operator, Deduplicate)
        machine = First() if operator.keep == "first" else Last()
    reached = {each.name: MIN for each in scenario.inputs}
    now, rows = MIN, []
    assert isinstance(scenario.stream, tuple)
    for number, item in enumerate(scenario.stream):
        found: list[Row] = []
        if isinstance(item, Record):
            found += machine.record(item, now)
        else:
            sides = list(reached) if isinstance(item, End) else [item.input] if isinstance(item, Watermark) else []
            for side in sides:
                reached[side] = max(reached[side], item.ts if isinstance(item, Watermark) else MAX)
                if (least := min(reached.values())) > now:
                    now = least
                    found += machine.watermark(now)
        rows += [(number, *row) for row in found]
    return rows


def key_of(record: Record) -> tuple[str, Any]:
    """Keys of different types differ: 1, "1" and true."""
    return type(record.key).__name__, record.key


class Join:
    """Left rows wait; versions are kept until a newer one is at or before the watermark of a timer."""

    def __init__(self, outer: bool) -> None:
        self.outer = outer
        self.left: defaultdict[Any, list[Record]] = defaultdict(list)
        self.right: defaultdict[Any, dict[int, Record]] = defaultdict(dict)
        self.timer: dict[Any, int] = {}

    def record(self, item: Record, now: int) -> Iterator[Row]:
        key, ts = key_of(item), item.ts
        assert ts is not None
        if item.input == "left":
            self.left[key].append(item)
        else:
            self.right[key][ts] = item
        self.timer[key] = min(self.timer.get(key, ts), ts)
        yield from ()

    def watermark(self, now: int) -> Iterator[Row]:
        for key in [each for each, timer in self.timer.items() if timer <= now]:
            del self.timer[key]
            versions = self.right[key]
            for row in [each for each in self.left[key] if each.ts <= now]:
                valid = [version for ts, version in versions.items() if ts <= row.ts]
                best = max(valid, key=lambda each: each.ts, default=None)
                if best is not None and best.op != "delete":
                    yield "joined", row.key, row.ts, row.value, best.ts, best.value
                elif self.outer:
                    yield "joined", row.key, row.ts, row.value, None, None
            self.left[key] = [each for each in self.left[key] if each.ts > now]
            newest = max((ts for ts in versions if ts <= now), default=MIN)
            self.right[key] = {ts: version for ts, version in versions.items() if ts >= newest}
            if self.left[key]:
                self.timer[key] = min(each.ts for each in self.left[key])


class Frames:
    """Every timer of a key is kept by itself, those of rows and those of the clean-up alike."""

    def __init__(self, operator: Over) -> None:
        self.rows, self.range = operator.frame.rows, operator.frame.range
        self.compute = operator.function.compute
        self.bounded = "unbounded" not in (self.rows, self.range)
        self.waiting: defaultdict[Any, list[Record]] = defaultdict(list)
        self.taken: defaultdict[Any, list[Record]] = defaultdict(list)
        self.last: dict[Any, int] = {}
        self.cleanup: dict[Any, int] = {}
        self.timers: defaultdict[Any, set[int]] = defaultdict(set)

    def record(self, item: Record, now: int) -> Iterator[Row]:
        key, ts = key_of(item), item.ts
        assert ts is not None
        if ts <= (self.last.get(key, 0) if self.bounded else now):
            yield "dropped", item.key, ts, item.value
            return
        self.waiting[key].append(item)
        self.timers[key].add(ts)
        if isinstance(self.range, int) and (key not in self.cleanup or self.cleanup[key] < ts + self.range + 1):
            self.cleanup[key] = ts + self.range * 3 // 2 + 1
            self.timers[key].add(self.cleanup[key])

    def watermark(self, now: int) -> Iterator[Row]:
        for key, timers in self.timers.items():
            for timer in sorted(each for each in timers if each <= now):
                timers.discard(timer)
                yield from self.fire(key, timer)

    def fire(self, key: Any, timer: int) -> Iterator[Row]:
        if key in self.cleanup and self.cleanup[key] <= timer:
            for kept in (self.waiting, self.taken, self.last, self.cleanup):
                kept.pop(key, None)
            return
        due = [each for each in self.waiting[key] if each.ts == timer]
        self.waiting[key] = [each for each in self.waiting[key] if each.ts != timer]
        taken = self.taken[key]
        for row in due:
            taken.append(row)
            if self.range is None:
                yield self.given(row, taken if self.rows == "unbounded" else taken[-int(self.rows) - 1 :])
        if self.range is not None:
            frame = [each for each in taken if self.range == "unbounded" or timer - each.ts <= self.range]
            for row in due:
                yield self.given(row, frame)
        self.last[key] = timer

    def given(self, row: Record, frame: list[Record]) -> Row:
        values = [each.value for each in frame]
        total = {
            "sum": lambda: sum(values),
            "count": lambda: len(values),
            "min": lambda: min(values),
            "max": lambda: max(values),
            "avg": lambda: sum(values) / len(values),
        }[self.compute or ""]()
        return "emitted", row.key, row.ts, total, row.value


class First:
    """The earliest row that is not late, once for each key."""

    def __init__(self) -> None:
        self.waiting: dict[Any, Record] = {}
        self.done: set[Any] = set()

    def record(self, item: Record, now: int) -> Iterator[Row]:
        key = key_of(item)
        if item.ts < now:
            yield "dropped", item.key, item.ts, item.value
        elif key not in self.done and (key not in self.waiting or item.ts < self.waiting[key].ts):
            self.waiting[key] = item

    def watermark(self, now: int) -> Iterator[Row]:
        for key in [each for each, row in self.waiting.items() if row.ts <= now]:
            row = self.waiting.pop(key)
            self.done.add(key)
            yield "emitted", row.key, row.ts, row.value, "+I"


class Last:
    """The latest row so far, as updates."""

    def __init__(self) -> None:
        self.kept: dict[Any, Record] = {}

    def record(self, item: Record, now: int) -> Iterator[Row]:
        key = key_of(item)
        before = self.kept.get(key)
        if before is not None and item.ts < before.ts:
            return
        if before is not None:
            yield "emitted", item.key, before.ts, before.value, "-U"
        yield "emitted", item.key, item.ts, item.value, "+I" if before is None else "+U"
        self.kept[key] = item

    def watermark(self, now: int) -> Iterator[Row]:
        yield from ()


class Sort:
    """A record above the watermark waits until the watermark reaches it."""

    def __init__(self) -> None:
        self.waiting: list[Record] = []

    def record(self, item: Record, now: int) -> Iterator[Row]:
        if item.ts > now:
            self.waiting.append(item)
        else:
            yield "dropped", item.key, item.ts, item.value

    def watermark(self, now: int) -> Iterator[Row]:
        due = [each for each in self.waiting if each.ts <= now]
        self.waiting = [each for each in self.waiting if each.ts > now]
        yield from (("emitted", each.key, each.ts, each.value) for each in due)


class Pairs:
    """Each record meets those of the other side within the interval that no watermark has removed."""

    def __init__(self, operator: IntervalJoin) -> None:
        self.lower = operator.lower + operator.lower_exclusive
        self.upper = operator.upper - operator.upper_exclusive
        self.lost = "late" if operator.late_output == "side" else "dropped"
        self.kept: list[Record] = []

    def record(self, item: Record, now: int) -> Iterator[Row]:
        if item.ts < now:
            yield self.lost, item.key, item.ts, item.value
            return
        for other in self.kept:
            if other.input == item.input or key_of(other) != key_of(item):
                continue
            left, right = (item, other) if item.input == "left" else (other, item)
            if self.lower <= right.ts - left.ts <= self.upper:
                yield "joined", item.key, left.ts, left.value, right.ts, right.value
        self.kept.append(item)

    def watermark(self, now: int) -> Iterator[Row]:
        reach = {"left": max(self.upper, 0), "right": max(-self.lower, 0)}
        self.kept = [each for each in self.kept if each.ts + reach[each.input] > now]
        yield from ()
