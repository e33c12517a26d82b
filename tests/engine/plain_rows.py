"""The rules of the interval join and of the event sort once more, as plainly as they can be said.

The bridge, which has the other operators without windows a second time, leaves these two to Spark.
One channel for each input, explicit watermarks, no restores. Rows are tuples by item: (item, kind, key, times and
values), without watermark and clock.
"""

from collections.abc import Iterator
from typing import Any

from tidemark.simulator.engine.values.items import End, Record, Watermark
from tidemark.simulator.scenario.model import IntervalJoin, Scenario

MIN, MAX = -(2**63), 2**63 - 1
Row = tuple[Any, ...]


def plain_rows(scenario: Scenario) -> list[Row]:
    """The rows of the whole stream."""
    operator = scenario.operator
    machine = Pairs(operator) if isinstance(operator, IntervalJoin) else Sort()
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
