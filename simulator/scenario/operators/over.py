"""An aggregate for each row, over the rows of its key before it."""

from dataclasses import dataclass, field
from typing import ClassVar, Final

from tidemark.simulator.engine.operators.over import ACCUMULATOR, CLEANUP, LAST, ROWS
from tidemark.simulator.scenario.operators.facts import Function, OperatorFacts, Setting

UNBOUNDED: Final = "unbounded"
"""``rows`` or ``range`` of a frame that begins with the key's first row."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Of an OVER aggregation: ``rows`` before the current one, or a ``range`` (ms) before its time; one of the two."""

    rows: int | str | None = None
    range: int | str | None = None

    @property
    def is_unbounded(self) -> bool:
        """Whether it begins with the first row of the key."""
        return UNBOUNDED in (self.rows, self.range)

    @property
    def kind(self) -> str:
        """``unbounded``, ``rows`` or ``range``."""
        return "unbounded" if self.is_unbounded else "range" if self.rows is None else "rows"


@dataclass(frozen=True, slots=True)
class Over(OperatorFacts):
    """``type: over``."""

    type: ClassVar[str] = "over"
    api = "sql"
    counts_late = True
    rows_state = ROWS
    single_values: ClassVar = {ACCUMULATOR: "", LAST: "last_timer", CLEANUP: "cleanup_planned"}

    frame: Frame
    function: Function = field()

    without_results = ""

    @property
    def clause(self) -> str:
        """A frame without an end has no number to change."""
        return "over" if self.frame.is_unbounded else f"over-{self.frame.kind}"

    @property
    def said(self) -> str:
        """By the kind of frame."""
        return f"over_{self.frame.kind}"

    @property
    def said_briefly(self) -> str:
        """One row before the current one reads differently."""
        return "over_rows_one" if self.frame.rows == 1 else self.said

    @property
    def settings(self) -> tuple[Setting, ...]:
        """What is computed, and how many rows, or how long, before the current one."""
        frame, settings = self.frame, [self.compute_setting]
        for name, kind, value in (("rows", "whole", frame.rows), ("range", "span", frame.range)):
            if isinstance(value, int):
                settings.append(Setting(name, kind, value, ("operator", "frame", name)))
        return tuple(settings)

    @property
    def reach(self) -> int:
        """Of a frame of time that is bounded."""
        return self.frame.range if isinstance(self.frame.range, int) else 0

    @property
    def keeps_frames(self) -> bool:
        """The rows of a bounded frame leave it one by one."""
        return not self.frame.is_unbounded

    def code_walk(self) -> list[str]:
        """Each kind of frame has a function of its own."""
        kind = self.frame.kind
        peers = "_peers" if kind == "unbounded" and self.frame.rows is None else ""
        return [f"over.{kind}_element", f"over.{kind}_timer{peers}"]
