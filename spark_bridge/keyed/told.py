"""What an ordered task gives, as a row in the columns of ``canonical``."""

from dataclasses import dataclass
from typing import Any

from spark_bridge.canonical import value_of
from spark_bridge.keyed.ordered import Given
from spark_bridge.keyed.triggers import last_instant


@dataclass(frozen=True, slots=True)
class Teller:
    """``late_row``: the kind of row that a late record gives; ``inputs``: their names."""

    late_row: str
    inputs: tuple[str, ...]

    def columns(self, given: Given) -> tuple[Any, ...]:
        """The row."""
        row = given.row
        kind, input = row.kind, None
        if kind == "late" and row.by is not None:
            kind, input = self.late_row, self.inputs[row.by.side]
        window = (None, None) if row.span is None else row.span
        time = last_instant(row.span) if row.time is None else row.time
        own = (kind, given.key, *window, given.timing, row.pane, row.change, time, *value_of(row.value))
        return (*own, given.watermark, given.at, given.item, input)
