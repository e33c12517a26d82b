"""The items of a written-out stream as columns: the records, and the signals that stand between them.

What a task that goes through everything in order knows beforehand: the clock at each item, and the ticks.
"""

import json
from bisect import bisect_left
from collections.abc import Iterable
from typing import Any, Final

from tidemark.simulator.engine.values.items import (
    FILTERED,
    UPSERT,
    Advance,
    End,
    Item,
    Record,
    Restore,
    Status,
    Watermark,
)
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.scenario.model import EACH_RECORD, Data, Generated
from tidemark.simulator.scenario.stream import Arrivals, arrivals_in
from tidemark.spark_bridge.keyed.ordered import Course, GeneratedCourse, ListedCourse, Rules
from tidemark.spark_bridge.plan.batch import BatchPlan, InputPlan
from tidemark.spark_bridge.plan.operators import KeyedPlan
from tidemark.spark_bridge.results.canonical import key_text, value_of
from tidemark.spark_bridge.watermarks.order import ACTIVE, CLOCK, END, IDLE, RESTORE, WATERMARK, period_of

ITEM_SUB: Final = 2**62
"""The ``sub`` of an item itself: the ticks on the clock's way to it come first."""

RECORDS: Final = (
    *("item", "side", "channel", "key", "ts", "at", "whole", "fraction", "text"),
    *("tick_item", "tick_sub", "tick_at"),
)
"""Columns of the records: ``side`` numbers the inputs, ``channel`` the channels of all of them.

A record that is filtered has no key. The value takes three columns (see ``value_columns``), all of them null where the
record ends a version. The tick is the periodic emission that sends the watermark of this record: null if there is none.
"""

SIGNALS: Final = ("item", "sub", "channel", "candidate", "at", "kind")
"""Columns of the explicit watermarks, the statuses, the ends (one for each channel), and the items that only move the
clock; ``kind`` is that of ``watermarks.order``."""

_NO_VALUE: Final = (None, None, None)

Row = tuple[Any, ...]


def listed(plan: BatchPlan) -> tuple[list[Row], list[Row]]:
    """The records and the signals of a list, as tuples of ``RECORDS`` and of ``SIGNALS``."""
    stream = plan.scenario.stream
    assert isinstance(stream, tuple)
    clocks = clock_of(stream, plan.scenario.origin)
    records: list[Row] = []
    signals: list[Row] = []
    ranks, asks_clock = plan.tick_ranks, not plan.watermark_in_order
    for number, (item, at) in enumerate(zip(stream, clocks, strict=True)):
        match item:
            case Record():
                source = plan.input_of(item.input)
                channel = source.first + item.channel
                key = None if item.op == FILTERED else key_text(item.key)
                own = (number, plan.inputs.index(source), channel, key, item.ts, at)
                tick: tuple[int | None, ...] = (None, None, None)
                if asks_clock and source.watermark.emit != EACH_RECORD and channel < plan.channels:
                    tick = _next_tick(plan, source, clocks, at, ranks[channel])
                value = value_columns(item.value) if item.op == UPSERT else _NO_VALUE
                records.append((*own, *value, *tick))
            case Watermark():
                signals.append((number, ITEM_SUB, _channel(plan, item), item.ts, at, WATERMARK))
            case Status():
                kind = IDLE if item.status == "idle" else ACTIVE
                signals.append((number, ITEM_SUB, _channel(plan, item), None, at, kind))
            case End():
                signals += ends(number, at, plan.channels)
            case Restore():
                signals.append((number, ITEM_SUB, 0, None, at, RESTORE))
            case _:
                signals.append((number, ITEM_SUB, 0, None, at, CLOCK))
    return records, signals


def ends(number: int, at: int, channels: int) -> list[Row]:
    """The signals of an ``end``: the channels one by one."""
    return [(number, ITEM_SUB + channel, channel, MAX, at, END) for channel in range(channels)]


def _channel(plan: BatchPlan, item: Watermark | Status) -> int:
    return plan.input_of(item.input).first + item.channel


def clock_of(stream: Iterable[Item], origin: int) -> list[int]:
    """The processing-time clock (ms) at each item: moved to its ``at`` if that is ahead, or on by its ``advance``."""
    clock, clocks = origin, []
    for item in stream:
        at = getattr(item, "at", None)
        clock = clock if at is None else max(clock, at)
        clock += item.by if isinstance(item, Advance) else 0
        clocks.append(clock)
    return clocks


def value_columns(value: Any) -> tuple[int | None, float | None, str | None]:
    """An integer as ``whole``; any other value as ``text``, a double as ``fraction`` too."""
    if type(value) is int:
        return value, None, None
    text, number = value_of(value)
    written = json.dumps(number) if text is None else text
    return None, value if isinstance(value, float) else None, written


def _next_tick(
    plan: BatchPlan, source: InputPlan, clocks: list[int], at: int, rank: int
) -> tuple[int | None, int | None, int | None]:
    interval, origin = source.watermark.emit, plan.scenario.origin
    due = origin + ((at - origin) // interval + 1) * interval
    item = bisect_left(clocks, due)
    sub = (due - origin) * plan.channels + rank
    return (item, sub, due) if item < len(clocks) else (None, None, None)


def course_of(plan: BatchPlan) -> Course:
    """The clock at each item."""
    stream, origin = plan.scenario.stream, plan.scenario.origin
    if isinstance(stream, Generated):
        return GeneratedCourse(arrivals_in(plan.scenario), stream.events)
    if isinstance(stream, Data):
        stands = GeneratedCourse(Arrivals(origin, 0), len(stream))
        return ListedCourse(plan.clocks) if stream.known.at is not None else stands
    return ListedCourse(tuple(clock_of(stream, origin)), plan.numbers, plan.withdrawn)


def rules_of(plan: BatchPlan, keyed: KeyedPlan) -> Rules:
    """By which time windows end, and the ticks that may fall on the millisecond of a processing-time timer."""
    periods = frozenset(periods_by_rank(plan)) - {0}
    zone = plan.scenario.operator.session_zone
    return Rules(keyed.by_clock, plan.scenario.origin, periods, plan.pause, keyed.keeps_watermark, zone)


def periods_by_rank(plan: BatchPlan) -> list[int]:
    """The time between the ticks of each channel (ms), by its rank among the ticks of one millisecond."""
    periods = [period_of(each.watermark) for each in plan.inputs for _ in range(each.channels)]
    return [period for _, period in sorted(zip(plan.tick_ranks, periods, strict=True))]
