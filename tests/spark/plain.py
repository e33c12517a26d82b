"""The keyed functions without Spark: the watermark before each record and the move that fires each row, in plain loops.

This is the simplest replacement for what Spark does around a keyed function. It runs every recorded scenario through
the functions in a moment.
"""

from collections import Counter, defaultdict
from typing import Any, NamedTuple

from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario.model import Scenario
from tidemark.spark_bridge.keyed.context import DELETED, Arrival, Fired
from tidemark.spark_bridge.plan.batch import BatchPlan, plan_of
from tidemark.spark_bridge.plan.items import ITEM_SUB, RECORDS, listed
from tidemark.spark_bridge.plan.operators import KeyedPlan
from tidemark.spark_bridge.results.canonical import plain_value, value_of


class Step(NamedTuple):
    """A move of the combined watermark."""

    watermark: int
    at: int
    item: int


def keyed_rows(scenario: Scenario, planned: KeyedPlan | None = None) -> Counter[tuple[Any, ...]]:
    """The rows of a scenario that has a keyed plan, or is to have this one, as the bridge compares them."""
    plan = plan_of(scenario)
    keyed = planned or plan.operator
    assert isinstance(keyed, KeyedPlan)
    arrivals, steps = _arrivals(plan)
    last = steps[-1].watermark if steps else MIN
    rows: Counter[tuple[Any, ...]] = Counter()
    for key, records in arrivals.items():
        on_time: set[tuple[Any, ...]] = set()
        for _, firing in _by_firing(keyed.key_function(last)()(records)):
            fired = [(row, _step(row, steps)) for row in firing]
            rows.update(_columns(plan, keyed, key, row, step, on_time) for row, step in fired if step is not None)
            on_time |= {_life(row) for row, step in fired if step is not None and step.watermark >= _last_instant(row)}
    return rows


def passed(plan: BatchPlan) -> tuple[dict[str, list[Arrival]], list[Step]]:
    """The records of each key and the moves of the watermark, according to the bridge's own ``Passage``."""
    records, signals = listed(plan)
    named = [dict(zip(RECORDS, row, strict=True)) for row in records]
    entries: list[tuple[Any, ...]] = [(each["item"], ITEM_SUB, each["at"], None, each) for each in named]
    entries += [(row[0], row[1], row[4], row[5], row) for row in signals]
    passage = plan.wiring.passage()
    arrivals: dict[str, list[Arrival]] = defaultdict(list)
    steps: list[Step] = []
    for item, sub, at, kind, entry in sorted(entries, key=lambda entry: entry[:2]):
        passage.come_to(item, at)
        if kind is not None:
            passage.signal(kind, item, sub, entry[2], entry[3])
        steps += [Step(move.after, move.at, move.item) for move in passage.moves]
        passage.moves.clear()
        if kind is None:
            before = passage.watermark
            arrivals[entry["key"]].append(arrival_of(entry, before))
            passage.record(entry["channel"], candidate_of(plan, entry))
            steps += [Step(passage.watermark, at, item)] if passage.watermark > before else []
    return arrivals, steps


def arrival_of(record: dict[str, Any], before: int) -> Arrival:
    """A record of ``listed`` (its columns by name) in the form in which a task receives it."""
    text = record["text"] if record["text"] is not None else record["whole"]
    value = DELETED if text is None else plain_value(str(text), None)
    return Arrival(record["item"], record["at"], before, record["side"], record["ts"], value)


def _arrivals(plan: BatchPlan) -> tuple[dict[str, list[Arrival]], list[Step]]:
    if plan.watermark_in_order:
        return passed(plan)
    records, signals = listed(plan)
    entries: list[tuple[int, int, int, int | None, int, dict[str, Any] | None]] = []
    ticks: dict[tuple[int, int], tuple[int, int, int]] = {}
    for row in records:
        named = dict(zip(RECORDS, row, strict=True))
        candidate = candidate_of(plan, named)
        if named["tick_item"] is not None:
            place = (named["tick_item"], named["tick_sub"])
            newest = max(candidate, ticks.get(place, (MIN, 0, 0))[0])
            ticks[place] = (newest, named["channel"], named["tick_at"])
        periodic = plan.inputs[named["side"]].watermark.emit != 0
        entries.append((named["item"], ITEM_SUB, named["channel"], None if periodic else candidate, named["at"], named))
    entries += [(item, sub, channel, candidate, at, None) for (item, sub), (candidate, channel, at) in ticks.items()]
    entries += [(item, sub, channel, candidate, at, None) for item, sub, channel, candidate, at, _ in signals]
    arrivals: dict[str, list[Arrival]] = defaultdict(list)
    channels, steps = [MIN] * plan.channels, list[Step]()
    for item, _, channel, moved, at, record in sorted(entries, key=lambda entry: entry[:2]):
        before = min(channels)
        if record is not None:
            arrivals[record["key"]].append(arrival_of(record, before))
        channels[channel] = max(channels[channel], MIN if moved is None else moved)
        if min(channels) > before:
            steps.append(Step(min(channels), at, item))
    return arrivals, steps


def candidate_of(plan: BatchPlan, record: dict[str, Any]) -> int:
    """The watermark that a record allows its generator to emit."""
    watermark, ts = plan.inputs[record["side"]].watermark, record["ts"]
    match watermark.type:
        case "none":
            return MIN
        case "punctuated":
            return int(ts - watermark.bound)
        case "sql":
            return int(ts - watermark.bound) if ts > watermark.bound else MIN
        case _:
            return max(int(ts), MIN + watermark.bound + 1) - watermark.bound - 1


def _by_firing(rows: Any) -> list[tuple[Any, list[Fired]]]:
    """Rows grouped by firing: a firing may retract a result and emit its replacement."""
    firings: list[tuple[Any, list[Fired]]] = []
    for row in rows:
        same = (row.life, row.pane) if row.life is not None else row
        if firings and firings[-1][0] == same:
            firings[-1][1].append(row)
        else:
            firings.append((same, [row]))
    return firings


def _step(row: Fired, steps: list[Step]) -> Step | None:
    if row.by is not None:
        return Step(row.by.before, row.by.at, row.by.item)
    assert row.due is not None
    return next((step for step in steps if step.watermark >= row.due), None)


def _life(row: Fired) -> tuple[Any, ...]:
    return (row.span, row.life)


def _last_instant(row: Fired) -> int:
    return MAX if row.span is None else row.span[1] - 1


def _columns(
    plan: BatchPlan, keyed: KeyedPlan, key: str, row: Fired, step: Step, on_time: set[tuple[Any, ...]]
) -> tuple[Any, ...]:
    start, end = row.span or (None, None)
    late = row.kind == "late"
    timing = None
    if row.kind == "pane":
        behind = step.watermark >= _last_instant(row)
        timing = ("late" if _life(row) in on_time else "on-time") if behind else "early"
    name = plan.inputs[row.by.side].name if late and row.by is not None else None
    time = _last_instant(row) if row.time is None else row.time
    kind = keyed.late_row if late else row.kind
    return (kind, key, start, end, timing, row.pane, row.change, time, *value_of(row.value), *step, name, row.own)
