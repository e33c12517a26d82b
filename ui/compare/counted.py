"""How much differs, counted once: each line of the table is a result (one firing of a window, or a pair).

It differs where one side alone has it, where the sides' values differ, or where they give it at another time.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from simulator.words import listed, words

PARTS: Final = ("value", "earlier", "later", "left", "right")
"""Of a result that differs, the first of these that holds."""


def counted(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """{differing, total, headline, summary} of the table's lines; the texts are about the whole run."""
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
