"""Records that a belief leaves out: on the plane they are seen as dropped, at a step of their own.

The believed run has no such record, so that nothing else can come of it. Without a mark it would only be missing.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from typing import Any

from tidemark.simulator.explore.runs import BEFORE_ALL, Ran
from tidemark.ui.charts.rows import lasting

Row = dict[str, Any]
Steps = Mapping[int, int]
"""The last step of each moment."""

LOST = "dropped"


def with_lost(plane: Row, truth: Ran, run: Ran, whole: Row) -> tuple[Row, Steps]:
    """The ``plane`` of ``run`` with the records of ``truth`` that it leaves out, and the last step of each moment.

    ``whole``: the plane of ``truth``, which has the places of all records. Every lost record takes a step of its own,
    at which it arrives; later steps move on by one for each.
    """
    lost = [moment for moment in sorted(truth.fates) if moment not in run.fates]
    if not lost or len(plane["parts"]) > 1 or len(whole["parts"]) > 1:
        return plane, run.last_steps
    before = [_last_before(run.last_steps, moment) for moment in lost]
    taken = [place + step + 1 for place, step in enumerate(before)]

    def moved(step: int | None) -> int | None:
        return None if step is None else step + bisect_left(before, step)

    sources = {
        name: [{**row, "from_step": moved(row["from_step"]), "until_step": moved(row["until_step"])} for row in rows]
        for name, rows in plane["sources"].items()
    }
    between = [bisect_right(run.moments, moment) for moment in lost]
    for moment, step, item in zip(lost, taken, between, strict=True):
        # Among the items of the believed run those that are lost in one place share the room before the next item.
        share = (lost.index(moment) - between.index(item) + 1) / (between.count(item) + 1)
        own = _rows(whole, truth, moment, step, items - 1 + share)
        sources["now"] = (
            [part for row in sources["now"] for part in _around(row, step)] if own["now"] else sources["now"]
        )
        for name, rows in own.items():
            sources[name] = sorted([*sources[name], *rows], key=lambda row: row["from_step"])
    shares_arrivals = plane["arrival_axis"] == "at"
    signals = {
        **plane["parts"][0]["signals"],
        **{name: value for name, value in whole["parts"][0]["signals"].items() if shares_arrivals or name[0] == "x"},
    }
    steps = {moment: step + bisect_left(before, step) for moment, step in run.last_steps.items()}
    steps |= dict(zip(lost, taken, strict=True))
    return {
        **plane,
        "sources": sources,
        "parts": [{**plane["parts"][0], "signals": signals}],
        "signals": {**plane["signals"], **signals},
        "steps": plane["steps"] + len(lost),
    }, steps


def _last_before(last_steps: Steps, moment: int) -> int:
    """The last step before ``moment``."""
    return max((step for each, step in last_steps.items() if each < moment), default=BEFORE_ALL)


def _rows(whole: Row, truth: Ran, moment: int, step: int, among: float) -> dict[str, list[Row]]:
    """The record of ``moment`` as it lies in the true run: ahead until ``step``, which says when it is now, then lost.

    ``among``: its place on an arrival axis that counts items.
    """
    number = truth.moments.index(moment)
    id = next(row["id"] for row in truth.facts.tables["records"] if row["item"] == number)
    by_item = whole["arrival_axis"] == "item"
    place: Row = {"y": among} if by_item else {}
    sources = whole["sources"]
    place["id"] = f"{id} lost"  # the believed run counts its items anew
    ahead = [row | lasting(0, step) | place for row in sources["ahead"] if row["id"] == id]
    record: Row = next(row for row in sources["records"] if row["id"] == id)
    here = truth.last_steps[moment]
    now = [] if by_item else [row | lasting(step, step + 1) for row in sources["now"] if _holds(row, here)]
    return {
        "ahead": ahead,
        "records": [record | lasting(step, fate=LOST, rank=2, text=record["full"]) | place],
        "now": now,
    }


def _holds(row: Row, step: int) -> bool:
    return row["from_step"] <= step and (row["until_step"] is None or step < row["until_step"])


def _around(row: Row, step: int) -> list[Row]:
    """What is left of a row's life without ``step``."""
    if not _holds(row, step):
        return [row]
    parts = [row | {"until_step": step}, row | {"from_step": step + 1}]
    return [part for part in parts if part["until_step"] is None or part["from_step"] < part["until_step"]]
