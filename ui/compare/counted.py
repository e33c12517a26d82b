"""How many results differ. Each line of the table is one result: one firing of a window, or one pair.

A result differs if only one side has it, if its values differ, or if the sides emit it at different times.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tidemark.simulator.words import listed, words

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
