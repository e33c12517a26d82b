"""The items of a written-out stream as columns: the records, and the signals that stand between them."""

import json
from bisect import bisect_left
from typing import Any, Final

from simulator.scenario.model import EACH_RECORD
from simulator.values.items import Advance, End, Item, Record, Watermark
from simulator.values.time import MAX
from spark_bridge.canonical import key_text, value_of
from spark_bridge.plan import BatchPlan, InputPlan

ITEM_SUB: Final = 2**62
"""``sub`` of what an item itself is: the ticks on the clock's way to it come first."""

RECORDS: Final = (
    *("item", "side", "channel", "key", "ts", "at", "whole", "fraction", "text"),
    *("tick_item", "tick_sub", "tick_at"),
)
"""Columns of the records: ``side`` numbers the inputs, ``channel`` the channels of all of them.

The value stands in three (see ``value_columns``); the tick is the periodic emission that tells the watermark of this
record: null if none comes, or none is periodic."""

SIGNALS: Final = ("item", "sub", "channel", "candidate", "at")
"""Columns of the explicit watermarks and of the ends, one for each channel."""

Row = tuple[Any, ...]


def listed(plan: BatchPlan) -> tuple[list[Row], list[Row]]:
    """The records and the signals of a list, as tuples of ``RECORDS`` and of ``SIGNALS``."""
    stream = plan.scenario.stream
    assert isinstance(stream, tuple)
    clocks = clock_of(stream, plan.scenario.origin)
    records: list[Row] = []
    signals: list[Row] = []
    for number, (item, at) in enumerate(zip(stream, clocks, strict=True)):
        match item:
            case Record():
                source = plan.input_of(item.input)
                channel = source.first + item.channel
                told = (number, plan.inputs.index(source), channel, key_text(item.key), item.ts, at)
                records.append((*told, *value_columns(item.value), *_next_tick(plan, source, clocks, at, channel)))
            case Watermark():
                signals.append((number, ITEM_SUB, plan.input_of(item.input).first + item.channel, item.ts, at))
            case End():
                signals += ends(number, at, plan.channels)
            case _:  # an ``advance`` moves the clock only
                pass
    return records, signals


def ends(number: int, at: int, channels: int) -> list[Row]:
    """The signals of an ``end``: the channels one by one."""
    return [(number, ITEM_SUB + channel, channel, MAX, at) for channel in range(channels)]


def clock_of(stream: tuple[Item, ...], origin: int) -> list[int]:
    """The processing-time clock (ms) at each item: at its ``at`` if that is ahead, on by its ``advance``."""
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
    plan: BatchPlan, source: InputPlan, clocks: list[int], at: int, channel: int
) -> tuple[int | None, int | None, int | None]:
    interval, origin = source.watermark.emit, plan.scenario.origin
    if interval == EACH_RECORD:
        return None, None, None
    due = origin + ((at - origin) // interval + 1) * interval
    item = bisect_left(clocks, due)
    sub = (due - origin) * plan.channels + plan.tick_rank(channel)
    return (item, sub, due) if item < len(clocks) else (None, None, None)
