"""A record joined with the version that was valid at its time."""

from dataclasses import dataclass
from typing import ClassVar

from tidemark.simulator.engine.operators.temporal_join import ROWS, TIMER
from tidemark.simulator.scenario.operators.facts import OperatorFacts, Setting


@dataclass(frozen=True, slots=True)
class TemporalJoin(OperatorFacts):
    """``type: temporal-join``. ``kind``: ``inner`` or ``left``."""

    type: ClassVar[str] = "temporal-join"
    api = "sql"
    is_join = True
    combines_watermarks = True
    rows_state = ROWS
    rows_in_order_of_time = False
    single_values: ClassVar = {TIMER: "key_timer"}
    row_waits = ("left_row_waits", "versions_may_come")

    kind: str = "inner"

    has_versions = True
    clause = "temporal-join"
    said_briefly = "temporal_join"
    without_results = "no_version"

    @property
    def said(self) -> str:
        """With or without the records that meet no version."""
        return f"temporal_join_{self.kind}"

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The kind of join."""
        return (self.setting("kind", "choice", "inner", "left"),)

    def code_walk(self) -> list[str]:
        """Each side has its own way."""
        return ["temporal.left", "temporal.right", "temporal.register", "temporal.on_event_time"]
