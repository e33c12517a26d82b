"""The marks on the scrubber, the first step of each item, and which kinds of marks the legend explains."""

from collections.abc import Mapping, Sequence
from typing import Any

Row = dict[str, Any]

MARK_OF_FATE = {"late-accepted": "late", "dropped": "dropped", "side": "side"}
RESULTS = frozenset({"pane", "joined", "group", "emitted"})


def marks_of(tables: Mapping[str, list[Row]]) -> list[Row]:
    """Steps worth a mark on the scrubber: firings, late panes, late and dropped records."""
    marks = []
    for fact in tables["outputs"]:
        row = fact["row"]
        if row["row"] in RESULTS and row.get("change") != "-U":
            update = row.get("timing", "on-time") != "on-time"
            marks.append({"step": fact["from_step"], "kind": "update" if update else "fired"})
    judged = set()
    for fact in tables["records"]:
        kind = MARK_OF_FATE.get(fact["fate"])
        if kind and (fact["id"], kind) not in judged:
            judged.add((fact["id"], kind))
            marks.append({"step": fact["from_step"], "kind": kind})
    return sorted(marks, key=lambda mark: mark["step"])


def first_steps(steps: Sequence[Row]) -> list[int]:
    """The first step of each run of steps that belong to one stream item."""
    return [s["step"] for i, s in enumerate(steps) if i == 0 or steps[i - 1]["item"] != s["item"]]


def legend(tables: Mapping[str, list[Row]], marks: Sequence[Row]) -> list[str]:
    kinds = {mark["kind"] for mark in marks}
    there = [kind for kind in ("late", "dropped", "side", "fired", "update") if kind in kinds]
    disorder = ["connector"] if any(row["out_of_order"] for row in tables["records"]) else []
    return ["on-time", *there, "ahead", "watermark", *disorder]
