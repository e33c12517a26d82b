"""Pairs of records whose times lie near each other."""

from dataclasses import dataclass
from typing import ClassVar

from tidemark.simulator.scenario.operators.facts import OperatorFacts, Setting
from tidemark.simulator.scenario.operators.spark import SparkJoin


@dataclass(frozen=True, slots=True)
class IntervalJoin(OperatorFacts):
    """``type: interval-join``. The bounds are as written (ms): each may be exclusive."""

    type: ClassVar[str] = "interval-join"
    is_join = True
    joins_by_time = True
    combines_watermarks = True

    lower: int
    upper: int
    lower_exclusive: bool = False
    upper_exclusive: bool = False
    late_output: str = "drop"

    clause = "interval-join"
    without_results = "no_match"

    @property
    def one_side(self) -> int:
        """By both bounds."""
        return 1 if self.lower >= 0 else -1 if self.upper <= 0 else 0

    @property
    def said(self) -> str:
        """A side that both bounds have is said once."""
        return {1: "interval_join_after", -1: "interval_join_before"}.get(self.one_side, "interval_join")

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Both bounds."""
        return self.setting("lower", "span"), self.setting("upper", "span")

    @property
    def in_spark(self) -> SparkJoin:
        """Spark's bounds belong to the interval, so a bound that does not moves by the least step."""
        return SparkJoin(*self.bounds)

    @property
    def written_bounds(self) -> tuple[int, int]:
        """As the file has them."""
        return self.lower, self.upper

    @property
    def open_bounds(self) -> tuple[bool, bool]:
        """As the file says."""
        return self.lower_exclusive, self.upper_exclusive

    @property
    def bounds(self) -> tuple[int, int]:
        """Both inclusive."""
        return self.lower + self.lower_exclusive, self.upper - self.upper_exclusive

    def code_walk(self) -> list[str]:
        """Both sides go the same way."""
        return ["interval.process_element", "interval.on_event_time"]
