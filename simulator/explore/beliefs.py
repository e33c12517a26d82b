"""Wrong beliefs about event time, each as a change to the scenario which makes the true engine do what is believed.

A belief is compared with the truth moment by moment (``runs``), which shows the first moment at which it goes wrong.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator.engine.values.items import Item, Record, Restore, Status, Watermark
from tidemark.simulator.explore.runs import Compared, Ran, compare_runs, run_of, together, watermark_after
from tidemark.simulator.explore.settings import (
    ItemAt,
    Part,
    has_steady_watermarks,
    items_of,
    with_items,
    with_operator,
    with_written_watermarks,
    without_generators,
)
from tidemark.simulator.scenario.model import (
    EACH_RECORD,
    BoundedOutOfOrderness,
    Punctuated,
    Scenario,
    Session,
    Tumbling,
    WatermarkSpec,
)
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline.ids import key_id

# Beliefs about records and windows: which records are late, which window takes them, and for how long.
#
# The watermarks are the true ones, written into the stream; only the belief differs.

Leaves = Callable[[int, int | None, int | None], bool]
"""(timestamp, watermark on arrival, largest timestamp before it) → whether a record is believed to be dropped."""


def _goes_by_records(truth: Ran) -> bool:
    operator = truth.scenario.operator
    return operator.aggregates_windows and operator.time == "event" and has_steady_watermarks(truth)


def _without(truth: Ran, leaves: Leaves) -> Sequence[Part]:
    if not _goes_by_records(truth):
        return ()
    newest: int | None = None
    kept: list[ItemAt] = []
    for item, moment in with_written_watermarks(truth):
        if isinstance(item, Record) and item.ts is not None:
            gone = leaves(item.ts, watermark_after(truth.watermarks, moment - 1), newest)
            newest = item.ts if newest is None else max(item.ts, newest)
            if gone:
                continue
        kept.append((item, moment))
    return (with_items(truth, kept, without_generators(truth)),)


def late_is_out_of_order(truth: Ran) -> Sequence[Part]:
    """Whatever comes after a record with a larger timestamp is late, and dropped."""
    return _without(truth, lambda ts, watermark, newest: newest is not None and ts < newest)


def behind_is_dropped(truth: Ran) -> Sequence[Part]:
    """What is behind the watermark (and the lateness) is dropped, even if its window is open."""
    lateness = truth.scenario.operator.allowed_lateness
    return _without(truth, lambda ts, watermark, newest: watermark is not None and ts + lateness <= watermark)


def fired_is_final(truth: Ran) -> Sequence[Part]:
    """A window that has fired takes nothing more: no lateness."""
    if not truth.scenario.operator.allowed_lateness:
        return ()
    return ((with_operator(truth.scenario, allowed_lateness=0), truth.moments),)


def end_inclusive(truth: Ran) -> Sequence[Part]:
    """A record at the end of a window is still in it, as if it had happened a millisecond earlier.

    Only where records lie in the window that ends there: at the very first record nobody thinks of an end.
    """
    assigner = truth.scenario.operator.assigner
    if not isinstance(assigner, Tumbling) or not _goes_by_records(truth):
        return ()
    size, offset = assigner.size, assigner.offset
    there_are = {
        (item.ts - offset) // size for item, _ in items_of(truth) if isinstance(item, Record) and item.ts is not None
    }

    def moved(item: Item) -> Item:
        if isinstance(item, Record) and item.ts is not None:
            number, inside = divmod(item.ts - offset, size)
            if inside == 0 and number - 1 in there_are:
                return item._replace(ts=item.ts - 1)
        return item

    changed = ((moved(item), moment) for item, moment in with_written_watermarks(truth))
    return (with_items(truth, changed, without_generators(truth)),)


def gap_on_the_clock(truth: Ran) -> Sequence[Part]:
    """A session is what arrives close together, whenever it happened."""
    assigner = truth.scenario.operator.assigner
    if not isinstance(assigner, Session) or truth.facts.arrival_axis != "at":
        return ()
    changed = (
        (item._replace(ts=item.at) if isinstance(item, Record) else item, moment) for item, moment in items_of(truth)
    )
    return (with_items(truth, changed),)


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
    lateness = truth.scenario.operator.allowed_lateness
    if not lateness or not truth.scenario.operator.aggregates_windows:
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


Believed = tuple[Scenario, Sequence[int]]
"""A scenario that does what is believed, and the moment of each of its items."""


@dataclass(frozen=True, slots=True)
class Belief:
    """One misconception.

    ``believed`` returns the scenarios in which it is true, several if each is true in part, and none if it does not
    apply. Its words are in the catalogue under ``beliefs.NAME``.
    """

    name: str
    believed: Callable[[Ran], Sequence[Believed]]


@dataclass(frozen=True, slots=True)
class Tour:
    """A belief compared with the truth, which is on the left. ``runs``: the runs of what is believed, in parts."""

    belief: Belief
    truth: Ran
    runs: tuple[Ran, ...]
    compared: Compared

    @property
    def shows(self) -> bool:
        """Whether on these records the belief leads to any other fate or result."""
        return self.compared.parting is not None


BELIEFS: Final = (
    Belief("no-minus-one", no_minus_one),
    Belief("reaches-the-end", reaches_the_end),
    Belief("first-past-the-end", first_past_the_end),
    Belief("after-each-record", after_each_record),
    Belief("fastest-channel", fastest_channel),
    Belief("watermark-per-key", per_key),
    Belief("wall-clock", wall_clock),
    Belief("lateness-delays", lateness_delays),
    Belief("fired-is-final", fired_is_final),
    Belief("late-is-out-of-order", late_is_out_of_order),
    Belief("behind-is-dropped", behind_is_dropped),
    Belief("end-inclusive", end_inclusive),
    Belief("gap-on-the-clock", gap_on_the_clock),
)
"""The beliefs in the order of a list."""


def applies(truth: Ran, belief: Belief) -> bool:
    """Whether the belief can be run on the scenario and compared with the truth. It is not run for that."""
    return bool(_believed(truth, belief))


def tour(truth: Ran, belief: Belief) -> Tour | None:
    """Run what is believed and compare it with ``truth``; None if the belief does not apply to the scenario.

    Raises ``ScenarioError`` for what the engine cannot run.
    """
    runs = tuple(run_of(*part) for part in _believed(truth, belief))
    if not runs:
        return None
    outcome = runs[0].outcome if len(runs) == 1 else together(runs)
    left_out = dict.fromkeys(truth.fates, "dropped")  # a record that is missing in the believed run counts as dropped
    return Tour(
        belief, truth, runs, compare_runs(truth.outcome, replace(outcome, fates=left_out | dict(outcome.fates)))
    )


def _believed(truth: Ran, belief: Belief) -> Sequence[Believed]:
    """What is believed; nothing where items are replayed, because then moments cannot be compared."""
    replays = any(isinstance(item, Restore) for item in items(truth.scenario))
    return () if replays else belief.believed(truth)
