"""Faults planted on purpose in Spark's rows: a comparison that could not fail would prove nothing."""

from enum import StrEnum
from typing import Any, Final

from spark_bridge.canonical import COLUMNS, Columns


class Fault(StrEnum):
    """What is done to one result row before the sides are compared."""

    VALUE = "value"
    """Its value is one too high (what is not a number becomes another text)."""
    END = "end"
    """Its window ends, and with it its timestamp is, a millisecond later."""
    KEY = "key"
    """It belongs to another key."""
    WATERMARK = "watermark"
    """It was fired by a watermark one lower."""
    LOST = "lost"
    """It is missing: a late pane where there is one."""
    TWICE = "twice"
    """It is there twice."""


PREFERS_LATE: Final = frozenset({Fault.LOST})
"""Faults that are planted in a late pane if there is one."""


def planted(columns: Columns, fault: Fault) -> list[Columns]:
    """What stands in the place of the row ``columns`` (see ``canonical.COLUMNS``)."""
    row = dict(zip(COLUMNS, columns, strict=True))
    match fault:
        case Fault.LOST:
            return []
        case Fault.TWICE:
            return [columns, columns]
        case Fault.VALUE:
            row |= _other_value(row)
        case Fault.END:
            row |= {"end": None if row["end"] is None else row["end"] + 1, "time": row["time"] + 1}
        case Fault.KEY:
            row["key"] = f'"not {row["key"].strip(chr(34))}"'
        case Fault.WATERMARK:
            row["watermark"] -= 1
    return [tuple(row.values())]


def _other_value(row: dict[str, Any]) -> dict[str, Any]:
    if row["value_text"] is None:
        return {"value_number": row["value_number"] * 2 + 1}
    if row["value_text"].lstrip("-").isdigit():
        return {"value_text": str(int(row["value_text"]) + 1)}
    return {"value_text": '"planted"' if row["value_text"] != '"planted"' else "null"}
