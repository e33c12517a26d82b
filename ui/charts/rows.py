"""What a row of the plane is: a fact with ``from_step`` and ``until_step``."""

from collections.abc import Mapping
from typing import Any

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]


def lasting(from_step: int = 0, until_step: int | None = None, **row: Any) -> Row:
    """A row with its life."""
    return {"from_step": from_step, "until_step": until_step, **row}
