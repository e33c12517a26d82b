"""One window for everything."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from tidemark.simulator.assigners.base import WindowAssigner
from tidemark.simulator.values.window import GLOBAL_WINDOW, GlobalWindow

ONLY: Final = (GLOBAL_WINDOW,)


@dataclass(frozen=True, slots=True)
class GlobalWindows(WindowAssigner):
    """The global window, in which nothing is late and nothing is ever cleaned up. Source: ``GlobalWindows``."""

    is_event_time: ClassVar[bool] = False

    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[GlobalWindow]:
        """The one global window."""
        return ONLY
