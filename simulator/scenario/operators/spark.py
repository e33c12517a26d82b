"""The operators of Spark's dialect: windows and the stream join."""

from dataclasses import dataclass, field
from typing import ClassVar

from tidemark.simulator.engine.values.time import Milliseconds
from tidemark.simulator.scenario.assigners import Assigner
from tidemark.simulator.scenario.operators.facts import Function, OperatorFacts, Setting


@dataclass(frozen=True, slots=True)
class SparkWindow(OperatorFacts):
    """``engine: spark``, ``type: window``."""

    type: ClassVar[str] = "window"
    engine = "spark"
    clause = "computed"
    said = "window"

    assigner: Assigner = field()
    function: Function = field()
    output_mode: str = "append"

    @property
    def filters_late(self) -> bool:
        """In complete mode all windows stay, but sessions are filtered before they are merged."""
        return self.output_mode != "complete" or self.assigner.merges

    @property
    def settings(self) -> tuple[Setting, ...]:
        """What is computed."""
        return (self.compute_setting,)

    def code_walk(self) -> list[str]:
        """The filter, too, which is there with a watermark alone."""
        filters = ["batch.filter"] if self.filters_late else []
        sessions = ["batch.sessions"] if self.assigner.merges else []
        return ["batch.windows", *filters, *sessions, f"batch.{self.output_mode}"]


@dataclass(frozen=True, slots=True)
class SparkJoin(OperatorFacts):
    """``engine: spark``, ``type: stream-join``; the bounds (ms) are both ``None`` or both set."""

    type: ClassVar[str] = "stream-join"
    engine = "spark"
    is_join = True
    joins_by_time = True
    without_results = "no_match"
    filters_late = True

    lower: Milliseconds | None = None
    upper: Milliseconds | None = None
    watermark_policy: str = "min"

    @property
    def clause(self) -> str:
        """With bounds it reads as an interval join."""
        return "stream-join" if self.bounds is None else "interval-join"

    @property
    def said(self) -> str:
        """With bounds or without."""
        return "stream_join_any" if self.bounds is None else "stream_join"

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Both bounds, if there are any."""
        return () if self.bounds is None else (self.setting("lower", "span"), self.setting("upper", "span"))

    def code_walk(self) -> list[str]:
        """Both sides go the same way."""
        return ["batch.join"]

    @property
    def bounds(self) -> tuple[int, int] | None:
        """As written; None without."""
        return None if self.lower is None or self.upper is None else (self.lower, self.upper)
