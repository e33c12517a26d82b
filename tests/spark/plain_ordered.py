"""Ordered tasks without Spark: plain loops pass all events of a stream through them.

This is the simplest replacement for what Spark does around them: distributing the keys and sorting.
"""

from collections import Counter
from typing import Any

from tidemark.simulator.engine.values.items import Checkpoint, Restore
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario.model import Scenario
from tidemark.spark_bridge.keyed.ordered import (
    CheckpointBarrier,
    Entry,
    KeyedRecord,
    Ordered,
    OutputRows,
    Restored,
    WatermarkMove,
)
from tidemark.spark_bridge.plan.batch import BatchPlan, plan_of
from tidemark.spark_bridge.plan.items import ITEM_SUB, RECORDS, course_of, listed, periods_by_rank, rules_of
from tidemark.spark_bridge.plan.operators import KeyedPlan

from tests.spark.plain import arrival_of, candidate_of
from tests.spark.spark_sides import Rows


def ordered_rows(scenario: Scenario) -> Rows:
    """The rows of a scenario that is processed in order, as the bridge compares them."""
    plan = plan_of(scenario)
    assert isinstance(plan.operator, KeyedPlan)
    return rows_of_plan(plan, plan.operator)


def rows_of_plan(plan: BatchPlan, keyed: KeyedPlan) -> Rows:
    """The rows of a plan. Without ticks each key is processed separately, because tasks may divide the keys."""
    entries = _entries(plan)
    tasks = [entries]
    if not plan.is_periodic and keyed.buffer is None:
        keys = {entry.key for entry in entries if isinstance(entry, KeyedRecord)}
        tasks = [[each for each in entries if not isinstance(each, KeyedRecord) or each.key == key] for key in keys]
    output_rows = OutputRows(keyed.late_row, tuple(each.name for each in plan.inputs))
    rows: Rows = Counter()
    for task in tasks:
        ordered = Ordered(keyed.factory, course_of(plan), rules_of(plan, keyed), keyed.buffer)
        rows.update(output_rows.columns(given) for given in ordered.run(task))
    return rows


def _entries(plan: BatchPlan) -> list[Entry]:
    records, signals = listed(plan)
    stream = plan.scenario.stream
    assert isinstance(stream, tuple)
    happening: dict[tuple[int, int], tuple[int, Any]] = {}
    for row in records:
        record = dict(zip(RECORDS, row, strict=True))
        happening[record["item"], ITEM_SUB] = (record["at"], record)
    happening |= {(item, sub): (at, (channel, watermark, kind)) for item, sub, channel, watermark, at, kind in signals}
    passage, periods = plan.wiring.passage(), periods_by_rank(plan)
    entries: list[Entry] = []

    def take_moves() -> None:
        for move in passage.moves:
            period = periods[move.sub % len(periods)] if move.sub < ITEM_SUB else 0
            entries.append(WatermarkMove(move.item, move.at, move.after, period))
        passage.moves.clear()

    for (item, sub), (at, what) in sorted(happening.items(), key=lambda each: each[0]):
        passage.come_to(item, at)
        take_moves()
        if isinstance(what, dict):
            before = passage.watermark
            what["ts"] = MIN if what["ts"] is None else what["ts"]
            entries.append(KeyedRecord(what["key"], arrival_of(what, before)))
            passage.record(what["channel"], candidate_of(plan, what))
            entries += [WatermarkMove(item, at, passage.watermark, 0)] if passage.watermark > before else []
            continue
        match stream[item]:
            case Checkpoint(name):
                entries.append(CheckpointBarrier(item, at, name))
            case Restore(name):
                entries.append(Restored(item, at, name))
        channel, watermark, kind = what
        passage.signal(kind, item, sub, channel, watermark)
        take_moves()
    return entries
