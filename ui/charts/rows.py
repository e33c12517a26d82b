"""A row of the plane, which is a fact with ``from_step`` and ``until_step``; and how far arrival is at each step."""

from collections.abc import Mapping
from itertools import accumulate
from typing import Any

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]


def lasting(from_step: int = 0, until_step: int | None = None, **row: Any) -> Row:
    """A row with its life."""
    return {"from_step": from_step, "until_step": until_step, **row}


def moments(tables: Tables, by_item: bool) -> list[int]:
    """Where on the arrival axis each step is. A micro-batch works on earlier items and stays where it was cut off."""
    found = [step["item"] if by_item else step["at"] for step in tables["steps"]]
    return list(accumulate(found, max)) if tables.get("batches") else found
