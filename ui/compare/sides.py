"""One side of a comparison, and the cursor that both share."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.explore.runs import Ran, run_of
from tidemark.simulator.explore.settings import IDLE, Setting, lengths_of, settings_of, shapes_of, values_of
from tidemark.simulator.proof.side_by_side import (
    OTHER_MOMENT,
    OTHER_VALUE,
    SAME,
    Emission,
    Entry,
    reason_text,
    side_by_side,
    verdict_of,
)
from tidemark.simulator.proof.spark_twin import Twin, twin_of
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.wording import duration
from tidemark.simulator.words import current_language, listed, words
from tidemark.ui.payload import contents as payload
from tidemark.ui.payload.brief import brief
from tidemark.ui.payload.drawn import plane_of
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.server.cache import keeping

# What tells one scenario from another by its content, for what is kept from one comparison to the next.


def content_key(scenario: Scenario) -> str:
    """Equal for equal scenarios from files of one name; it tells 1 from 1.0, as results do."""
    return sha256(repr(scenario).encode()).hexdigest()


Row = dict[str, Any]


def beats_of(scenario: Scenario) -> list[Row]:
    """What the author of ``scenario`` says and asks; ``because``: the answer, for nothing is hidden here."""
    return _beats(scenario, content_key(scenario), current_language())


@keeping(8)
def _beats(_scenario: Scenario, key: str, language: str) -> list[Row]:
    return [{name: beat[name] for name in ("step", "text", "because")} for beat in payload.beats_of(_scenario)]


def side(label: str, run: Ran, plane: Row, settings: bool = True) -> Row:
    """What a side shows of its run, with its picture. ``settings``: whether the reader can change its numbers."""
    return {
        "label": label,
        "plane": plane,
        "brief": brief(run.scenario),
        "settings": _settings(run.scenario) if settings else [],
    }


def _settings(scenario: Scenario) -> list[Row]:
    """The numbers (ms) of a side with values to choose from; ``sweeps``: whether a sweep goes over it."""
    swept = [(each, values_of(scenario, each), True) for each in settings_of(scenario)]
    shapes = [(each, lengths_of(scenario, each), False) for each in shapes_of(scenario)]
    return [
        {
            "name": each.name,
            "value": each.read(scenario),
            "choices": [{"value": value, "text": _said(each, value)} for value in values],
            "sweeps": sweeps,
        }
        for each, values, sweeps in (*swept, *shapes)
    ]


def _said(setting: Setting, value: int) -> str:
    return words("compare.never") if setting is IDLE and not value else duration(value)


def cursor(truth: Ran, others: Mapping[int, int]) -> list[Row]:
    """The moments of both runs, each with the step that either side shows and with its place in run A."""
    moments = sorted({*truth.last_steps, *others})
    left, right, rows = 0, 0, []
    for moment in moments:
        left, right = truth.last_steps.get(moment, left), others.get(moment, right)
        step = truth.trace.steps[left]
        rows.append(
            {"moment": moment, "steps": [left, right], "at": step.at, "item": step.item, "record": (moment + 2) // 2}
        )
    return rows


# How many results differ. Each line of the table is one result: one firing of a window, or one pair.
#
# A result differs if only one side has it, if its values differ, or if the sides emit it at different times.

PARTS: Final = ("value", "earlier", "later", "left", "right")
"""A result that differs counts as the first of these that applies."""


def counted(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """{differing, total, headline, summary} of the table's lines; the texts describe the whole run."""
    parts = Counter(_part(row) for row in rows if row["kind"] != "same")
    differing = parts.total()
    if not differing:
        return {"differing": 0, "total": len(rows), "headline": "", "summary": words("compare.summary.none")}
    found = listed([words(f"compare.summary.{part}", count=parts[part]) for part in PARTS if parts[part]])
    numbers: dict[str, Any] = {"count": differing, "total": len(rows)}
    return {
        "differing": differing,
        "total": len(rows),
        "headline": words("compare.summary.headline", **numbers),
        "summary": words("compare.summary.some", parts=found, **numbers),
    }


def _part(row: Mapping[str, Any]) -> str:
    if row["kind"] != "time":
        return str(row["kind"])
    left, right = ((row[side]["at"], row[side]["moment"]) for side in ("left", "right"))
    return "earlier" if left < right else "later"


@dataclass(frozen=True, slots=True)
class Places:
    """Times in ``style``, that of side A. ``in_instants``: windows lie between instants, whatever their zones."""

    style: TimeStyle
    in_instants: bool = False

    def of(self, row: Mapping[str, Any]) -> str:
        """``[0, 5)``, of a ranked row with its rank; ``2.5 s`` of a record, ``2.5 s + 3.0 s`` of a pair."""
        match row["row"]:
            case "joined":
                left, right = (row[side] for side in ("left", "right"))
                return self.pair(left and left["ts"], right and right["ts"])
            case "emitted":
                return self.style.format.record(row["ts"])
            case "ranked":
                window = self.window(row["start"], row["end"])
                return words("compare.ranked", window=window, rank=row["rank"])
            case _:
                return self.window(row["start"], row["end"])

    def pair(self, left: int | None, right: int | None) -> str:
        """The timestamps (ms) of both records; None where an outer join found no partner."""
        return " + ".join("–" if ts is None else self.style.format.record(ts) for ts in (left, right))

    def window(self, start: int | None, end: int | None) -> str:
        """The bounds (ms) of a window."""
        if self.in_instants and start is not None and end is not None:
            return f"[{self.style.format.instant(start)}, {self.style.format.instant(end)})"
        return self.style.window(start, end)


# Flink and Spark on the same records: what differs in each result, when, and why.

BATCHES = (1, 2, 3, 5, 10, 20, 50)
"""Sizes of a micro-batch (records) to choose from."""

KINDS = {"same": "same", "other-moment": "time", "other-value": "value", "only-flink": "left", "only-spark": "right"}
"""The page's kind of a row for each verdict."""

SIDES = ("left", "right")
"""The kinds of a row that only one side has."""


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
            "reasons": [reason_text(each, style.exact) for each in entry.reasons] if first else [],
            "left": left, "right": right,
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
        "withdrawn": False,  # neither engine's side has retractions here (``side_by_side.lost``)
    }
