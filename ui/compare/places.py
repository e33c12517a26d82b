"""What a result is about, in words: its window, the time of its record, or those of its pair."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tidemark.simulator.words import words
from tidemark.ui.times import TimeStyle


@dataclass(frozen=True, slots=True)
class Places:
    """Times in ``style``, that of side A. ``in_instants``: windows lie between instants, whatever their zones."""

    style: TimeStyle
    in_instants: bool = False

    def of(self, row: Mapping[str, Any]) -> str:
        """``[0, 5)``, of a ranked row with its rank; ``2.5 s`` of a record, ``2.5 s + 3.0 s`` of a pair."""
        match row["row"]:
            case "joined":
                left, right = (row[side] for side in ("left", "right"))
                return self.pair(left and left["ts"], right and right["ts"])
            case "emitted":
                return self.style.format.record(row["ts"])
            case "ranked":
                window = self.window(row["start"], row["end"])
                return words("compare.ranked", window=window, rank=row["rank"])
            case _:
                return self.window(row["start"], row["end"])

    def pair(self, left: int | None, right: int | None) -> str:
        """The timestamps (ms) of both records; None where an outer join found no partner."""
        return " + ".join("–" if ts is None else self.style.format.record(ts) for ts in (left, right))

    def window(self, start: int | None, end: int | None) -> str:
        """The bounds (ms) of a window."""
        if self.in_instants and start is not None and end is not None:
            return f"[{self.style.format.instant(start)}, {self.style.format.instant(end)})"
        return self.style.window(start, end)
