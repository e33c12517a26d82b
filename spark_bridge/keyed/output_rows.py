"""What an ordered task emits, as rows in the columns of ``canonical``."""

from dataclasses import dataclass
from typing import Any

from tidemark.spark_bridge.canonical import value_of
from tidemark.spark_bridge.keyed.ordered import Emitted
from tidemark.spark_bridge.keyed.triggers import last_instant


@dataclass(frozen=True, slots=True)
class OutputRows:
    """``late_row`` is the kind of row for a late record; ``inputs`` are the names of the inputs."""

    late_row: str
    inputs: tuple[str, ...]

    def columns(self, emitted: Emitted) -> tuple[Any, ...]:
        """The row as a tuple of ``canonical.COLUMNS``."""
        row = emitted.row
        kind, input = row.kind, None
        if kind == "late" and row.by is not None:
            kind, input = self.late_row, self.inputs[row.by.side]
        window = (None, None) if row.span is None else row.span
        time = last_instant(row.span) if row.time is None else row.time
        own = (kind, emitted.key, *window, emitted.timing, row.pane, row.change, time, *value_of(row.value))
        return (*own, emitted.watermark, emitted.at, emitted.item, input, row.own)
