"""Of the rows of a key the first one by event time, or the last one."""

from dataclasses import dataclass
from typing import ClassVar

from tidemark.simulator.engine.operators.deduplicate import ROW
from tidemark.simulator.scenario.operators.facts import OperatorFacts, Setting


@dataclass(frozen=True, slots=True)
class Deduplicate(OperatorFacts):
    """``type: deduplicate``. ``keep``: ``first`` or ``last``."""

    type: ClassVar[str] = "deduplicate"
    api = "sql"
    counts_late = True
    accepts_at_watermark = True
    single_values: ClassVar = {ROW: "row_kept"}
    row_waits = ("first_row_waits", "")

    keep: str

    clause = "deduplicate"
    without_results = ""

    @property
    def said(self) -> str:
        """First or last."""
        return f"deduplicate_{self.keep}"

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Which record is kept."""
        return (self.setting("keep", "choice", "first", "last"),)

    @property
    def emits_at_once(self) -> bool:
        """A newer row takes the last one's place whenever it comes."""
        return self.keep == "last"

    def code_walk(self) -> list[str]:
        """Each has a function of its own."""
        return ["first.process_element", "first.on_timer"] if self.keep == "first" else ["last.process_element"]
