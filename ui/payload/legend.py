"""What the legend explains: exactly the marks that occur in the run."""

from collections.abc import Mapping
from typing import Any

from tidemark.simulator.scenario.model import IntervalJoin, Scenario, SparkJoin
from tidemark.simulator.timeline.operator import keeps_slices
from tidemark.ui.charts.fates import BEHIND, behind
from tidemark.ui.payload.marks import MARK_OF_TIMING

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]

FATES = {"late-accepted": "late", "dropped": "dropped", "side": "side", "skipped": "skipped"}


def legend(scenario: Scenario, tables: Tables) -> dict[str, list[str]]:
    """Kinds of marks by view: the ``plane``, and for a join by time the two sides, ``join``."""
    told = {"plane": _of_plane(scenario, tables)}
    if isinstance(scenario.operator, IntervalJoin | SparkJoin):
        told["join"] = _of_join(tables)
    return told


def _fates(tables: Tables) -> list[str]:
    found = {record["fate"] for record in tables["records"]}
    return [*(["on-time"] if "on-time" in found else []), *[FATES[fate] for fate in FATES if fate in found]]


def _of_plane(scenario: Scenario, tables: Tables) -> list[str]:
    results = [fact["row"] for fact in tables["outputs"]]
    kinds = set()
    for row in results:
        if row.get("change") in ("-U", "-D"):
            kinds.add("minus")
        elif row["row"] in ("pane", "joined", "group", "emitted", "ranked"):
            kinds.add(MARK_OF_TIMING.get(row.get("timing", "on-time"), "fired"))
    marks = [kind for kind in ("fired", "early", "update", "minus") if kind in kinds]
    inputs = {record["input"] for record in tables["records"]}
    sides = [f"{side}-input" for side in ("left", "right") if side in inputs]
    clock = getattr(scenario.operator, "time", "event") == "processing"
    moves = not clock and any(fact["value"] is not None for fact in tables["watermark"])
    disorder = not clock and any(row["out_of_order"] for row in tables["records"])
    events = {step["event"] for step in tables["steps"]}
    overtaken = set() if clock else behind(tables)
    saved = any(row["fate"] == "on-time" and row["id"] in overtaken for row in tables["records"])
    fates = _fates(tables)
    return [
        *([*fates[:1], BEHIND, *fates[1:]] if saved else fates),
        *(sides if inputs <= {"left", "right"} else []),
        *marks,
        *(["void"] if tables["void"] and any(f["row"]["row"] != "watermark" for f in tables["void"]) else []),
        "ahead",
        *(["watermark"] if moves else []),
        *(["connector"] if disorder else []),
        *(["batch"] if tables["batches"] else []),
        *(["slice"] if keeps_slices(scenario) else []),
        *(["stop"] if events & {"CheckpointTaken", "Restored"} else []),
    ]


def _of_join(tables: Tables) -> list[str]:
    matches = ["match"] if any(fact["row"]["row"] == "joined" for fact in tables["outputs"]) else []
    return [*_fates(tables), "ahead", "watermark", *matches, "kept"]
