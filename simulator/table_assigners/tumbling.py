"""Windows side by side, in the table runtime."""

from collections.abc import Sequence
from dataclasses import dataclass

from tidemark.simulator.table_assigners.base import TableWindowAssigner
from tidemark.simulator.values.window import Grid, TimeWindow


@dataclass(frozen=True, slots=True)
class TumblingWindowAssigner(TableWindowAssigner):
    """On a ``grid`` whose slide is the size. Source: ``TumblingWindowAssigner``."""

    grid: Grid

    def assign_windows(self, time: int) -> Sequence[TimeWindow]:
        """The one window that holds ``time``."""
        grid = self.grid
        windows = grid.known.get((time - grid.offset) // grid.slide)
        return grid.windows_of(time) if windows is None else windows
