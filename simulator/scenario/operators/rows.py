"""The operators that work record by record: deduplication, OVER, the event sort, the interval and the temporal join."""

from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, Self

from tidemark.simulator.engine.operators import over, temporal_join
from tidemark.simulator.engine.operators.deduplicate import ROW
from tidemark.simulator.engine.operators.event_sort import QUEUE
from tidemark.simulator.engine.values.time import Milliseconds
from tidemark.simulator.engine.values.versions import NEWEST_RULES, FlinkRules
from tidemark.simulator.scenario.operators.facts import Function, OperatorFacts, Setting
from tidemark.simulator.scenario.operators.spark import SparkJoin


@dataclass(frozen=True, slots=True)
class Deduplicate(OperatorFacts):
    """``type: deduplicate``. ``keep``: ``first`` or ``last``. ``state_ttl``: ``table.exec.state.ttl``, of ``last``."""

    type: ClassVar[str] = "deduplicate"
    api = "sql"
    counts_late = True
    accepts_at_watermark = True
    single_values: ClassVar = {ROW: "row_kept"}
    row_waits = ("first_row_waits", "")

    keep: str
    state_ttl: int | None = None
    rules: FlinkRules = field(default=NEWEST_RULES, compare=False, repr=False)

    topic = "deduplication"
    clause = "deduplicate"
    without_results = ""

    @property
    def said(self) -> str:
        """First or last."""
        return f"deduplicate_{self.keep}"

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Which record is kept."""
        ttl = () if self.state_ttl is None else (self.setting("state_ttl", "span"),)
        return (self.setting("keep", "choice", "first", "last"), *ttl)

    def by_rules(self, rules: FlinkRules) -> Self:
        """The same with these rules."""
        return self if self.rules == rules else replace(self, rules=rules)

    @property
    def emits_at_once(self) -> bool:
        """A newer row takes the last one's place whenever it comes; an earlier one the first one's by an old rule."""
        return self.keep == "last" or not self.rules.first_row_waits_for_watermark

    def code_walk(self) -> list[str]:
        """Each has a function of its own."""
        if self.keep == "last":
            return ["last.process_element", *(["state.ttl"] if self.state_ttl else [])]
        return ["first_so_far.process_element"] if self.emits_at_once else ["first.process_element", "first.on_timer"]


UNBOUNDED: Final = "unbounded"
"""``rows`` or ``range`` of a frame that begins with the key's first row."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Of an OVER aggregation: ``rows`` before the current one, or a ``range`` (ms) before its time; one of the two."""

    rows: int | str | None = None
    range: Milliseconds | str | None = None

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
    aggregates_rows = True
    rows_state = over.ROWS
    single_values: ClassVar = {over.ACCUMULATOR: "", over.LAST: "last_timer", over.CLEANUP: "cleanup_planned"}

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


@dataclass(frozen=True, slots=True)
class Process(OperatorFacts):
    """``type: process``."""

    type: ClassVar[str] = "process"
    rows_state = QUEUE
    sorts = True
    clause = "event-sort"
    said = "event_sort"
    without_results = "nothing_sorted"

    function: Function = field()

    def code_walk(self) -> list[str]:
        """``CarEventSort``."""
        return ["sort.process_element", "sort.on_timer"]


@dataclass(frozen=True, slots=True)
class IntervalJoin(OperatorFacts):
    """``type: interval-join``. The bounds are as written (ms): each may be exclusive."""

    type: ClassVar[str] = "interval-join"
    is_join = True
    joins_by_time = True
    combines_watermarks = True

    lower: Milliseconds
    upper: Milliseconds
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


@dataclass(frozen=True, slots=True)
class TemporalJoin(OperatorFacts):
    """``type: temporal-join``. ``kind``: ``inner`` or ``left``."""

    type: ClassVar[str] = "temporal-join"
    api = "sql"
    is_join = True
    combines_watermarks = True
    rows_state = temporal_join.ROWS
    rows_in_order_of_time = False
    single_values: ClassVar = {temporal_join.TIMER: "key_timer"}
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
