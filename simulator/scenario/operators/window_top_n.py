"""The first rows of each window of a window table function."""

from dataclasses import dataclass, field
from typing import ClassVar

from tidemark.simulator.engine.triggers.table import AfterEndOfWindow
from tidemark.simulator.scenario.assigners import Assigner
from tidemark.simulator.scenario.operators.facts import Setting
from tidemark.simulator.scenario.operators.window import Windowed


@dataclass(frozen=True, slots=True)
class WindowTopN(Windowed):
    """``type: window-top-n``: the first ``n`` rows of each window. ``order``: ``desc`` or ``asc``.

    Its windows are of event time and fire once, at their end, as those of a window table function.
    """

    type: ClassVar[str] = "window-top-n"
    trigger = AfterEndOfWindow()
    late_output = "drop"
    api = "tvf"
    is_table_function = True
    fires_without_trigger = True
    keeps_elements = True
    needs_numbers = True
    drops_by_window = True
    skips_between_windows = True

    assigner: Assigner = field()
    n: int
    order: str = "desc"

    clause = "window-top-n"

    @property
    def said(self) -> str:
        """The largest or the smallest."""
        return f"top_n.{self.order}"

    @property
    def result_briefly(self) -> str:
        """As in the sentence."""
        return self.said

    @property
    def settings(self) -> tuple[Setting, ...]:
        """How many rows, in which order."""
        return self.setting("n", "whole"), self.setting("order", "choice", "desc", "asc")

    @property
    def row_ranked(self) -> str:
        """By its value."""
        return "largest_first" if self.order == "desc" else "smallest_first"

    def code_walk(self) -> list[str]:
        """The operator of ranks."""
        return ["rank.process_element", "rank.fire", "rank.clear"]
