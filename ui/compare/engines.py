"""Flink and Spark on the same records: what differs in each result, when, and why."""

from typing import Any

from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.explore.runs import Ran, run_of
from tidemark.simulator.proof.side_by_side import (
    OTHER_MOMENT,
    OTHER_VALUE,
    SAME,
    Emission,
    Entry,
    Reason,
    side_by_side,
    verdict_of,
)
from tidemark.simulator.proof.spark_twin import Twin, twin_of
from tidemark.simulator.words import words
from tidemark.ui.compare.sides import Places, Row, counted, cursor, side
from tidemark.ui.payload.drawn import plane_of
from tidemark.ui.payload.times import TimeStyle

BATCHES = (1, 2, 3, 5, 10, 20, 50)
"""Sizes of a micro-batch (records) to choose from."""

KINDS = {"same": "same", "other-moment": "time", "other-value": "value", "only-flink": "left", "only-spark": "right"}
"""The page's kind of a row for each verdict."""

SIDES = ("left", "right")
"""The kinds of a row that only one side has."""

COUNTS = ("batch", "batch_of_record")
"""Numbers in a reason that are not times."""


def engines(truth: Ran, size: int, style: TimeStyle, own: Row) -> dict[str, Any]:
    """The sides, the cursor and the results, with ``size`` records in each of Spark's micro-batches. ``own``: the plane
    of ``truth``.

    Raises ``NoTwin`` if Spark has no such scenario.
    """
    twin = twin_of(truth.scenario, size=size)
    compared = side_by_side(truth.scenario, twin)
    run = run_of(twin.scenario, _moments(truth, twin))
    clock = _clock(truth)
    parting = [
        truth.moments[given.item] for entry in compared.entries if entry.verdict != SAME
        for given in (*entry.flink, *entry.spark)
    ]  # fmt: skip
    rows = [row for entry in compared.entries for row in _rows(entry, truth, clock, style)]
    found = counted(rows)
    if not found["differing"]:
        found["summary"] = words("compare.engines.same")
    other = side("B", run, plane_of(run.facts), settings=False)
    return {
        "sides": [
            side("A", truth, own),
            {**other, "batch": {"value": size, "choices": sorted({*BATCHES, size})}},
        ],
        "cursor": cursor(truth, run.last_steps),
        "rows": rows,
        "parting": min(parting, default=None),
        **found,
        "left_out": words("app.semicolon").join(words(f"side_by_side.lost.{each}") for each in compared.lost),
    }


def _clock(truth: Ran) -> dict[int, int]:
    """The clock at each item (ms). An item without a step leaves it as it was: a status that changes nothing."""
    steps = {step.item: step.at for step in truth.trace}
    clock, now = {}, truth.scenario.origin
    for item in range(len(truth.moments)):
        now = clock[item] = steps.get(item, now)
    return steps | clock


def _moments(truth: Ran, twin: Twin) -> list[int]:
    """The moment of each item of the twin; the end of a batch follows the record before it."""
    moments: list[int] = []
    for origin in twin.origin_of:
        before = moments[-1] if moments else -1
        moments.append(truth.moments[origin] if origin is not None else before | 1)
    # The records left at the end of the stream are one batch; a last, empty one moves the watermark.
    return [*moments, *([moments[-1] | 1] * 2 if moments else [])]


def _rows(entry: Entry, truth: Ran, clock: dict[int, int], style: TimeStyle) -> list[Row]:
    """A row for each firing; the first one carries the reasons."""
    places = Places(style, in_instants=style.format.session is not None)
    if entry.left is not None and entry.right is not None:
        place = places.pair(entry.left["ts"], entry.right["ts"])
    else:
        place = places.window(entry.start, entry.end)
    rows = []
    for firing in range(max(len(entry.flink), len(entry.spark))):
        left, right = (
            _given(entry, side[firing], truth, clock) if firing < len(side) else None
            for side in (entry.flink, entry.spark)
        )
        first = firing == 0
        kind, text = (KINDS[entry.verdict], _verdict(entry)) if first else _again(entry, firing)
        rows.append({
            "key": entry.key, "place": place, "firing": firing, "kind": kind, "text": text,
            "reasons": [_reason(each, style) for each in entry.reasons] if first else [], "left": left, "right": right,
        })  # fmt: skip
    return rows


def _again(entry: Entry, firing: int) -> tuple[str, str]:
    """The kind and the words of a firing after the first one, by itself: both sides may have it."""
    verdict = verdict_of(entry.flink[firing : firing + 1], entry.spark[firing : firing + 1])
    kind = KINDS[verdict]
    return kind, words(f"compare.differs.update_{kind}" if kind in SIDES else f"side_by_side.verdicts.{verdict}")


def _verdict(entry: Entry) -> str:
    """The verdict in words. It compares the last values, and names them if there are others beside them."""
    ends = {OTHER_MOMENT: "ends_same", OTHER_VALUE: "ends_other"}
    if entry.verdict in ends and max(len(entry.flink), len(entry.spark)) > 1:
        values = {"a": entry.flink[-1].value, "b": entry.spark[-1].value}
        return words(f"compare.engines.{ends[entry.verdict]}", **values)
    return words(f"side_by_side.verdicts.{entry.verdict}")


def _given(entry: Entry, given: Emission, truth: Ran, clock: dict[int, int]) -> Row:
    value = given.value
    if entry.left is not None and entry.right is not None:
        value = [entry.left["value"], entry.right["value"]]
    timing = given.timing or ("" if given.batch is None else words("compare.engines.batch", batch=given.batch))
    return {
        "value": value,
        "timing": timing,
        "at": clock[given.item],
        "item": given.item,
        "moment": truth.moments[given.item] | (given.batch is not None),
        "end": given.watermark is not None and given.watermark >= MAX,
    }


def _reason(reason: Reason, style: TimeStyle) -> str:
    fields = {name: str(value) if name in COUNTS else style.exact(value) for name, value in reason.numbers.items()}
    return words(f"side_by_side.reasons.{reason.code}", **fields)
