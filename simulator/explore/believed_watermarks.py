"""Beliefs about where the watermark stands: each makes the scenarios in which it does."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tidemark.simulator.engine.values.items import Item, Record, Status, Watermark
from tidemark.simulator.explore.rewriting import ItemAt, Part, items_of, with_items, with_operator, without_generators
from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.scenario.model import EACH_RECORD, BoundedOutOfOrderness, Punctuated, WatermarkSpec, Window
from tidemark.simulator.timeline.ids import key_id

Change = Callable[[WatermarkSpec], WatermarkSpec | None]
"""Returns another generator, or None if the belief does not apply to this one."""


def _changed(truth: Ran, change: Change) -> Sequence[Part]:
    specs = [change(each.watermark) for each in truth.scenario.inputs]
    if not any(specs):
        return ()
    inputs = tuple(
        each if spec is None else replace(each, watermark=spec)
        for each, spec in zip(truth.scenario.inputs, specs, strict=True)
    )
    return ((replace(truth.scenario, inputs=inputs), truth.moments),)


def _is_bounded(spec: WatermarkSpec) -> bool:
    """Whether the generator subtracts a bound and a millisecond, after each record."""
    return spec.ahead > spec.bound and spec.emit == EACH_RECORD


def no_minus_one(truth: Ran) -> Sequence[Part]:
    """The watermark is the largest timestamp minus the bound: the punctuated generator subtracts nothing else."""
    return _changed(truth, lambda spec: Punctuated(spec.bound, spec.idle_timeout) if _is_bounded(spec) else None)


def reaches_the_end(truth: Ran) -> Sequence[Part]:
    """A window fires when the watermark reaches its end: with watermarks one lower it does."""

    def one_lower(spec: WatermarkSpec) -> WatermarkSpec | None:
        if not _is_bounded(spec):
            return None
        return BoundedOutOfOrderness(spec.bound + 1, spec.emit, spec.idle_timeout)

    return _changed(truth, one_lower)


def first_past_the_end(truth: Ran) -> Sequence[Part]:
    """The first record at or past its end closes a window: no bound, and no millisecond."""

    def at_once(spec: WatermarkSpec) -> WatermarkSpec | None:
        return Punctuated(0, spec.idle_timeout) if _is_bounded(spec) and spec.bound else None

    return _changed(truth, at_once)


def after_each_record(truth: Ran) -> Sequence[Part]:
    """There is a watermark after every record, however rarely the generator is asked."""

    def asked_each_time(spec: WatermarkSpec) -> WatermarkSpec | None:
        changed: dict[str, Any] = {"emit": EACH_RECORD}
        return replace(spec, **changed) if spec.emit != EACH_RECORD else None

    return _changed(truth, asked_each_time)


def lateness_delays(truth: Ran) -> Sequence[Part]:
    """The first result waits until the lateness is over: a longer bound instead of a lateness."""
    lateness = getattr(truth.scenario.operator, "allowed_lateness", 0)
    if not lateness or not isinstance(truth.scenario.operator, Window):
        return ()

    def longer(spec: WatermarkSpec) -> WatermarkSpec | None:
        if not _is_bounded(spec):
            return None
        return BoundedOutOfOrderness(spec.bound + lateness, spec.emit, spec.idle_timeout)

    return [(with_operator(scenario, allowed_lateness=0), moments) for scenario, moments in _changed(truth, longer)]


def fastest_channel(truth: Ran) -> Sequence[Part]:
    """The largest timestamp counts, whichever channel sent it: all records in one channel."""
    if all(each.channels == 1 for each in truth.scenario.inputs):
        return ()
    inputs = tuple(replace(each, channels=1) for each in truth.scenario.inputs)
    changed = ((_in_first_channel(item), moment) for item, moment in items_of(truth) if not isinstance(item, Status))
    return (with_items(truth, changed, inputs),)


def _in_first_channel(item: Item) -> Item:
    if isinstance(item, Record):
        return item._replace(channel=0)
    return replace(item, channel=0) if isinstance(item, Watermark) else item


def per_key(truth: Ran) -> Sequence[Part]:
    """Each key waits for its own records: every key on its own, with the watermark of its records."""
    keys = dict.fromkeys(key_id(item.key) for item, _ in items_of(truth) if isinstance(item, Record))
    makes_watermarks = any(each.watermark.makes_watermarks for each in truth.scenario.inputs)
    if len(keys) < 2 or not makes_watermarks:
        return ()
    return [
        with_items(
            truth,
            (
                (item, moment)
                for item, moment in items_of(truth)
                if not isinstance(item, Record) or key_id(item.key) == key
            ),
        )
        for key in keys
    ]


def wall_clock(truth: Ran) -> Sequence[Part]:
    """Windows close when the clock is past their end: a watermark at the time of the clock before each record."""
    if truth.facts.arrival_axis != "at":
        return ()
    made: list[ItemAt] = []
    for item, moment in items_of(truth):
        if isinstance(item, Watermark | Status):
            continue
        if isinstance(item, Record) and item.at is not None:
            made += [
                (Watermark(item.at - 1, each.name, channel, item.at), moment - 1)
                for each in truth.scenario.inputs
                for channel in range(each.channels)
            ]
        made.append((item, moment))
    return (with_items(truth, made, without_generators(truth)),)
