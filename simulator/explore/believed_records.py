"""Beliefs about records and windows: which records are late, which window takes them, and for how long.

The watermarks are the true ones, written into the stream; only the belief differs.
"""

from collections.abc import Callable, Sequence

from tidemark.simulator.engine.values.items import Item, Record
from tidemark.simulator.explore.rewriting import (
    ItemAt,
    Part,
    has_steady_watermarks,
    items_of,
    with_items,
    with_operator,
    with_written_watermarks,
    without_generators,
)
from tidemark.simulator.explore.runs import Ran, watermark_after
from tidemark.simulator.scenario.model import Session, Tumbling, Window

Leaves = Callable[[int, int | None, int | None], bool]
"""(timestamp, watermark on arrival, largest timestamp before it) → whether a record is believed to be dropped."""


def _goes_by_records(truth: Ran) -> bool:
    operator = truth.scenario.operator
    return isinstance(operator, Window) and operator.time == "event" and has_steady_watermarks(truth)


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
    lateness = getattr(truth.scenario.operator, "allowed_lateness", 0)
    return _without(truth, lambda ts, watermark, newest: watermark is not None and ts + lateness <= watermark)


def fired_is_final(truth: Ran) -> Sequence[Part]:
    """A window that has fired takes nothing more: no lateness."""
    if not getattr(truth.scenario.operator, "allowed_lateness", 0):
        return ()
    return ((with_operator(truth.scenario, allowed_lateness=0), truth.moments),)


def end_inclusive(truth: Ran) -> Sequence[Part]:
    """A record at the end of a window is still in it, as if it had happened a millisecond earlier.

    Only where records lie in the window that ends there: at the very first record nobody thinks of an end.
    """
    assigner = getattr(truth.scenario.operator, "assigner", None)
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
    assigner = getattr(truth.scenario.operator, "assigner", None)
    if not isinstance(assigner, Session) or truth.facts.arrival_axis != "at":
        return ()
    changed = (
        (item._replace(ts=item.at) if isinstance(item, Record) else item, moment) for item, moment in items_of(truth)
    )
    return (with_items(truth, changed),)
