"""The marks on the scrubber and the steps that the reader can jump to."""

from collections.abc import Mapping, Sequence
from typing import Any

Row = dict[str, Any]

MARK_OF_TIMING = {"early": "early", "late": "update"}
"""The mark of a pane that is not on time."""

MARKS_OF_FIRINGS = frozenset({"fired", *MARK_OF_TIMING.values()})
MARK_OF_FATE = {"late-accepted": "late", "dropped": "dropped", "side": "side"}
MARK_OF_EVENT = {"CheckpointTaken": "checkpoint", "Restored": "restored"}
RESULTS = frozenset({"pane", "joined", "group", "emitted", "ranked"})

JUMP_OF_EVENT = {
    "WindowsMerged": "merge",
    "SessionsMerged": "merge",
    "WatermarkCombined": "watermark",
    "WatermarkMoved": "watermark",
    "TimerFired": "timer",
    "CheckpointTaken": "checkpoint",
    "Restored": "checkpoint",
}
"""The jumps that are found by the event alone; restores are found together with checkpoints."""

JUMPS = ("firing", "late", "merge", "watermark", "timer", "checkpoint")
"""Every kind of jump, in the order in which they are offered."""


def marks_of(tables: Mapping[str, list[Row]]) -> list[Row]:
    """Steps worth a mark on the scrubber: firings by their timing, late and dropped records, checkpoints, restores."""
    marks: list[Row] = []
    for fact in tables["outputs"]:
        row = fact["row"]
        if row["row"] in RESULTS and row.get("change") != "-U":
            kind = MARK_OF_TIMING.get(row.get("timing", "on-time"), "fired")
            marks.append({"step": fact["from_step"], "kind": kind})
    marks += [
        {"step": step["step"], "kind": MARK_OF_EVENT[step["event"]]}
        for step in tables["steps"]
        if step["event"] in MARK_OF_EVENT
    ]
    judged = set()
    for fact in tables["records"]:
        judgement = MARK_OF_FATE.get(fact["fate"])
        if judgement and (fact["id"], judgement) not in judged:
            judged.add((fact["id"], judgement))
            marks.append({"step": fact["from_step"], "kind": judgement})
    return sorted(marks, key=lambda mark: mark["step"])


def jumps_of(steps: Sequence[Row], marks: Sequence[Row]) -> dict[str, list[int]]:
    """The steps for every kind of ``JUMPS`` in ascending order, each once; empty if the run has none."""
    found: dict[str, list[int]] = {kind: [] for kind in JUMPS}
    for step in steps:
        if kind := JUMP_OF_EVENT.get(step["event"]):
            found[kind].append(step["step"])
    for mark in marks:
        if mark["kind"] in MARK_OF_EVENT.values():
            continue
        steps_of_kind = found["firing" if mark["kind"] in MARKS_OF_FIRINGS else "late"]
        if not steps_of_kind or steps_of_kind[-1] != mark["step"]:
            steps_of_kind.append(mark["step"])
    return found


def first_steps(steps: Sequence[Row]) -> list[int]:
    """The first step of each run of steps that belong to one stream item."""
    return [s["step"] for i, s in enumerate(steps) if i == 0 or steps[i - 1]["item"] != s["item"]]
